package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// What newcomers write for a constraint works, with the hint that says so, or is an
// error that says what to write.
func TestFirstMistakes(t *testing.T) {
	t.Parallel()
	var (
		one, ten = 1.0, 10.0
		ofList   = prompts.Argument{Name: "a", Schema: prompts.Enum("bug", "docs")}
		ofItems  = prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Items: prompts.Enum("bug", "docs")}}
		bounds   = prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Minimum: &one, Maximum: &ten}}
		isDate   = prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Format: "date"}}
		byJSON   = prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(`main`)}}
	)
	const optional = "a field is required, unless it is a pointer or has omitempty in the json tag"
	for _, test := range []struct {
		name string
		p    prompts.Prompt
		hint string
		errs []string
	}{
		{name: "bound by tags", p: promptOf[struct {
			A int `json:"a" minimum:"1" maximum:"10"`
		}](), hint: "an integer from 1 to 10"},
		{name: "bound by a schema", p: promptOf[struct {
			A int `json:"a"`
		}](bounds), hint: "an integer from 1 to 10"},
		{name: "bound by short tags", p: promptOf[struct {
			A int `json:"a" min:"1" max:"10"`
		}](), errs: []string{`unknown tag min; write minimum:"1"`, `unknown tag max; write maximum:"10"`}},
		{name: "bound in the jsonschema tag", p: promptOf[struct {
			A int `json:"a" jsonschema:"maximum=10,minimum=1"`
		}](), errs: []string{`jsonschema tag "maximum=10,minimum=1" looks like a constraint, but the tag is a description; write a constraint as a tag of its own, such as maximum:"10"`}},
		{name: "bound of a duration", p: promptOf[struct {
			A time.Duration `json:"a" minimum:"1s"`
		}](), errs: []string{"tag minimum applies to numbers, not to time.Duration; check the value in the render function"}},

		{name: "default of an optional field", p: promptOf[struct {
			A string `json:"a,omitempty" default:"main"`
		}](), hint: "default main"},
		{name: "default of a pointer", p: promptOf[struct {
			A *[]int `json:"a" default:"1,2"`
		}](), hint: "comma-separated; each an integer; default [1,2]"},
		{name: "default of a required field", p: promptOf[struct {
			A string `json:"a" default:"main"`
		}](), errs: []string{"a required argument never uses its default; tag the field omitempty"}},
		{name: "default without quotes in a schema", p: promptOf[struct {
			A string `json:"a,omitempty"`
		}](byJSON), errs: []string{"schema: default main is not valid JSON; quote strings, as in \"main\""}},
		{name: "default in the json tag", p: promptOf[struct {
			//lint:ignore SA5008 the mistake
			A string `json:"a,default=main"`
		}](), errs: []string{`json tag of field A has the unknown option "default=main"`}},

		{name: "enum of a list by a tag", p: promptOf[struct {
			A []string `json:"a" enum:"bug, docs"`
		}](), hint: "comma-separated; each one of: bug, docs"},
		{name: "enum of a list by items", p: promptOf[struct {
			A []string `json:"a"`
		}](ofItems), hint: "comma-separated; each one of: bug, docs"},
		{name: "enum of a list by a schema", p: promptOf[struct {
			A []string `json:"a"`
		}](ofList), errs: []string{`schema: enum value "bug" is not an array; set enum value of the elements on Items`}},
		{name: "enum of a named type in a list", p: promptOf[struct {
			A []prompts.Role `json:"a" enum:"user,assistant"`
		}](), hint: "comma-separated; each one of: user, assistant"},
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

		{name: "date by a tag", p: promptOf[struct {
			A time.Time `json:"a" format:"date"`
		}](), hint: "a date such as 2006-01-02"},
		{name: "date by a schema", p: promptOf[struct {
			A *time.Time `json:"a"`
		}](isDate), hint: "a date such as 2006-01-02"},
		{name: "date by another name", p: promptOf[struct {
			A time.Time `json:"a" format:"datetime"`
		}](), errs: []string{`schema: unknown format "datetime"; did you mean "date-time"?; the formats are date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uuid, regex, json-pointer`}},
		{name: "date with a bound", p: promptOf[struct {
			A time.Time `json:"a" minimum:"2026-01-01"`
		}](), errs: []string{"tag minimum applies to numbers, not to time.Time; check the value in the render function"}},

		{name: "optional bool as a pointer", p: promptOf[struct {
			A *bool `json:"a" default:"true"`
		}](), hint: "true or false; default true"},
		{name: "optional bool by omitempty", p: promptOf[struct {
			A bool `json:"a,omitempty" required:"false" optional:"true"`
		}](), hint: "true or false"},
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
