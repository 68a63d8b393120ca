package migrating_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	mcpgomcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What the guide says of panics, of each of the three.
func TestPanics(t *testing.T) {
	t.Parallel()
	request := get("panics", `{}`)

	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "panics", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		panic("a secret")
	}})
	answer := askRegistry(t, &reg, request)
	assert.Contains(t, answer, "-32603")
	assert.NotContains(t, answer, "a secret")

	s := server.NewMCPServer("desk", "1.0.0", server.WithRecovery())
	s.AddPrompt(mcpgomcp.NewPrompt("panics"), func(context.Context, mcpgomcp.GetPromptRequest) (*mcpgomcp.GetPromptResult, error) {
		panic("a secret")
	})
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal panic: a secret"}}`, askStdio(t, s, request))
	web := httptest.NewUnstartedServer(server.NewStreamableHTTPServer(s, server.WithStateLess(true)))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.Start()
	t.Cleanup(web.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(request))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if !assert.Error(t, err, "it is cut off") {
		assert.NoError(t, response.Body.Close())
	}

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicOfGoSDK$")
	cmd.Env = append(os.Environ(), panicsKey+"=1")
	out, err := cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "panic: a secret")
	assert.Contains(t, string(out), "mcp.(*Server).getPrompt")
}

// panicsKey has TestPanicOfGoSDK end the process.
const panicsKey = "MIGRATING_PANICS"

// TestPanicOfGoSDK is the other process of TestPanics; by itself it shows that
// the prompt is one that is called.
func TestPanicOfGoSDK(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1.0.0"}, nil)
	s.AddPrompt(&mcp.Prompt{Name: "panics"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if os.Getenv(panicsKey) != "" {
			panic("a secret")
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}, nil
	})
	assert.Contains(t, askServer(t, s, get("panics", `{}`)), `"result"`)
}

// What the guide says of the errors of handlers.
func TestErrorsOfHandlers(t *testing.T) {
	t.Parallel()
	refused := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no", Data: json.RawMessage(`{"a":1}`)}
	plain := errors.New("no")

	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1.0.0"}, nil)
	for name, err := range map[string]error{"refused": refused, "plain": plain} {
		s.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, err })
	}
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"a":1}}}`, askServer(t, s, get("refused", `{}`)))
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"no"}}`, askServer(t, s, get("plain", `{}`)))

	m := server.NewMCPServer("desk", "1.0.0")
	m.AddPrompt(mcpgomcp.NewPrompt("plain"), func(context.Context, mcpgomcp.GetPromptRequest) (*mcpgomcp.GetPromptResult, error) {
		return nil, plain
	})
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, askStdio(t, m, get("plain", `{}`)))
}

// Both others write text in the way of HTML, on their own transports too.
func TestEscapes(t *testing.T) {
	t.Parallel()
	const text, escaped = "a < b && c > d", `a \u003c b \u0026\u0026 c \u003e d`
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1.0.0"}, nil)
	s.AddPrompt(&mcp.Prompt{Name: "text"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	})
	assert.Contains(t, askServer(t, s, get("text", `{}`)), escaped)
	m := server.NewMCPServer("desk", "1.0.0")
	m.AddPrompt(mcpgomcp.NewPrompt("text"), func(context.Context, mcpgomcp.GetPromptRequest) (*mcpgomcp.GetPromptResult, error) {
		return mcpgomcp.NewGetPromptResult("", []mcpgomcp.PromptMessage{
			mcpgomcp.NewPromptMessage(mcpgomcp.RoleUser, mcpgomcp.NewTextContent(text)),
		}), nil
	})
	assert.Contains(t, askStdio(t, m, get("text", `{}`)), escaped)
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "text", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(text)), nil
	}})
	assert.Contains(t, askRegistry(t, &reg, get("text", `{}`)), text)
}

// askStdio asks over the transport of mcp-go for streams.
func askStdio(t *testing.T, s *server.MCPServer, request string) string {
	t.Helper()
	in, out := newStream(), newStream()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	stdio := server.NewStdioServer(s)
	stdio.SetErrorLogger(log.New(io.Discard, "", 0))
	go func() { served <- stdio.Listen(ctx, in.r, out.w) }()
	defer func() {
		assert.NoError(t, in.w.Close())
		cancel()
		<-served
	}()
	return converse(t, in.w, out.r, request)
}

func askRegistry(t *testing.T, reg *prompts.Registry, request string) string {
	t.Helper()
	return askSession(t, prompts.MustNewServer(reg, prompts.Options{Info: prompts.Implementation{Name: "desk", Version: "1.0.0"}}), request)
}

// askSession asks without a transport.
func askSession(t *testing.T, s *prompts.Server, request string) string {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{})
	defer session.Close()
	ask := func(msg string) string {
		var answer []byte
		require.NoError(t, session.Handle(context.Background(), []byte(msg), transport.Exchange{
			Send: func(msg []byte, _ transport.Code, _ bool) error {
				answer = bytes.Clone(msg)
				return nil
			},
		}))
		return string(answer)
	}
	ask(initialize)
	ask(initialized)
	return ask(request)
}
