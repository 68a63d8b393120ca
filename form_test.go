package prompts_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// MRT-20, MRT-24: all that is wrong with a form is said in one error.
func TestFormProblems(t *testing.T) {
	t.Parallel()
	type form struct {
		A string `json:"a"`
		B int    `json:"b"`
		C bool   `json:"c,omitempty"`
	}
	s := prompts.NewServer(registryOf(rendered("form", func(ctx context.Context) (*prompts.Result, error) {
		answer, err := prompts.Elicit[form](ctx, "f", "Fill in", prompts.Argument{Name: "b", Schema: &jsonschema.Schema{Maximum: ptr(9.0)}})
		return prompts.Messages(prompts.User(answer.A)), err
	})), prompts.Options{})
	for content, problems := range map[string]string{
		`{}`:                 `[{"argument":"a","reason":"missing","message":"is required"},{"argument":"b","reason":"missing","message":"is required"}]`,
		`{"A":"x","b":1}`:    `[{"argument":"a","reason":"missing","message":"is required"}]`,
		`{"a":null,"b":1}`:   `[{"argument":"a","reason":"missing","message":"is required"}]`,
		`{"a":1,"b":"1"}`:    `[{"argument":"a","reason":"type","message":"must be a string"},{"argument":"b","reason":"type","message":"must be a number"}]`,
		`{"a":"x","b":10}`:   `[{"argument":"b","reason":"range","message":"10 is not at most 9","allowed":{"maximum":9}}]`,
		`{"b":10}`:           `[{"argument":"a","reason":"missing","message":"is required"},{"argument":"b","reason":"range","message":"10 is not at most 9","allowed":{"maximum":9}}]`,
		`{"a":"x","b":1e99}`: "",
	} {
		o := newRounds(t, s, "form").get(`{"f":` + accepting(content) + `}`)
		require.NotNil(t, o.Error, content)
		assert.Equal(t, prompts.CodeInvalidParams, o.Error.Code, content)
		if problems != "" {
			assert.JSONEq(t, `{"input":"f","problems":`+problems+`}`, string(o.Error.Data), content)
		}
	}
	// Members that were not asked for are ignored (MRT-21).
	assert.Equal(t, "x", newRounds(t, s, "form").get(`{"f":`+accepting(`{"a":"x","b":1,"d":{"e":[1]}}`)+`}`).text(t))
}

// What is wrong with the declaration of a form is the author's to know.
func TestFaultyForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ask func(ctx context.Context) error
		log string
	}{
		"no struct": {func(ctx context.Context) error { _, err := prompts.Elicit[string](ctx, "q", "?"); return err }, "must be a struct"},
		"no such field": {func(ctx context.Context) error {
			_, err := prompts.Elicit[colour](ctx, "q", "?", prompts.Argument{Name: "color"})
			return err
		}, `\"color\"`},
		"a type that no text fills": {func(ctx context.Context) error { _, err := prompts.Elicit[one[chan int]](ctx, "q", "?"); return err }, `argument \"a\"`},
		"a bad default": {func(ctx context.Context) error {
			_, err := prompts.Elicit[maybe[int]](ctx, "q", "?", prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(`"a"`)}})
			return err
		}, `argument \"a\"`},
		"a message that is no text": {func(ctx context.Context) error { _, err := prompts.Elicit[colour](ctx, "q", "\xff"); return err }, "message is not valid UTF-8"},
		"a choice that is no text": {func(ctx context.Context) error {
			_, err := prompts.Elicit[colour](ctx, "q", "?", prompts.Argument{Name: "colour", Schema: prompts.Enum("\xff")})
			return err
		}, "invalid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(registryOf(rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, test.ask(ctx) })), prompts.Options{Logger: j.logger()})
			for _, responses := range []string{"", `{"q":` + red + `}`} {
				if responses != "" && name == "a message that is no text" {
					continue // it is not sent, since the answer is there
				}
				assert.Empty(t, newRounds(t, s, "form").get(responses).fails(t, prompts.CodeInternalError, renderFailed), responses)
			}
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}
