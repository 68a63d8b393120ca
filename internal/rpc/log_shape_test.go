package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/transport"
)

// recordsOf returns the records that requests leave in the log, without times, ids and
// stacks.
func recordsOf(t *testing.T, reg *prompts.Registry, o prompts.Options, version string, requests ...string) (records []map[string]any) {
	t.Helper()
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	srv := prompts.MustNewServer(reg, o)
	for _, r := range requests {
		var request struct {
			Method string
			Params json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(r), &request))
		_, _ = srv.Call(t.Context(), request.Method, request.Params, prompts.CallOptions{Version: version, ClientCapabilities: json.RawMessage(`{"elicitation":{}}`)})
	}
	for d := json.NewDecoder(&log); d.More(); {
		var record map[string]any
		require.NoError(t, d.Decode(&record))
		for _, name := range []string{"time", "error_id", "stack"} {
			delete(record, name)
		}
		records = append(records, record)
	}
	return records
}

// A record has the same attributes with a middleware as without, whatever the request.
func TestLogRecordsHaveOneShape(t *testing.T) {
	t.Parallel()
	fails := func(context.Context) (*prompts.Result, error) { return nil, errors.New("failed") }
	completing := servertest.Rendered("completes", fails)
	completing.Arguments = []prompts.Argument{{Name: "a", Complete: func(context.Context, string, map[string]string) ([]string, error) { return nil, errors.New("failed") }}}
	reg := servertest.RegistryOf(servertest.Rendered("fails", fails), completing,
		servertest.Rendered("panics", func(context.Context) (*prompts.Result, error) { panic("failed") }),
		servertest.Rendered("invalid", func(context.Context) (*prompts.Result, error) { return prompts.Messages(prompts.Message{}), nil }),
		servertest.Rendered("rejects", func(context.Context) (*prompts.Result, error) {
			return nil, fmt.Errorf("failed: %w", &prompts.Error{Code: 7, Message: "denied"})
		}),
		servertest.Rendered("hidden", fails))
	through := feature.Feature{Methods: map[string]feature.Method{
		"x/render": {Func: call.Func(func(c call.Call, _ []byte) ([]byte, call.Work, error) {
			var p struct{ Name string }
			_ = json.Unmarshal(c.Params(), &p)
			w, err := promptfeature.Render(c, promptfeature.Rendering{Prompt: p.Name, Append: func(context.Context, []byte, *prompts.Result, *prompts.Error) ([]byte, error) {
				return nil, errors.New("failed")
			}})
			return nil, w, err
		})},
		"x/list": {Func: call.Func(func(c call.Call, dst []byte) ([]byte, call.Work, error) {
			return promptfeature.List(c, dst, promptfeature.Listing{AppendContext: func(context.Context, []byte, string, func(string) bool) ([]byte, error) {
				return nil, errors.New("failed")
			}})
		})},
	}}
	for name, test := range map[string]struct {
		requests []string
		visible  func(context.Context, prompts.Prompt) (bool, error)
		want     int
	}{
		"prompts/get": {want: 5, requests: []string{
			servertest.GetLine("1", "fails"), servertest.GetLine("1", "panics"), servertest.GetLine("1", "invalid"), servertest.GetLine("1", "rejects"), servertest.GetLine("1", "hidden"), servertest.GetLine("1", "unknown")}},
		"completion/complete": {want: 1, requests: []string{servertest.CompleteLine("1", "completes", "a", ""), servertest.CompleteLine("1", "completes", "b", ""), servertest.CompleteLine("1", "unknown", "a", "")}},
		"methods of features": {want: 5, requests: []string{
			`{"method":"x/render","params":{"name":"fails"}}`, `{"method":"x/render","params":{"name":"invalid"}}`, `{"method":"x/render","params":{"name":"rejects"}}`,
			`{"method":"x/list","params":{}}`, `{"method":"x/render","params":{"name":"unknown"}}`}},
		"a filter that panics": {want: 5, visible: func(context.Context, prompts.Prompt) (bool, error) { panic("failed") }, requests: []string{
			`{"method":"prompts/list","params":{}}`, servertest.GetLine("1", "fails"), servertest.GetLine("1", "fail"), servertest.CompleteLine("1", "completes", "a", ""), servertest.CompleteLine("1", "complete", "a", "")}},
	} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			o := prompts.Options{Visible: test.visible, Features: []feature.Feature{through}}
			without := recordsOf(t, reg, o, version, test.requests...)
			assert.Len(t, without, test.want, name)
			o.Middleware = servertest.Passing
			assert.Equal(t, without, recordsOf(t, reg, o, version, test.requests...), "%s in %s", name, version)
		}
	}
}

// A question that the function does not pass on is reported, because it is never sent.
func TestUnsentQuestions(t *testing.T) {
	t.Parallel()
	asks := func(then error) func(context.Context) (*prompts.Result, error) {
		return func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Who?")
			if then != nil {
				return nil, then
			}
			if err != nil {
				return prompts.Messages(prompts.User("Hello.")), nil
			}
			return prompts.Messages(), nil
		}
	}
	reg := servertest.RegistryOf(servertest.Rendered("swallows", asks(nil)), servertest.Rendered("replaces", asks(&prompts.Error{Code: 7, Message: "denied"})),
		servertest.Rendered("passes", asks(prompts.ErrInputRequired)), servertest.TextPrompt("plain", "x"))
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, servertest.Passing} {
		o := prompts.Options{Middleware: middleware}
		for _, name := range []string{"swallows", "replaces"} {
			assert.Equal(t, []map[string]any{{"level": "WARN", "msg": "questions not sent", "prompt": name, "count": 1.0, "questions": []any{"name"}}},
				recordsOf(t, reg, o, "2026-07-28", servertest.GetLine("1", name)))
			assert.Empty(t, recordsOf(t, reg, prompts.Options{}, "2024-11-05", servertest.GetLine("1", name)), "the user cannot be asked")
		}
		assert.Empty(t, recordsOf(t, reg, o, "2026-07-28", servertest.GetLine("1", "passes"), servertest.GetLine("1", "plain")))
	}
	for name, answer := range map[string]func(*prompts.Response, error) (*prompts.Response, error){
		"another result": func(r *prompts.Response, err error) (*prompts.Response, error) {
			if err != nil {
				return &prompts.Response{Result: prompts.Messages(prompts.User("Sorry."))}, nil
			}
			return r, nil
		},
		"another error": func(r *prompts.Response, err error) (*prompts.Response, error) {
			return r, errors.Join(err, &prompts.Error{Code: 7, Message: "denied"})
		},
	} {
		o := prompts.Options{Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return answer(next(ctx, r))
		})}
		records := recordsOf(t, reg, o, "2026-07-28", servertest.GetLine("1", "passes"))
		if assert.NotEmpty(t, records, name) {
			assert.Equal(t, map[string]any{"level": "WARN", "msg": "questions not sent", "prompt": "passes", "count": 1.0, "questions": []any{"name"}}, records[0], name)
		}
	}
}

// Two questions with one key would get the answer of one.
func TestQuestionsWithOneKey(t *testing.T) {
	t.Parallel()
	type form struct{ Name string }
	for name, test := range map[string]struct {
		second prompts.Question
		want   string
	}{
		"the same":         {prompts.Form[form]("who", "Author?"), ""},
		"another message":  {prompts.Form[form]("who", "Reader?"), `prompts: two different questions have the key "who"; give each question a key of its own`},
		"another form":     {prompts.Form[struct{ Title string }]("who", "Author?"), `prompts: two different questions have the key "who"; give each question a key of its own`},
		"another question": {prompts.InputRequest("who", "elicitation/create", map[string]any{"mode": "url", "message": "Author?", "url": "https://example.org/"}), `prompts: two different questions have the key "who"; give each question a key of its own`},
	} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			var got error
			reg := servertest.RegistryOf(servertest.Rendered("p", func(ctx context.Context) (*prompts.Result, error) {
				first := prompts.Ask(ctx, prompts.Form[form]("who", "Author?"))
				if got = prompts.Ask(ctx, test.second); got != nil {
					return nil, got
				}
				return prompts.Messages(), first
			}))
			o := prompts.CallOptions{Version: version, ClientCapabilities: json.RawMessage(`{"elicitation":{"form":{},"url":{}}}`),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(`{"action":"accept","content":{"Name":"Ada"}}`), nil
				}}
			params := `{"name":"p"}`
			if version == "2026-07-28" {
				params = `{"name":"p","inputResponses":{"who":{"action":"accept","content":{"Name":"Ada"}}}}`
			}
			_, err := prompts.MustNewServer(reg, prompts.Options{Logger: slog.New(slog.DiscardHandler)}).Call(t.Context(), "prompts/get", json.RawMessage(params), o)
			if test.want == "" {
				assert.NoError(t, errors.Join(err, got), "%s in %s", name, version)
			} else {
				assert.EqualError(t, got, test.want, "%s in %s", name, version)
			}
		}
	}
}

// The log gets why a client cannot subscribe to a resource, whether it uses resources/subscribe or
// subscriptions/listen. It gets no error that the client reads in full.
func TestFailedSubscriptionsAreLogged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fail func() error
		want string // the error in the log
	}{
		"an error":       {func() error { return errors.New("the disk is on fire") }, "the disk is on fire"},
		"a panic":        {func() error { panic("the disk is on fire") }, "panic: the disk is on fire"},
		"Visible":        {func() error { return nil }, "promptskills: Options.Visible: the disk is on fire"},
		"no resource":    {func() error { return promptskills.ErrUnknownResource }, ""},
		"a client error": {func() error { return &prompts.Error{Code: 7, Message: "denied"} }, ""},
	} {
		var skills promptskills.Registry
		require.NoError(t, skills.Add(promptskills.Skill{Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`), Files: map[string][]byte{"SKILL.md": []byte("x")}}))
		f, err := promptskills.New(&skills, promptskills.Options{
			Visible: func(context.Context, promptskills.Skill) (bool, error) {
				return true, errors.New("the disk is on fire")
			},
			Resources: promptskills.Resources{Subscribe: func(context.Context, string, func()) (func(), error) {
				return nil, test.fail()
			}},
		})
		require.NoError(t, err)
		var log bytes.Buffer
		srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
		file := "test://x"
		if name == "Visible" {
			file = "skill://a/SKILL.md"
		}
		var records []map[string]any
		ask := func(session transport.Session, line string) {
			log.Reset()
			require.NoError(t, (&servertest.Recorder{T: t}).Pass(t.Context(), srv, session, line, transport.Exchange{}))
			var record map[string]any
			if log.Len() > 0 {
				require.NoError(t, json.Unmarshal(log.Bytes(), &record), log.String())
				assert.NotEmpty(t, record["error_id"])
				assert.Equal(t, name == "a panic", record["stack"] != nil, name)
			}
			for _, key := range []string{"time", "error_id", "stack"} {
				delete(record, key)
			}
			records = append(records, record)
		}
		ask(servertest.NewSession(t, srv), `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+file+`"}}`)
		ask(nil, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["`+file+`"]},`+servertest.BareEnvelope+`}}`)
		var want map[string]any
		if test.want != "" {
			want = map[string]any{"level": "ERROR", "msg": "request failed", "uri": file, "error": test.want}
		}
		assert.Equal(t, []map[string]any{want, want}, records, name)
	}
}
