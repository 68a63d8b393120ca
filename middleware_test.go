package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// around is a middleware that is one function.
func around(f func(ctx context.Context, r *Request, next Handler) (*Response, error)) func(Handler) Handler {
	return func(next Handler) Handler {
		return func(ctx context.Context, r *Request) (*Response, error) { return f(ctx, r, next) }
	}
}

// passing is a middleware that does nothing.
func passing(next Handler) Handler { return next }

// instead is one that answers itself.
func instead(r *Response, err error) func(Handler) Handler {
	return around(func(context.Context, *Request, Handler) (*Response, error) { return r, err })
}

// seeing is one that keeps the requests, as they were, and their outcomes.
func seeing(requests *[]Request, errs *[]error) func(Handler) Handler {
	return around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
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
	add := func(name string, o Options, registry func() *Registry) {
		o.Middleware = around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			response, err := next(ctx, r)
			if err != nil {
				return nil, err
			}
			again := *response // as one that comes from elsewhere
			again.List = append(json.RawMessage(nil), response.List...)
			return &again, nil
		})
		goldenServers[name+suffix], goldenRegistries[name+suffix] = o, registry
		t.Cleanup(func() {
			delete(goldenServers, name+suffix)
			delete(goldenRegistries, name+suffix)
		})
	}
	names := map[string]Options{"": {}}
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
func traveller() *Registry {
	return registryOf(
		textPrompt("text", "hi"),
		Prompt{
			Name: "trip", Arguments: []Argument{
				{Name: "to", Required: true, Complete: func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
					return []string{prefix + "me", others["from"]}, nil
				}},
				{Name: "from"},
			},
			Render: func(_ context.Context, args map[string]string) (*Result, error) {
				return Messages(User(args["from"] + " to " + args["to"])), nil
			},
		},
		asking("paint"),
		rendered("hidden", func(context.Context) (*Result, error) { return Messages(), nil }),
		rendered("faulty", func(context.Context) (*Result, error) { return nil, errDisk }),
		rendered("refusing", func(context.Context) (*Result, error) {
			return nil, fmt.Errorf("for the log: %w", &Error{Code: 7, Message: "seven", Data: []int{7}})
		}),
		rendered("blaming", func(context.Context) (*Result, error) { return nil, InvalidArgument("to", "is too far") }),
		rendered("empty", func(context.Context) (*Result, error) { return nil, nil }),
	)
}

func exceptHidden(_ context.Context, p Prompt) bool { return p.Name != "hidden" }

// What a middleware sees of a request in each revision: what the client has
// sent, before anything of it has been looked up.
func TestMiddlewareSeesTheRequest(t *testing.T) {
	t.Parallel()
	page := string(appendCursor(nil, "hidden"))
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		for _, test := range []struct {
			name, method, params string // JSON members
			want                 Request
		}{
			{"a list", "prompts/list", ``, Request{}},
			{"a later page", "prompts/list", `"cursor":"` + page + `"`, Request{Cursor: page}},
			{"a cursor that is null", "prompts/list", `"cursor":null`, Request{}},
			{"a prompt", "prompts/get", `"name":"trip","arguments":{"to":"Rome","fr\u006fm":"\u00dc"}`, Request{Prompt: "trip", Arguments: map[string]string{"to": "Rome", "from": "Ü"}}},
			{"without arguments", "prompts/get", `"name":"trip"`, Request{Prompt: "trip"}},
			{"arguments that are null", "prompts/get", `"name":"trip","arguments":null`, Request{Prompt: "trip"}},
			{"undeclared arguments", "prompts/get", `"name":"text","arguments":{"x":"y","":""}`, Request{Prompt: "text", Arguments: map[string]string{"x": "y", "": ""}}},
			{"values that are no strings", "prompts/get", `"name":"trip","arguments":{"to":7,"from":"Ulm","x":null}`, Request{Prompt: "trip", Arguments: map[string]string{"from": "Ulm"}, NotStrings: []string{"to", "x"}}},
			{"an unknown prompt", "prompts/get", `"name":"no\none"`, Request{Prompt: "no\none"}},
			{"a hidden prompt", "prompts/get", `"name":"hidden"`, Request{Prompt: "hidden"}},
			{"a prompt without a name", "prompts/get", `"name":""`, Request{}},
			{"a completion", "completion/complete", completeParamsOf("trip", "to", "Ro"), Request{Prompt: "trip", Argument: "to", Prefix: "Ro"}},
			{"of an unknown argument", "completion/complete", completeParamsOf("trip", "x", ""), Request{Prompt: "trip", Argument: "x"}},
			{"of an unknown prompt", "completion/complete", completeParamsOf("none", "x", "y"), Request{Prompt: "none", Argument: "x", Prefix: "y"}},
		} {
			t.Run(version+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				var requests []Request
				var errs []error
				s := NewServer(traveller(), Options{
					Visible: exceptHidden, Principal: func(context.Context) string { return "ada" },
					Middleware: seeing(&requests, &errs),
				})
				want, meta := test.want, tracedMeta
				want.Method, want.Version, want.Principal = test.method, version, "ada"
				if want.Arguments == nil {
					want.Arguments = map[string]string{}
				}
				var session *Session
				if version == "2026-07-28" {
					meta = strings.TrimSuffix(strings.TrimPrefix(bareEnvelope, `"_meta":{`), "}") + "," + clientOfEra + "," + tracedMeta
					want.Client = Implementation{Name: "browser", Version: "9", Title: "Browser"}
				} else {
					session = sessionIn(t, s, version)
					want.Client = Implementation{Name: "tester", Version: "1"}
				}
				want.Meta = json.RawMessage("{" + meta + "}")
				members := test.params
				if members != "" {
					members += ","
				}
				_, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":{`+members+`"_meta":{`+meta+`}}}`)
				require.NoError(t, err)
				assert.Equal(t, []Request{want}, requests)
			})
		}
	}
}

// CMP-04: what a completion comes with, where the revision has it.
func TestMiddlewareSeesTheOtherArguments(t *testing.T) {
	t.Parallel()
	for _, version := range handshakeVersions {
		var requests []Request
		var errs []error
		s := NewServer(traveller(), Options{Middleware: seeing(&requests, &errs)})
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
		var requests []Request
		var errs []error
		s := NewServer(registryOf(textPrompt("text", "hi")), Options{
			Middleware: seeing(&requests, &errs),
			Methods:    map[string]Method{"raw": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }},
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

		result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"text"}`), CallOptions{Version: "2024-11-05"})
		require.NoError(t, err)
		assert.Equal(t, `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`, string(result))
		_, err = s.Call(t.Context(), "prompts/list", nil, CallOptions{})
		require.NoError(t, err)
		assert.Equal(t, []string{"prompts/get text 2024-11-05 ", "prompts/list  2025-11-25 "}, took())
	})
}

// JRP-27: each request of a batch is one of its own.
func TestMiddlewareInABatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var calls atomic.Int32
		s := NewServer(registryOf(textPrompt("text", "hi")), Options{
			Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				calls.Add(1)
				if r.Prompt == "own" {
					return &Response{Result: Messages(User("own"))}, nil
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
	invalid := func(message string) *Error { return &Error{Code: CodeInvalidParams, Message: message} }
	hidden := func(message string) *Error { return &Error{Code: CodeInternalError, Message: message} }
	for _, test := range []struct {
		name, line string
		seen       *Error // but for its data
		data       string // JSON
		is         error  // that the middleware sees, and the client does not
	}{
		{"an unknown prompt", getLine("1", "none"), invalid(`there is no prompt "none"`), `{"prompt":"none"}`, nil},
		{"a hidden prompt", getLine("1", "hidden"), invalid(`there is no prompt "hidden"`), `{"prompt":"hidden"}`, nil},
		{"a missing argument", getLine("1", "trip"), invalid(`to: is required`), `{"prompt":"trip","problems":[{"argument":"to","reason":"missing","message":"is required"}]}`, nil},
		{"an argument that is no string", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","x":7,"from":[]}}}`,
			invalid(`from: must be a string; x: must be a string`),
			`{"prompt":"trip","problems":[{"argument":"from","reason":"not_string","message":"must be a string"},{"argument":"x","reason":"not_string","message":"must be a string"}]}`, nil},
		{"what the render function blames", getLine("1", "blaming"), invalid(`to: is too far`), `{"prompt":"blaming","problems":[{"argument":"to","reason":"refused","message":"is too far"}]}`, nil},
		{"its own error", getLine("1", "refusing"), &Error{Code: 7, Message: "seven"}, `[7]`, nil},
		{"its secret", getLine("1", "faulty"), hidden("the prompt could not be rendered"), ``, errDisk},
		{"of a client that cannot be asked", getLine("1", "paint"), hidden(unable("it has not declared the capability elicitation.form")), ``, nil},
		{"of one that has to declare it", envelopedGet("1", "paint"), &Error{Code: CodeMissingCapability, Message: undeclared("elicitation.form")}, `{"requiredCapabilities":{"elicitation":{"form":{}}}}`, nil},
		{"a completion of an unknown prompt", completeLine("1", "none", "to", ""), invalid(`there is no prompt "none"`), `{"prompt":"none"}`, nil},
		{"of a hidden prompt", completeLine("1", "hidden", "to", ""), invalid(`there is no prompt "hidden"`), `{"prompt":"hidden"}`, nil},
		{"of an unknown argument", completeLine("1", "trip", "x", ""), invalid(`x: is not an argument of this prompt`), `{"prompt":"trip","problems":[{"argument":"x","reason":"unknown","message":"is not an argument of this prompt"}]}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var requests []Request
			var errs []error
			s := NewServer(traveller(), Options{Visible: exceptHidden, Middleware: seeing(&requests, &errs)})
			plain := NewServer(traveller(), Options{Visible: exceptHidden})
			got, err := handle(t, s, newSession(t, s), test.line)
			require.NoError(t, err)
			want, err := handle(t, plain, newSession(t, plain), test.line)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			require.Len(t, errs, 1)
			var e *Error
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
	var response *Response
	s := NewServer(traveller(), Options{PageSize: 1, Middleware: around(func(ctx context.Context, r *Request, next Handler) (_ *Response, err error) {
		response, err = next(ctx, r)
		return response, err
	})})
	for _, version := range append(slices.Clone(handshakeVersions), "2026-07-28") {
		for params, want := range map[[2]string]*Response{
			{"prompts/get", `{"name":"text"}`}:                                             {Result: Messages(User("hi"))},
			{"completion/complete", `{` + completeParamsOf("trip", "to", "Ro") + `}`}:      {Values: []string{"Rome"}, Total: 1},
			{"prompts/list", `{"cursor":"` + string(appendCursor(nil, "refusing")) + `"}`}: {List: json.RawMessage(`{"prompts":[{"name":"text"}],"nextCursor":"` + string(appendCursor(nil, "text")) + `"}`)},
		} {
			_, err := s.Call(t.Context(), params[0], []byte(params[1]), CallOptions{Version: version})
			require.NoError(t, err)
			response.list = nil // the server's own
			assert.Equal(t, want, response, version)
		}
	}
}

// A middleware may answer itself: nothing else is asked then.
func TestMiddlewareAnswersItself(t *testing.T) {
	t.Parallel()
	const listed = `{"prompts":[{"name":"a","description":"<b>"}],"nextCursor":"AQ"}`
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprint(i))
	}
	quoted := `"` + strings.Join(many[:100], `","`) + `"`
	for _, test := range []struct {
		name, method, params string
		response             *Response
		want, stateless      string // results
	}{
		{"a list", "prompts/list", ``, &Response{List: json.RawMessage(listed)},
			listed, `{"prompts":[{"name":"a","description":"<b>"}],"nextCursor":"AQ","resultType":"complete","ttlMs":60000,"cacheScope":"private","_meta":{` + ownIdentity + `}}`},
		{"an empty list", "prompts/list", ``, &Response{List: json.RawMessage(`{"prompts":[]}`)},
			`{"prompts":[]}`, `{"prompts":[],"resultType":"complete","ttlMs":60000,"cacheScope":"private","_meta":{` + ownIdentity + `}}`},
		{"a prompt", "prompts/get", `"name":"none"`, &Response{Result: &Result{Description: "d", Messages: []Message{Assistant("a")}}},
			`{"description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]}`,
			`{"resultType":"complete","description":"d","messages":[{"role":"assistant","content":{"type":"text","text":"a"}}],"_meta":{` + ownIdentity + `}}`},
		{"no values", "completion/complete", completeParamsOf("none", "x", ""), &Response{},
			`{"completion":{"values":[],"total":0,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":[],"total":0,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		{"values", "completion/complete", completeParamsOf("none", "x", ""), &Response{Values: []string{"a", "<b>"}, Total: 1},
			`{"completion":{"values":["a","<b>"],"total":2,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":["a","<b>"],"total":2,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		{"a total that is none", "completion/complete", completeParamsOf("none", "x", ""), &Response{Values: []string{"a"}, Total: -7},
			`{"completion":{"values":["a"],"total":1,"hasMore":false}}`, `{"resultType":"complete","completion":{"values":["a"],"total":1,"hasMore":false},"_meta":{` + ownIdentity + `}}`},
		// CMP-05
		{"more values than there may be", "completion/complete", completeParamsOf("none", "x", ""), &Response{Values: append(slices.Clone(many[:149]), "\xff")},
			`{"completion":{"values":[` + quoted + `],"total":150,"hasMore":true}}`, `{"resultType":"complete","completion":{"values":[` + quoted + `],"total":150,"hasMore":true},"_meta":{` + ownIdentity + `}}`},
		{"and even more", "completion/complete", completeParamsOf("none", "x", ""), &Response{Values: many[:100], Total: 1000},
			`{"completion":{"values":[` + quoted + `],"total":1000,"hasMore":true}}`, `{"resultType":"complete","completion":{"values":[` + quoted + `],"total":1000,"hasMore":true},"_meta":{` + ownIdentity + `}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			visible := func(context.Context, Prompt) bool { t.Error("the prompts were looked at"); return true }
			s := NewServer(traveller(), Options{Visible: visible, CacheTTL: time.Minute, Middleware: instead(test.response, nil)})
			for _, version := range handshakeVersions {
				got, err := handle(t, s, sessionIn(t, s, version), `{"jsonrpc":"2.0","id":1,"method":"`+test.method+`","params":{`+test.params+`}}`)
				require.NoError(t, err)
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+test.want+`}`, got, version)
			}
			got, err := handle(t, s, nil, envelopedLine("1", test.method, test.params))
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+test.stateless+`}`, got)
		})
	}
}

// What a middleware answers with is checked before a byte is sent. The client
// does not get to know more, the author does.
func TestMiddlewareAnswersAmiss(t *testing.T) {
	t.Parallel()
	list := func(text string) *Response { return &Response{List: json.RawMessage(text)} }
	get, complete := getLine("1", "text"), completeLine("1", "trip", "to", "")
	const notListed, notRendered, notValid, notCompleted = "the prompts could not be listed", "the prompt could not be rendered",
		"the prompt's content is not valid", "the argument could not be completed"
	for _, test := range []struct {
		name, line string
		response   *Response
		message    string
		log        string
	}{
		{"no list", plainList, nil, notListed, "neither a response nor an error"},
		{"no result", get, nil, notRendered, "neither a response nor an error"},
		{"no values", complete, nil, notCompleted, "neither a response nor an error"},
		{"a response without a list", plainList, &Response{}, notListed, "no value"},
		{"one that is for a prompt", plainList, &Response{Result: Messages()}, notListed, "no value"},
		{"a response without a result", get, &Response{}, notValid, "neither a result nor an error"},
		{"one that is for a list", get, list(`{"prompts":[]}`), notValid, "neither a result nor an error"},
		{"a list that is no JSON", plainList, list(`{"prompts":[]`), notListed, "unexpected end"},
		{"trailing text", plainList, list(`{"prompts":[]}}`), notListed, "invalid JSON"},
		{"text that is not UTF-8", plainList, list("{\"prompts\":[{\"name\":\"\xff\"}]}"), notListed, "UTF-8"},
		{"a member twice", plainList, list(`{"prompts":[],"prompts":[]}`), notListed, "prompts"},
		{"another one, escaped", plainList, list(`{"prompts":[],"\u0070rompts":[]}`), notListed, "prompts"},
		{"no object", plainList, list(`[]`), notListed, "no array of prompts"},
		{"null", plainList, list(`null`), notListed, "no array of prompts"},
		{"no prompts", plainList, list(`{}`), notListed, "no array of prompts"},
		{"prompts that are null", plainList, list(`{"prompts":null}`), notListed, "no array of prompts"},
		{"prompts that are none", plainList, list(`{"prompts":{}}`), notListed, "no array of prompts"},
		{"a member of another kind", plainList, list(`{"prompts":[],"tools":[]}`), notListed, `\"tools\"`},
		{"a member that the server adds", plainList, list(`{"prompts":[],"resultType":"complete"}`), notListed, `\"resultType\"`},
		{"a list that is nested too deeply", plainList, list(`{"prompts":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`), notListed, "nest"},
		{"a role that is none", get, &Response{Result: Messages(Message{Role: "system", Content: Text{Text: "x"}})}, notValid, "neither"},
		{"content that is nil", get, &Response{Result: Messages(Message{Role: RoleUser})}, notValid, "content is nil"},
		{"content that is not UTF-8", get, &Response{Result: Messages(User("\xff"))}, notValid, "UTF-8"},
		{"a value that is not UTF-8", complete, &Response{Values: []string{"a", "\xff"}}, notCompleted, "value 1 is not valid UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: instead(test.response, nil)})
			got, err := handle(t, s, newSession(t, s), test.line)
			require.NoError(t, err)
			assert.Equal(t, errorLine("1", CodeInternalError, test.message), got)
			assert.Contains(t, j.String(), test.log)
			assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
		})
	}
}

// What a middleware passes on is what counts: another prompt, other arguments,
// in the request that it has got or in another one.
func TestMiddlewareChangesTheRequest(t *testing.T) {
	t.Parallel()
	trip := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","from":"Ulm"}}}`
	seven := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":7}}}`
	for _, test := range []struct {
		name, line string
		change     func(r *Request)
		want       string
	}{
		{"another prompt", trip, func(r *Request) { r.Prompt = "text" }, textLine("1", "hi")},
		{"one that there is not", trip, func(r *Request) { r.Prompt = "none" }, `there is no prompt \"none\"`},
		{"one that is hidden", trip, func(r *Request) { r.Prompt = "hidden" }, `there is no prompt \"hidden\"`},
		{"another argument", trip, func(r *Request) { r.Arguments["from"] = "Bonn" }, textLine("1", "Bonn to Rome")},
		{"an argument less", trip, func(r *Request) { delete(r.Arguments, "from") }, textLine("1", " to Rome")},
		{"without one that is required", trip, func(r *Request) { delete(r.Arguments, "to") }, `to: is required`},
		{"without any", trip, func(r *Request) { r.Arguments = nil }, `to: is required`},
		{"other arguments", trip, func(r *Request) { r.Arguments = map[string]string{"to": "Oslo"} }, textLine("1", " to Oslo")},
		{"one for a value that is no string", seven, func(r *Request) { r.Arguments["to"] = "seven" }, textLine("1", " to seven")},
		{"another one than that", seven, func(r *Request) { r.Arguments["from"] = "Ulm" }, `to: must be a string`},
		{"one that the prompt has not", trip, func(r *Request) { r.Arguments["via"] = "Bern" }, textLine("1", "Ulm to Rome")},
		{"another page", plainList, func(r *Request) { r.Cursor = string(appendCursor(nil, "text")) }, `"result":{"prompts":[{"name":"trip"`},
		{"a page that there is not", plainList, func(r *Request) { r.Cursor = "AQ" }, `"code":-32602,"message":"cursor is not one that this server has given","data":{"param":"cursor"}`},
		{"another prefix", completeLine("1", "trip", "to", "Ro"), func(r *Request) { r.Prefix = "Gno" }, completionLine("1", `"Gnome"`, 1, false)},
		{"another argument to complete", completeLine("1", "trip", "x", "Ro"), func(r *Request) { r.Argument = "to" }, completionLine("1", `"Rome"`, 1, false)},
		{"one that there is not", completeLine("1", "trip", "to", "Ro"), func(r *Request) { r.Argument = "x" }, `x: is not an argument of this prompt`},
		{"another prompt to complete", completeLine("1", "none", "to", "Ro"), func(r *Request) { r.Prompt = "trip" }, completionLine("1", `"Rome"`, 1, false)},
		{"more arguments to complete by", completeLine("1", "trip", "to", "Ro"), func(r *Request) { r.Arguments["from"] = "Ulm" }, completionLine("1", `"Rome","Ulm"`, 2, false)},
		{"none at all", completeLine("1", "trip", "to", "Ro"), func(r *Request) { r.Arguments = nil }, completionLine("1", `"Rome"`, 1, false)},
		// What says who asks, and how, is the server's to know.
		{"another client", trip, func(r *Request) {
			r.Version, r.Principal, r.Client, r.Meta = "2026-07-28", "root", Implementation{Name: "root"}, json.RawMessage("{")
		}, textLine("1", "Ulm to Rome")},
		{"what is of another method", trip, func(r *Request) { r.Cursor, r.Argument, r.Prefix = "AQ", "x", "\xff" }, textLine("1", "Ulm to Rome")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, inPlace := range []bool{true, false} {
				s := NewServer(traveller(), Options{Visible: exceptHidden, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
					if !inPlace {
						other := *r
						r = &other
					}
					test.change(r)
					return next(ctx, r)
				})})
				got, err := handle(t, s, newSession(t, s), test.line)
				require.NoError(t, err)
				assert.Contains(t, got, test.want)
			}
		})
	}
}

// With StrictArguments an argument that the middleware has added counts too.
func TestMiddlewareAndStrictArguments(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{StrictArguments: true, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		delete(r.Arguments, "mine")
		for _, name := range []string{"z", "y", "x", "w"} {
			if r.Prompt == "trip" {
				r.Arguments[name] = "1"
			}
		}
		return next(ctx, r)
	})})
	session := newSession(t, s)
	got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"text","arguments":{"mine":"1"}}}`)
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got, "it was for the middleware")
	const unknown = " is not an argument of this prompt"
	got, err = handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome","v":1}}}`)
	require.NoError(t, err)
	readOutcome(t, got).fails(t, CodeInvalidParams, "v: must be a string; w:"+unknown+"; x:"+unknown+"; y:"+unknown+"; z:"+unknown)
}

// JRP-23, JRP-24: a middleware's error is the client's if there is an Error in
// it, with any code but those that the revision does not allow. Any other is a
// secret.
func TestMiddlewareErrors(t *testing.T) {
	t.Parallel()
	const secret = "the prompt could not be rendered"
	coded := func(code Code) error { return &Error{Code: code, Message: "<m>"} }
	for _, test := range []struct {
		name    string
		err     error
		code    Code
		late    Code // in 2026-07-28, if it is another one
		message string
		log     string // empty for nothing
	}{
		{"a code of its own", coded(7), 7, 0, "<m>", ""},
		{"a negative one", coded(-31999), -31999, 0, "<m>", ""},
		{"invalid params", coded(CodeInvalidParams), CodeInvalidParams, 0, "<m>", ""},
		{"an internal error", coded(CodeInternalError), CodeInternalError, 0, "<m>", ""},
		{"no such method", coded(CodeMethodNotFound), CodeMethodNotFound, 0, "<m>", ""},
		{"a code of the implementation", coded(-32000), -32000, 0, "<m>", ""},
		{"a retired code", coded(-32002), -32002, CodeInvalidParams, "<m>", ""},
		{"a reserved code", coded(-32023), -32023, CodeInternalError, "<m>", ""},
		{"the last one", coded(-32099), -32099, CodeInternalError, "<m>", ""},
		{"one below", coded(-32100), -32100, 0, "<m>", ""},
		{"no code", coded(0), CodeInternalError, 0, secret, "<m>"},
		{"a nil Error", error((*Error)(nil)), CodeInternalError, 0, secret, "level=ERROR"},
		{"wrapped", fmt.Errorf("of the tenant: %w", coded(7)), 7, 0, "<m>", "of the tenant"},
		{"joined", errors.Join(errDisk, coded(7)), 7, 0, "<m>", errDisk.Error()},
		{"plain", errDisk, CodeInternalError, 0, secret, errDisk.Error()},
		{"a question that nobody has asked", ErrInputRequired, CodeInternalError, 0, secret, ErrInputRequired.Error()},
		{"one that ends a context that has not ended", context.Canceled, CodeInternalError, 0, secret, context.Canceled.Error()},
		{"a message that is not UTF-8", &Error{Code: 7, Message: "\xff"}, 7, 0, "\ufffd", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, swallow := range []bool{true, false} { // it has called next, or not
				var j journal
				s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
					if swallow {
						_, err := next(ctx, r)
						assert.Error(t, err)
					}
					return &Response{Result: Messages(User("never"))}, test.err
				})})
				got, err := handle(t, s, newSession(t, s), getLine("1", "faulty"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", test.code, test.message), got)
				code := test.code
				if test.late != 0 {
					code = test.late
				}
				got, err = handle(t, s, nil, envelopedGet("1", "faulty"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", code, test.message), got)
				if test.log == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), test.log)
				}
			}
		})
	}
}

// Each method has its own word for a failure that is a secret.
func TestMiddlewareSecrets(t *testing.T) {
	t.Parallel()
	for line, message := range map[string]string{
		plainList:                           "the prompts could not be listed",
		getLine("1", "text"):                "the prompt could not be rendered",
		completeLine("1", "trip", "to", ""): "the argument could not be completed",
	} {
		var j journal
		s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: instead(nil, errDisk)})
		got, err := handle(t, s, newSession(t, s), line)
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", CodeInternalError, message), got)
		assert.Contains(t, j.String(), errDisk.Error())
	}
}

// An error of next that is wrapped is still that error, for the client.
func TestMiddlewareWrapsTheErrorOfNext(t *testing.T) {
	t.Parallel()
	wrap := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		_, err := next(ctx, r)
		return nil, fmt.Errorf("of the tenant: %w", errors.Join(errDisk, err))
	})})
	plain := NewServer(traveller(), Options{})
	for _, line := range []string{getLine("1", "none"), getLine("1", "trip"), getLine("1", "refusing"), getLine("1", "faulty"), completeLine("1", "none", "x", "")} {
		got, err := handle(t, wrap, newSession(t, wrap), line)
		require.NoError(t, err)
		want, err := handle(t, plain, newSession(t, plain), line)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// A failure may become an answer.
func TestMiddlewareSwallowsAnError(t *testing.T) {
	t.Parallel()
	var j journal
	s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		response, err := next(ctx, r)
		if err != nil {
			return &Response{Result: Messages(User("instead"))}, nil
		}
		return response, nil
	})})
	session := newSession(t, s)
	for _, prompt := range []string{"none", "faulty", "refusing", "trip"} {
		got, err := handle(t, s, session, getLine("1", prompt))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "instead"), got)
	}
	assert.Empty(t, j.String(), "it is the middleware's now")
	got, err := handle(t, s, session, getLine("1", "empty"))
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", CodeInternalError, "the prompt's content is not valid"), got, "a result is checked last")
}

type tenantKey struct{}

// What a middleware puts into the context, the author's code finds there.
func TestMiddlewareContext(t *testing.T) {
	t.Parallel()
	tenant := func(ctx context.Context) string { s, _ := ctx.Value(tenantKey{}).(string); return s }
	s := NewServer(registryOf(
		rendered("whose", func(ctx context.Context) (*Result, error) { return Messages(User(tenant(ctx))), nil }),
		rendered("others", nil),
		completing("c", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			return []string{tenant(ctx)}, nil
		}),
	), Options{
		Visible: func(ctx context.Context, p Prompt) bool { return p.Name != "others" || tenant(ctx) == "root" },
		Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			return next(context.WithValue(ctx, tenantKey{}, r.Client.Name), r)
		}),
	})
	session := newSession(t, s)
	for line, want := range map[string]string{
		getLine("1", "whose"):           textLine("1", "tester"),
		completeLine("1", "c", "a", ""): completionLine("1", `"tester"`, 1, false),
		getLine("1", "others"):          `there is no prompt \"others\"`,
	} {
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
	got, err := handle(t, s, session, plainList)
	require.NoError(t, err)
	assert.NotContains(t, got, "others")
}

// A deadline of the middleware's is one for the author's code. Once it has
// passed, the request has not ended: the middleware may do something else.
func TestMiddlewareDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		var j journal
		hasty := func(fallback bool) *Server {
			return NewServer(registryOf(w.prompt("wait")), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				response, err := next(short, r)
				if fallback && errors.Is(err, context.DeadlineExceeded) {
					assert.NoError(t, ctx.Err())
					return &Response{Result: Messages(User("later"))}, nil
				}
				return response, err
			})})
		}
		for fallback, want := range map[bool]string{
			true:  textLine("1", "later"),
			false: errorLine("1", CodeInternalError, "the prompt could not be rendered"),
		} {
			c := connect(t, hasty(fallback)).handshake()
			assert.Empty(t, c.ask(getLine("1", "wait")))
			time.Sleep(time.Second)
			assert.Equal(t, []string{want}, c.received())
			<-w.causes
			assert.NoError(t, c.end())
		}
		assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
	})
}

// The time limit is that of the middleware and what it calls together, and so
// is the end of the request.
func TestMiddlewareAndTheEndOfItsRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		causes := make(chan error, 1)
		s := NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), Options{RenderTimeout: 2 * time.Second, Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			if r.Prompt == "text" { // it does not wait for the middleware to look at its context
				time.Sleep(time.Minute)
			}
			response, err := next(ctx, r)
			if r.Prompt == "wait" {
				causes <- context.Cause(ctx)
			}
			return response, err
		})})
		c := connect(t, s).handshake()
		tooLong := func(id string) []string {
			return []string{errorLine(id, CodeInternalError, "the request took too long")}
		}
		c.ask(getLine("1", "wait"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, tooLong("1"), c.received())
		assert.ErrorIs(t, <-causes, errTimeLimit)
		<-w.causes
		c.ask(getLine("2", "text"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, tooLong("2"), c.received())
		assert.Empty(t, c.ask(getLine("3", "wait")))
		assert.Empty(t, c.ask(cancelLine("3")))
		assert.ErrorIs(t, <-causes, errCancelled)
		<-w.causes
		time.Sleep(time.Hour)
		assert.Empty(t, c.received(), "what comes too late")
		assert.NoError(t, c.end())
		assert.Zero(t, s.limit.tasks.Load())
	})
}

// A middleware runs where a render function does: also for a list, and for a
// prompt that there is not, it takes a turn.
func TestMiddlewareTakesATurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait")), Options{MaxConcurrent: 1, Middleware: passing})
		c := connect(t, s).handshake()
		assert.Empty(t, c.ask(getLine("2", "wait")))
		assert.Empty(t, c.ask(plainList), "the list waits")
		assert.Equal(t, []string{pongLine("3")}, c.ask(pingLine("3")))
		assert.Empty(t, c.ask(getLine("4", "none")))
		time.Sleep(mostPatience)
		assert.Equal(t, []string{errorLine("4", CodeInternalError, busy().Message)}, c.received())
		w.let <- struct{}{}
		got := c.received()
		require.Len(t, got, 2)
		assert.Contains(t, got[1], `"prompts":[{"name":"wait"}]`)
		assert.NoError(t, c.end())
	})
}

// Whatever a middleware calls next with, the request is one of the method that
// has come, in the context that it has come in. The client does not get to know
// of what is not, and may go on.
func TestMiddlewareCallsNextAmiss(t *testing.T) {
	t.Parallel()
	other := NewServer(traveller(), Options{Middleware: passing})
	for name, test := range map[string]struct {
		call func(ctx context.Context, r *Request, next Handler) (*Response, error)
		log  string
	}{
		"a nil request": {func(ctx context.Context, _ *Request, next Handler) (*Response, error) { return next(ctx, nil) }, "must be one of prompts/get"},
		"no method": {func(ctx context.Context, _ *Request, next Handler) (*Response, error) {
			return next(ctx, &Request{Prompt: "text"})
		}, "must be one of prompts/get"},
		"another method": {func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			r.Method = "prompts/list"
			return next(ctx, r)
		}, "must be one of prompts/get"},
		"a context from elsewhere": {func(_ context.Context, r *Request, next Handler) (*Response, error) {
			return next(context.Background(), r)
		}, "not the context"},
		"a context of another server": {func(ctx context.Context, r *Request, _ Handler) (*Response, error) {
			return other.handler(ctx, r)
		}, "not the context"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(test.call)})
			session := newSession(t, s)
			for range 2 {
				got, err := handle(t, s, session, getLine("1", "text"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", CodeInternalError, "the prompt could not be rendered"), got)
			}
			assert.Equal(t, 2, strings.Count(j.String(), test.log))
		})
	}
}

// One server's middleware may call another server: each has its own.
func TestMiddlewareCallsAnotherServer(t *testing.T) {
	t.Parallel()
	var requests []Request
	var errs []error
	inner := NewServer(registryOf(textPrompt("theirs", "from there")), Options{Middleware: seeing(&requests, &errs)})
	s := NewServer(registryOf(textPrompt("ours", "from here")), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		if response, err := next(ctx, r); err == nil {
			return response, nil
		}
		raw, err := inner.Call(ctx, r.Method, json.RawMessage(`{"name":"`+r.Prompt+`"}`), CallOptions{Version: r.Version})
		if err != nil {
			return nil, err
		}
		assert.Contains(t, string(raw), "from there")
		return &Response{Result: Messages(User("relayed"))}, nil
	})})
	session := newSession(t, s)
	for prompt, want := range map[string]string{"ours": textLine("1", "from here"), "theirs": textLine("1", "relayed"), "none": `there is no prompt \"none\"`} {
		got, err := handle(t, s, session, getLine("1", prompt))
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
	assert.Len(t, requests, 2)
}

// A middleware may call next again, with the same request or with another one.
func TestMiddlewareCallsNextAgain(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	s := NewServer(registryOf(
		rendered("flaky", func(context.Context) (*Result, error) {
			if runs.Add(1)%2 == 1 {
				return nil, errDisk
			}
			return Messages(User("at last")), nil
		}),
		rendered("never", func(context.Context) (*Result, error) { return nil, errDisk }),
		textPrompt("otherwise", "otherwise"),
		completing("c", func(context.Context, string, map[string]string) ([]string, error) {
			if runs.Add(1)%2 == 1 {
				return nil, errDisk
			}
			return []string{"v"}, nil
		}),
	), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		response, err := next(ctx, r)
		switch {
		case r.Method == "prompts/list":
			return next(ctx, r)
		case err == nil:
			return response, nil
		case r.Prompt == "never":
			r.Prompt = "otherwise"
		}
		return next(ctx, r)
	})})
	session := newSession(t, s)
	for line, want := range map[string]string{
		getLine("1", "flaky"):           textLine("1", "at last"),
		getLine("1", "never"):           textLine("1", "otherwise"),
		getLine("1", "none"):            `there is no prompt \"none\"`,
		completeLine("1", "c", "a", ""): completionLine("1", `"v"`, 1, false),
		plainList:                       `"name":"otherwise"`,
	} {
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
}

// The first result may be the answer after all, and a list that the middleware
// has kept is one like its own.
func TestMiddlewareKeepsWhatNextReturned(t *testing.T) {
	t.Parallel()
	kept := map[string]*Response{}
	s := NewServer(traveller(), Options{Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
		key := r.Method + r.Prompt
		response, err := next(ctx, r)
		if kept[key] == nil {
			kept[key] = response
		}
		return kept[key], err
	})})
	session := newSession(t, s)
	for _, line := range []string{plainList, getLine("1", "text"), completeLine("1", "trip", "to", "Ro")} {
		first, err := handle(t, s, session, line)
		require.NoError(t, err)
		for range 2 {
			again, err := handle(t, s, session, line)
			require.NoError(t, err)
			assert.Equal(t, first, again)
		}
		assert.Contains(t, first, `"result"`)
	}
	// A result has the form of the revision that it is sent in, whatever it was
	// made for.
	got, err := handle(t, s, nil, envelopedGet("1", "text"))
	require.NoError(t, err)
	assert.Equal(t, envelopedText("1", "hi"), got)
}

// One response may be that of several requests at a time.
func TestMiddlewareSharesAResponse(t *testing.T) {
	t.Parallel()
	shared := map[string]*Response{
		"prompts/list":        {List: json.RawMessage(`{"prompts":[{"name":"shared"}]}`)},
		"prompts/get":         {Result: Messages(User("shared"))},
		"completion/complete": {Values: []string{"shared"}},
	}
	s := NewServer(traveller(), Options{Middleware: around(func(_ context.Context, r *Request, _ Handler) (*Response, error) {
		return shared[r.Method], nil
	})})
	session := newSession(t, s)
	answers := make(chan string)
	for i := range 8 {
		for method, params := range map[string]string{"prompts/list": ``, "prompts/get": `"name":"x"`, "completion/complete": completeParamsOf("x", "y", "")} {
			go func() {
				at, line := session, `{"jsonrpc":"2.0","id":"`+method+fmt.Sprint(i)+`","method":"`+method+`","params":{`+params+`}}`
				if i%2 == 1 {
					at, line = nil, envelopedLine("1", method, params)
				}
				got, err := handle(t, s, at, line)
				assert.NoError(t, err)
				answers <- got
			}()
		}
	}
	for range 3 * 8 {
		assert.Contains(t, <-answers, "shared")
	}
}

// A panic in the middleware, before next or after it, is like one in a render
// function; and so is the end of its goroutine.
func TestMiddlewarePanics(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("in the middleware") }, "goexit": runtime.Goexit} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/after=%t", name, after), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var j journal
					s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
						if after {
							_, _ = next(ctx, r)
						}
						end()
						return nil, nil
					})})
					c := connect(t, s).handshake()
					for line, message := range map[string]string{
						plainList:                           "the prompts could not be listed",
						getLine("1", "text"):                "the prompt could not be rendered",
						completeLine("1", "trip", "to", ""): "the argument could not be completed",
					} {
						assert.Equal(t, []string{errorLine("1", CodeInternalError, message)}, c.ask(line))
					}
					assert.Equal(t, []string{pongLine("2")}, c.ask(pingLine("2")))
					assert.NoError(t, c.end())
					assert.Equal(t, 3, strings.Count(j.String(), "level=ERROR"))
					assert.Zero(t, s.limit.tasks.Load())
					assert.Empty(t, s.limit.slots)
				})
			})
		}
	}
}

// A panic in what says who the client is, too.
func TestPrincipalPanicsBeforeTheMiddleware(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{Middleware: passing, Principal: func(context.Context) string { panic("a secret") }})
	got, err := handle(t, s, newSession(t, s), plainList)
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", CodeInternalError, "the prompts could not be listed"), got)
}

// Several are composed by calling one with what another returns: the outermost
// sees what the inner ones have made of it.
func TestMiddlewareComposition(t *testing.T) {
	t.Parallel()
	var order []string
	named := func(name string) func(Handler) Handler {
		return around(func(ctx context.Context, r *Request, next Handler) (*Response, error) {
			order = append(order, name+" "+r.Prompt)
			r.Prompt += name
			response, err := next(ctx, r)
			order = append(order, fmt.Sprint(name, " ", err))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return response, nil
		})
	}
	s := NewServer(registryOf(textPrompt("text12", "hi")), Options{Middleware: func(next Handler) Handler { return named("1")(named("2")(next)) }})
	session := newSession(t, s)
	got, err := handle(t, s, session, getLine("1", "text"))
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got)
	assert.Equal(t, []string{"1 text", "2 text1", "2 <nil>", "1 <nil>"}, order)
	order = nil
	got, err = handle(t, s, session, getLine("1", "none"))
	require.NoError(t, err)
	readOutcome(t, got).fails(t, CodeInvalidParams, `there is no prompt "none12"`)
	assert.Equal(t, []string{"1 none", "2 none1", `2 there is no prompt "none12" (-32602)`, `1 2: there is no prompt "none12" (-32602)`}, order)
}

// It is called once, when the server is made. One that returns nothing is a
// fault of the options, and it has nothing to call next for yet.
func TestMiddlewareIsMadeOnce(t *testing.T) {
	t.Parallel()
	made := 0
	s := NewServer(traveller(), Options{Middleware: func(next Handler) Handler {
		made++
		_, err := next(context.Background(), &Request{Method: "prompts/list"})
		assert.ErrorContains(t, err, "not the context")
		return next
	}})
	for range 3 {
		_, err := handle(t, s, newSession(t, s), plainList)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, made)
	none := func(Handler) Handler { return nil }
	_, err := newServer(nil, Options{PageSize: -1, Middleware: none})
	assert.ErrorContains(t, err, "PageSize is negative")
	assert.ErrorContains(t, err, "what Middleware has returned is nil")
	assert.Panics(t, func() { NewServer(nil, Options{Middleware: none}) })
}

// What is not well formed is answered before it gets to the middleware.
func TestMiddlewareSeesWhatIsWellFormed(t *testing.T) {
	t.Parallel()
	s := NewServer(traveller(), Options{Middleware: around(func(_ context.Context, r *Request, _ Handler) (*Response, error) {
		t.Errorf("it was called for %v", r)
		return nil, errDisk
	})})
	session := newSession(t, s)
	for _, request := range []string{
		`"prompts/list","params":{"cursor":7}`,
		`"prompts/list","params":{"Cursor":null}`,
		`"prompts/list","params":[]`,
		`"prompts/get"`,
		`"prompts/get","params":{}`,
		`"prompts/get","params":{"name":7}`,
		`"prompts/get","params":{"name":"text","arguments":[]}`,
		`"prompts/get","params":{"name":"text","Arguments":{}}`,
		`"completion/complete","params":{}`,
		`"completion/complete","params":{"ref":{"type":"ref/resource","uri":"x:y"},"argument":{"name":"a","value":""}}`,
		`"completion/complete","params":{"ref":{"type":"ref/prompt","name":"trip"},"argument":{"name":"a"}}`,
		`"completion/complete","params":{` + completeParamsOf("trip", "to", "") + `,"context":{"arguments":{"from":7}}}`,
	} {
		got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":`+request+`}`)
		require.NoError(t, err)
		assert.Contains(t, got, `"error":{"code":-32602`, request)
	}
	for _, params := range []string{`"inputResponses":[]`, `"requestState":""`, `"requestState":7`} {
		got, err := handle(t, s, nil, envelopedLine("1", "prompts/get", `"name":"text",`+params))
		require.NoError(t, err)
		assert.Contains(t, got, `"error":{"code":-32602`, params)
	}
}

// The message belongs to the caller of Handle: what a middleware keeps is its
// own.
func TestMiddlewareKeepsTheRequest(t *testing.T) {
	t.Parallel()
	var requests []Request
	var errs []error
	s := NewServer(traveller(), Options{Middleware: seeing(&requests, &errs)})
	msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome"},"_meta":{"a":"b"}}}`)
	require.NoError(t, newSession(t, s).Handle(t.Context(), msg, Exchange{Send: func([]byte, Code, bool) error { return nil }}))
	clear(msg)
	require.Len(t, requests, 1)
	assert.Equal(t, "trip", requests[0].Prompt)
	assert.Equal(t, map[string]string{"to": "Rome"}, requests[0].Arguments)
	assert.Equal(t, `{"a":"b"}`, string(requests[0].Meta))
}

// The log says of a failure what the client has asked for, whatever the
// middleware has made of it, and no value of an argument.
func TestMiddlewareInTheLog(t *testing.T) {
	t.Parallel()
	var j journal
	s := NewServer(traveller(), Options{Logger: j.logger(), Middleware: around(func(_ context.Context, r *Request, _ Handler) (*Response, error) {
		r.Method, r.Prompt, r.Argument = "changed", "changed", "changed"
		return nil, errDisk
	})})
	session := newSession(t, s)
	for _, line := range []string{plainList, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome"}}}`, completeLine("1", "trip", "to", "Rome")} {
		_, err := handle(t, s, session, line)
		require.NoError(t, err)
	}
	for _, want := range []string{
		"request.method=prompts/list error", "request.method=prompts/get request.prompt=trip error",
		"request.method=completion/complete request.prompt=trip request.argument=to error",
	} {
		assert.Contains(t, j.String(), want)
	}
	assert.NotContains(t, j.String(), "Rome")
	assert.NotContains(t, j.String(), "changed")
}
