package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// call is Call of a method without options, and returns the error as a *prompts.Error.
func call(t testing.TB, s *prompts.Server, method, params string) (string, *prompts.Error) {
	t.Helper()
	got, err := s.Call(t.Context(), method, json.RawMessage(params), prompts.CallOptions{})
	if err == nil {
		return string(got), nil
	}
	assert.Nil(t, got)
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	return "", e
}

// Methods that are not of this library are left to somebody else's layer.
func TestCall(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(goldenRegistry(), prompts.Options{PageSize: 2, Methods: map[string]prompts.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil },
	}})
	for _, row := range table(t, "call", 4) {
		code := 0
		got, e := call(t, s, row[0], row[1])
		if e != nil {
			code, got = int(e.Code), strings.TrimSpace(neutral(e.Message))
		}
		assert.Equal(t, row[2:], []string{fmt.Sprint(code), got}, row)
	}
	_, e := call(t, s, "prompts/get", "{\"name\":\"\xff\"}")
	assert.Equal(t, "params: invalid JSON at byte 9: invalid UTF-8", e.Message)
	got, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Contains(t, string(got), `"name":"bare"`)
}

// The results of Call are the caller's: a later call must not change them.
func TestCallResultsAreTheCallers(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(textPrompt("a", "1"), textPrompt("b", "2")), prompts.Options{})
	get := func(params string) []byte {
		got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{})
		require.NoError(t, err)
		return got
	}
	a := get(`{"name":"a"}`)
	before := string(a)
	b := get(`{"name":"b"}`)
	assert.Equal(t, before, string(a))
	clear(a)
	assert.Contains(t, string(b), `"2"`)
	for range 2 {
		list, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
		require.NoError(t, err)
		assert.Equal(t, `{"prompts":[{"name":"a"},{"name":"b"}]}`, string(list))
		clear(list)
		_, e := call(t, s, "no/such", "")
		assert.Equal(t, "method not found: no/such", e.Message)
		e.Message = "changed"
	}
}

func TestCallWhenItsContextEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		s := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}, Logger: j.logger()})
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

// What is returned is the caller's, and what an author keeps of the options is the
// author's (LIF-08, LIF-11).
func TestMethodsAndCapabilities(t *testing.T) {
	t.Parallel()
	methods := map[string]prompts.Method{"m": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }}
	tools := map[string]any{"listChanged": true}
	capabilities := map[string]any{"tools": tools}
	o := prompts.Options{Methods: methods, Capabilities: capabilities}
	s := prompts.MustNewServer(new(prompts.Registry), o)
	delete(methods, "m")
	methods["n"] = nil
	tools["listChanged"] = make(chan int)
	capabilities["x"] = 1
	for range 2 {
		assert.Equal(t, []string{"completion/complete", "prompts/get", "prompts/list"}, s.Methods())
		s.Methods()[0] = "changed"
		caps := s.Capabilities()
		assert.Equal(t, map[string]any{"completions": map[string]any{}, "prompts": map[string]any{"listChanged": true}}, caps)
		caps["prompts"].(map[string]any)["listChanged"] = "changed"
		caps["other"] = 1
	}
	session := s.NewSession(transport.SessionOptions{})
	assert.Contains(t, answerTo(t, s, session, initializeLine), `"capabilities":{"completions":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}}`)
	assert.Equal(t, pongLine("1"), answerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"m"}`))
	assert.Zero(t, o.PageSize, "defaults are filled in into the server's own")
	assert.Equal(t, map[string]any{"prompts": map[string]any{}}, prompts.MustNewServer(new(prompts.Registry), prompts.Options{DisableListChanged: true, DisableCompletions: true}).Capabilities())
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	method := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	for name, test := range map[string]struct {
		o    prompts.Options
		want []string
	}{
		"numbers": {prompts.Options{PageSize: -1, Limits: prompts.Limits{MaxConcurrent: -1, MaxConcurrentTotal: -2, MaxMessageBytes: -3}}, []string{
			"PageSize must not be negative", "MaxConcurrent must not be negative", "MaxConcurrentTotal must not be negative", "MaxMessageBytes must not be negative",
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
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: j.logger(), Methods: map[string]prompts.Method{
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

// CCH-01: the result of a list says how it may be cached. JRP-09, MET-09: a _meta or a
// resultType that is null, such as from a nil map of the application, counts as absent.
func TestMethodResultsAreCompleted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, result, want string }{
		{"tools/list", `{"tools":[]}`, `"ttlMs":0,"cacheScope":"private","tools":[],`},
		{"resources/list", `{"resources":[],"ttlMs":5}`, `"cacheScope":"private","resources":[],"ttlMs":5,`},
		{"resources/templates/list", `{"resourceTemplates":[],"cacheScope":"public"}`, `"ttlMs":0,"resourceTemplates":[],"cacheScope":"public",`},
		{"resources/read", `{"contents":[],"ttlMs":1,"cacheScope":"public"}`, `"contents":[],"ttlMs":1,"cacheScope":"public",`},
		{"tools/call", `{"content":[]}`, `"content":[],`},
		{"raw", `{"_meta":null}`, ``},
		{"raw", `{"resultType":null}`, ``},
	} {
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Methods: map[string]prompts.Method{test.method: func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(test.result), nil
		}}})
		got := answerTo(t, s, nil, envelopedLine("1", test.method, ""))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`"_meta":{`+ownIdentity+`}}}`, got)
	}
}

// A middleware gets to know the client of a Call: what the options say in a
// session, and what the request says in the stateless era (MET-08).
func TestCallSaysWhoTheClientIs(t *testing.T) {
	t.Parallel()
	var got []prompts.Request
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Middleware: seeing(&got, new([]error))})
	said := prompts.Implementation{
		Name: "editor", Version: strings.Repeat("9", 300), Title: "Ed\xffitor",
		Description: "is not kept", WebsiteURL: "https://example.com",
	}
	_, err := srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Client: said})
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "editor", Version: strings.Repeat("9", 256) + "…", Title: "Ed\ufffditor"}, got[0].Client)

	_, err = srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Empty(t, got[1].Client, "nobody has said anything")

	stateless := prompts.CallOptions{Version: "2026-07-28", Client: said}
	_, err = srv.Call(t.Context(), "prompts/list", []byte(`{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other","version":"2"}}}`), stateless)
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "other", Version: "2"}, got[2].Client)
}

// A Call speaks the revision that the caller's layer has agreed on.
func TestCallVersion(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(prompts.Prompt{Name: "p", Title: "P", Icons: []prompts.Icon{{Src: "https://example.com/i.png"}}, Render: nothing}), prompts.Options{})
	for _, version := range append([]string{"", "2026-07-28"}, handshakeVersions...) {
		want := `{"messages":[]}`
		if version == "2026-07-28" {
			want = `{"resultType":"complete","messages":[],"_meta":{` + ownIdentity + `}}`
		}
		got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.JSONEq(t, want, string(got), version)

		got, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.Equal(t, version == "" || version >= "2025-06-18", strings.Contains(string(got), `"title"`), version)
		assert.Equal(t, version == "" || version >= "2025-11-25", strings.Contains(string(got), `"icons"`), version)
		assert.Equal(t, version == "2026-07-28", strings.Contains(string(got), `"ttlMs"`), version)
	}
	for _, version := range []string{"2026-07-29", "v999", "2025-11-25 ", "draft"} {
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.ErrorContains(t, err, "prompts: unknown protocol version", version)
		var e *prompts.Error
		assert.NotErrorAs(t, err, &e, "it is the caller's fault, not the client's")
	}
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{ClientCapabilities: []byte(`{`)})
	assert.ErrorContains(t, err, "client capabilities")
}

// PRO-02, PRO-03, PRO-07: progress is told if there is a token and a way.
func TestCallNotifies(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(rendered("steps", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "one")
		return prompts.Messages(), nil
	})), prompts.Options{})
	for token, want := range map[string]string{
		`"_meta":{"progressToken":7},`:        `{"progressToken":7,"progress":1,"total":2,"message":"one"}`,
		`"_meta":{"progressToken":"\u0061"},`: `{"progressToken":"\u0061","progress":1,"total":2,"message":"one"}`,
		`"_meta":{"progressToken":null},`:     "",
		``:                                    "",
	} {
		var got []string
		over := false
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{Notify: func(method string, params json.RawMessage) {
			assert.False(t, over, "after Call has returned")
			assert.Equal(t, "notifications/progress", method)
			got = append(got, string(params))
		}})
		over = true
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(got, "\n"), token)
		_, err = s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{})
		assert.NoError(t, err)
	}
}

// messageOf returns the message of an elicitation.
func messageOf(t testing.TB, params json.RawMessage) string {
	t.Helper()
	var p struct{ Message string }
	require.NoError(t, json.Unmarshal(params, &p))
	return p.Message
}

func callSeveral(s *prompts.Server, ctx context.Context, request func(context.Context, string, json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	return s.Call(ctx, "prompts/get", []byte(`{"name":"several"}`), prompts.CallOptions{ClientCapabilities: []byte(formCapability), Request: request})
}

// Questions that are asked at once are asked concurrently, and each gets its
// own answer, in whatever order they come.
func TestRequestsAreConcurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(rendered("several", func(ctx context.Context) (*prompts.Result, error) {
			a, b, c := prompts.Form[colour]("a", "3"), prompts.Form[colour]("b", "1"), prompts.Form[colour]("c", "2")
			err := prompts.Ask(ctx, a, b, c)
			return prompts.Messages(prompts.User(a.Value.Colour + b.Value.Colour + c.Value.Colour)), err
		})), prompts.Options{})
		var running atomic.Int32
		began := time.Now()
		got, err := callSeveral(s, t.Context(), func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			running.Add(1)
			text := messageOf(t, params)
			time.Sleep(time.Duration(text[0]-'0') * time.Second)
			assert.EqualValues(t, 3, running.Load())
			return []byte(accepting(`{"colour":"` + text + `"}`)), nil
		})
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Contains(t, string(got), `"312"`)
	})
}

// The first failure is that of the Ask, and ends the other requests, for which
// nobody waits.
func TestRequestsEndTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ended atomic.Int32
		s := prompts.MustNewServer(registryOf(several(func(err error) {
			assert.ErrorIs(t, err, errDisk)
			assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable)
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}})
		_, err := callSeveral(s, t.Context(), func(ctx context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			if messageOf(t, params) == "B?" {
				time.Sleep(time.Second)
				return nil, errDisk
			}
			<-ctx.Done()
			ended.Add(1)
			return []byte(red), nil
		})
		assert.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, 2, ended.Load())
		assert.Zero(t, s.Tasks()+s.Slots())
	})
}

// What Request returns is what a client says: it is checked as such.
func TestRequestResultsAreChecked(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(asking("several")), prompts.Options{})
	for _, result := range []string{
		"", "null", "{", red + red, "\xff",
		strings.Replace(red, "red", "\xff", 1),
		strings.Replace(red, "red", "\x00", 1),
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1),
		`{"action":"decline","action":"accept","content":{"colour":"red"}}`,
	} {
		_, err := callSeveral(s, t.Context(), func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return []byte(result), nil })
		var e *prompts.Error
		if assert.ErrorAs(t, err, &e, result) {
			assert.Equal(t, prompts.CodeInvalidParams, e.Code, result)
			assert.Equal(t, `invalid answer to question "colour": must be an object`, e.Message, fmt.Sprintf("%.40q", result))
		}
	}
}
