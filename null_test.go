package prompts_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/clienttest"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// nullPrompt prints the arguments that it gets.
func nullPrompt() prompts.Prompt {
	nullable := &jsonschema.Schema{Types: []string{"integer", "null"}, Default: json.RawMessage("7")}
	return prompts.Prompt{
		Name: "p", Arguments: []prompts.Argument{
			{Name: "who", Required: true},
			{Name: "tone", Schema: &jsonschema.Schema{Type: "string", Default: json.RawMessage(`"kind"`)}},
			{Name: "lines", Schema: nullable},
			{Name: "token", Sensitive: true},
		},
		Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(strings.Trim(servertest.JsonText(args), "{}"))), nil
		},
	}
}

// transports connect a client to a server that runs.
var transports = map[string]func(t *testing.T, s *prompts.Server) transport.Conn{
	"stdio": func(t *testing.T, s *prompts.Server) transport.Conn {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(context.Background(), stdio.NewStream(inR, outW, stdio.Options{})) }() // ends with its input
		t.Cleanup(func() {
			assert.NoError(t, inW.Close())
			assert.NoError(t, <-ended)
		})
		return stdio.NewStream(outR, inW, stdio.Options{})
	},
	"HTTP": func(t *testing.T, s *prompts.Server) transport.Conn {
		web := httptest.NewServer(streamablehttp.MustNewHandler(s, streamablehttp.Options{}))
		conn := clienttest.HTTP(web.URL, nil)
		t.Cleanup(func() {
			assert.NoError(t, conn.Close())
			web.Close()
		})
		return conn
	},
}

// askOver sends a request in a protocol version, and returns the response.
func askOver(t *testing.T, conn transport.Conn, version, method, params string) string {
	t.Helper()
	respond := func(id, line string) string {
		require.NoError(t, conn.Write(t.Context(), []byte(line)))
		for {
			msg, err := conn.Read(t.Context())
			require.NoError(t, err)
			if strings.Contains(string(msg), `"id":`+id) {
				return string(msg)
			}
		}
	}
	if version == "2026-07-28" {
		return respond("1", servertest.EnvelopedLine("1", method, params))
	}
	respond("0", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	require.NoError(t, conn.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)))
	line := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	return respond("1", line)
}

// GAP-18: by each method that renders a prompt, in each version, in a batch, by Call, over
// stdio and HTTP, and with and without a middleware, an argument that is null is one that is left out, unless its schema
// admits null.
func TestNullArguments(t *testing.T) {
	t.Parallel()
	passing := servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if r.Method == "prompts/get" {
			for _, name := range r.NonStrings {
				assert.NotContains(t, r.Arguments, name)
			}
		}
		return next(ctx, r)
	})
	for arguments, want := range map[string]string{
		`{"who":"Ada","tone":null,"token":null}`: `"text":""lines":"7","tone":"kind","who":"Ada"`,
		`{"who":"Ada","lines":null}`:             `"text":""tone":"kind","who":"Ada"`,
		`{"who":null,"lines":null}`:              `who is required`,
		`{"who":"null","tone":"null"}`:           `"text":""lines":"7","tone":"null","who":"null"`,
	} {
		for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, passing} {
			for tools, method := range map[string]string{"": "prompts/get", "each": "tools/call", "pair": "tools/call"} {
				reg := servertest.RegistryOf(nullPrompt())
				o := prompts.Options{Middleware: middleware}
				params := `"name":"p","arguments":` + arguments
				var pair *prompttools.Pair
				if tools == "pair" {
					pair = &prompttools.Pair{}
					params = `"name":"get_prompt","arguments":{` + params + `}`
				}
				feature, err := prompttools.New(reg, prompttools.Options{Names: []string{"p"}, Pair: pair})
				require.NoError(t, err)
				o.Features = append(o.Features, feature)
				s := prompts.MustNewServer(reg, o)

				got, e := servertest.Call(t, s, method, "{"+params+"}")
				if e != nil {
					got = e.Message
				}
				answers := []string{got, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", method, params))}
				for _, version := range servertest.HandshakeVersions {
					line := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
					answers = append(answers, servertest.AnswerTo(t, s, servertest.SessionIn(t, s, version), line))
					if version == "2025-03-26" {
						answers = append(answers, servertest.AnswerTo(t, s, servertest.SessionIn(t, s, version), "["+line+"]"))
					}
				}
				for _, version := range append(slices.Clone(servertest.HandshakeVersions), "2026-07-28") {
					for _, connect := range transports {
						answers = append(answers, askOver(t, connect(t, s), version, method, params))
					}
				}
				for i, got := range answers {
					assert.Contains(t, strings.ReplaceAll(got, `\"`, `"`), want, "%s %s %v: answer %d", tools, arguments, middleware != nil, i)
				}
			}
		}
	}
}

// A null is no secret: the word stays in what the server writes.
func TestNullIsNoSecret(t *testing.T) {
	t.Parallel()
	p := nullPrompt()
	p.Arguments[3].Schema = &jsonschema.Schema{Types: []string{"object", "null"}}
	p.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return nil, &prompts.Error{Code: 1, Message: "a null pointer"}
	}
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		return next(ctx, r)
	})} {
		_, e := servertest.Call(t, prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Middleware: middleware}), "prompts/get", `{"name":"p","arguments":{"who":"Ada","token":null}}`)
		assert.Equal(t, "a null pointer", e.Message)
	}
}

// A cached result and the state of a request distinguish null, the string and no value.
func TestNullIsItsOwnValue(t *testing.T) {
	t.Parallel()
	calls := 0
	p := nullPrompt()
	p.Arguments = slices.Clone(p.Arguments[1:3])
	p.Arguments[1].Schema = &jsonschema.Schema{Types: []string{"string", "null"}}
	p.Cache = prompts.Cache{TTL: time.Hour}
	render := p.Render
	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		calls++
		return render(ctx, args)
	}
	s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{})
	for range 2 {
		for arguments, want := range map[string]string{`{}`: `"tone":"kind"`, `{"lines":null,"tone":null}`: `"tone":"kind"`, `{"lines":"null"}`: `"lines":"null","tone":"kind"`} {
			got, e := servertest.Call(t, s, "prompts/get", `{"name":"p","arguments":`+arguments+`}`)
			require.Nil(t, e)
			assert.Contains(t, strings.ReplaceAll(got, `\"`, `"`), `"text":"`+want+`"`)
		}
	}
	assert.Equal(t, 3, calls)
}
