package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/revision"
)

type unwrapsNil struct{}

func (unwrapsNil) Error() string { return "a secret" }
func (unwrapsNil) Unwrap() error { return nil }

// What a client gets for the error of a render function. What it does not get
// goes to the log.
func TestRenderErrors(t *testing.T) {
	t.Parallel()
	const neutral = `-32603 the prompt could not be rendered null`
	blame := func(name, reason string) error { return InvalidArgument(name, reason) }
	for _, c := range []struct {
		name   string
		err    error
		want   string // code, message, data
		hidden bool
	}{
		{"plain", errors.New("a secret"), neutral, true},
		{"plain, unwrapping to nil", unwrapsNil{}, neutral, true},
		{"context", context.DeadlineExceeded, neutral, true},
		{"invalid argument", blame("n", "must be even"),
			`-32602 n: must be even {"prompt":"p","problems":[{"argument":"n","reason":"refused","message":"must be even"}]}`, false},
		{"joined, not declared", errors.Join(blame("a", "x"), errors.New("a secret"), blame("b", "y")),
			`-32602 a: x; b: y {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"},{"argument":"b","reason":"refused","message":"y"}]}`, false},
		{"wrapped", fmt.Errorf("a secret: %w", fmt.Errorf("another: %w, %w", errors.Join(blame("a", "x")), blame("b", "y"))),
			`-32602 a: x; b: y {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"},{"argument":"b","reason":"refused","message":"y"}]}`, false},
		{"with an Error", errors.Join(&Error{Code: 7, Message: "seven"}, blame("a", "x")),
			`-32602 a: x {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"}]}`, false},
		{"Error of an application", &Error{Code: 1001, Message: "out of stock", Data: map[string]int{"left": 0}}, `1001 out of stock {"left":0}`, false},
		{"code 0", &Error{Message: "a secret"}, neutral, true},
		{"wrapped Error", fmt.Errorf("a secret: %w", &Error{Code: -1, Message: "m"}), `-1 m null`, false},
		{"invalid params", &Error{Code: CodeInvalidParams, Message: "m", Data: "d"}, `-32602 m "d"`, false},
		{"internal error", &Error{Code: CodeInternalError, Message: "m"}, `-32603 m null`, false},
		{"below the reserved", &Error{Code: -32769, Message: "m"}, `-32769 m null`, false},
		{"above the reserved", &Error{Code: -31999, Message: "m"}, `-31999 m null`, false},
		{"extreme", &Error{Code: math.MaxInt32, Message: "m"}, `2147483647 m null`, false},
		{"first reserved", &Error{Code: -32768, Message: "a secret"}, neutral, true},
		{"last reserved", &Error{Code: -32000, Message: "a secret"}, neutral, true},
		{"method not found", &Error{Code: CodeMethodNotFound, Message: "a secret"}, neutral, true},
		{"parse error", &Error{Code: CodeParseError, Message: "a secret"}, neutral, true},
		{"nil Error", (*Error)(nil), neutral, true},
		{"wrapped nil Error", fmt.Errorf("a secret: %w", errors.Join(errors.New("x"), (*nilSafe)(nil))), neutral, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			p := Prompt{Name: "p", Render: func(context.Context, map[string]string) (*Result, error) {
				return Messages(User("not sent")), c.err
			}}
			result, e := callGet(t, p, `{}`, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			require.NotNil(t, e)
			assert.Empty(t, result)
			assert.Equal(t, c.want, fmt.Sprintf("%d %s %s", int(e.Code), e.Message, jsonText(e.Data)))
			if c.hidden {
				assert.NotEmpty(t, log.String())
				assert.NotContains(t, log.String(), "panic")
			}
			assert.NotContains(t, e.Message+jsonText(e.Data), "secret")
		})
	}
}

type nilSafe struct{}

func (*nilSafe) Error() string { return "" }

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	assert.EqualError(t, &Error{Code: CodeInvalidParams, Message: "m"}, "m (-32602)")
	assert.EqualError(t, InvalidArgument("a", "is odd"), "a: is odd")
	assert.NotErrorIs(t, InvalidArgument("a", "x"), ErrExists)
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"", 0, ""}, {"a", 1, "a"}, {"ab", 1, "a…"}, {"é", 2, "é"}, {"é", 1, "…"}, {"aé", 2, "a…"}, {"a€b", 3, "a…"}, {"a€b", 4, "a€…"}, {"\U0001F600", 3, "…"}, {"abc", 0, "…"},
	} {
		assert.Equal(t, c.want, clip(c.s, c.most), c.s)
	}
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`null`:              nil,
		`"<&>\u2028"`:       "<&>\u2028",
		`"�"`:               "\uFFFD",
		`"\\ufffd"`:         `\ufffd`,
		`"\\\\ufffd"`:       `\\ufffd`,
		`{"a":[1,2.5,"x"]}`: map[string]any{"a": []any{1, 2.5, "x"}},
		`{"x":""}`: struct {
			X string `json:"x"`
		}{},
	} {
		got, err := appendJSON([]byte("before"), v)
		assert.NoError(t, err)
		assert.Equal(t, "before"+want, string(got))
	}
	circle := map[string]any{}
	circle["a"] = circle
	for _, v := range []any{"\xff", `\` + "\xff", map[string]any{"\xff": 1}, math.Inf(1), func() {}, panics{}, circle, jsonOnly("{"), jsonOnly(`{"a":1,"a":2}`), jsonOnly(strings.Repeat("[", 129) + strings.Repeat("]", 129))} {
		got, err := appendJSON([]byte("before"), v)
		assert.Error(t, err, "%T", v)
		assert.Equal(t, "beforenull", string(got))
	}
}

type jsonOnly string

func (j jsonOnly) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// JRP-23, JRP-24: what a Method may answer with elsewhere, a client of
// 2026-07-28 gets in codes that its revision has.
func TestCodesOfMethods(t *testing.T) {
	t.Parallel()
	for code, want := range map[Code]Code{
		-32002: CodeInvalidParams, -32042: CodeInternalError, -32023: CodeInternalError, -32099: CodeInternalError,
		-32020: -32020, -32021: -32021, -32022: -32022, -32100: -32100, -32603: -32603, 7: 7,
	} {
		s := NewServer(nil, Options{Methods: map[string]Method{"m": func(context.Context, json.RawMessage) (any, error) {
			return nil, &Error{Code: code, Message: "no", Data: 1}
		}}})
		for version, want := range map[string]Code{"2026-07-28": want, "2025-11-25": code} {
			rev, _ := revision.Parse(version)
			_, w, _ := s.methods["m"].serve(&call{server: s, rev: rev}, nil)
			_, failed := w.do(t.Context(), nil)
			require.NotNil(t, failed)
			assert.Equal(t, want, failed.seen.Code, "%d in %s", code, version)
			assert.Equal(t, "no", failed.seen.Message)
			assert.JSONEq(t, "1", string(failed.seen.Data.(json.RawMessage)))
		}
	}
}
