package prompttools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

type userKey struct{}

// A hidden prompt is no tool: it is not listed, not called and not suggested, for
// each of the two shapes.
func TestVisible(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]*prompttools.Pair{"each": nil, "pair": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, prompttools.Options{Select: all, Pair: pair}, prompts.Options{
				Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
					return p.Name == "open" || ctx.Value(userKey{}) == "ada", nil
				},
			}, textPrompt("open", ""), textPrompt("secret", "x"))
			call := func(user, tool, arguments string) string {
				t.Helper()
				result, err := srv.Call(context.WithValue(t.Context(), userKey{}, user), "tools/call", json.RawMessage(fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)), prompts.CallOptions{Version: "2025-11-25"})
				if err != nil {
					return err.Error()
				}
				return string(result)
			}
			if pair != nil {
				assert.Contains(t, call("ada", "list_prompts", "{}"), "secret")
				assert.NotContains(t, call("eve", "list_prompts", "{}"), "secret")
				assert.Contains(t, call("ada", "get_prompt", `{"name":"secret"}`), `"x"`)
				assert.Contains(t, call("eve", "get_prompt", `{"name":"secret"}`), `unknown prompt`)
				assert.NotContains(t, call("eve", "get_prompt", `{"name":"secrets"}`), `mean`)
				assert.Contains(t, call("ada", "get_prompt", `{"name":"secrets"}`), `did you mean \"secret\"?`)
				return
			}
			list := func(user string) string {
				result, err := srv.Call(context.WithValue(t.Context(), userKey{}, user), "tools/list", nil, prompts.CallOptions{Version: "2025-11-25"})
				require.NoError(t, err)
				return string(result)
			}
			assert.Contains(t, list("ada"), "secret")
			assert.NotContains(t, list("eve"), "secret")
			assert.Contains(t, call("ada", "secret", "{}"), `"x"`)
			assert.Equal(t, `unknown tool "secret" (-32602)`, call("eve", "secret", "{}"))
			assert.Equal(t, `unknown tool "secrets" (-32602)`, call("eve", "secrets", "{}"))
			assert.Equal(t, `unknown tool "secrets"; did you mean "secret"? (-32602)`, call("ada", "secrets", "{}"))
		})
	}
}

// The middleware sees calls as requests for prompts, with what they come by.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string]*prompttools.Pair{"each": nil, "pair": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []string
			srv, _ := serve(t, prompttools.Options{Select: all, Pair: pair}, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
				return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
					seen = append(seen, fmt.Sprintf("%s %s %s %v", r.Method, r.Via, r.Prompt, r.Arguments))
					switch {
					case r.Arguments["lines"] == "1":
						return nil, &prompts.Error{Code: 9, Message: "not now"}
					case r.Arguments["lines"] == "2":
						r.Arguments["lines"] = "22" // a string, as a middleware has them
					case r.Arguments["lines"] == "3":
						return &prompts.Response{Result: prompts.Messages(prompts.User("own"))}, nil
					}
					return next(ctx, r)
				}
			}}, reviewPrompt())
			c := connect(t, srv, "2026-07-28")
			call := func(arguments string) result {
				if pair != nil {
					return c.call("get_prompt", `{"name":"review","arguments":`+arguments+`}`)
				}
				return c.call("review", arguments)
			}
			assert.Equal(t, 9, call(`{"language":"go","lines":1}`).Code)
			assert.Equal(t, "go 22 false [] ", call(`{"language":"go","lines":2}`).Content[0].Text)
			assert.Equal(t, "own", call(`{"language":"go","lines":3}`).Content[0].Text)
			assert.Equal(t, "go 4 true [1 2] ", call(`{"language":"go","lines":4,"strict":true,"tags":[1,2]}`).Content[0].Text)
			assert.Contains(t, call(`{"language":"go","lines":[4]}`).Content[0].Text, "lines must be an integer")
			assert.Contains(t, call(`[]`).Content[0].Text, "arguments must be a JSON object")
			want := []string{
				"prompts/get tools/call review map[language:go lines:1]", "prompts/get tools/call review map[language:go lines:2]",
				"prompts/get tools/call review map[language:go lines:3]", "prompts/get tools/call review map[language:go lines:4 strict:true tags:[1,2]]",
				"prompts/get tools/call review map[language:go lines:[4]]", "prompts/get tools/call review map[]",
			}
			if pair == nil {
				assert.Equal(t, -32602, c.call("reviews", "").Code)
				names, _, _ := c.list("")
				assert.Equal(t, []string{"review"}, names)
				want = append(want, "prompts/get tools/call  map[]", "prompts/list tools/list  map[]")
			} else {
				assert.Contains(t, c.call("list_prompts", `{"cursor":null}`).Content[0].Text, "review", "GAP-18")
				want = append(want, "prompts/list tools/call  map[]")
			}
			assert.Equal(t, want, seen)
		})
	}
}

// A middleware may change the arguments of a call in place: an argument that is JSON,
// and one that was sent with another type.
func TestMiddlewareChangesArguments(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			if r.Method == "prompts/get" {
				r.Arguments["when"], r.Arguments["lines"] = `{"day":"Friday"}`, "5"
				delete(r.Arguments, "strict")
			}
			return next(ctx, r)
		}
	}}, reviewPrompt())
	got := connect(t, srv, "2026-07-28").call("review", `{"language":"go","lines":"five","strict":true,"when":{"day":"Monday"}}`)
	assert.Equal(t, "go 5 false [] Friday", got.Content[0].Text)
}

// The response of one list is none to another.
func TestMiddlewareOfLists(t *testing.T) {
	t.Parallel()
	var kept *prompts.Response
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			if kept != nil {
				return kept, nil
			}
			response, err := next(ctx, r)
			kept = response
			return response, err
		}
	}}, reviewPrompt())
	c := connect(t, srv, "2025-11-25")
	assert.Contains(t, c.request("prompts/list", ""), `"prompts":[`)
	assert.Contains(t, c.request("tools/list", ""), `"code":-32603`)
}

type place struct {
	City string `json:"city"`
}

// A prompt that asks the user does so from a tool: in a session while the call waits,
// in 2026-07-28 by input_required. A state is of no use to another method.
func TestAsking(t *testing.T) {
	t.Parallel()
	asking := prompts.NewText(prompts.Prompt{Name: "trip"}, func(ctx context.Context, in struct {
		Days int `json:"days"`
	}) (string, error) {
		p, err := prompts.Elicit[place](ctx, "where", "Where to?")
		return fmt.Sprintf("%d days in %s", in.Days, p.City), err
	})
	middleware := func(next prompts.Handler) prompts.Handler { return next }
	for name, o := range map[string]prompts.Options{"direct": {}, "middleware": {Middleware: middleware}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, prompttools.Options{Select: all}, o, asking)
			for _, version := range []string{"2025-06-18", "2025-11-25"} {
				c := connect(t, srv, version)
				c.asked = func(method string, _ json.RawMessage) string {
					assert.Equal(t, "elicitation/create", method)
					return `{"action":"accept","content":{"city":"Rome"}}`
				}
				assert.Equal(t, "3 days in Rome", c.call("trip", `{"days":3}`).Content[0].Text)
				c.asked = func(string, json.RawMessage) string { return `{"action":"decline"}` }
				r := c.call("trip", `{"days":3}`)
				assert.True(t, r.IsError)
				assert.Contains(t, r.Content[0].Text, "declined")
				assert.JSONEq(t, `{"message":"prompt not rendered: question \"where\": the user declined to answer","input":"where","action":"decline"}`, string(r.StructuredContent))
				c.asked = func(string, json.RawMessage) string { return `{"action":"accept","content":{"city":1}}` }
				assert.Equal(t, -32602, c.call("trip", `{"days":3}`).Code, "an invalid answer")
			}
			r := connect(t, srv, "2025-03-26").call("trip", `{"days":3}`)
			assert.True(t, r.IsError)
			assert.Contains(t, r.Content[0].Text, "the prompt asks the user for input")

			c := connect(t, srv, "2026-07-28")
			r = c.call("trip", `{"days":3}`)
			require.Equal(t, "input_required", r.ResultType)
			require.Contains(t, r.InputRequests, "where")
			answers := `"inputResponses":{"where":{"action":"accept","content":{"city":"Rome"}}}`
			state := fmt.Sprintf(`"requestState":%q`, r.RequestState)
			assert.Equal(t, "3 days in Rome", c.call("trip", `{"days":3}`, answers, state).Content[0].Text)
			assert.Contains(t, c.request("prompts/get", `"name":"trip","arguments":{"days":"3"},`+answers+","+state), "requestState")
			assert.Equal(t, -32602, c.call("trip", `{"days":4}`, answers, state).Code)
			assert.Equal(t, "3 days in Rome", c.call("trip", `{ "days": 3.0 }`, answers, state).Content[0].Text)
			assert.Equal(t, -32602, c.call("trip", `{"days":3}`, `"inputResponses":1`).Code)
			assert.Equal(t, -32602, c.call("trip", `{"days":3}`, `"inputResponses":{"where":1}`, state).Code)
		})
	}
}

// A tool of the application asks the user as a prompt does, and may include a prompt.
func TestOwnToolsAsk(t *testing.T) {
	t.Parallel()
	drafts := 0
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "book", Call: func(ctx context.Context, args json.RawMessage) (*prompttools.Result, error) {
		draft, err := prompts.Once(ctx, "draft", func(context.Context) (int, error) { drafts++; return drafts, nil })
		if err != nil {
			return nil, err
		}
		p, err := prompts.Elicit[place](ctx, "where", "Where to?")
		if err != nil {
			return nil, fmt.Errorf("book: %w", err)
		}
		rules, err := prompts.Include(ctx, "book", nil)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%s in %s, draft %d, %s", args, p.City, draft, rules.Messages[0].Content.(*prompts.Text).Text)
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: text}}}, nil
	}}}}, prompts.Options{}, textPrompt("book", "the rules"))
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		c := connect(t, srv, version)
		c.asked = func(string, json.RawMessage) string { return `{"action":"accept","content":{"city":"Rome"}}` }
		assert.Equal(t, fmt.Sprintf(`{"days":3} in Rome, draft %d, the rules`, drafts+1), c.call("book", `{"days":3}`).Content[0].Text)
		c.asked = func(string, json.RawMessage) string { return `{"action":"decline"}` }
		r := c.call("book", `{}`)
		assert.True(t, r.IsError)
		assert.Equal(t, `tool not completed: question "where": the user declined to answer`, r.Content[0].Text)
		assert.JSONEq(t, `{"message":"tool not completed: question \"where\": the user declined to answer","input":"where","action":"decline"}`, string(r.StructuredContent))
	}
	r := connect(t, srv, "2025-03-26").call("book", `{}`)
	assert.True(t, r.IsError)
	assert.Contains(t, r.Content[0].Text, "the tool asks the user for input, but the client's protocol version")

	c := connect(t, srv, "2026-07-28")
	drafts = 0
	r = c.call("book", `{"days":3}`)
	require.Equal(t, "input_required", r.ResultType)
	require.Contains(t, r.InputRequests, "where")
	answers := `"inputResponses":{"where":{"action":"accept","content":{"city":"Rome"}}}`
	state := fmt.Sprintf(`"requestState":%q`, r.RequestState)
	assert.Equal(t, `{"days":3} in Rome, draft 1, the rules`, c.call("book", `{"days":3}`, answers, state).Content[0].Text)
	assert.Equal(t, "invalid or expired requestState; send the request again without it", c.call("book", `{"days":4}`, answers, state).Message)
	assert.Contains(t, c.request("prompts/get", `"name":"book",`+answers+","+state), "requestState")
	assert.Equal(t, -32602, c.call("book", `{"days":3}`, `"inputResponses":1`).Code)
	_, err := srv.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"book"}`), prompts.CallOptions{Version: "2026-07-28"})
	assert.ErrorContains(t, err, "the tool needs client capabilities that are not declared: elicitation.form (-32021)")
}

// MRT-13, MRT-15: a requestState is bound to the arguments and not to their encoding,
// which a client may change when it retries.
func TestStateIsBoundToTheValuesOfArguments(t *testing.T) {
	t.Parallel()
	elicit := func(ctx context.Context) (string, error) {
		p, err := prompts.Elicit[place](ctx, "where", "Where to?")
		return p.City, err
	}
	srv, _ := serve(t, prompttools.Options{Select: all, Tools: []prompttools.Tool{{Name: "own", Call: func(ctx context.Context, _ json.RawMessage) (*prompttools.Result, error) {
		city, err := elicit(ctx)
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: city}}}, err
	}}}}, prompts.Options{}, prompts.NewText(prompts.Prompt{Name: "prompt", Arguments: []prompts.Argument{{Name: "count", Schema: &jsonschema.Schema{Types: []string{"integer", "null"}}}}}, func(ctx context.Context, _ struct {
		Tags  []int          `json:"tags,omitempty"`
		More  map[string]any `json:"more,omitempty"`
		Count *int           `json:"count,omitempty"`
	}) (string, error) {
		return elicit(ctx)
	}))
	c := connect(t, srv, "2026-07-28")
	for _, tool := range []string{"own", "prompt"} {
		for _, test := range []struct {
			first, retry string
			ok           bool
		}{
			{`{"tags":[1,2],"more":{"b":"é","a":{}}}`, `{ "more": {"a": { }, "b": "\u00e9"}, "tags": [1, 2] }`, true},
			{`{"tags":[1,2]}`, `{"tags":[2,1]}`, false},
			{`{"more":{"a":"1"}}`, `{"more":{"a":1}}`, false},
			{`{"more":{"a":1}}`, `{"more":{"a":1,"b":1}}`, false},
			{``, `{}`, true},
			{`null`, ``, true},
			{`{}`, `{"more":{}}`, false},
			{`{}`, `{"count":null}`, false},
			{`{"count":null}`, `{"count":null}`, true},
		} {
			r := c.call(tool, test.first)
			require.Equal(t, "input_required", r.ResultType, "%s %s: %s", tool, test.first, r.Message)
			r = c.call(tool, test.retry, `"inputResponses":{"where":{"action":"accept","content":{"city":"Rome"}}}`, fmt.Sprintf(`"requestState":%q`, r.RequestState))
			if !test.ok {
				assert.Equal(t, "invalid or expired requestState; send the request again without it", r.Message, "%s %s", tool, test.retry)
			} else if assert.NotEmpty(t, r.Content, "%s %s: %s", tool, test.retry, r.Message) {
				assert.Equal(t, "Rome", r.Content[0].Text)
			}
		}
	}
}

// A client of 2026-07-28 that cannot be asked has the error that the protocol has for
// that (DSC-12).
func TestMissingCapability(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, prompts.NewText(prompts.Prompt{Name: "p"}, func(ctx context.Context, _ struct{}) (string, error) {
		_, err := prompts.Elicit[place](ctx, "where", "Where to?")
		return "", err
	}))
	_, err := srv.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{Version: "2026-07-28"})
	assert.ErrorContains(t, err, "(-32021)")
}

// Options.ElicitArguments asks for arguments that are missing or invalid.
func TestElicitArguments(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{ElicitArguments: true}, reviewPrompt())
	c := connect(t, srv, "2025-11-25")
	c.asked = func(_ string, params json.RawMessage) string {
		assert.Contains(t, string(params), `"lines"`)
		return `{"action":"accept","content":{"language":"python","lines":5}}`
	}
	assert.Equal(t, "python 5 true [] ", c.call("review", `{"lines":"x","strict":true}`).Content[0].Text)
	r := connect(t, srv, "2026-07-28").call("review", `{"lines":"x"}`)
	assert.Equal(t, "input_required", r.ResultType)
}

// A call counts for the rate of prompts/get, and is under the time limit.
func TestRateAndTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := prompts.NewText(prompts.Prompt{Name: "slow"}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Limits: prompts.Limits{GetsPerSecond: 1}, Timeouts: prompts.Timeouts{Render: time.Minute}}, slow, textPrompt("a", "x"))
		c := connect(t, srv, "2025-11-25")
		assert.Contains(t, c.request("prompts/get", `"name":"a"`), `"x"`)
		assert.Zero(t, c.call("a", "").Code)
		assert.Contains(t, c.call("a", "").Message, "rate limit exceeded")
		assert.Contains(t, c.request("prompts/get", `"name":"a"`), `rate limit exceeded`)
		time.Sleep(time.Minute)
		assert.Contains(t, c.call("slow", "").Message, `prompt "slow" timed out after 1m0s`)
	})
}

// Clients are notified when a tool comes or goes, in sessions and by subscriptions. A
// pair does not change.
func TestListChanged(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	tools, err := prompttools.New(&reg, prompttools.Options{Select: all})
	require.NoError(t, err)
	changed := 0
	require.Len(t, tools.Lists, 1)
	assert.Equal(t, "notifications/tools/list_changed", tools.Lists[0].Notification)
	assert.Equal(t, "toolsListChanged", tools.Lists[0].Filter)
	cancel := tools.Lists[0].OnChange(func() { changed++ })
	reg.MustAdd(textPrompt("a", ""))
	assert.Equal(t, 1, changed)
	cancel()
	reg.Remove("a")
	assert.Equal(t, 1, changed)
	assert.Equal(t, map[string]any{"tools": map[string]any{"listChanged": true}}, tools.Capabilities("2025-11-25", true))

	pair, err := prompttools.New(&reg, prompttools.Options{Select: all, Pair: &prompttools.Pair{}})
	require.NoError(t, err)
	assert.Empty(t, pair.Lists)
}

// The list of tools has the hints of the options (CCH-01).
func TestCacheHints(t *testing.T) {
	t.Parallel()
	visible := func(context.Context, prompts.Prompt) (bool, error) { return true, nil }
	public := prompttools.Options{ClientCache: feature.ClientCache{TTL: 2 * time.Second, Public: true}}
	for _, test := range []struct {
		tools  prompttools.Options
		server prompts.Options
		want   string
	}{
		{prompttools.Options{}, prompts.Options{}, `"ttlMs":0,"cacheScope":"private"`},
		{public, prompts.Options{}, `"ttlMs":2000,"cacheScope":"public"`},
		{public, prompts.Options{Visible: visible}, `"ttlMs":2000,"cacheScope":"private"`},
	} {
		srv, _ := serve(t, test.tools, test.server)
		assert.Contains(t, connect(t, srv, "2026-07-28").request("tools/list", ""), test.want)
		assert.NotContains(t, connect(t, srv, "2025-11-25").request("tools/list", ""), "ttlMs")
	}
}

// The pair lists prompts with their schemas, page by page, and gets one by name.
func TestPair(t *testing.T) {
	t.Parallel()
	srv, reg := serve(t, prompttools.Options{Tags: []string{"tool"}, Pair: &prompttools.Pair{List: "ls"}, PageSize: 1}, prompts.Options{},
		reviewPrompt(), textPrompt("code review", "1", "tool"), textPrompt("other", "", "no tool"))
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		names, entries, _ := c.list("")
		assert.Equal(t, []string{"get_prompt"}, names, "a page of one")
		assert.NotEmpty(t, entries[0]["description"])
		var pages []string
		arguments := `{}`
		for range 2 {
			r := c.call("ls", arguments)
			require.False(t, r.IsError)
			text := r.Content[0].Text
			if version >= "2025-06-18" {
				assert.JSONEq(t, text, string(r.StructuredContent))
			}
			var page struct {
				Prompts []struct {
					Name        string
					InputSchema map[string]any
				}
				NextCursor string
			}
			require.NoError(t, json.Unmarshal([]byte(text), &page))
			require.Len(t, page.Prompts, 1)
			assert.Equal(t, "object", page.Prompts[0].InputSchema["type"])
			pages = append(pages, page.Prompts[0].Name)
			arguments = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
		}
		assert.Equal(t, []string{"code review", "review"}, pages)
		assert.Equal(t, "1", c.call("get_prompt", `{"name":"code review"}`).Content[0].Text)
		assert.Equal(t, "go 3 false [] ", c.call("get_prompt", `{"name":"review","arguments":{"language":"go","lines":3}}`).Content[0].Text)
		for arguments, want := range map[string]string{
			`{"name":"review"}`:               `invalid arguments for prompt "review": language is required`,
			`{"name":"reviews"}`:              `unknown prompt "reviews"; did you mean "review"?`,
			`{"name":"other"}`:                `unknown prompt "other"; call ls for the names`,
			`{}`:                              `invalid arguments for tool "get_prompt": name is required`,
			``:                                `invalid arguments for tool "get_prompt": name is required`,
			`{"name":1}`:                      `invalid arguments for tool "get_prompt": name must be a string, got the number 1`,
			`{"name":"review","args":{}}`:     `invalid arguments for tool "get_prompt": args is not an argument of this tool`,
			`{"name":"review","arguments":1}`: `arguments must be a JSON object`,
			`[]`:                              `arguments must be a JSON object`,
		} {
			r := c.call("get_prompt", arguments)
			require.True(t, r.IsError, arguments)
			assert.Equal(t, want, r.Content[0].Text, arguments)
		}
		for _, arguments := range []string{`{"cursor":1}`, `{"cursor":"x"}`, `{"page":1}`, `1`} {
			assert.True(t, c.call("ls", arguments).IsError, arguments)
		}
		assert.Equal(t, -32602, c.call("review", `{"language":"go"}`).Code)
	}
	reg.Remove("review")
	assert.True(t, connect(t, srv, "2025-11-25").call("get_prompt", `{"name":"review"}`).IsError)
}

// Of very many tools only the first are compared with an unknown name.
func TestSuggestionsAreBounded(t *testing.T) {
	t.Parallel()
	var ps []prompts.Prompt
	for i := range 10_001 {
		ps = append(ps, textPrompt(fmt.Sprintf("a%05d", i), ""))
	}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, append(ps, textPrompt("zebra", ""))...)
	c := connect(t, srv, "2025-11-25")
	assert.NotContains(t, c.call("zebras", "").Message, "mean")
}

// The value of a sensitive argument is in no result and no log, of whatever JSON type
// it is.
func TestSensitive(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
		prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct {
			Token string `json:"token" sensitive:"true" pattern:"^[a-z0-9]+$"`
		}) (string, error) {
			return "", fmt.Errorf("%w: %s", &prompts.Error{Code: 1, Message: "no " + in.Token}, in.Token)
		}))
	c := connect(t, srv, "2025-11-25")
	for _, value := range []string{`"hunter2"`, `"hunter2 X"`, `12345678`, `["hunter2"]`, `{"hunter2":1}`} {
		got := c.request("tools/call", `"name":"p","arguments":{"token":`+value+`}`)
		assert.Contains(t, got, `"isError":true`, value)
		assert.NotContains(t, got, "hunter2", value)
		assert.NotContains(t, got, "12345678", value)
	}
	assert.NotContains(t, log.String(), "hunter2")
}

// What a tool of the application gives to an included prompt in confidence is in no
// error, no log and no link.
func TestSensitiveOfIncludedPrompts(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	type input struct {
		Token string `json:"token" sensitive:"true"`
	}
	include := func(ctx context.Context) (*prompts.Result, error) {
		return prompts.Include(ctx, "login", map[string]string{"token": secret})
	}
	for name, test := range map[string]struct {
		render     func(in input) (string, error)
		call       func(ctx context.Context) (*prompttools.Result, error) // nil returns the error of the prompt
		client     string
		log        string
		isRejected bool
	}{
		"an Error": {
			render: func(in input) (string, error) { return "", &prompts.Error{Code: 7, Message: "bad token " + in.Token} },
			client: "bad token [sensitive]",
		},
		"any other error": {
			render: func(in input) (string, error) { return "", fmt.Errorf("no user of %s", in.Token) },
			client: `internal error: tool "t" failed`, log: "withheld because of a sensitive argument: *prompts.includeError, *errors.errorString",
		},
		"a panic": {
			render: func(in input) (string, error) { panic("no user of " + in.Token) },
			client: `internal error: tool "t" failed`, log: "withheld because of a sensitive argument: panic of string",
		},
		"a refused question": {
			render: func(input) (string, error) { return "", nil },
			call: func(ctx context.Context) (*prompttools.Result, error) {
				if _, err := include(ctx); err != nil {
					return nil, err
				}
				_, err := prompts.Elicit[place](ctx, "where", "Where to?")
				return nil, fmt.Errorf("login by %s: %w", secret, err)
			},
			client: `tool not completed: question "where": the user declined to answer`, log: "withheld because of a sensitive argument: prompts.askError", isRejected: true,
		},
		"a link": {
			render: func(input) (string, error) { return "", nil },
			call: func(ctx context.Context) (*prompttools.Result, error) {
				_, err := include(ctx)
				return &prompttools.Result{Content: []prompts.Content{&prompts.ResourceLink{URI: "https://example.org/?t=" + secret, Name: "x"}}}, err
			},
			client: `internal error: tool "t" returned an invalid result`, log: "URI contains the value of a sensitive argument",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.call == nil {
				test.call = func(ctx context.Context) (*prompttools.Result, error) {
					_, err := include(ctx)
					return nil, err
				}
			}
			var log strings.Builder
			srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "t", Call: func(ctx context.Context, _ json.RawMessage) (*prompttools.Result, error) { return test.call(ctx) }}}},
				prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
				prompts.NewText(prompts.Prompt{Name: "login"}, func(_ context.Context, in input) (string, error) { return test.render(in) }))
			c := connect(t, srv, "2025-11-25")
			c.asked = func(string, json.RawMessage) string { return `{"action":"decline"}` }
			r := c.call("t", "")
			got := r.Message
			if test.isRejected {
				assert.True(t, r.IsError)
				got = r.Content[0].Text
			}
			assert.Contains(t, got, test.client)
			assert.Contains(t, log.String(), test.log)
			assert.NotContains(t, got+log.String(), secret)
		})
	}
}

// The log names no render function where a tool has failed.
func TestOwnToolsWithoutAQuestion(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "t", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return nil, prompts.ErrInputRequired
	}}}}, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	assert.Equal(t, -32603, connect(t, srv, "2026-07-28").call("t", "").Code)
	assert.Contains(t, log.String(), `tool=t error="function returned ErrInputRequired without a question"`)
}

// With a filter, an unknown tool is compared with all tools, so few names a second are.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := func(context.Context, prompts.Prompt) (bool, error) { return true, nil }
		srv, _ := serve(t, prompttools.Options{Select: func(prompts.Prompt) bool { return true }}, prompts.Options{Visible: all}, textPrompt("zebra", ""))
		suggested := 0
		for range 100 {
			response, err := srv.Call(t.Context(), "tools/call", []byte(`{"name":"zebras"}`), prompts.CallOptions{Version: "2025-11-25"})
			if strings.Contains(fmt.Sprint(string(response), err), `did you mean "zebra"?`) {
				suggested++
			}
		}
		assert.Equal(t, 40, suggested)
		_, err := srv.Call(t.Context(), "prompts/get", []byte(`{"name":"zebras"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.ErrorContains(t, err, `did you mean "zebra"?`, "a tool is not looked for among the prompts")
	})
}
