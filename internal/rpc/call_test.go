package rpc_test

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
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// The results of Call are the caller's: a later call must not change them.
func TestCallResultsAreTheCallers(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("a", "1"), servertest.TextPrompt("b", "2")), prompts.Options{})
	get := func(params string) []byte {
		got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
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
		list, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
		require.NoError(t, err)
		assert.Equal(t, `{"prompts":[{"name":"a"},{"name":"b"}]}`, string(list))
		clear(list)
		_, e := servertest.Call(t, s, "no/such", "")
		assert.Equal(t, "method not found: no/such", e.Message)
		e.Message = "changed"
	}
}

func TestCallWhenItsContextEnds(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		w := servertest.NewWaiter()
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}, Logger: j.Logger()})
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error)
		for range 2 {
			go func() {
				got, err := s.Call(ctx, "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{Version: "2025-11-25"})
				assert.Nil(t, got)
				errs <- err
			}()
		}
		synctest.Wait()
		_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.Equal(t, servertest.Busy(), err)
		_, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
		assert.NoError(t, err, "a list never waits")
		cancel()
		for range 2 {
			assert.ErrorIs(t, <-errs, context.Canceled)
		}
		synctest.Wait() // until the renders have returned
		assert.EqualValues(t, 1, w.Started.Load(), "the one that waited has run")
		assert.NotContains(t, j.String(), "level=ERROR")
		assert.Zero(t, servertest.Tasks(s))

		// Nothing is rendered for a context that has ended before.
		_, err = s.Call(ctx, "prompts/get", json.RawMessage(`{"name":"wait"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.Error(t, err)
		assert.EqualValues(t, 1, w.Started.Load())
	})
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
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: servertest.Methods(map[string]servertest.Method{test.method: func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(test.result), nil
		}})})
		got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", test.method, ""))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",`+test.want+`"_meta":{`+servertest.OwnIdentity+`}}}`, got)
	}
}

// The Cache of a method with a Func is that of its results, and private with Visible.
func TestCacheOfAFunc(t *testing.T) {
	t.Parallel()
	m := feature.Method{ClientCache: &feature.ClientCache{TTL: time.Second, Public: true}, Func: func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(`{"resources":[]}`), nil }}
	for want, visible := range map[string]func(context.Context, prompts.Prompt) (bool, error){
		`"ttlMs":1000,"cacheScope":"public"`:  nil,
		`"ttlMs":1000,"cacheScope":"private"`: func(context.Context, prompts.Prompt) (bool, error) { return true, nil },
	} {
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Visible: visible, Features: []feature.Feature{{Methods: map[string]feature.Method{"m": m, "resources/list": m}}}})
		for _, name := range []string{"m", "resources/list"} {
			assert.Contains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", name, "")), want)
		}
	}
}

// A middleware gets to know the client of a Call: what the options say in a
// session, and what the request says in the stateless era (MET-08).
func TestCallSaysWhoTheClientIs(t *testing.T) {
	t.Parallel()
	var got []prompts.Request
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Middleware: servertest.Seeing(&got, new([]error))})
	said := json.RawMessage(`{"name":"editor","version":"` + strings.Repeat("9", 300) + `","title":"Editor","description":"is not kept","websiteUrl":"https://example.com"}`)
	_, err := srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25", ClientInfo: said})
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "editor", Version: strings.Repeat("9", 256) + "…", Title: "Editor"}, got[0].Client)

	_, err = srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Empty(t, got[1].Client, "nobody has said anything")

	stateless := prompts.CallOptions{Version: "2026-07-28", ClientInfo: said}
	_, err = srv.Call(t.Context(), "prompts/list", []byte(`{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other","version":"2"}}}`), stateless)
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "other", Version: "2"}, got[2].Client)
}

// A Call speaks the revision that the caller's layer has agreed on.
func TestCallVersion(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(prompts.Prompt{Name: "p", Title: "P", Icons: []prompts.Icon{{Src: "https://example.com/i.png"}}, Render: servertest.Nothing}), prompts.Options{})
	for _, version := range append([]string{"2026-07-28"}, servertest.HandshakeVersions...) {
		want := `{"messages":[]}`
		if version == "2026-07-28" {
			want = `{"resultType":"complete","messages":[],"_meta":{` + servertest.OwnIdentity + `}}`
		}
		got, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.JSONEq(t, want, string(got), version)

		got, err = s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: version})
		require.NoError(t, err, version)
		assert.Equal(t, version >= "2025-06-18", strings.Contains(string(got), `"title"`), version)
		assert.Equal(t, version >= "2025-11-25", strings.Contains(string(got), `"icons"`), version)
		assert.Equal(t, version == "2026-07-28", strings.Contains(string(got), `"ttlMs"`), version)
	}
	for _, version := range []string{"2026-07-29", "v999", "2025-11-25 ", "draft"} {
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: version})
		require.ErrorContains(t, err, "prompts: unknown protocol version", version)
		var e *prompts.Error
		assert.NotErrorAs(t, err, &e, "it is the caller's fault, not the client's")
	}
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25", ClientCapabilities: []byte(`{`)})
	assert.ErrorContains(t, err, "client capabilities")
	_, err = s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25", ClientInfo: []byte("{\"name\":\"\xff\"}")})
	assert.ErrorContains(t, err, "client info")
	for want, o := range map[string]prompts.CallOptions{
		`prompts: client capabilities must be an object, got []`:                    {ClientCapabilities: []byte(`[]`)},
		`prompts: client info must be an object, got 1`:                             {ClientInfo: []byte(`1`)},
		`prompts: ID must be a string or an integer of at most 256 bytes, got {}`:   {ID: `{}`},
		`prompts: ID must be a string or an integer of at most 256 bytes, got null`: {ID: `null`},
		`prompts: ID: invalid JSON at byte 2: unexpected data after the JSON value`: {ID: `1 , "x": 2`},
		`prompts: ID: invalid JSON at byte 0: expected a value`:                     {ID: `abc`},
	} {
		_, err := s.Call(t.Context(), "prompts/list", nil, o)
		assert.EqualError(t, err, want)
	}
}

// PRO-02, PRO-03, PRO-07: progress is told if there is a token and a way.
func TestCallNotifies(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("steps", func(ctx context.Context) (*prompts.Result, error) {
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
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{Version: "2025-11-25", Notify: func(method string, params json.RawMessage) {
			assert.False(t, over, "after Call has returned")
			assert.Equal(t, "notifications/progress", method)
			got = append(got, string(params))
		}})
		over = true
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(got, "\n"), token)
		_, err = s.Call(t.Context(), "prompts/get", []byte(`{`+token+`"name":"steps"}`), prompts.CallOptions{Version: "2025-11-25"})
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
	return s.Call(ctx, "prompts/get", []byte(`{"name":"several"}`), prompts.CallOptions{Version: "2025-11-25", ClientCapabilities: []byte(servertest.FormCapability), Request: request})
}

// Questions that are asked at once are asked concurrently, and each gets its
// own answer, in whatever order they come.
func TestRequestsAreConcurrent(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("several", func(ctx context.Context) (*prompts.Result, error) {
			a, b, c := prompts.Form[servertest.Colour]("a", "3"), prompts.Form[servertest.Colour]("b", "1"), prompts.Form[servertest.Colour]("c", "2")
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
			return []byte(servertest.Accepting(`{"colour":"` + text + `"}`)), nil
		})
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Contains(t, string(got), `"312"`)
	})
}

// The first failure is that of the Ask, and ends the other requests, for which
// nobody waits.
func TestRequestsEndTogether(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var ended atomic.Int32
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Several(func(err error) {
			assert.ErrorIs(t, err, servertest.ErrDisk)
			assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable)
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 1}})
		_, err := callSeveral(s, t.Context(), func(ctx context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			if messageOf(t, params) == "B?" {
				time.Sleep(time.Second)
				return nil, servertest.ErrDisk
			}
			<-ctx.Done()
			ended.Add(1)
			return []byte(servertest.Red), nil
		})
		assert.NoError(t, err)
		synctest.Wait()
		assert.EqualValues(t, 2, ended.Load())
		assert.Zero(t, servertest.Tasks(s)+servertest.Slots(s))
	})
}

// What Request returns is what a client says: it is checked as such.
func TestRequestResultsAreChecked(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("several")), prompts.Options{})
	for _, result := range []string{
		"", "null", "{", servertest.Red + servertest.Red, "\xff",
		strings.Replace(servertest.Red, "red", "\xff", 1),
		strings.Replace(servertest.Red, "red", "\x00", 1),
		strings.Repeat(`{"a":`, servertest.MaxDepth+1) + "1" + strings.Repeat("}", servertest.MaxDepth+1),
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

// LIF-01, GAP-07: without a version in the options, a Call serves every method of the version
// that its _meta names, with the capabilities there, and without both initialize and ping only.
// A version in the options wins.
func TestCallOfAMessageWithItsVersion(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	r.MustAdd(servertest.Asking("asks"), servertest.TextPrompt("text", "hi"))
	s := prompts.MustNewServer(&r, prompts.Options{})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + servertest.FormCapability + `}`
	const unknown = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`
	for _, test := range []struct{ version, method, params, want string }{
		{"", "server/discover", `{` + meta + `}`, `"supportedVersions":["2026-07-28"`},
		{"2026-07-28", "server/discover", "", `"supportedVersions":["2026-07-28"`},
		{"", "server/discover", "", "session not initialized"},
		{"", "prompts/list", "", "session not initialized"},
		{"", "prompts/get", `{"name":"text"}`, "session not initialized"},
		{"", "subscriptions/listen", `{"notifications":{}}`, "session not initialized"},
		{"", "no/such", "", "method not found: no/such"},
		{"2025-11-25", "server/discover", `{` + meta + `}`, "method not found: server/discover (not in protocol version 2025-11-25)"},
		{"", "prompts/get", `{"name":"text",` + meta + `}`, `"resultType":"complete"`},
		{"", "prompts/get", `{"name":"asks",` + meta + `}`, `"resultType":"input_required"`},
		{"2026-07-28", "prompts/get", `{"name":"asks",` + meta + `}`, "not declared"},
		{"", "prompts/list", `{` + meta + `}`, `"ttlMs":0`},
		{"", "prompts/list", unknown, "unsupported protocol version"},
		{"2025-06-18", "prompts/list", unknown, `{"prompts":[{"name":"asks"},{"name":"text"}]}`},
		{"", "prompts/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, "clientCapabilities"},
		{"", "prompts/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}`, "must be a string"},
		{"", "initialize", `{` + meta + `}`, "method not found: initialize (not in protocol version 2026-07-28)"},
		{"", "initialize", initialize("2025-06-18"), `{"protocolVersion":"2025-06-18","capabilities":{"completions":{},"prompts":{}},"serverInfo":`},
		{"", "initialize", initialize("2026-07-28"), `{"protocolVersion":"2025-11-25",`},
		{"", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{}}`, "params.clientInfo is required"},
		{"2025-06-18", "initialize", initialize("2025-06-18"), "session is already initialized"},
		{"2025-06-18", "ping", "", "{}"},
		{"2026-07-28", "ping", "", "method not found: ping (not in protocol version 2026-07-28)"},
		{"", "ping", "", "{}"},
		{"2025-06-18", "resources/subscribe", `{"uri":"a:b"}`, "method not found: resources/subscribe"},
	} {
		got, err := s.Call(t.Context(), test.method, json.RawMessage(test.params), prompts.CallOptions{Version: test.version, ID: `"a,\"error\":"`})
		if text := string(got); err != nil {
			assert.ErrorContains(t, err, test.want, "%+v", test)
		} else {
			assert.Contains(t, text, test.want, "%+v", test)
		}
	}
}

// initialize returns the params of initialize.
func initialize(version string) string {
	return `{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}`
}

// LIF-08: the result of initialize promises notifications if the other layer can send them.
func TestCallPromisesChanges(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{DisableCompletions: true})
	for want, notify := range map[string]func(string, json.RawMessage){
		`{"prompts":{}}`:                   nil,
		`{"prompts":{"listChanged":true}}`: func(string, json.RawMessage) {},
	} {
		got, err := s.Call(t.Context(), "initialize", []byte(initialize("2025-11-25")), prompts.CallOptions{Notify: notify})
		require.NoError(t, err)
		assert.Contains(t, string(got), `"capabilities":`+want+`,`)
	}
}

// The data of an error may be as deep as the server encodes it.
func TestCallOfADeepError(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 127, 128} {
		data := json.RawMessage(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
		var r prompts.Registry
		r.MustAdd(prompts.Prompt{Name: "fails", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 100, Message: "m", Data: data}
		}})
		_, err := prompts.MustNewServer(&r, prompts.Options{}).Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"fails"}`), prompts.CallOptions{Version: "2025-11-25"})
		var e *prompts.Error
		require.ErrorAs(t, err, &e, depth)
		assert.Equal(t, data, e.Data)
	}
}

// SUB-06, SUB-11: a Call of subscriptions/listen notifies its caller of changes until its
// context ends.
func TestCallListens(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var r prompts.Registry
		s := prompts.MustNewServer(&r, prompts.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		returned := make(chan error)
		go func() {
			_, err := s.Call(ctx, "subscriptions/listen", []byte(`{"notifications":{"promptsListChanged":true}}`), prompts.CallOptions{
				Version: "2026-07-28",
				Notify:  func(method string, params json.RawMessage) { got = append(got, method+" "+string(params)) },
			})
			returned <- err
		}()
		synctest.Wait()
		r.MustAdd(servertest.TextPrompt("a", "1"))
		time.Sleep(time.Minute)
		assert.NotEmpty(t, servertest.Leftovers(s))
		cancel()
		assert.ErrorIs(t, <-returned, context.Canceled)
		r.MustAdd(servertest.TextPrompt("b", "2"))
		time.Sleep(time.Minute)
		const id = `{"_meta":{"io.modelcontextprotocol/subscriptionId":0}`
		assert.Equal(t, []string{
			`notifications/subscriptions/acknowledged ` + strings.TrimSuffix(id, "}") + `},"notifications":{"promptsListChanged":true}}`,
			`notifications/prompts/list_changed ` + id + `}`,
		}, got)
		assert.Empty(t, servertest.Leftovers(s))
	})
}
