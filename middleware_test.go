package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// around is a middleware that is one function.
func around(f func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error)) func(prompts.Handler) prompts.Handler {
	return func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) { return f(ctx, r, next) }
	}
}

// passing is a middleware that does nothing.
func passing(next prompts.Handler) prompts.Handler { return next }

// instead is one that answers itself.
func instead(r *prompts.Response, err error) func(prompts.Handler) prompts.Handler {
	return around(func(context.Context, *prompts.Request, prompts.Handler) (*prompts.Response, error) { return r, err })
}

// seeing is one that keeps the requests, as they were, and their outcomes.
func seeing(requests *[]prompts.Request, errs *[]error) func(prompts.Handler) prompts.Handler {
	return around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		*requests = append(*requests, *r)
		response, err := next(ctx, r)
		*errs = append(*errs, err)
		return response, err
	})
}

const (
	plainList   = `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`
	emptyList   = `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`
	tracedMeta  = `"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	clientOfEra = `"io.modelcontextprotocol/clientInfo":{"name":"browser","version":"9","title":"Browser"}`
)

// A middleware that passes everything on changes no byte of what a server sends,
// in any of the recorded sessions but that of a server that is busy, where it
// needs a turn to run (see TestMiddlewareTakesATurn). This looks at what is
// global, so it is not parallel.
func TestMiddlewareThatPassesOn(t *testing.T) {
	if *update {
		return
	}
	const suffix = "_passing"
	add := func(name string, o prompts.Options, registry func() *prompts.Registry) {
		o.Middleware = around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			response, err := next(ctx, r)
			if err != nil {
				return nil, err
			}
			again := *response // as one that comes from elsewhere
			return &again, nil
		})
		goldenServers[name+suffix], goldenRegistries[name+suffix] = o, registry
		t.Cleanup(func() {
			delete(goldenServers, name+suffix)
			delete(goldenRegistries, name+suffix)
		})
	}
	names := map[string]prompts.Options{"": {}}
	for name, o := range goldenServers {
		names[name] = o
	}
	for name, o := range names {
		add(name, o, goldenRegistries[name])
	}
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		if filepath.Base(file) == "busy.txt" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			lines := strings.Split(string(raw), "\n")
			chosen := false
			for i, line := range lines {
				if strings.HasPrefix(line, "# server: ") {
					lines[i], chosen = line+suffix, true
				}
			}
			if !chosen {
				lines = append([]string{"# server: " + suffix}, lines...)
			}
			synctest.Test(t, func(t *testing.T) { play(t, file, strings.Join(lines, "\n")) })
		})
	}
}

// traveller is a server of a prompt with arguments, one that asks, one that is
// hidden, and three that fail.
func traveller() *prompts.Registry {
	return registryOf(
		textPrompt("text", "hi"),
		prompts.Prompt{
			Name: "trip", Arguments: []prompts.Argument{
				{Name: "to", Required: true, Complete: func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
					return []string{prefix + "me", others["from"]}, nil
				}},
				{Name: "from"},
			},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User(args["from"] + " to " + args["to"])), nil
			},
		},
		asking("paint"),
		rendered("hidden", func(context.Context) (*prompts.Result, error) { return prompts.Messages(), nil }),
		rendered("faulty", func(context.Context) (*prompts.Result, error) { return nil, errDisk }),
		rendered("refusing", func(context.Context) (*prompts.Result, error) {
			return nil, fmt.Errorf("for the log: %w", &prompts.Error{Code: 7, Message: "seven", Data: []int{7}})
		}),
		rendered("blaming", func(context.Context) (*prompts.Result, error) {
			return nil, prompts.InvalidArgument("to", "is too far")
		}),
		rendered("empty", func(context.Context) (*prompts.Result, error) { return nil, nil }),
	)
}

func exceptHidden(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" }

// What a middleware sees of a request in each revision: what the client has
// sent, before anything of it has been looked up.
func TestMiddlewareSeesTheRequest(t *testing.T) {
	t.Parallel()
	page := cursorAfter("hidden")
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		for _, test := range []struct {
			name, method, params string // JSON members
			want                 prompts.Request
		}{
			{"a list", "prompts/list", ``, prompts.Request{}},
			{"a later page", "prompts/list", `"cursor":"` + page + `"`, prompts.Request{Cursor: page}},
			{"a cursor that is null", "prompts/list", `"cursor":null`, prompts.Request{}},
			{"a prompt", "prompts/get", `"name":"trip","arguments":{"to":"Rome","fr\u006fm":"\u00dc"}`, prompts.Request{Prompt: "trip", Arguments: map[string]string{"to": "Rome", "from": "Ü"}}},
			{"without arguments", "prompts/get", `"name":"trip"`, prompts.Request{Prompt: "trip"}},
			{"arguments that are null", "prompts/get", `"name":"trip","arguments":null`, prompts.Request{Prompt: "trip"}},
			{"undeclared arguments", "prompts/get", `"name":"text","arguments":{"x":"y","":""}`, prompts.Request{Prompt: "text", Arguments: map[string]string{"x": "y", "": ""}}},
			{"values that are no strings", "prompts/get", `"name":"trip","arguments":{"to":7,"from":"Ulm","x":null}`, prompts.Request{Prompt: "trip", Arguments: map[string]string{"from": "Ulm"}, NonStrings: []string{"to", "x"}}},
			{"an unknown prompt", "prompts/get", `"name":"no\none"`, prompts.Request{Prompt: "no\none"}},
			{"a hidden prompt", "prompts/get", `"name":"hidden"`, prompts.Request{Prompt: "hidden"}},
			{"a prompt without a name", "prompts/get", `"name":""`, prompts.Request{}},
			{"a completion", "completion/complete", completeParamsOf("trip", "to", "Ro"), prompts.Request{Prompt: "trip", Argument: "to", Prefix: "Ro"}},
			{"of an unknown argument", "completion/complete", completeParamsOf("trip", "x", ""), prompts.Request{Prompt: "trip", Argument: "x"}},
			{"of an unknown prompt", "completion/complete", completeParamsOf("none", "x", "y"), prompts.Request{Prompt: "none", Argument: "x", Prefix: "y"}},
		} {
			t.Run(version+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				var requests []prompts.Request
				var errs []error
				s := prompts.NewServer(traveller(), prompts.Options{
					Visible: exceptHidden, Principal: func(context.Context) string { return "ada" },
					Middleware: seeing(&requests, &errs),
				})
				want, meta := test.want, tracedMeta
				want.Method, want.Version, want.Principal = test.method, version, "ada"
				if want.Arguments == nil {
					want.Arguments = map[string]string{}
				}
				var session transport.Session
				if version == "2026-07-28" {
					meta = strings.TrimSuffix(strings.TrimPrefix(bareEnvelope, `"_meta":{`), "}") + "," + clientOfEra + "," + tracedMeta
					want.Client = prompts.Implementation{Name: "browser", Version: "9", Title: "Browser"}
				} else {
					session = sessionIn(t, s, version)
					want.Client = prompts.Implementation{Name: "tester", Version: "1"}
				}
				want.Meta = json.RawMessage("{" + meta + "}")
				members := test.params
				if members != "" {
					members += ","
				}
				_, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":{`+members+`"_meta":{`+meta+`}}}`)
				require.NoError(t, err)
				assert.Equal(t, []prompts.Request{want}, requests)
			})
		}
	}
}

// CMP-04: what a completion comes with, where the revision has it.
func TestMiddlewareSeesTheOtherArguments(t *testing.T) {
	t.Parallel()
	for _, version := range handshakeVersions {
		var requests []prompts.Request
		var errs []error
		s := prompts.NewServer(traveller(), prompts.Options{Middleware: seeing(&requests, &errs)})
		got, err := handle(t, s, sessionIn(t, s, version), `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{`+
			completeParamsOf("trip", "to", "Ro")+`,"context":{"arguments":{"from":"Ulm","x":"y"}}}}`)
		require.NoError(t, err)
		require.Len(t, requests, 1)
		if version >= "2025-06-18" {
			assert.Equal(t, map[string]string{"from": "Ulm", "x": "y"}, requests[0].Arguments, version)
			assert.Contains(t, got, `["Rome","Ulm"]`, version)
		} else {
			assert.Equal(t, map[string]string{}, requests[0].Arguments, version)
			assert.Contains(t, got, `["Rome"]`, version)
		}
		assert.Nil(t, requests[0].Meta)
	}
}

// Whichever way a request comes, it goes through the middleware, and nothing
// else does.
func TestMiddlewareOnEveryWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var requests []prompts.Request
		var errs []error
		s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{
			Middleware: seeing(&requests, &errs),
			Methods:    map[string]prompts.Method{"raw": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }},
		})
		took := func() []string {
			t.Helper()
			var all []string
			for _, r := range requests {
				all = append(all, r.Method+" "+r.Prompt+" "+r.Version+" "+r.Client.Name)
			}
			requests = nil
			return all
		}

		got, err := handle(t, s, nil, envelopedGet("1", "text"))
		require.NoError(t, err)
		assert.Equal(t, envelopedText("1", "hi"), got)
		assert.Equal(t, []string{"prompts/get text 2026-07-28 "}, took())

		// Messages of both eras on one connection.
		c := connect(t, s).handshakeIn("2025-06-18")
		assert.Equal(t, []string{textLine("1", "hi")}, c.ask(getLine("1", "text")))
		assert.Equal(t, []string{envelopedText("1", "hi")}, c.ask(envelopedGet("1", "text")))
		assert.Equal(t, []string{"prompts/get text 2025-06-18 tester", "prompts/get text 2026-07-28 "}, took(), "the session's client is not that of the envelope")
		c.ask(pingLine("1"), envelopedLine("2", "server/discover", ""), `{"jsonrpc":"2.0","id":3,"method":"raw"}`, `{"jsonrpc":"2.0","id":4,"method":"none"}`)
		assert.Empty(t, took())
		assert.NoError(t, c.end())

		result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"text"}`), prompts.CallOptions{Version: "2024-11-05"})
		require.NoError(t, err)
		assert.Equal(t, `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`, string(result))
		_, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
		require.NoError(t, err)
		assert.Equal(t, []string{"prompts/get text 2024-11-05 ", "prompts/list  2025-11-25 "}, took())
	})
}

// JRP-27: each request of a batch is one of its own.
func TestMiddlewareInABatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var calls atomic.Int32
		s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{
			Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				calls.Add(1)
				if r.Prompt == "own" {
					return &prompts.Response{Result: prompts.Messages(prompts.User("own"))}, nil
				}
				return next(ctx, r)
			}),
		})
		c := connect(t, s).handshakeIn(batchVersion)
		got := c.askBatch(getLine("1", "text"), getLine("2", "own"), getLine("3", "none"), pingLine("4"), strings.Replace(plainList, "1", "5", 1))
		require.Len(t, got, 5)
		assert.ElementsMatch(t, []string{textLine("1", "hi"), textLine("2", "own"), pongLine("4")}, slices.DeleteFunc(got, func(msg string) bool {
			return strings.Contains(msg, `"id":3`) || strings.Contains(msg, `"id":5`)
		}))
		assert.EqualValues(t, 4, calls.Load())
		assert.NoError(t, c.end())
	})
}

// What a middleware gets from next, and what the client gets if it passes that on.
func TestMiddlewareSeesTheOutcome(t *testing.T) {
	t.Parallel()
	invalid := func(message string) *prompts.Error {
		return &prompts.Error{Code: prompts.CodeInvalidParams, Message: message}
	}
	hidden := func(message string) *prompts.Error {
		return &prompts.Error{Code: prompts.CodeInternalError, Message: message}
	}
	for _, test := range []struct {
		name, line string
		seen       *prompts.Error // but for its data
		data       string         // JSON
		is         error          // that the middleware sees, and the client does not
	}{
		{"an unknown prompt", getLine("1", "none"), invalid(`there is no prompt "none"`), `{"prompt":"none"}`, nil},
		{"a hidden prompt", getLine("1", "hidden"), invalid(`there is no prompt "hidden"`), `{"prompt":"hidden"}`, nil},
		{"a missing argument", getLine("1", "trip"), invalid(`to: is required`), `{"prompt":"trip","problems":[{"argument":"to","reason":"missing","message":"is required"}]}`, nil},
		{"an argument that is no string", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","x":7,"from":[]}}}`,
			invalid(`from: must be a string; x: must be a string`),
			`{"prompt":"trip","problems":[{"argument":"from","reason":"not_string","message":"must be a string"},{"argument":"x","reason":"not_string","message":"must be a string"}]}`, nil},
		{"what the render function blames", getLine("1", "blaming"), invalid(`to: is too far`), `{"prompt":"blaming","problems":[{"argument":"to","reason":"refused","message":"is too far"}]}`, nil},
		{"its own error", getLine("1", "refusing"), &prompts.Error{Code: 7, Message: "seven"}, `[7]`, nil},
		{"its secret", getLine("1", "faulty"), hidden("the prompt could not be rendered"), ``, errDisk},
		{"of a client that cannot be asked", getLine("1", "paint"), hidden(unable("it has not declared the capability elicitation.form")), ``, nil},
		{"of one that has to declare it", envelopedGet("1", "paint"), &prompts.Error{Code: transport.CodeMissingCapability, Message: undeclared("elicitation.form")}, `{"requiredCapabilities":{"elicitation":{"form":{}}}}`, nil},
		{"a completion of an unknown prompt", completeLine("1", "none", "to", ""), invalid(`there is no prompt "none"`), `{"prompt":"none"}`, nil},
		{"of a hidden prompt", completeLine("1", "hidden", "to", ""), invalid(`there is no prompt "hidden"`), `{"prompt":"hidden"}`, nil},
		{"of an unknown argument", completeLine("1", "trip", "x", ""), invalid(`x: is not an argument of this prompt`), `{"prompt":"trip","problems":[{"argument":"x","reason":"unknown","message":"is not an argument of this prompt"}]}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var requests []prompts.Request
			var errs []error
			s := prompts.NewServer(traveller(), prompts.Options{Visible: exceptHidden, Middleware: seeing(&requests, &errs)})
			plain := prompts.NewServer(traveller(), prompts.Options{Visible: exceptHidden})
			got, err := handle(t, s, newSession(t, s), test.line)
			require.NoError(t, err)
			want, err := handle(t, plain, newSession(t, plain), test.line)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			require.Len(t, errs, 1)
			var e *prompts.Error
			require.ErrorAs(t, errs[0], &e)
			assert.Equal(t, test.seen.Code, e.Code)
			assert.Equal(t, test.seen.Message, e.Message)
			if test.data == "" {
				assert.Nil(t, e.Data)
			} else {
				data, err := json.Marshal(e.Data)
				require.NoError(t, err)
				assert.JSONEq(t, test.data, string(data))
			}
			if test.is != nil {
				assert.ErrorIs(t, errs[0], test.is)
				assert.NotContains(t, got, errDisk.Error())
			}
		})
	}
}

// What next returns when all is well.
func TestMiddlewareSeesTheResponse(t *testing.T) {
	t.Parallel()
	var response *prompts.Response
	s := prompts.NewServer(traveller(), prompts.Options{PageSize: 1, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (_ *prompts.Response, err error) {
		response, err = next(ctx, r)
		return response, err
	})})
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		for params, want := range map[[2]string]*prompts.Response{
			{"prompts/get", `{"name":"text"}`}:                                        {Result: prompts.Messages(prompts.User("hi"))},
			{"completion/complete", `{` + completeParamsOf("trip", "to", "Ro") + `}`}: {Values: []string{"Rome"}, Total: 1},
		} {
			_, err := s.Call(t.Context(), params[0], []byte(params[1]), prompts.CallOptions{Version: version})
			require.NoError(t, err)
			got := prompts.Response{Result: response.Result, Values: response.Values, Total: response.Total}
			assert.Equal(t, *want, got, version)
		}
	}
}
