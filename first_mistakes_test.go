package prompts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A tag that newcomers know from elsewhere is an error that says what to write. The
// tags that there are, and what is wrong with their values, are tested in package
// argument.
func TestFirstMistakes(t *testing.T) {
	t.Parallel()
	const optional = "a field is required, unless it is a pointer or has omitempty in the json tag"
	for _, test := range []struct {
		name string
		p    prompts.Prompt
		hint string
		errs []string
	}{
		{name: "bound of a duration", p: promptOf[struct {
			A time.Duration `json:"a" minimum:"1s"`
		}](), errs: []string{"tag minimum applies to numbers, not to time.Duration; check the value in the render function"}},

		{name: "enum by another name", p: promptOf[struct {
			A []string `json:"a" oneof:"bug,docs"`
		}](), errs: []string{`unknown tag oneof; write enum:"bug,docs"`}},
		{name: "enum with a value twice", p: promptOf[struct {
			A []string `json:"a" enum:"bug,docs,bug"`
		}](), errs: []string{`tag enum has "bug" twice`}},
		{name: "enum of a map", p: promptOf[struct {
			A map[string]string `json:"a" enum:"bug,docs"`
		}](), errs: []string{"schema: enum has no value of type object, so no value is allowed"}},
		{name: "const", p: promptOf[struct {
			A string `json:"a" const:"bug"`
		}](), errs: []string{`unknown tag const; write enum:"bug"`}},

		{name: "date with a bound", p: promptOf[struct {
			A time.Time `json:"a" minimum:"2026-01-01"`
		}](), errs: []string{"tag minimum applies to numbers, not to time.Time; check the value in the render function"}},

		{name: "optional bool by a tag", p: promptOf[struct {
			A bool `json:"a" required:"false"`
		}](), errs: []string{"unknown tag required; " + optional}},
		{name: "optional bool by another tag", p: promptOf[struct {
			A bool `json:"a" optional:"true"`
		}](), errs: []string{"unknown tag optional; " + optional}},
		{name: "required pointer", p: promptOf[struct {
			A *bool `json:"a" required:"true"`
		}](), errs: []string{"unknown tag required; " + optional}},

		{name: "description by tags of others", p: promptOf[struct {
			A string `json:"a" description:"a thing" doc:"a thing"`
		}](), errs: []string{`unknown tag description; write jsonschema:"a thing"`, `unknown tag doc; write jsonschema:"a thing"`}},
		{name: "description by several tags", p: promptOf[struct {
			A string `json:"a" jsonschema:"a thing" doc:"a thing" patternDescription:"a word"`
		}](), hint: "a thing"},
		{name: "secret", p: promptOf[struct {
			A string `json:"a" secret:"true"`
		}](), errs: []string{`unknown tag secret; write sensitive:"true"`}},
		{name: "unique items", p: promptOf[struct {
			A []string `json:"a" uniqueItems:"true"`
		}](), errs: []string{"unknown tag uniqueItems; set the keyword in the Schema of the argument in Prompt.Arguments"}},
		{name: "all that is wrong", p: promptOf[struct {
			A int8 `json:"a" patern:"x" minimum:"one" maximum:"two" sensitive:"yes"`
		}](), errs: []string{`unknown tag patern; write pattern:"x"`, `tag sensitive must be true or false, got "yes"`,
			`tag minimum must be a number, got "one"`, `tag maximum must be a number, got "two"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var reg prompts.Registry
			err := reg.Add(test.p)
			if test.errs == nil {
				require.NoError(t, err)
				list, err := prompts.NewServer(&reg, prompts.Options{}).Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
				require.NoError(t, err)
				assert.Contains(t, string(list), `"description":"`+test.hint+`"`)
				return
			}
			require.Error(t, err)
			for i := range test.errs {
				test.errs[i] = `prompt "p": argument "a": ` + test.errs[i]
			}
			assert.Equal(t, test.errs, strings.Split(err.Error(), "\n"))
		})
	}
}
