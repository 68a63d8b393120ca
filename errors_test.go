package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

type unwrapsNil struct{}

func (unwrapsNil) Error() string { return "a secret" }
func (unwrapsNil) Unwrap() error { return nil }

// What a client gets for the error of a render function. What it does not get
// goes to the log.
func TestRenderErrors(t *testing.T) {
	t.Parallel()
	const neutral = `-32603 the prompt could not be rendered null`
	blame := func(name, reason string) error { return prompts.InvalidArgument(name, reason) }
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
		{"with an Error", errors.Join(&prompts.Error{Code: 7, Message: "seven"}, blame("a", "x")),
			`-32602 a: x {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"}]}`, false},
		{"Error of an application", &prompts.Error{Code: 1001, Message: "out of stock", Data: map[string]int{"left": 0}}, `1001 out of stock {"left":0}`, false},
		{"code 0", &prompts.Error{Message: "a secret"}, neutral, true},
		{"wrapped Error", fmt.Errorf("a secret: %w", &prompts.Error{Code: -1, Message: "m"}), `-1 m null`, false},
		{"invalid params", &prompts.Error{Code: prompts.CodeInvalidParams, Message: "m", Data: "d"}, `-32602 m "d"`, false},
		{"internal error", &prompts.Error{Code: prompts.CodeInternalError, Message: "m"}, `-32603 m null`, false},
		{"below the reserved", &prompts.Error{Code: -32769, Message: "m"}, `-32769 m null`, false},
		{"above the reserved", &prompts.Error{Code: -31999, Message: "m"}, `-31999 m null`, false},
		{"extreme", &prompts.Error{Code: math.MaxInt32, Message: "m"}, `2147483647 m null`, false},
		{"first reserved", &prompts.Error{Code: -32768, Message: "a secret"}, neutral, true},
		{"last reserved", &prompts.Error{Code: -32000, Message: "a secret"}, neutral, true},
		{"method not found", &prompts.Error{Code: prompts.CodeMethodNotFound, Message: "a secret"}, neutral, true},
		{"parse error", &prompts.Error{Code: transport.CodeParseError, Message: "a secret"}, neutral, true},
		{"nil Error", (*prompts.Error)(nil), neutral, true},
		{"wrapped nil Error", fmt.Errorf("a secret: %w", errors.Join(errors.New("x"), (*nilSafe)(nil))), neutral, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			p := prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("not sent")), c.err
			}}
			result, e := callGet(t, p, `{}`, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
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
	assert.EqualError(t, &prompts.Error{Code: prompts.CodeInvalidParams, Message: "m"}, "m (-32602)")
	assert.EqualError(t, prompts.InvalidArgument("a", "is odd"), "a: is odd")
	assert.NotErrorIs(t, prompts.InvalidArgument("a", "x"), prompts.ErrExists)
}
