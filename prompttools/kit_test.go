package prompttools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

type review struct {
	Language string `json:"language" enum:"go,python" jsonschema:"of the code"`
	Lines    int    `json:"lines,omitempty" minimum:"1" maximum:"50" default:"10"`
	Strict   bool   `json:"strict,omitempty"`
	Tags     []int  `json:"tags,omitempty"`
	When     *struct {
		Day string `json:"day"`
	} `json:"when,omitempty"`
}

func reviewPrompt() prompts.Prompt {
	return prompts.NewText(prompts.Prompt{Name: "review", Title: "Review", Description: "Reviews code.", Tags: []string{"tool"}, Version: "2"},
		func(_ context.Context, in review) (string, error) {
			day := ""
			if in.When != nil {
				day = in.When.Day
			}
			return fmt.Sprintf("%s %d %t %v %s", in.Language, in.Lines, in.Strict, in.Tags, day), nil
		})
}

func textPrompt(name, text string, tags ...string) prompts.Prompt {
	return prompts.NewText(prompts.Prompt{Name: name, Tags: tags}, func(context.Context, struct{}) (string, error) { return text, nil })
}

func all(prompts.Prompt) bool { return true }

// serve returns a server of the prompts with tools.
func serve(t testing.TB, o prompttools.Options, so prompts.Options, ps ...prompts.Prompt) (*prompts.Server, *prompts.Registry) {
	t.Helper()
	reg := new(prompts.Registry)
	reg.MustAdd(ps...)
	tools, err := prompttools.New(reg, o)
	require.NoError(t, err)
	so.Features = append(so.Features, tools)
	if so.Logger == nil {
		so.Logger = slog.New(slog.DiscardHandler)
	}
	return prompts.MustNewServer(reg, so), reg
}

// client is a client of one protocol version. What the server sends is checked
// against the schemas of the specification.
type client struct {
	t       testing.TB
	server  *prompts.Server
	version string
	session transport.Session
	judge   *speccheck.Judge // nil without the schemas
	lastID  int
	asked   func(method string, params json.RawMessage) string // the result, of a question in a session
}

// specification judges what the server sends.
var specification = sync.OnceValues(speccheck.FromEnvironment)

func connect(t testing.TB, srv *prompts.Server, version string) *client {
	t.Helper()
	c := &client{t: t, server: srv, version: version}
	if os.Getenv(speccheck.Variable) != "" {
		checker, err := specification()
		require.NoError(t, err)
		c.judge = checker.Judge(speccheck.Options{HTTP: true})
	}
	if version < "2026" {
		c.session = srv.NewSession(transport.SessionOptions{})
		t.Cleanup(c.session.Close)
		c.request("initialize", fmt.Sprintf(`"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}`, version))
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return c
}

func (c *client) send(msg string) (response string) {
	c.t.Helper()
	if c.judge != nil {
		c.judge.Client([]byte(msg))
	}
	x := transport.Exchange{Send: func(msg []byte, _ transport.Code, last bool) error {
		if c.judge != nil {
			assert.NoError(c.t, c.judge.Server(slices.Clone(msg)), "%s", msg)
		}
		if last {
			response = string(msg)
			return nil
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		require.NoError(c.t, json.Unmarshal(msg, &m))
		if m.ID != nil {
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, c.asked(m.Method, m.Params))
			go func() {
				_ = c.session.Handle(context.Background(), []byte(answer), transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }})
			}()
		}
		return nil
	}}
	if c.session != nil {
		_ = c.session.Handle(context.Background(), []byte(msg), x)
	} else {
		_ = c.server.Handle(context.Background(), []byte(msg), x)
	}
	return response
}

// request returns the result of a request, or its error.
func (c *client) request(method, params string) string {
	c.t.Helper()
	c.lastID++
	if c.session == nil {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + c.version + `","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
		params = strings.TrimSuffix(meta+","+params, ",")
	}
	response := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.lastID, method, params))
	var m struct{ Result, Error json.RawMessage }
	require.NoError(c.t, json.Unmarshal([]byte(response), &m), response)
	if m.Error != nil {
		return string(m.Error)
	}
	return string(m.Result)
}

type result struct {
	IsError bool
	Content []struct {
		Type, Text string
		Resource   struct{ URI string }
	}
	StructuredContent json.RawMessage
	ResultType        string
	Meta              map[string]any `json:"_meta"`
	Code              int
	Message           string
	Data              json.RawMessage
	InputRequests     map[string]json.RawMessage
	RequestState      string
}

// call calls a tool. more are members of params, such as inputResponses.
func (c *client) call(tool, arguments string, more ...string) result {
	c.t.Helper()
	params := fmt.Sprintf(`"name":%q`, tool)
	if arguments != "" {
		params += `,"arguments":` + arguments
	}
	text := c.request("tools/call", strings.Join(append([]string{params}, more...), ","))
	var r result
	require.NoError(c.t, json.Unmarshal([]byte(text), &r), text)
	return r
}

// list returns the names of the tools of a page, and the entries.
func (c *client) list(params string) (names []string, entries []map[string]any, next string) {
	c.t.Helper()
	var r struct {
		Tools      []map[string]any
		NextCursor string
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.request("tools/list", params)), &r))
	for _, e := range r.Tools {
		names = append(names, e["name"].(string))
	}
	return names, r.Tools, r.NextCursor
}
