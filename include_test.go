package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// called calls prompts/get and returns the lines of the messages, and what the application's
// log has.
func called(t *testing.T, s *prompts.Server, log *strings.Builder, name string) (text, logged string, err error) {
	t.Helper()
	log.Reset()
	raw, err := s.Call(t.Context(), "prompts/get", json.RawMessage(fmt.Sprintf(`{"name":%q}`, name)), prompts.CallOptions{Version: "2025-11-25"})
	if err == nil {
		text = answerOf(t, string(raw), nil).text
	}
	return text, log.String(), err
}

func TestInclude(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := prompts.MustNewServer(servertest.RegistryOf(
		prompts.New(prompts.Prompt{Name: "base"}, func(_ context.Context, in struct {
			N int `json:"n,omitempty"`
		}) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(fmt.Sprint("n is ", in.N))), nil
		}),
		servertest.Including("one", "base", map[string]string{"n": "1"}),
		servertest.Including("two", "one", nil),
		servertest.Including("self", "self", nil),
		servertest.Including("a", "b", nil),
		servertest.Including("b", "c", nil),
		servertest.Including("c", "a", nil),
		servertest.Including("nothing", "no such", nil),
		servertest.Including("hides", "hidden", nil),
		servertest.TextPrompt("hidden", "secret"),
		servertest.Including("bad value", "base", map[string]string{"n": "x"}),
		servertest.Including("bad name", "base", map[string]string{"m": "1"}),
		servertest.Rendered("blames", func(context.Context) (*prompts.Result, error) {
			return nil, prompts.InvalidArgument("its own", "is not for you")
		}),
		servertest.Including("blamed", "blames", nil),
		servertest.Rendered("refuses", func(context.Context) (*prompts.Result, error) {
			return nil, &prompts.Error{Code: 7, Message: "not today"}
		}),
		servertest.Including("refused", "refuses", nil),
		servertest.Rendered("empty", func(context.Context) (*prompts.Result, error) { return nil, nil }),
		prompts.New(prompts.Prompt{Name: "typed"}, func(context.Context, struct{}) (*prompts.Result, error) { return nil, nil }),
		servertest.Including("of empty", "empty", nil),
		servertest.Including("of typed", "typed", nil),
	), prompts.Options{
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil },
	})
	for name, want := range map[string]string{"one": "one\nn is 1", "two": "two\none\nn is 1"} {
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
		"of empty":  `included prompt \"empty\": render function returned neither a result nor an error`,
		"of typed":  `included prompt \"typed\": render function returned neither a result nor an error`,
	} {
		_, logged, err := called(t, s, &log, name)
		var e *prompts.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, prompts.CodeInternalError, e.Code, name)
		assert.Equal(t, servertest.RenderFailed, servertest.Neutral(e.Message), name)
		assert.Nil(t, servertest.NeutralError(e).Data, name)
		assert.Contains(t, logged, want, name)
	}
	_, _, err := called(t, s, &log, "refused")
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, &prompts.Error{Code: 7, Message: "not today"}, e)

	_, err = prompts.Include(t.Context(), "base", nil)
	assert.Error(t, err, "outside of a render function")
}

// The keys of questions are shared: what the including prompt has asked is not
// asked again, nor is what is refused.
func TestIncludeSharesKeys(t *testing.T) {
	t.Parallel()
	both := servertest.Rendered("both", func(ctx context.Context) (*prompts.Result, error) {
		own, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which colour?")
		if err != nil {
			return nil, err
		}
		text := fmt.Sprint(own.Colour)
		for _, name := range []string{"paint", "keeps", "keeps"} {
			other, err := prompts.Include(ctx, name, nil)
			if err != nil {
				return nil, err
			}
			text += " " + other.Messages[0].Content.(*prompts.Text).Text
		}
		return prompts.Messages(prompts.User(text)), nil
	})
	runs := 0
	s := prompts.MustNewServer(servertest.RegistryOf(both, servertest.Asking("paint"), servertest.Rendered("keeps", func(ctx context.Context) (*prompts.Result, error) {
		n, err := prompts.Once(ctx, "n", func(context.Context) (int, error) { runs++; return runs, nil })
		return prompts.Messages(prompts.User(fmt.Sprint(n))), err
	})), prompts.Options{})
	asked := 0
	get := func(params, version, answer string) (string, error) {
		got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{
			Version: version, ClientCapabilities: json.RawMessage(servertest.FormCapability),
			Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				asked++
				return json.RawMessage(answer), nil
			},
		})
		return string(got), err
	}
	got, err := get(`{"name":"both"}`, "2025-11-25", servertest.Red)
	require.NoError(t, err)
	assert.Contains(t, got, `"text":"red red 1 1"`)
	_, err = get(`{"name":"both"}`, "2025-11-25", servertest.Declining)
	assert.EqualError(t, err, `prompt not rendered: question "colour": the user declined to answer (-32602)`)
	assert.Equal(t, 2, asked)
	got, err = get(`{"name":"both","inputResponses":{"colour":`+servertest.Red+`}}`, "2026-07-28", "")
	require.NoError(t, err)
	assert.Contains(t, got, `"text":"red red 2 2"`)
	assert.Equal(t, 2, asked)
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
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("of ada", "a secret"), servertest.Including("outer", "of ada", nil), as("ada", "of ada"), as("eve", "of ada"), as("nobody", "outer")), prompts.Options{
		Principal: func(ctx context.Context) (string, error) { return user(ctx), nil },
		Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
			asks = append(asks, user(ctx)+" "+p.Name)
			return p.Name != "of ada" || user(ctx) == "ada", nil
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
		got, err := s.Call(context.WithValue(t.Context(), includeUser{}, test.user), "prompts/get", json.RawMessage(`{"name":"`+test.prompt+`"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.Equal(t, test.sees, err == nil, "%v", err)
		assert.Equal(t, test.sees, strings.Contains(string(got), "a secret"))
		if err != nil {
			assert.Equal(t, &prompts.Error{Code: prompts.CodeInternalError, Message: servertest.RenderFailed}, servertest.AsNeutral(err), "the client is not told of it")
		}
		assert.Equal(t, test.asks, asks)
	}
}

// A time limit of the application is for the included prompt.
func TestIncludeAndTime(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.Rendered("hurries", func(ctx context.Context) (*prompts.Result, error) {
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := prompts.Include(short, "wait", nil)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NoError(t, ctx.Err())
			return prompts.Messages(prompts.User("without it")), nil
		})), prompts.Options{})
		assert.Equal(t, servertest.TextLine("1", "without it"), servertest.AnswerTo(t, s, servertest.NewSession(t, s), servertest.GetLine("1", "hurries")))
		assert.ErrorIs(t, <-w.Causes, context.DeadlineExceeded)
	})
}

// Messages may be appended to an included result, also if the render function returns
// the same result again.
func TestIncludedResultIsACopy(t *testing.T) {
	t.Parallel()
	same := prompts.Messages(prompts.User("same"))
	same.Messages = slices.Grow(same.Messages, 1)
	s := prompts.MustNewServer(servertest.RegistryOf(
		servertest.Rendered("same", func(context.Context) (*prompts.Result, error) { return same, nil }),
		servertest.Rendered("outer", func(ctx context.Context) (*prompts.Result, error) {
			r, err := prompts.Include(ctx, "same", nil)
			if err != nil {
				return nil, err
			}
			r.Messages = append(r.Messages, prompts.User("more"))
			return r, nil
		}),
	), prompts.Options{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			var log strings.Builder
			got, _, err := called(t, s, &log, "outer")
			assert.NoError(t, err)
			assert.Equal(t, "same\nmore", got)
		})
	}
	all.Wait()
	assert.Len(t, same.Messages, 1)
	assert.Equal(t, prompts.Message{}, same.Messages[:2][1])
}

// The version of a prompt is in its _meta, where revisions have that.
func TestPromptVersion(t *testing.T) {
	t.Parallel()
	p := servertest.TextPrompt("p", "hi")
	p.Version, p.Meta = `1.2"x"`, prompts.Meta{"a": 1}
	reg := servertest.RegistryOf(p)
	s := prompts.MustNewServer(reg, prompts.Options{})
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
	p.Meta = prompts.Meta{servertest.VersionKey: "2"}
	assert.ErrorContains(t, reg.Add(p), "reserved for Version")
	p.Version, p.Meta = "\xff", nil
	assert.ErrorContains(t, reg.Add(p), "Version is not valid UTF-8")
	assert.Zero(t, reg.Len())
	require.False(t, errors.Is(reg.Add(p), prompts.ErrExists))
}
