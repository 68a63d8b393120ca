package prompts_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// The constraints that are written first, each in three ways: a declaration works, or
// the error of Add says what to write instead.
func TestConstraintsWrittenInThreeWays(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	for _, c := range []struct {
		name   string
		prompt prompts.Prompt
		want   string // of the error of Add; "" for none
	}{
		{"bound of an integer", constrained[int](&S{Minimum: ptr(1.0), Maximum: ptr(5.0)}), ""},
		{"bound with its type", constrained[int](&S{Type: "integer", Minimum: ptr(1.0)}), ""},
		{"bound of a string", constrained[string](&S{Maximum: ptr(5.0)}), "maximum applies to numbers, but this value is read as string"},

		{"default of an optional", constrained[*int](&S{Default: json.RawMessage(`3`)}), ""},
		{"default of a required", constrained[int](&S{Default: json.RawMessage(`3`)}), "tag the field omitempty"},
		{"default without quotes", constrained[*string](&S{Default: json.RawMessage(`go`)}), "default go is not valid JSON; quote strings"},

		{"enum of the elements", constrained[[]string](&S{Items: prompts.Enum("bug", "docs")}), ""},
		{"enum of the list", constrained[[]string](prompts.Enum("bug", "docs")), `of the elements on Items`},
		{"oneOf of the elements", constrained[[]string](&S{Items: &S{OneOf: []*S{{Const: ptr(any("bug")), Title: "Bug"}, {Const: ptr(any("docs"))}}}}), ""},

		{"date of a time", constrained[time.Time](&S{Format: "date"}), ""},
		{"date of a string", constrained[string](&S{Type: "string", Format: "date"}), ""},
		{"date by another name", constrained[string](&S{Format: "datetime"}), `unknown format "datetime"; did you mean "date-time"?`},

		{"optional bool", constrained[*bool](nil), ""},
		{"optional bool with a default", constrained[*bool](&S{Default: json.RawMessage(`true`)}), ""},
		{"optional bool with a text", constrained[*bool](&S{Default: json.RawMessage(`"true"`)}), `default "true" is not of type boolean`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r prompts.Registry
			err := r.Add(c.prompt)
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.want)
			}
		})
	}
}

// constrained returns a prompt with an argument of type T under the schema.
func constrained[T any](s *jsonschema.Schema) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Schema: s}}},
		func(context.Context, struct {
			A T `json:"a"`
		}) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("x")), nil
		})
}
