package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// including returns a prompt that is what another one is, in other words.
func including(name, other string, args map[string]string) Prompt {
	return Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*Result, error) {
		r, err := Include(ctx, other, args)
		if err != nil {
			return nil, err
		}
		return Messages(append([]Message{Assistant(name)}, r.Messages...)...), nil
	}}
}

// called calls prompts/get and returns the texts of the messages, and what the
// author's log has.
func called(t *testing.T, s *Server, log *strings.Builder, name string) (texts []string, logged string, err error) {
	t.Helper()
	log.Reset()
	raw, err := s.Call(t.Context(), "prompts/get", json.RawMessage(fmt.Sprintf(`{"name":%q}`, name)), CallOptions{})
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
	s := NewServer(registryOf(
		New(Prompt{Name: "base"}, func(_ context.Context, in struct {
			N int `json:"n,omitempty"`
		}) (*Result, error) {
			return Messages(User(fmt.Sprint("n is ", in.N))), nil
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
		Prompt{Name: "blames", Render: func(context.Context, map[string]string) (*Result, error) {
			return nil, InvalidArgument("its own", "is not for you")
		}},
		including("blamed", "blames", nil),
		Prompt{Name: "refuses", Render: func(context.Context, map[string]string) (*Result, error) {
			return nil, &Error{Code: 7, Message: "not today"}
		}},
		including("refused", "refuses", nil),
	), Options{
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		Visible: func(_ context.Context, p Prompt) bool { return p.Name != "hidden" },
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
		"self":      `Include: \"self\" > \"self\" includes itself`,
		"a":         `Include: \"a\" > \"b\" > \"c\" > \"a\" includes itself`,
		"nothing":   `there is no prompt \"no such\"`,
		"hides":     `there is no prompt \"hidden\"`,
		"bad value": `prompt \"base\": n: `,
		"bad name":  `prompt \"base\": m: is not an argument of this prompt`,
		"blamed":    `included prompt \"blames\": its own: is not for you`,
	} {
		_, logged, err := called(t, s, &log, name)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, CodeInternalError, e.Code, name)
		assert.Equal(t, renderFailed, e.Message, name)
		assert.Nil(t, e.Data, name)
		assert.Contains(t, logged, want, name)
	}
	_, _, err := called(t, s, &log, "refused")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, &Error{Code: 7, Message: "not today"}, e)

	_, err = Include(t.Context(), "base", nil)
	assert.Error(t, err, "outside of a render function")
}

// What an included prompt asks is asked as part of the request.
func TestIncludeAsks(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(
		Prompt{Name: "asks", Render: func(ctx context.Context, _ map[string]string) (*Result, error) {
			in, err := Elicit[struct {
				Who string `json:"who"`
			}](ctx, "who", "Who?")
			if err != nil {
				return nil, fmt.Errorf("it has asked: %w", err)
			}
			return Messages(User("hello " + in.Who)), nil
		}},
		including("outer", "asks", nil),
	), Options{})
	got, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), CallOptions{
		ClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
		Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"accept","content":{"who":"Ann"}}`), nil
		},
	})
	require.NoError(t, err)
	assert.Contains(t, string(got), "hello Ann")
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), CallOptions{})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Contains(t, e.Message, "cannot be asked")

	// Where the answer comes with another request, the whole of it is run again.
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	first, err := handle(t, s, nil, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"outer",`+meta+`}}`)
	require.NoError(t, err)
	var asked struct {
		Result struct {
			RequestState  string
			InputRequests map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(first), &asked))
	require.Contains(t, asked.Result.InputRequests, "who")
	second, err := handle(t, s, nil, `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"outer","requestState":"`+asked.Result.RequestState+
		`","inputResponses":{"who":{"action":"accept","content":{"who":"Ben"}}},`+meta+`}}`)
	require.NoError(t, err)
	assert.Contains(t, second, "hello Ben")
}

// The version of a prompt is in its _meta, where revisions have that.
func TestPromptVersion(t *testing.T) {
	t.Parallel()
	p := textPrompt("p", "hi")
	p.Version, p.Meta = `1.2"x"`, Meta{"a": 1}
	s := NewServer(registryOf(p), Options{})
	for version, want := range map[string]string{
		"2025-03-26": `{"prompts":[{"name":"p"}]}`,
		"2025-06-18": `{"prompts":[{"name":"p","_meta":{"io.github.mcp-prompts/version":"1.2\"x\"","a":1}}]}`,
		"2025-11-25": `{"prompts":[{"name":"p","_meta":{"io.github.mcp-prompts/version":"1.2\"x\"","a":1}}]}`,
	} {
		got, err := s.Call(t.Context(), "prompts/list", nil, CallOptions{Version: version})
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
	}
	got, ok := s.registry.Lookup("p")
	require.True(t, ok)
	assert.Equal(t, p.Version, got.Version)

	var reg Registry
	p.Meta = Meta{versionKey: "2"}
	assert.ErrorContains(t, reg.Add(p), "which Version sets")
	p.Version, p.Meta = "\xff", nil
	assert.ErrorContains(t, reg.Add(p), "version is not valid UTF-8")
	assert.Zero(t, reg.Len())
	require.False(t, errors.Is(reg.Add(p), ErrExists))
}
