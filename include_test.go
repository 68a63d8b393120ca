package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// including returns a prompt that is what another one is, in other words.
func including(name, other string, args map[string]string) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		r, err := prompts.Include(ctx, other, args)
		if err != nil {
			return nil, err
		}
		return prompts.Messages(append([]prompts.Message{prompts.Assistant(name)}, r.Messages...)...), nil
	}}
}

// called calls prompts/get and returns the texts of the messages, and what the
// author's log has.
func called(t *testing.T, s *prompts.Server, log *strings.Builder, name string) (texts []string, logged string, err error) {
	t.Helper()
	log.Reset()
	raw, err := s.Call(t.Context(), "prompts/get", json.RawMessage(fmt.Sprintf(`{"name":%q}`, name)), prompts.CallOptions{})
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	if err == nil {
		require.NoError(t, json.Unmarshal(raw, &result))
	}
	for _, m := range result.Messages {
		texts = append(texts, m.Content.Text)
	}
	return texts, log.String(), err
}

func TestInclude(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := prompts.NewServer(registryOf(
		prompts.New(prompts.Prompt{Name: "base"}, func(_ context.Context, in struct {
			N int `json:"n,omitempty"`
		}) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(fmt.Sprint("n is ", in.N))), nil
		}),
		including("one", "base", map[string]string{"n": "1"}),
		including("two", "one", nil),
		including("self", "self", nil),
		including("a", "b", nil),
		including("b", "c", nil),
		including("c", "a", nil),
		including("nothing", "no such", nil),
		including("hides", "hidden", nil),
		textPrompt("hidden", "secret"),
		including("bad value", "base", map[string]string{"n": "x"}),
		including("bad name", "base", map[string]string{"m": "1"}),
		prompts.Prompt{Name: "blames", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return nil, prompts.InvalidArgument("its own", "is not for you")
		}},
		including("blamed", "blames", nil),
		prompts.Prompt{Name: "refuses", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 7, Message: "not today"}
		}},
		including("refused", "refuses", nil),
	), prompts.Options{
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		Visible: func(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" },
	})
	for name, want := range map[string][]string{
		"one": {"one", "n is 1"},
		"two": {"two", "one", "n is 1"},
	} {
		got, _, err := called(t, s, &log, name)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for name, want := range map[string]string{
		"self":      `Include: cycle: \"self\" > \"self\"`,
		"a":         `Include: cycle: \"a\" > \"b\" > \"c\" > \"a\"`,
		"nothing":   `unknown prompt \"no such\"`,
		"hides":     `unknown prompt \"hidden\"`,
		"bad value": `prompt \"base\": n `,
		"bad name":  `prompt \"base\": m is not an argument of this prompt`,
		"blamed":    `included prompt \"blames\": its own: is not for you`,
	} {
		_, logged, err := called(t, s, &log, name)
		var e *prompts.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, prompts.CodeInternalError, e.Code, name)
		assert.Equal(t, renderFailed, neutral(e.Message), name)
		assert.Nil(t, neutralError(e).Data, name)
		assert.Contains(t, logged, want, name)
	}
	_, _, err := called(t, s, &log, "refused")
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, &prompts.Error{Code: 7, Message: "not today"}, e)

	_, err = prompts.Include(t.Context(), "base", nil)
	assert.Error(t, err, "outside of a render function")
}

// What an included prompt asks is asked as part of the request.
func TestIncludeAsks(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(
		prompts.Prompt{Name: "asks", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			in, err := prompts.Elicit[struct {
				Who string `json:"who"`
			}](ctx, "who", "Who?")
			if err != nil {
				return nil, fmt.Errorf("it has asked: %w", err)
			}
			return prompts.Messages(prompts.User("hello " + in.Who)), nil
		}},
		including("outer", "asks", nil),
	), prompts.Options{})
	got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), prompts.CallOptions{
		ClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
		Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"accept","content":{"who":"Ann"}}`), nil
		},
	})
	require.NoError(t, err)
	assert.Contains(t, string(got), "hello Ann")
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), prompts.CallOptions{})
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Contains(t, e.Message, "asks the user for input")

	// Where the answer comes with another request, the whole of it is run again.
	r := newRounds(t, s, "outer")
	r.get("").wants(t, "who")
	assert.Contains(t, r.get(`{"who":`+accepting(`{"who":"Ben"}`)+`}`).raw, "hello Ben")
}

// The keys of questions are shared: what the including prompt has asked is not
// asked again, nor is what is refused.
func TestIncludeSharesKeys(t *testing.T) {
	t.Parallel()
	both := prompts.Prompt{Name: "both", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		own, err := prompts.Elicit[colour](ctx, "colour", "Which?")
		if err != nil {
			return nil, err
		}
		n, err := prompts.Once(ctx, "n", func(context.Context) (int, error) { return 1, nil })
		if err != nil {
			return nil, err
		}
		other, err := prompts.Include(ctx, "paint", nil)
		if err != nil {
			return nil, err
		}
		kept, err := prompts.Include(ctx, "keeps", nil)
		if err != nil {
			return nil, err
		}
		text := func(r *prompts.Result) string { return r.Messages[0].Content.(prompts.Text).Text }
		return prompts.Messages(prompts.User(fmt.Sprint(own.Colour, " ", text(other), " ", n, " ", text(kept)))), nil
	}}
	s := prompts.NewServer(registryOf(both, asking("paint"), rendered("keeps", func(ctx context.Context) (*prompts.Result, error) {
		n, err := prompts.Once(ctx, "n", func(context.Context) (int, error) { return 2, nil })
		return prompts.Messages(prompts.User(fmt.Sprint(n))), err
	})), prompts.Options{})
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for answer, want := range map[string]string{red: "red red 1 1", declining: ""} {
			asked := 0
			params := `{"name":"both"}`
			if version == "2026-07-28" {
				params = `{"name":"both","inputResponses":{"colour":` + answer + `}}`
			}
			got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{
				Version: version, ClientCapabilities: json.RawMessage(formCapability),
				Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					asked++
					return json.RawMessage(answer), nil
				},
			})
			if want != "" {
				require.NoError(t, err)
				assert.Contains(t, string(got), `"text":"`+want+`"`)
			} else {
				var e *prompts.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, `prompt not rendered: question "colour": the user declined to answer`, e.Message)
			}
			assert.Equal(t, version == "2025-11-25", asked == 1, "%d", asked)
		}
	}
}

type includeUser struct{}

// A prompt that the client may not know of cannot be included, whoever the
// author says that the client is.
func TestIncludeIsVisible(t *testing.T) {
	t.Parallel()
	user := func(ctx context.Context) string { name, _ := ctx.Value(includeUser{}).(string); return name }
	var asks []string
	as := func(name, other string) prompts.Prompt {
		return prompts.Prompt{Name: "as " + name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			return prompts.Include(context.WithValue(ctx, includeUser{}, name), other, nil)
		}}
	}
	s := prompts.NewServer(registryOf(textPrompt("of ada", "a secret"), including("outer", "of ada", nil), as("ada", "of ada"), as("eve", "of ada"), as("nobody", "outer")), prompts.Options{
		Principal: user,
		Visible: func(ctx context.Context, p prompts.Prompt) bool {
			asks = append(asks, user(ctx)+" "+p.Name)
			return p.Name != "of ada" || user(ctx) == "ada"
		},
	})
	for _, test := range []struct {
		user, prompt string
		sees         bool
		asks         []string
	}{
		{"ada", "outer", true, []string{"ada outer", "ada of ada"}},
		{"eve", "outer", false, []string{"eve outer", "eve of ada"}},
		{"eve", "as ada", true, []string{"eve as ada", "ada of ada"}}, // the author answers for it
		{"ada", "as eve", false, []string{"ada as eve", "eve of ada"}},
		{"ada", "as nobody", false, []string{"ada as nobody", "nobody outer", "nobody of ada"}},
	} {
		asks = nil
		got, err := s.Call(context.WithValue(t.Context(), includeUser{}, test.user), "prompts/get", json.RawMessage(`{"name":"`+test.prompt+`"}`), prompts.CallOptions{})
		assert.Equal(t, test.sees, err == nil, "%v", err)
		assert.Equal(t, test.sees, strings.Contains(string(got), "a secret"))
		if err != nil {
			assert.Equal(t, &prompts.Error{Code: prompts.CodeInternalError, Message: renderFailed}, asNeutral(err), "the client is not told of it")
		}
		assert.Equal(t, test.asks, asks)
	}
}

// The time limit is that of the request, whatever it includes; a limit of the
// author's own is for what is included.
func TestIncludeAndTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		var j journal
		s := prompts.NewServer(registryOf(w.prompt("wait"), sleeper("sleep", 3*time.Second), including("waits", "wait", nil), including("sleeps", "sleep", nil),
			rendered("hurries", func(ctx context.Context) (*prompts.Result, error) {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_, err := prompts.Include(short, "wait", nil)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.NoError(t, ctx.Err())
				return prompts.Messages(prompts.User("without it")), nil
			}),
		), prompts.Options{Logger: j.logger(), Timeouts: prompts.Timeouts{Render: 2 * time.Second}})
		c := connect(t, s).handshake()
		c.send(getLine("1", "hurries"))
		time.Sleep(time.Second)
		assert.Equal(t, []string{textLine("1", "without it")}, c.received())
		assert.ErrorIs(t, <-w.causes, context.DeadlineExceeded)
		for _, prompt := range []string{"waits", "sleeps"} {
			c.send(getLine("2", prompt))
			time.Sleep(2 * time.Second)
			assert.Equal(t, []string{errorLine("2", prompts.CodeInternalError, requestTimeout)}, c.received())
		}
		assert.ErrorIs(t, <-w.causes, prompts.ErrTimeLimit)
		assert.Empty(t, c.ask(getLine("3", "waits")))
		assert.Empty(t, c.ask(cancelLine("3")))
		assert.ErrorIs(t, <-w.causes, prompts.ErrCancelled)
		time.Sleep(time.Hour)
		assert.Empty(t, c.received(), "what comes too late")
		assert.NoError(t, c.end())
		assert.Zero(t, s.Tasks())
		assert.Equal(t, 2, strings.Count(j.String(), "level=ERROR"))
	})
}

// A prompt that returns neither a result nor an error is nothing to include.
func TestIncludeNothing(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(registryOf(
		rendered("empty", func(context.Context) (*prompts.Result, error) { return nil, nil }),
		prompts.New(prompts.Prompt{Name: "typed"}, func(context.Context, struct{}) (*prompts.Result, error) { return nil, nil }),
		including("outer", "empty", nil), including("of typed", "typed", nil),
	), prompts.Options{Logger: j.logger()})
	for outer, inner := range map[string]string{"outer": "empty", "of typed": "typed"} {
		got, err := handle(t, s, newSession(t, s), getLine("1", outer))
		require.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
		assert.Contains(t, j.String(), `included prompt \"`+inner+`\": render function returned neither a result nor an error`)
	}
	assert.NotContains(t, j.String(), "panic")
}

// The version of a prompt is in its _meta, where revisions have that.
func TestPromptVersion(t *testing.T) {
	t.Parallel()
	p := textPrompt("p", "hi")
	p.Version, p.Meta = `1.2"x"`, prompts.Meta{"a": 1}
	reg := registryOf(p)
	s := prompts.NewServer(reg, prompts.Options{})
	for version, want := range map[string]string{
		"2025-03-26": `{"prompts":[{"name":"p"}]}`,
		"2025-06-18": `{"prompts":[{"name":"p","_meta":{"io.github.mcp-prompts/version":"1.2\"x\"","a":1}}]}`,
		"2025-11-25": `{"prompts":[{"name":"p","_meta":{"io.github.mcp-prompts/version":"1.2\"x\"","a":1}}]}`,
	} {
		got, err := s.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: version})
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
	}
	got, ok := reg.Lookup("p")
	require.True(t, ok)
	assert.Equal(t, p.Version, got.Version)

	reg = new(prompts.Registry)
	p.Meta = prompts.Meta{versionKey: "2"}
	assert.ErrorContains(t, reg.Add(p), "reserved for Version")
	p.Version, p.Meta = "\xff", nil
	assert.ErrorContains(t, reg.Add(p), "Version is not valid UTF-8")
	assert.Zero(t, reg.Len())
	require.False(t, errors.Is(reg.Add(p), prompts.ErrExists))
}
