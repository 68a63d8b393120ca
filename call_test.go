package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// Methods that are not of this library are left to somebody else's layer.
func TestCall(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(goldenRegistry(), prompts.Options{PageSize: 2, Features: servertest.Methods(map[string]servertest.Method{
		"tools/list": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil },
	})})
	for _, row := range servertest.Table(t, "call", 4) {
		code := 0
		got, e := servertest.Call(t, s, row[0], row[1])
		if e != nil {
			code, got = int(e.Code), strings.TrimSpace(servertest.Neutral(e.Message))
		}
		assert.Equal(t, row[2:], []string{fmt.Sprint(code), got}, row)
	}
	_, e := servertest.Call(t, s, "prompts/get", "{\"name\":\"\xff\"}")
	assert.Equal(t, "params: invalid JSON at byte 9: invalid UTF-8", e.Message)
	got, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Contains(t, string(got), `"name":"bare"`)
}

// What is returned is the caller's, and what an author keeps of the options is the
// author's (LIF-08, LIF-11).
func TestMethodsAndCapabilities(t *testing.T) {
	t.Parallel()
	methods := map[string]servertest.Method{"m": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }}
	tools := map[string]any{"listChanged": true}
	o := prompts.Options{Features: servertest.Both(methods, map[string]any{"tools": tools})}
	s := prompts.MustNewServer(new(prompts.Registry), o)
	delete(methods, "m")
	methods["n"] = nil
	for range 2 {
		assert.Equal(t, []string{"completion/complete", "initialize", "m", "ping", "prompts/get", "prompts/list", "server/discover", "subscriptions/listen"}, s.Methods())
		s.Methods()[0] = "changed"
		caps := s.Capabilities("2025-11-25")
		assert.Equal(t, map[string]any{"completions": map[string]any{}, "prompts": map[string]any{"listChanged": true}, "tools": tools}, caps)
		caps["prompts"].(map[string]any)["listChanged"] = "changed"
		caps["other"] = 1
	}
	session := s.NewSession(transport.SessionOptions{})
	assert.Contains(t, servertest.AnswerTo(t, s, session, servertest.InitializeLine), `"capabilities":{"completions":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}}`)
	assert.Equal(t, servertest.PongLine("1"), servertest.AnswerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"m"}`))
	assert.Zero(t, o.PageSize, "defaults are filled in into the server's own")
	assert.Equal(t, map[string]any{"prompts": map[string]any{}}, prompts.MustNewServer(new(prompts.Registry), prompts.Options{DisableListChanged: true, DisableCompletions: true}).Capabilities("2026-07-28"))
	assert.Nil(t, s.Capabilities("2024-01-01"))
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
		"a method that is nil":      {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"a": nil, "b": nil})}, []string{`method "a" has no Func`, `method "b" has no Func`}},
		"a method without a name":   {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"": method})}, []string{`method ""`}},
		"initialize":                {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"initialize": method})}, []string{`method "initialize" is defined twice`}},
		"ping":                      {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"ping": method})}, []string{`method "ping" is defined twice`}},
		"prompts/get, prompts/list": {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"prompts/get": method, "prompts/list": method})}, []string{`"prompts/get"`, `"prompts/list"`}},
		"methods to come":           {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"completion/complete": method, "server/discover": method, "subscriptions/listen": method})}, []string{"completion/complete", "server/discover", "subscriptions/listen"}},
		"notifications":             {prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"notifications/initialized": method, "notifications/x": method})}, []string{"notifications/initialized", "notifications/x"}},
		"our capability":            {prompts.Options{Features: servertest.Capabilities(map[string]any{"prompts": struct{}{}})}, []string{`capability "prompts" is defined twice`}},
		"capabilities":              {prompts.Options{Features: servertest.Capabilities(map[string]any{"a": 1, "b": nil, "c": make(chan int), "d": []int{}, "e": goldenPanic{}, "\xff": struct{}{}})}, []string{`capability "a"`, `capability "b"`, `capability "c"`, `capability "d"`, `capability "e"`, `capability "\xff"`}},
		"text":                      {prompts.Options{Instructions: "\xff", Info: prompts.Implementation{Name: "\xfe"}}, []string{"Instructions is not valid UTF-8", "info: name is not valid UTF-8"}},
		"the description":           {prompts.Options{Info: prompts.Implementation{WebsiteURL: "example.org", Icons: []prompts.Icon{{Src: "x"}}}}, []string{"info: websiteUrl", "info: icon 1"}},
		"all of it":                 {prompts.Options{PageSize: -1, Features: servertest.Both(map[string]servertest.Method{"ping": nil}, map[string]any{"a": 1}), Instructions: "\xff"}, []string{"PageSize", `"ping"`, `capability "a"`, "Instructions"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := servertest.OptionsError(test.o)
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
	var j servertest.Journal
	var got json.RawMessage
	answer := func(v any, err error) servertest.Method {
		return func(_ context.Context, params json.RawMessage) (any, error) {
			got = params
			return v, err
		}
	}
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: j.Logger(), Features: servertest.Methods(map[string]servertest.Method{
		"ok":           answer(json.RawMessage(`{"a": [1 ,2]}`), nil),
		"scalar":       answer(1, nil),
		"chan":         answer(make(chan int), nil),
		"panic result": answer(goldenPanic{}, nil),
		"duplicate":    answer(json.RawMessage(`{"a":1,"a":1}`), nil),
		"utf8":         answer(map[string]string{"a": "\xff"}, nil),
		"wrapped":      answer(nil, fmt.Errorf("shard 3: %w", &prompts.Error{Code: -32002, Message: "m"})),
		"plain":        answer(nil, servertest.ErrDisk),
		"both":         answer(struct{}{}, servertest.ErrDisk),
		"data":         answer(nil, &prompts.Error{Code: 5, Message: "m", Data: goldenPanic{}}),
		"no code":      answer(nil, &prompts.Error{Message: "forgotten"}),
		"panic":        func(context.Context, json.RawMessage) (any, error) { panic("secret panic") },
	})})
	session := servertest.NewSession(t, s)
	call := func(method, params string) string {
		j.Buf.Reset()
		got = nil
		msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + params + `}`)
		r := &servertest.Recorder{T: t}
		require.NoError(t, session.Handle(t.Context(), r.Hear(session, string(msg)), transport.Exchange{Send: r.Send}))
		require.Len(t, r.Messages, 1)
		return r.Messages[0].Msg
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
	require.NoError(t, session.Handle(t.Context(), msg, transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }}))
	clear(msg)
	assert.Equal(t, `{"a":"value"}`, string(got))
}
