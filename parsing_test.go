package prompts_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/transport"
)

// What a request has kept as JSON is parsed within the memory for parsing, like a message:
// while that is full, the request waits. All ways to the arguments of a request are here.
func TestArgumentsWaitToBeParsed(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 20<<10)
	get := `"name":"p","arguments":{"a":"` + text + `"`
	visible := func(context.Context, prompts.Prompt) (bool, error) { return true, nil }
	passing := servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		return next(ctx, r)
	})
	asText, err := json.Marshal(`{"a":"` + text + `"}`)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		method, params string
		options        prompts.Options
		tools          prompttools.Options
	}{
		"get, visible":               {"prompts/get", get + "}", prompts.Options{Visible: visible}, prompttools.Options{}},
		"get, no string, middleware": {"prompts/get", get + `,"n":null}`, prompts.Options{Middleware: passing}, prompttools.Options{}},
		"tool, visible":              {"tools/call", get + "}", prompts.Options{Visible: visible}, prompttools.Options{Names: []string{"p"}}},
		"tool, middleware":           {"tools/call", get + "}", prompts.Options{Middleware: passing}, prompttools.Options{Names: []string{"p"}}},
		"tool, by key":               {"tools/call", `"name":"p","arguments":{"gr_xf6__xdf_e":"` + text + `"}`, prompts.Options{}, prompttools.Options{Names: []string{"p"}}},
		"tool, by key, middleware":   {"tools/call", `"name":"p","arguments":{"gr_xf6__xdf_e":"` + text + `"}`, prompts.Options{Middleware: passing}, prompttools.Options{Names: []string{"p"}}},
		"pair, as a text":            {"tools/call", `"name":"get_prompt","arguments":{"name":"p","arguments":` + string(asText) + `}`, prompts.Options{}, prompttools.Options{Names: []string{"p"}, Pair: &prompttools.Pair{}}},
		"own tool":                   {"tools/call", `"name":"own","arguments":{"a":"` + text + `"}`, prompts.Options{}, prompttools.Options{}},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			end := make(chan struct{})
			reg := servertest.RegistryOf(
				prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}, {Name: "n"}, {Name: "größe"}}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
					return prompts.Messages(prompts.User("done")), nil
				}},
				servertest.Rendered("slow", func(context.Context) (*prompts.Result, error) {
					<-end
					return prompts.Messages(prompts.User("x")), nil
				}))
			test.tools.Tools = []prompttools.Tool{{Name: "own", InputSchema: &jsonschema.Schema{Type: "object"}, Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
				return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "done"}}}, nil
			}}}
			tools, err := prompttools.New(reg, test.tools)
			require.NoError(t, err)
			o := test.options
			o.Features = []feature.Feature{tools}
			o.Timeouts.Render = -1
			o.Limits = prompts.Limits{MaxConcurrentTotal: 1, MaxConcurrent: 1, MaxConcurrentPerClient: 1, MaxMessageBytes: 64 << 10, MaxMemoryBytes: 16 << 20}
			s := prompts.MustNewServer(reg, o)
			handle := func(msg string, check func(transport.RequestInfo) error) <-chan string {
				answer := make(chan string, 1)
				go func() { // ends with its answer
					_ = s.Handle(t.Context(), []byte(msg), transport.Exchange{CheckVersion: check, Send: func(msg []byte, _ transport.Code, _ bool) error {
						answer <- string(msg)
						return nil
					}})
				}()
				return answer
			}
			slow := handle(servertest.EnvelopedGet("1", "slow"), nil)
			synctest.Wait()
			answer := handle(servertest.EnvelopedLine("2", test.method, test.params), nil) // is read, and waits for its turn
			synctest.Wait()
			full := make(chan struct{})
			for range 100 { // more than the memory for parsing has room for
				handle(servertest.EnvelopedLine("3", "ping", `"x":"`+strings.Repeat("x", 60<<10)+`"`), func(transport.RequestInfo) error { <-full; return nil })
			}
			synctest.Wait()
			close(end)
			synctest.Wait()
			assert.Contains(t, <-slow, `"x"`)
			assert.Empty(t, answer, "the memory for parsing is full")
			close(full)
			assert.Contains(t, <-answer, `"done"`)
		})
	}
}

// If a tool of the application gets other arguments than the client has sent, the request
// holds both, and both count.
func TestChangedArgumentsCount(t *testing.T) {
	t.Parallel()
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}, "größe": {Type: "integer"}}}
	text := strings.Repeat("x", 100<<10)
	reg := new(prompts.Registry)
	tools, err := prompttools.New(reg, prompttools.Options{Tools: []prompttools.Tool{{Name: "own", InputSchema: schema, Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "done"}}}, nil
	}}}})
	require.NoError(t, err)
	// One client may hold 64 KiB, or one message of any size.
	s := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}, Limits: prompts.Limits{MaxMemoryBytesPerClient: 128 << 10}})
	for members, want := range map[string]string{
		`"n":1`:             "done",
		`"n":"x"`:           "n must be an integer",
		`"größe":1`:         "done",
		`"n":null`:          "server is at capacity",
		`"n":"1"`:           "server is at capacity",
		`"gr_xf6__xdf_e":1`: "server is at capacity",
	} {
		var got string
		line := servertest.EnvelopedLine("1", "tools/call", `"name":"own","arguments":{"text":"`+text+`",`+members+`}`)
		require.NoError(t, s.Handle(t.Context(), []byte(line), transport.Exchange{ClientKey: "c", Send: func(msg []byte, _ transport.Code, _ bool) error {
			got = string(msg)
			return nil
		}}))
		assert.Contains(t, got, want, members)
	}
}
