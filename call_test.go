package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

func TestCall(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(goldenRegistry(), prompts.Options{PageSize: 2, Methods: map[string]prompts.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil },
	}})
	for _, test := range []struct {
		method, params string // params "" for nil
		want           string
		code           prompts.Code
		message        string
	}{
		{"prompts/get", `{"name":"nothing"}`, `{"messages":[]}`, 0, ""},
		{"prompts/get", ` { "name" : "nothing" , "arguments" : null , "_meta" : { "progressToken" : 1 } } `, `{"messages":[]}`, 0, ""},
		{"prompts/list", "", `{"prompts":[{"name":"bare"},{"name":"content"}],"nextCursor":"Af7FMKljb250ZW50"}`, 0, ""},
		{"prompts/list", "null", `{"prompts":[{"name":"bare"},{"name":"content"}],"nextCursor":"Af7FMKljb250ZW50"}`, 0, ""},
		{"prompts/list", `{}`, `{"prompts":[{"name":"bare"},{"name":"content"}],"nextCursor":"Af7FMKljb250ZW50"}`, 0, ""},
		{"prompts/list", `{"cursor":"AcMnPcp6eno"}`, `{"prompts":[]}`, 0, ""},

		{"prompts/get", "", "", prompts.CodeInvalidParams, "params is required and must be an object"},
		{"prompts/get", "null", "", prompts.CodeInvalidParams, "params is required and must be an object"},
		{"prompts/get", `["nothing"]`, "", prompts.CodeInvalidParams, "params must be an object, got array"},
		{"prompts/get", `"nothing"`, "", prompts.CodeInvalidParams, "params must be an object, got string"},
		{"prompts/get", `{}`, "", prompts.CodeInvalidParams, "params.name is required and must be a string"},
		{"prompts/get", `{"name":"nobody"}`, "", prompts.CodeInvalidParams, `unknown prompt "nobody"`},
		{"prompts/get", `{"name":"greet"}`, "", prompts.CodeInvalidParams, `invalid arguments for prompt "greet": who is required`},
		{"prompts/get", `{"name":"nothing","name":"nothing"}`, "", prompts.CodeInvalidParams, `params: duplicate key "name" at byte 18`},
		{"prompts/get", `{"name":"nothing","arguments":{"a":"1","a":"2"}}`, "", prompts.CodeInvalidParams, `params: duplicate key "a" at byte 39`},
		{"prompts/get", `{"name":"nothing","_Meta":{}}`, "", prompts.CodeInvalidParams, `unknown member "_Meta" of params: member names are case-sensitive, use "_meta"`},
		{"prompts/get", `{"Name":"nothing"}`, "", prompts.CodeInvalidParams, `unknown member "Name" of params: member names are case-sensitive, use "name"`},
		{"prompts/get", `{"name":"nothing"`, "", prompts.CodeInvalidParams, "params: invalid JSON at byte 17: unexpected end of input"},
		{"prompts/get", `{"name":"nothing"} x`, "", prompts.CodeInvalidParams, "params: invalid JSON at byte 19: unexpected data after the JSON value"},
		{"prompts/get", "{\"name\":\"\xff\"}", "", prompts.CodeInvalidParams, "params: invalid JSON at byte 9: invalid UTF-8"},
		{"prompts/get", `{"name":"nothing","x":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`, "", prompts.CodeInvalidParams, "params: nesting exceeds 128 levels at byte 149"},
		{"prompts/get", `{"name":"faulty","arguments":{"how":"error"}}`, "", prompts.CodeInternalError, renderFailed},
		{"prompts/get", `{"name":"faulty","arguments":{"how":"panic"}}`, "", prompts.CodeInternalError, renderFailed},
		{"prompts/get", `{"name":"faulty","arguments":{"how":"role"}}`, "", prompts.CodeInternalError, invalidResult},
		{"prompts/get", `{"name":"faulty","arguments":{"how":"own code"}}`, "", 1001, "quota exceeded"},
		{"prompts/list", `{"cursor":""}`, "", prompts.CodeInvalidParams, "invalid cursor; use nextCursor from a prompts/list response, or omit it to start over"},

		// Somebody else's layer answers these itself.
		{"initialize", `{}`, "", prompts.CodeMethodNotFound, "method not found: initialize"},
		{"ping", "", "", prompts.CodeMethodNotFound, "method not found: ping"},
		{"tools/list", "", "", prompts.CodeMethodNotFound, "method not found: tools/list"},
		{"notifications/initialized", "", "", prompts.CodeMethodNotFound, "method not found: notifications/initialized"},
		{"", "", "", prompts.CodeMethodNotFound, "method not found: "},
	} {
		var params json.RawMessage
		if test.params != "" {
			params = json.RawMessage(test.params)
		}
		got, err := s.Call(t.Context(), test.method, params, prompts.CallOptions{})
		what := test.method + " " + test.params
		if test.message == "" {
			require.NoError(t, err, what)
			assert.Equal(t, test.want, string(got), what)
			continue
		}
		assert.Nil(t, got, what)
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e, what) {
			assert.Equal(t, test.code, e.Code, what)
			assert.Equal(t, test.message, neutral(e.Message), what)
		}
	}
	// An empty text is none, too.
	got, err := s.Call(t.Context(), "prompts/list", json.RawMessage{}, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Contains(t, string(got), `"name":"bare"`)
}

// The results of Call are the caller's: a later call must not change them.
func TestCallResultsAreTheCallers(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(textPrompt("a", "1"), textPrompt("b", "2")), prompts.Options{})
	a, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"a"}`), prompts.CallOptions{})
	require.NoError(t, err)
	before := string(a)
	b, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"b"}`), prompts.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, before, string(a))
	clear(a)
	list, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	clear(list)
	list, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, `{"prompts":[{"name":"a"},{"name":"b"}]}`, string(list))
	assert.Contains(t, string(b), `"2"`)
	// So are the errors.
	for range 2 {
		_, err = s.Call(t.Context(), "no/such", nil, prompts.CallOptions{})
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "method not found: no/such", e.Message)
		e.Message = "changed"
	}
}

func TestCallWhenItsContextEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}, Logger: j.logger()})
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error)
		for range 2 {
			go func() {
				got, err := s.Call(ctx, "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{})
				assert.Nil(t, got)
				errs <- err
			}()
		}
		synctest.Wait()
		_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{})
		assert.Equal(t, busy(), err)
		_, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
		assert.NoError(t, err, "a list never waits")
		cancel()
		for range 2 {
			assert.ErrorIs(t, <-errs, context.Canceled)
		}
		synctest.Wait() // until the renders have returned
		assert.EqualValues(t, 1, w.started.Load(), "the one that waited has run")
		assert.NotContains(t, j.String(), "level=ERROR")
		assert.Zero(t, s.Tasks())

		// Nothing is rendered for a context that has ended before.
		_, err = s.Call(ctx, "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{})
		assert.Error(t, err)
		assert.EqualValues(t, 1, w.started.Load())
	})
}

// LIF-08, LIF-11
func TestMethodsAndCapabilities(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(nil, prompts.Options{
		Methods:      map[string]prompts.Method{"tools/list": func(context.Context, json.RawMessage) (any, error) { return nil, nil }},
		Capabilities: map[string]any{"tools": struct{}{}},
	})
	assert.Equal(t, []string{"completion/complete", "prompts/get", "prompts/list"}, s.Methods())
	assert.Equal(t, map[string]any{"completions": map[string]any{}, "prompts": map[string]any{"listChanged": true}}, s.Capabilities())
	assert.Equal(t, map[string]any{"prompts": map[string]any{}}, prompts.NewServer(nil, prompts.Options{DisableListChanged: true, DisableCompletions: true}).Capabilities())

	// What is returned is the caller's.
	s.Methods()[0] = "changed"
	caps := s.Capabilities()
	caps["prompts"].(map[string]any)["listChanged"] = "changed"
	caps["other"] = 1
	assert.Equal(t, []string{"completion/complete", "prompts/get", "prompts/list"}, s.Methods())
	assert.Equal(t, map[string]any{"completions": map[string]any{}, "prompts": map[string]any{"listChanged": true}}, s.Capabilities())
	got, err := handle(t, s, s.NewSession(transport.SessionOptions{}), initializeLine)
	require.NoError(t, err)
	assert.Contains(t, got, `"capabilities":{"completions":{},"prompts":{"listChanged":true},"tools":{}}`)
}

// What an author keeps of the options is the author's, too.
func TestOptionsAreCopied(t *testing.T) {
	t.Parallel()
	methods := map[string]prompts.Method{"m": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }}
	tools := map[string]any{"listChanged": true}
	capabilities := map[string]any{"tools": tools}
	o := prompts.Options{Methods: methods, Capabilities: capabilities}
	s := prompts.NewServer(nil, o)
	delete(methods, "m")
	methods["n"] = nil
	tools["listChanged"] = make(chan int)
	capabilities["x"] = 1
	session := s.NewSession(transport.SessionOptions{})
	got, err := handle(t, s, session, initializeLine)
	require.NoError(t, err)
	assert.Contains(t, got, `"capabilities":{"completions":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}}`)
	got, err = handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"m"}`)
	require.NoError(t, err)
	assert.Equal(t, pongLine("1"), got)
	assert.Zero(t, o.PageSize, "defaults are filled in into the server's own")
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	method := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	for name, test := range map[string]struct {
		o    prompts.Options
		want []string
	}{
		"numbers": {prompts.Options{PageSize: -1, Limits: prompts.Limits{MaxConcurrent: -1, MaxConcurrentTotal: -2, MaxMessageBytes: -3}}, []string{
			"PageSize is negative", "MaxConcurrent is negative", "MaxConcurrentTotal is negative", "MaxMessageBytes is negative",
		}},
		"a method that is nil":      {prompts.Options{Methods: map[string]prompts.Method{"a": nil, "b": nil}}, []string{`method "a" is nil`, `method "b" is nil`}},
		"a method without a name":   {prompts.Options{Methods: map[string]prompts.Method{"": method}}, []string{`method ""`}},
		"initialize":                {prompts.Options{Methods: map[string]prompts.Method{"initialize": method}}, []string{`method "initialize" is reserved`}},
		"ping":                      {prompts.Options{Methods: map[string]prompts.Method{"ping": method}}, []string{`method "ping" is reserved`}},
		"prompts/get, prompts/list": {prompts.Options{Methods: map[string]prompts.Method{"prompts/get": method, "prompts/list": method}}, []string{`"prompts/get"`, `"prompts/list"`}},
		"methods to come":           {prompts.Options{Methods: map[string]prompts.Method{"completion/complete": method, "server/discover": method, "subscriptions/listen": method}}, []string{"completion/complete", "server/discover", "subscriptions/listen"}},
		"notifications":             {prompts.Options{Methods: map[string]prompts.Method{"notifications/initialized": method, "notifications/x": method}}, []string{"notifications/initialized", "notifications/x"}},
		"our capability":            {prompts.Options{Capabilities: map[string]any{"prompts": struct{}{}}}, []string{`capability "prompts" is defined twice`}},
		"capabilities":              {prompts.Options{Capabilities: map[string]any{"a": 1, "b": nil, "c": make(chan int), "d": []int{}, "e": goldenPanic{}, "\xff": struct{}{}}}, []string{`capability "a"`, `capability "b"`, `capability "c"`, `capability "d"`, `capability "e"`, `capability "\xff"`}},
		"text":                      {prompts.Options{Instructions: "\xff", Info: prompts.Implementation{Name: "\xfe"}}, []string{"Instructions is not valid UTF-8", "info: name is not valid UTF-8"}},
		"the description":           {prompts.Options{Info: prompts.Implementation{WebsiteURL: "example.org", Icons: []prompts.Icon{{Src: "x"}}}}, []string{"info: websiteUrl", "info: icon 1"}},
		"all of it":                 {prompts.Options{PageSize: -1, Methods: map[string]prompts.Method{"ping": nil}, Capabilities: map[string]any{"a": 1}, Instructions: "\xff"}, []string{"PageSize", `"ping"`, `capability "a"`, "Instructions"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := optionsError(test.o)
			require.Error(t, err)
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
			var joined interface{ Unwrap() []error }
			require.ErrorAs(t, err, &joined)
			assert.Len(t, joined.Unwrap(), len(test.want), err.Error())
		})
	}
}

// withNilUnwrap is an error whose nil pointer cannot be unwrapped.
type withNilUnwrap struct{ inner error }

func (e *withNilUnwrap) Error() string { return "outer: " + e.inner.Error() }

func (e *withNilUnwrap) Unwrap() error { return e.inner }

// What clients must not see goes to the logger; what nobody must see goes
// nowhere. JRP-22, LOG-12
func TestWhoGetsToSeeWhat(t *testing.T) {
	t.Parallel()
	const value = "the-value-of-an-argument"
	type in struct {
		A string `json:"a"`
		N int    `json:"n,omitempty"`
	}
	for name, test := range map[string]struct {
		render func(context.Context, in) (*prompts.Result, error)
		client string   // the error that the client gets
		log    []string // what the log has to have; none means that there is nothing in it
		secret string   // what the client must not see
	}{
		"an error": {
			func(context.Context, in) (*prompts.Result, error) { return nil, fmt.Errorf("query: %w", errDisk) },
			`{"code":-32603,"message":"internal error: prompt failed"}`,
			[]string{"level=ERROR", "prompt=p", "query: the disk is on fire"}, "disk",
		},
		"a panic": {
			func(context.Context, in) (*prompts.Result, error) { panic("secret panic") },
			`{"code":-32603,"message":"internal error: prompt failed"}`,
			[]string{"level=ERROR", "prompt=p", "panic: secret panic", "stack=", "call_test.go"}, "panic",
		},
		"content that is not valid, all of it": {
			func(context.Context, in) (*prompts.Result, error) {
				return prompts.Messages(prompts.Message{Role: "system", Content: prompts.Text{}}, prompts.Message{Role: prompts.RoleUser}), nil
			},
			`{"code":-32603,"message":"internal error: prompt returned an invalid result"}`,
			[]string{"prompt=p", "message 1", "system", "message 2", "content is nil"}, "system",
		},
		"an error of its own": {
			func(context.Context, in) (*prompts.Result, error) {
				return nil, &prompts.Error{Code: 7, Message: "sorry", Data: 1}
			},
			`{"code":7,"message":"sorry","data":1}`, nil, "",
		},
		"a wrapped error of its own": {
			func(context.Context, in) (*prompts.Result, error) {
				return nil, fmt.Errorf("shard 3: %w", &prompts.Error{Code: 7, Message: "sorry"})
			},
			`{"code":7,"message":"sorry"}`,
			[]string{"level=INFO", "prompt=p", "shard 3: sorry"}, "shard",
		},
		"a reserved code": {
			func(context.Context, in) (*prompts.Result, error) {
				return nil, &prompts.Error{Code: -32000, Message: "secret"}
			},
			`{"code":-32603,"message":"internal error: prompt failed"}`,
			[]string{"level=ERROR", "prompt=p", "secret (-32000)"}, "secret",
		},
		"an error that is nil": {
			func(context.Context, in) (*prompts.Result, error) { var e *prompts.Error; return nil, e },
			`{"code":-32603,"message":"internal error: prompt failed"}`,
			[]string{"level=ERROR", "prompt=p"}, "",
		},
		"an error that cannot be unwrapped": {
			func(context.Context, in) (*prompts.Result, error) { var e *withNilUnwrap; return nil, e },
			`{"code":-32603,"message":"internal error: prompt failed"}`,
			[]string{"level=ERROR", "prompt=p"}, "",
		},
		"an argument that is blamed": {
			func(_ context.Context, v in) (*prompts.Result, error) {
				return nil, prompts.InvalidArgument("a", "there is no "+v.A)
			},
			`{"code":-32602,"message":"invalid arguments for prompt \"p\": a: there is no ` + value + `","data":{"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"there is no ` + value + `"}]}}`, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(registryOf(prompts.New(prompts.Prompt{Name: "p"}, test.render)), prompts.Options{Logger: j.logger()})
			session := newSession(t, s)
			params := `{"name":"p","arguments":{"a":"` + value + `"}}`
			got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":`+params+`}`)
			require.NoError(t, err)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":`+test.client+`}`, got)
			log := j.String()
			for _, want := range test.log {
				assert.Contains(t, log, want)
			}
			if test.log == nil {
				assert.Empty(t, log)
			}
			assert.NotContains(t, log, value)
			if test.secret != "" {
				assert.NotContains(t, got, test.secret)
			}
			// The same through Call.
			_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{})
			var e *prompts.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, got, neutral(errorResponse("1", e)))
		})
	}
	t.Run("bad arguments", func(t *testing.T) {
		t.Parallel()
		var j journal
		s := prompts.NewServer(registryOf(prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, in) (*prompts.Result, error) { return prompts.Messages(), nil })), prompts.Options{Logger: j.logger(), StrictArguments: true})
		_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"n":"`+value+`","x":"`+value+`"}}`), prompts.CallOptions{})
		assert.Error(t, err)
		assert.Empty(t, j.String(), "a client's fault is no news")
	})
}

// What a Method returns that its client must not see is logged; what it gets is the
// params as they were written, for it to keep.
func TestRawMethods(t *testing.T) {
	t.Parallel()
	var j journal
	var got json.RawMessage
	answer := func(v any, err error) prompts.Method {
		return func(_ context.Context, params json.RawMessage) (any, error) {
			got = params
			return v, err
		}
	}
	s := prompts.NewServer(nil, prompts.Options{Logger: j.logger(), Methods: map[string]prompts.Method{
		"ok":           answer(json.RawMessage(`{"a": [1 ,2]}`), nil),
		"scalar":       answer(1, nil),
		"chan":         answer(make(chan int), nil),
		"panic result": answer(goldenPanic{}, nil),
		"duplicate":    answer(json.RawMessage(`{"a":1,"a":1}`), nil),
		"utf8":         answer(map[string]string{"a": "\xff"}, nil),
		"wrapped":      answer(nil, fmt.Errorf("shard 3: %w", &prompts.Error{Code: -32002, Message: "m"})),
		"plain":        answer(nil, errDisk),
		"both":         answer(struct{}{}, errDisk),
		"data":         answer(nil, &prompts.Error{Code: 5, Message: "m", Data: goldenPanic{}}),
		"no code":      answer(nil, &prompts.Error{Message: "forgotten"}),
		"panic":        func(context.Context, json.RawMessage) (any, error) { panic("secret panic") },
	}})
	session := newSession(t, s)
	call := func(method, params string) string {
		j.buf.Reset()
		got = nil
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + params + `}`)
		r := &recorder{t: t}
		require.NoError(t, session.Handle(t.Context(), r.hear(session, string(msg)), transport.Exchange{Send: r.send}))
		require.Len(t, r.messages, 1)
		return r.messages[0].msg
	}
	for method, logged := range map[string]string{
		"scalar": "not a JSON object", "chan": "unsupported type", "panic result": "a secret", "duplicate": "duplicate key", "utf8": "UTF-8",
		"wrapped": "shard 3", "plain": "the disk is on fire", "both": "the disk is on fire", "data": "a secret", "no code": "forgotten", "panic": "secret panic",
	} {
		assert.NotContains(t, call(method, ""), logged)
		assert.Contains(t, j.String(), logged)
		assert.Contains(t, j.String(), "method=")
	}
	const params = `{"b" : 1,"a":"\u0061"}`
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}}`, call("ok", `,"params":`+params))
	assert.Equal(t, params, string(got))
	assert.Empty(t, j.String())
	for _, bad := range []string{`[1]`, `1`, `{"a":1,"a":1}`, `{"_meta":1}`, `{"_Meta":{}}`} {
		assert.Contains(t, call("ok", `,"params":`+bad), `"error"`)
		assert.Nil(t, got, bad)
	}
	msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"ok","params":{"a":"value"}}`)
	require.NoError(t, session.Handle(t.Context(), msg, transport.Exchange{Send: func([]byte, prompts.Code, bool) error { return nil }}))
	clear(msg)
	assert.Equal(t, `{"a":"value"}`, string(got))
}

// A middleware gets to know the client of a Call: what the options say in a
// session, and what the request says in the stateless era (MET-08).
func TestCallSaysWhoTheClientIs(t *testing.T) {
	t.Parallel()
	var got prompts.Implementation
	srv := prompts.NewServer(nil, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			got = r.Client
			return next(ctx, r)
		}
	}})
	said := prompts.Implementation{
		Name: "editor", Version: strings.Repeat("9", 300), Title: "Ed\xffitor",
		Description: "is not kept", WebsiteURL: "https://example.com",
	}
	_, err := srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Client: said})
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "editor", Version: strings.Repeat("9", 256) + "…", Title: "Ed\ufffditor"}, got)

	_, err = srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Empty(t, got, "nobody has said anything")

	stateless := prompts.CallOptions{Version: "2026-07-28", Client: said}
	_, err = srv.Call(t.Context(), "prompts/list", []byte(`{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other","version":"2"}}}`), stateless)
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "other", Version: "2"}, got)
}
