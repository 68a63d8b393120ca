package prompts_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// Each fault of a declaration can be told from the others without its text,
// wherever it is found: in the prompt, in an argument, or in its list entry.
func TestDeclarationError(t *testing.T) {
	t.Parallel()
	type quoted struct {
		A int `json:"a,string"`
	}
	for _, c := range []struct {
		name   string
		prompt prompts.Prompt
		want   []prompts.DeclarationError // Err aside
		texts  []string
	}{
		{"of the prompt", prompts.Prompt{Name: "p"}, []prompts.DeclarationError{{Prompt: "p"}}, []string{"it has no render function"}},
		{"of an argument", untyped(prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Type: "integer", Default: json.RawMessage(`"x"`)}}),
			[]prompts.DeclarationError{{Prompt: "p", Argument: "a"}}, []string{`argument "a": its default "x" is not of type integer`}},
		{"of an argument's entry", untyped(prompts.Argument{Name: "a", Description: "\xff"}),
			[]prompts.DeclarationError{{Prompt: "p", Argument: "a"}}, []string{`argument "a": description is not valid UTF-8`}},
		{"of a field", promptOf[quoted](), []prompts.DeclarationError{{Prompt: "p", Argument: "a"}},
			[]string{`argument "a": the json tag has the option "string"; remove it, every argument is a string on the wire and becomes what the field is`}},
		{"of several", untyped(prompts.Argument{Name: "a"}, prompts.Argument{Name: "a"}, prompts.Argument{}),
			[]prompts.DeclarationError{{Prompt: "p", Argument: "a"}, {Prompt: "p"}}, []string{`argument "a": declared twice`, `argument "": it has no name`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r prompts.Registry
			joined, ok := r.Add(c.prompt).(interface{ Unwrap() []error })
			require.True(t, ok)
			all := joined.Unwrap()
			if one, ok := all[0].(interface{ Unwrap() []error }); ok {
				all = one.Unwrap() // of one prompt
			}
			require.Len(t, all, len(c.want))
			for i, err := range all {
				var got *prompts.DeclarationError
				require.ErrorAs(t, err, &got)
				assert.Equal(t, c.want[i].Prompt, got.Prompt)
				assert.Equal(t, c.want[i].Argument, got.Argument)
				assert.EqualError(t, got.Err, c.texts[i])
				assert.EqualError(t, err, `prompt "p": `+c.texts[i])
				assert.Equal(t, got.Err, errors.Unwrap(err))
			}
		})
	}
}
