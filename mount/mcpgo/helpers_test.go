package mcpgo_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// handshakes and stateless are the revisions that the SDK serves.
var handshakes = slices.Clip(mcp.LegacyProtocolVersions()) // tests append at once

const stateless = mcp.ProtocolVersion20260728

// timeout is how long a test waits for what should come at once.
const timeout = 2 * time.Minute

// wire is a client of a server, without a transport.
type wire struct {
	t       testing.TB
	server  *server.MCPServer
	session *server.InProcessSession
	version string
	ctx     context.Context

	capabilities string // of a client without a handshake; default: elicitation
	name         string // of a client without a handshake; default: c
}

// dial returns a client that has shaken hands, if the revision has that.
func dial(t testing.TB, s *server.MCPServer, version string, handlers ...server.ElicitationHandler) *wire {
	t.Helper()
	var elicit server.ElicitationHandler
	if len(handlers) > 0 {
		elicit = handlers[0]
	}
	session := server.NewInProcessSessionWithHandlers(fmt.Sprintf("%s-%p", t.Name(), new(int)), nil, elicit, nil)
	w := &wire{t: t, server: s, session: session, version: version, ctx: s.WithContext(context.Background(), session)}
	require.NoError(t, s.RegisterSession(context.Background(), session))
	t.Cleanup(func() { s.UnregisterSession(context.Background(), session.SessionID()) })
	if version == stateless {
		session.Initialize()
		return w
	}
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	w.result("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}`, version), &result)
	require.Equal(t, version, result.ProtocolVersion)
	return w
}

// answer is a response.
type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// do sends a request and returns the response. params is an object.
func (w *wire) do(method, params string) answer {
	w.t.Helper()
	raw, err := json.Marshal(w.server.HandleMessage(w.ctx, w.request(method, params)))
	require.NoError(w.t, err)
	var a answer
	require.NoError(w.t, json.Unmarshal(raw, &a), "%s", raw)
	return a
}

func (w *wire) request(method, params string) json.RawMessage {
	var members map[string]json.RawMessage
	require.NoError(w.t, json.Unmarshal([]byte(params), &members), params)
	if w.version == stateless {
		meta := map[string]json.RawMessage{}
		if members["_meta"] != nil {
			require.NoError(w.t, json.Unmarshal(members["_meta"], &meta))
		}
		meta["io.modelcontextprotocol/protocolVersion"] = json.RawMessage(`"2026-07-28"`)
		meta["io.modelcontextprotocol/clientInfo"] = json.RawMessage(fmt.Sprintf(`{"name":%q,"version":"1","title":"T"}`, cmp.Or(w.name, "c")))
		meta["io.modelcontextprotocol/clientCapabilities"] = json.RawMessage(cmp.Or(w.capabilities, `{"elicitation":{"form":{}}}`))
		members["_meta"], _ = json.Marshal(meta)
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": method, "params": members})
	require.NoError(w.t, err)
	return text
}

// result wants a result.
func (w *wire) result(method, params string, to any) json.RawMessage {
	w.t.Helper()
	a := w.do(method, params)
	require.Nil(w.t, a.Error, "%+v", a.Error)
	if to != nil {
		require.NoError(w.t, json.Unmarshal(a.Result, to))
	}
	return a.Result
}

// names walks the list.
func (w *wire) names() []string {
	w.t.Helper()
	names := []string{}
	cursor := "{}"
	for {
		var page struct {
			NextCursor string
			Prompts    []struct{ Name string }
		}
		w.result("prompts/list", cursor, &page)
		for _, p := range page.Prompts {
			names = append(names, p.Name)
		}
		if page.NextCursor == "" {
			return names
		}
		cursor = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
	}
}

// text wants a prompt of one text.
func (w *wire) text(name, arguments string) string {
	w.t.Helper()
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	w.result("prompts/get", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments), &result)
	require.Len(w.t, result.Messages, 1)
	return result.Messages[0].Content.Text
}

// changes waits for a notification of a change.
func (w *wire) changed() {
	w.t.Helper()
	late := time.After(timeout)
	for {
		select {
		case n := <-w.session.ClientNotifications():
			if n.Method == mcp.MethodNotificationPromptsListChanged {
				return
			}
		case <-late:
			w.t.Fatal("the client has not been told of a change")
		}
	}
}

// pending returns the methods of the notifications that have come.
func (w *wire) pending() []string {
	methods := []string{}
	for {
		select {
		case n := <-w.session.ClientNotifications():
			methods = append(methods, n.Method)
		default:
			return methods
		}
	}
}

func says(name, text string) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(text)), nil
	}}
}

// own adds a prompt of the SDK's.
func own(s *server.MCPServer, name, text string) {
	s.AddPrompt(mcp.NewPrompt(name), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}}, nil
	})
}

func mount(t testing.TB, s *server.MCPServer, r *prompts.Registry, o prompts.Options, own ...server.PromptCompletionProvider) (unmount func()) {
	t.Helper()
	unmount, err := mcpgo.Mount(s, r, mcpgo.Options{Server: o, Completions: first(own)})
	require.NoError(t, err)
	t.Cleanup(unmount)
	return unmount
}

// decode decodes with numbers as they are.
func decode(t testing.TB, text []byte, to any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(to))
}

// fixed is a completion provider of an author.
type fixed struct{}

func (fixed) CompletePromptArgument(_ context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{name + "/" + argument.Name + "/" + argument.Value}}, nil
}

// first returns the provider of an optional argument, or nil.
func first(own []server.PromptCompletionProvider) server.PromptCompletionProvider {
	if len(own) == 0 {
		return nil
	}
	return own[0]
}
