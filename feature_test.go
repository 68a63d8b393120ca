package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// served returns a method that answers with what f returns, as a Work.
func served(f func(ctx context.Context) (string, error)) feature.Method {
	return feature.Method{Func: call.Func(func(c call.Call, _ []byte) ([]byte, call.Work, error) {
		return nil, call.Work{Runner: call.RunnerFunc(func(ctx context.Context, dst []byte) ([]byte, error) {
			result, err := f(ctx)
			return append(dst, result...), err
		})}, nil
	})}
}

// instant returns a method that answers at once.
func instant(result string, err error) feature.Method {
	return feature.Method{Func: call.Func(func(_ call.Call, dst []byte) ([]byte, call.Work, error) {
		if err != nil {
			return nil, call.Work{}, err
		}
		return append(dst, result...), call.Work{}, nil
	})}
}

func withFeature(f feature.Feature) *prompts.Server {
	return prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: slog.New(slog.DiscardHandler)})
}

// A Call that no server has made is of no request.
func TestCallOfNoServer(t *testing.T) {
	t.Parallel()
	var c call.Call // nil
	_, err := promptfeature.Render(c, promptfeature.Rendering{})
	assert.ErrorContains(t, err, "the Call does not come from the Serve of a feature's method")
	_, _, err = promptfeature.List(c, nil, promptfeature.Listing{})
	assert.ErrorContains(t, err, "the Call does not come from the Serve of a feature's method")
	_, err = promptfeature.Interact(c, promptfeature.Interaction{})
	assert.ErrorContains(t, err, "the Call does not come from the Serve of a feature's method")
}

// A result of 2026-07-28 gets what every result there has, and the hints of the
// method, whether Serve or a Work makes it (CCH-01, MET-09).
func TestResultsOfAFeature(t *testing.T) {
	t.Parallel()
	cache := &feature.ClientCache{TTL: 1500 * time.Millisecond, Public: true}
	for name, test := range map[string]struct {
		method feature.Method
		cache  *feature.ClientCache
		raw    bool
		want   string
	}{
		"at once":         {instant(`{"a":1}`, nil), nil, false, `{"a":1,"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"work":            {served(func(context.Context) (string, error) { return `{"a":1}`, nil }), nil, false, `{"a":1,"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"empty":           {instant(`{}`, nil), nil, false, `{"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"cached":          {instant(`{}`, nil), cache, false, `{"resultType":"complete","ttlMs":1500,"cacheScope":"public","_meta":{` + servertest.OwnIdentity + `}}`},
		"several lines":   {instant("{\r\n\t\"a\": 1\n}", nil), nil, false, "{  \t\"a\": 1" + `,"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"of an encoder":   {instant("{\"a\":1}\n", nil), nil, false, `{"a":1,"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"lines of a work": {served(func(context.Context) (string, error) { return "{\n} \r\n", nil }), nil, false, `{"resultType":"complete","_meta":{` + servertest.OwnIdentity + `}}`},
		"not to be kept":  {instant(`{}`, nil), new(feature.ClientCache), false, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + servertest.OwnIdentity + `}}`},
		"raw":             {instant(`{"resultType":"x"}`, nil), cache, true, `{"resultType":"x"}`},
		"raw, after work": {served(func(context.Context) (string, error) { return `{"resultType":"x"}`, nil }), nil, true, `{"resultType":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.method.ClientCache = test.cache; test.raw {
				serve := call.ServeOf(test.method.Func)
				test.method.Func = call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
					rpc.CallOf(c).IsFinished = true
					return serve(c, dst)
				})
			}
			s := withFeature(feature.Feature{Methods: map[string]feature.Method{"m": test.method}})
			got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", ""))
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+test.want+`}`, got)
		})
	}
}

// A feature adds its capabilities, its methods in the versions that have them, and
// the notifications of all its lists.
func TestFeatureOfAServer(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		changed := map[string]func(){}
		list := func(name string) feature.List {
			return feature.List{Notification: "notifications/" + name + "/list_changed", Filter: name + "ListChanged", OnChange: func(f func()) func() {
				changed[name] = f
				return func() { delete(changed, name) }
			}}
		}
		echo := feature.Method{Func: call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
			return fmt.Appendf(dst, `{"method":%q,"version":%q,"params":%s}`, c.Method(), c.Version(), c.Params()), call.Work{}, nil
		})}
		old := echo
		old.Versions = func(version string) bool { return version < "2025-11-25" }
		s := withFeature(feature.Feature{
			Methods: map[string]feature.Method{"new": echo, "old": old},
			Capabilities: func(version string, listChanged bool) map[string]any {
				return map[string]any{"birds": map[string]any{"version": version, "listChanged": listChanged}, "fish": map[string]any{"listChanged": listChanged}}
			},
			Lists: []feature.List{list("birds"), list("fish")},
		})
		c := servertest.Connect(t, s)
		assert.Contains(t, c.Ask(servertest.InitializeLine, servertest.InitializedLine)[0], `"birds":{"listChanged":true,"version":"2025-11-25"}`)
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"result":{"method":"new","version":"2025-11-25","params":{"a":[1]}}}`}, c.Ask(`{"jsonrpc":"2.0","id":1,"method":"new","params":{"a":[1]}}`))
		assert.Contains(t, c.Ask(`{"jsonrpc":"2.0","id":1,"method":"old"}`)[0], `"code":-32601`)
		got := servertest.AnswerTo(t, s, servertest.SessionIn(t, s, "2025-06-18"), `{"jsonrpc":"2.0","id":1,"method":"old","params":{}}`)
		assert.Contains(t, got, `"version":"2025-06-18"`)
		changed["birds"]()
		changed["fish"]()
		time.Sleep(time.Second)
		assert.ElementsMatch(t, []string{`{"jsonrpc":"2.0","method":"notifications/birds/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/fish/list_changed"}`}, c.Received())
	})
}

// Serve returns work and nothing that it has appended, be that nil, dst or an empty slice, to
// each door and within a rate.
func TestWorkWithoutResult(t *testing.T) {
	t.Parallel()
	for name, nothing := range map[string]func(dst []byte) []byte{
		"nil":   func([]byte) []byte { return nil },
		"dst":   func(dst []byte) []byte { return dst },
		"empty": func([]byte) []byte { return []byte{} },
	} {
		work := served(func(context.Context) (string, error) { return `{"done":1}`, nil })
		m := feature.Method{RequestsPerSecond: 100, Func: call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
			_, w, err := call.ServeOf(work.Func)(c, dst)
			return nothing(dst), w, err
		})}
		for _, principal := range []func(context.Context) (string, error){nil, func(context.Context) (string, error) { return "ada", nil }} {
			s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"m": m}}}, Principal: principal})
			assert.Contains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", "")), `"result":{"done":1,`, name)
			got, err := s.Call(t.Context(), "m", nil, prompts.CallOptions{Version: "2025-11-25"})
			require.NoError(t, err, name)
			assert.Contains(t, string(got), `{"done":1`, name)
		}
	}
}

// The client reads of a feature's error what it reads of a Method's.
func TestErrorsOfAFeature(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"of its own": {&prompts.Error{Code: 7, Message: "no", Data: []int{1}}, `{"code":7,"message":"no","data":[1]}`},
		"retired":    {&prompts.Error{Code: -32002, Message: "no such resource"}, `{"code":-32602,"message":"no such resource"}`},
		"internal":   {errors.New("secret"), `{"code":-32603,"message":"internal error: m failed"}`},
		"of code 0":  {&prompts.Error{Message: "secret"}, `{"code":-32603,"message":"internal error: m failed"}`},
		"no params":  {&prompts.Error{Code: -32602, Message: "no"}, `{"code":-32602,"message":"no"}`},
	} {
		for kind, m := range map[string]feature.Method{
			"at once": instant("", test.err),
			"work":    served(func(context.Context) (string, error) { return "", test.err }),
			"list": {Func: call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
				return promptfeature.List(c, dst, promptfeature.Listing{AppendContext: func(context.Context, []byte, string, func(string) bool) ([]byte, error) {
					return nil, test.err
				}})
			})},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				var log servertest.Journal
				s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"m": m}}}, Logger: log.Logger()})
				got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", ""))
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":`+test.want+`}`, got)
				if strings.Contains(test.want, "internal") {
					assert.Contains(t, log.String(), "secret")
				} else {
					assert.Empty(t, log.String())
				}
			})
		}
	}
}

// A Listing has one function that appends.
func TestListingWithoutAppend(t *testing.T) {
	t.Parallel()
	appends := func(dst []byte, _ string, _ func(string) bool) ([]byte, error) { return append(dst, "{}"...), nil }
	for _, l := range []promptfeature.Listing{{}, {Append: appends, AppendContext: func(context.Context, []byte, string, func(string) bool) ([]byte, error) { return nil, nil }}} {
		s := withFeature(feature.Feature{Methods: map[string]feature.Method{"m": {Func: call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
			return promptfeature.List(c, dst, l)
		})}}})
		assert.Contains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", "")), `"message":"internal error: m failed"`)
	}
}

// The data of an error that Serve returns is encoded where it keeps nobody waiting.
func TestDataOfAFeatureErrorBlocks(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		free := make(chan struct{})
		blocks := instant("", &prompts.Error{Code: prompts.CodeInvalidParams, Message: "no", Data: servertest.Data(func() { <-free })})
		c := servertest.Connect(t, withFeature(feature.Feature{Methods: map[string]feature.Method{"m": blocks}})).Handshake()
		assert.Equal(t, []string{servertest.PongLine("2")}, c.Ask(`{"jsonrpc":"2.0","id":1,"method":"m"}`, servertest.PingLine("2")))
		close(free)
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{}}}`}, c.Ask())
	})
}

// extends is a feature with an extension.
func extends(extension string) feature.Feature {
	return feature.Feature{Capabilities: func(string, bool) map[string]any {
		return map[string]any{"extensions": map[string]any{extension: map[string]any{"of": extension}}}
	}}
}

// The features and the application declare extensions side by side.
func TestExtensionsAreMerged(t *testing.T) {
	t.Parallel()
	srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{
		Features: append(servertest.Capabilities(map[string]any{"extensions": map[string]struct{}{"c": {}}}), extends("b"), extends("a")),
	})
	for range 2 { // merging changes no map of theirs
		raw, err := json.Marshal(srv.Capabilities("2026-07-28")["extensions"])
		require.NoError(t, err)
		assert.JSONEq(t, `{"a":{"of":"a"},"b":{"of":"b"},"c":{}}`, string(raw))
	}
	got, err := servertest.Handle(t, srv, nil, servertest.EnvelopedLine("1", "server/discover", ""))
	require.NoError(t, err)
	assert.Contains(t, got, `"extensions":{"a":{"of":"a"},"b":{"of":"b"},"c":{}}`)
}

// Two parts of a server with the same method or capability are an error of the
// options.
func TestFeaturesThatClash(t *testing.T) {
	t.Parallel()
	m := instant(`{}`, nil)
	ratedAs := func(other string) feature.Method { return feature.Method{Func: m.Func, RateWith: other} }
	has := func(capability string) feature.Feature {
		return feature.Feature{Capabilities: func(string, bool) map[string]any { return map[string]any{capability: struct{}{}} }}
	}
	resources := &feature.Resources{Subscribe: func(context.Context, feature.ClientID, string, func()) (func(), error) { return nil, nil }}
	list := func(l feature.List) prompts.Options {
		return prompts.Options{Features: []feature.Feature{{Lists: []feature.List{l}}}}
	}
	onChange := func(func()) func() { return nil }
	for name, test := range map[string]struct {
		o    prompts.Options
		want string
	}{
		"no OnChange":              {list(feature.List{Notification: "n", Filter: "f"}), `list "n" has no OnChange`},
		"no Filter":                {list(feature.List{Notification: "n", OnChange: onChange}), `list must have a Notification and a Filter, got "n" and ""`},
		"no Notification":          {list(feature.List{Filter: "f", OnChange: onChange}), `list must have a Notification and a Filter, got "" and "f"`},
		"a list of prompts":        {list(feature.List{Notification: "n", Filter: "promptsListChanged", OnChange: onChange}), `filter "promptsListChanged" of list "n" is defined twice`},
		"a filter of resources":    {list(feature.List{Notification: "n", Filter: "resourceSubscriptions", OnChange: onChange}), `filter "resourceSubscriptions" of list "n" is defined twice`},
		"no Subscribe":             {prompts.Options{Features: []feature.Feature{{Resources: &feature.Resources{}}}}, "Resources has no Subscribe"},
		"two rates":                {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": {Func: m.Func, RateWith: "prompts/get", RequestsPerSecond: 1}}}}}, `method "a" has both RateWith and RequestsPerSecond; remove one of the two`},
		"a rate that is no number": {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": {Func: m.Func, RequestsPerSecond: math.NaN()}}}}}, `method "a": RequestsPerSecond is not a number`},
		"a method of prompts":      {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"prompts/get": m}}}}, `method "prompts/get" is defined twice`},
		"a method of the session":  {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"ping": m}}}}, `method "ping" is defined twice`},
		"a method of two features": {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": m}}, {Methods: map[string]feature.Method{"a": m}}}}, `method "a" is defined twice`},

		"a notification":                   {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"notifications/a": m}}}}, `method "notifications/a" is reserved`},
		"no Func":                          {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": {}}}}}, `method "a" has no Func`},
		"the rate of no method":            {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": ratedAs("b")}}}}, `method "a" has the rate of "b", which is missing`},
		"a rate at second hand":            {prompts.Options{Features: []feature.Feature{{Methods: map[string]feature.Method{"a": ratedAs("b"), "b": ratedAs("prompts/get")}}}}, `method "a" has the rate of "b", which has no rate of its own`},
		"a capability of two features":     {prompts.Options{Features: []feature.Feature{has("a"), has("a")}}, `the capability "a" is defined twice`},
		"resources of two features":        {prompts.Options{Features: []feature.Feature{{Resources: resources}, {Resources: resources}}}, `two features have Resources`},
		"resources and their method":       {prompts.Options{Features: []feature.Feature{{Resources: resources, Methods: map[string]feature.Method{"resources/subscribe": m}}}}, `method "resources/subscribe" is defined twice`},
		"a capability of prompts":          {prompts.Options{Features: []feature.Feature{has("prompts")}}, `the capability "prompts" is defined twice`},
		"an extension of two features":     {prompts.Options{Features: []feature.Feature{extends("a"), extends("a")}}, `the extension "a" is defined twice`},
		"an extension of the Options":      {prompts.Options{Features: append(servertest.Capabilities(map[string]any{"extensions": map[string]any{"a": struct{}{}}}), extends("a"))}, `the extension "a" is defined twice`},
		"extensions that are no object":    {prompts.Options{Features: append(servertest.Capabilities(map[string]any{"extensions": []int{}}), extends("a"))}, `capability "extensions": value is not a JSON object`},
		"one of the Options' Capabilities": {prompts.Options{Features: append(servertest.Capabilities(map[string]any{"a": struct{}{}}), has("a"))}, `the capability "a" is defined twice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, servertest.OptionsError(test.o), "prompts: options: "+test.want)
		})
	}
}

// A Func reads of its context which request it answers. Elsewhere, the request is zero.
func TestRequestOfAFunc(t *testing.T) {
	t.Parallel()
	var got feature.Request
	f := feature.Feature{Methods: map[string]feature.Method{"m": {Func: func(ctx context.Context, _ json.RawMessage) (any, error) {
		got = feature.RequestOf(context.WithValue(ctx, t, nil))
		return struct{}{}, nil
	}}}}
	s := withFeature(f)
	servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", ""))
	assert.Equal(t, "m 2026-07-28", got.Method+" "+got.Version)
	servertest.AnswerTo(t, s, servertest.NewSession(t, s), `{"jsonrpc":"2.0","id":1,"method":"m"}`)
	assert.Equal(t, feature.Request{Method: "m", Version: "2025-11-25", ClientID: got.ClientID, ClientName: "tester", ClientVersion: "1"}, got)
	assert.NotZero(t, got.ClientID.Session)
	_, err := s.Call(t.Context(), "m", nil, prompts.CallOptions{Version: "2025-06-18", ClientKey: "k"})
	require.NoError(t, err)
	assert.Equal(t, feature.Request{Method: "m", Version: "2025-06-18", ClientID: feature.ClientID{Key: "k"}}, got)
	for _, o := range []prompts.Options{{}, {Middleware: func(next prompts.Handler) prompts.Handler { return next }}} {
		o.Features = []feature.Feature{f}
		s := prompts.MustNewServer(new(prompts.Registry), o)
		keys := map[string]bool{}
		for _, id := range []string{"secret-1", "secret-1", "secret-2"} {
			_, err = s.Call(t.Context(), "m", nil, prompts.CallOptions{Version: "2025-06-18", SessionID: id})
			require.NoError(t, err)
			assert.NotContains(t, got.ClientID.Key, "secret")
			keys[got.ClientID.Key] = true
		}
		assert.Len(t, keys, 2)
		assert.NotContains(t, keys, "")
	}
	assert.Zero(t, feature.RequestOf(t.Context()))
}

// A Serve has no caller but a server: a program that wraps its Func gets an error, and no
// wrong result.
func TestWrappedServe(t *testing.T) {
	t.Parallel()
	m := instant(`{}`, nil)
	wrapped := feature.Method{Func: func(ctx context.Context, params json.RawMessage) (any, error) { return m.Func(ctx, params) }}
	s := withFeature(feature.Feature{Methods: map[string]feature.Method{"m": wrapped}})
	assert.Contains(t, servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "m", "")), `"message":"internal error: m failed"`)
	_, err := wrapped.Func(t.Context(), nil)
	assert.EqualError(t, err, "only a server calls the methods of this feature; do not wrap them")
}
