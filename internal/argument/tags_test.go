package argument

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

type hue string

// A tag constrains the argument exactly like the keyword of the same name in
// Prompt.Arguments.
func TestTags(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	for _, test := range []struct {
		tagged, plain reflect.Type
		schema        *jsonschema.Schema
		hint          string
	}{
		{reflect.TypeFor[struct {
			A string `json:"a" enum:"go, python,rust"`
		}](), reflect.TypeFor[one[string]](), enum("go", "python", "rust"), "one of: go, python, rust"},
		{reflect.TypeFor[struct {
			A *hue `json:"a" enum:"[\"red, dark\",\"blue\"]" default:"blue"`
		}](), reflect.TypeFor[one[*hue]](), &jsonschema.Schema{Enum: []any{"red, dark", "blue"}, Default: json.RawMessage(`"blue"`)}, `one of: "red, dark", blue; default blue`},
		{reflect.TypeFor[struct {
			A []string `json:"a,omitempty" enum:"x,y" minItems:"1" maxItems:"2" default:"x, y"`
		}](), reflect.TypeFor[maybe[[]string]](), &jsonschema.Schema{Items: enum("x", "y"), MinItems: ptr(1), MaxItems: ptr(2), Default: json.RawMessage(`["x","y"]`)}, `comma-separated; 1 to 2 elements; each one of: x, y; default ["x","y"]`},
		{reflect.TypeFor[struct {
			A *[]int `json:"a" default:"1,2"`
		}](), reflect.TypeFor[one[*[]int]](), &jsonschema.Schema{Default: json.RawMessage(`[1,2]`)}, "comma-separated; each an integer; default [1,2]"},
		{reflect.TypeFor[struct {
			A []int `json:"a,omitempty" default:""`
		}](), reflect.TypeFor[maybe[[]int]](), &jsonschema.Schema{Default: json.RawMessage(`[]`)}, ""},
		{reflect.TypeFor[struct {
			A [][]int `json:"a" minimum:"1"`
		}](), reflect.TypeFor[one[[][]int]](), itemsOf(itemsOf(&jsonschema.Schema{Minimum: number(1)})), "a JSON array; each a JSON array; each an integer, at least 1"},
		{reflect.TypeFor[struct {
			A int `json:"a,omitempty" minimum:"1" maximum:"5" default:"2" example:"3"`
		}](), reflect.TypeFor[maybe[int]](), &jsonschema.Schema{Minimum: number(1), Maximum: number(5), Default: json.RawMessage("2"), Examples: []any{3}}, "an integer from 1 to 5, such as 3; default 2"},
		{reflect.TypeFor[struct {
			A uint8 `json:"a" enum:"1,2,4"`
		}](), reflect.TypeFor[one[uint8]](), &jsonschema.Schema{Enum: []any{1, 2, 4}}, "one of: 1, 2, 4"},
		{reflect.TypeFor[struct {
			A float64 `json:"a" exclusiveMinimum:"0" exclusiveMaximum:"1" multipleOf:"0.25"`
		}](), reflect.TypeFor[one[float64]](), &jsonschema.Schema{ExclusiveMinimum: number(0), ExclusiveMaximum: number(1), MultipleOf: number(0.25)}, "a number, greater than 0, less than 1, a multiple of 0.25"},
		{reflect.TypeFor[struct {
			A string `json:"a" minLength:"2" maxLength:"8" pattern:"^[a-z]+$" example:"main"`
		}](), reflect.TypeFor[one[string]](), &jsonschema.Schema{MinLength: ptr(2), MaxLength: ptr(8), Pattern: "^[a-z]+$", Examples: []any{"main"}}, "2 to 8 characters, matching ^[a-z]+$, such as main"},
		{reflect.TypeFor[struct {
			A *bool `json:"a" default:"true"`
		}](), reflect.TypeFor[one[*bool]](), &jsonschema.Schema{Default: json.RawMessage("true")}, "true or false; default true"},
		{reflect.TypeFor[struct {
			A time.Duration `json:"a,omitempty" default:"1m" enum:"1m,1h"`
		}](), reflect.TypeFor[maybe[time.Duration]](), &jsonschema.Schema{Enum: []any{"1m", "1h"}, Default: json.RawMessage(`"1m"`)}, "one of: 1m, 1h; default 1m"},
		{reflect.TypeFor[struct {
			A time.Time `json:"a" example:"2026-03-01T00:00:00Z" format:"date-time"`
		}](), reflect.TypeFor[one[time.Time]](), &jsonschema.Schema{Format: "date-time", Examples: []any{"2026-03-01T00:00:00Z"}}, "a time, such as 2026-03-01T00:00:00Z"},
		{reflect.TypeFor[struct {
			A time.Time `json:"a" format:"date"`
		}](), reflect.TypeFor[one[time.Time]](), &jsonschema.Schema{Format: "date"}, ""},
		{reflect.TypeFor[struct {
			A any `json:"a" enum:"x,1"`
		}](), reflect.TypeFor[one[any]](), enum("x", "1"), "one of: x, 1"},
	} {
		t.Run(fmt.Sprint(test.tagged.Field(0).Type, " ", test.tagged.Field(0).Tag), func(t *testing.T) {
			t.Parallel()
			tagged, errs := Compile(test.tagged, nil)
			require.Empty(t, errs)
			plain, errs := Compile(test.plain, []Spec{{Name: "a", Schema: test.schema}})
			require.Empty(t, errs)
			got, want := &tagged.Arguments[0], &plain.Arguments[0]
			assert.JSONEq(t, jsonenc.Text(want.Schema), jsonenc.Text(got.Schema))
			assert.Equal(t, want.DescriptionWithHint(), got.DescriptionWithHint())
			if test.hint != "" {
				assert.Equal(t, test.hint, got.DescriptionWithHint())
			}
			assert.Equal(t, want.defaultValue, got.defaultValue)
			assert.Equal(t, want.Required, got.Required)
		})
	}
}

// The title of an argument is a tag, too, and what is listed wins over tags, keyword
// by keyword.
func TestTagsAndSpecs(t *testing.T) {
	t.Parallel()
	type in struct {
		A int `json:"a,omitempty" title:"A number" minimum:"1" maximum:"9" default:"5"`
	}
	a := &planOf[in](t).Arguments[0]
	assert.Equal(t, "A number", a.Title)
	a = &planOf[in](t, Spec{Name: "a", Title: "Mine", Schema: &jsonschema.Schema{Maximum: ptr(7.0)}}).Arguments[0]
	assert.Equal(t, "Mine", a.Title)
	assert.Equal(t, "an integer from 1 to 7; default 5", a.DescriptionWithHint())
	assert.EqualError(t, errorOf[in](Spec{Name: "a", Schema: &jsonschema.Schema{Maximum: ptr(3.0)}}),
		`argument "a": default: must be from 1 to 3, got 5`)
}

// Members inside of JSON have the constraints of their tags.
func TestTagsInsideJSON(t *testing.T) {
	t.Parallel()
	type inner struct {
		Level *string  `json:"level" enum:"low,high"`
		Names []string `json:"names,omitempty" maxLength:"3"`
		Count int      `json:"count,omitempty" minimum:"1" title:"How many"`
	}
	for text, ok := range map[string]bool{
		`{"level":"low","names":["abc"],"count":1}`: true,
		`{"level":null}`:            true,
		`{"level":"mid"}`:           false,
		`{"names":["abcd"]}`:        false,
		`{"level":"low","count":0}`: false,
	} {
		_, problems := readAs[inner](t, text, nil)
		assert.Equal(t, ok, len(problems) == 0, text)
	}
}

// What a tag gets wrong is the same error as in a schema, or says what to write.
func TestTagErrors(t *testing.T) {
	t.Parallel()
	const optional = "a field is required, unless it is a pointer or has omitempty in the json tag"
	for _, test := range []struct {
		err  error
		want string
	}{
		{errorOf[struct {
			A string `minimum:"1"`
		}](), "schema: minimum applies to numbers, but this value is read as string"},
		{errorOf[struct {
			A int `minimum:"5" maximum:"1"`
		}](), "schema: minimum is 5 and maximum is 1, so no value is allowed"},
		{errorOf[struct {
			A int `json:",omitempty" maximum:"5" default:"6"`
		}](), "default: must be at most 5, got 6"},
		{errorOf[struct {
			A int `json:",omitempty" default:"five"`
		}](), `default "five" is not of type integer`},
		{errorOf[struct {
			A bool `default:"true"`
		}](), "a required argument never uses its default; tag the field omitempty"},
		{errorOf[struct {
			A string `enum:"a,,b"`
		}](), `tag enum has an empty value in "a,,b"`},
		{errorOf[struct {
			A string `enum:"[a]"`
		}](), `tag enum must be comma-separated values or a JSON array, got "[a]"`},
		{errorOf[struct {
			A int `enum:"1,x"`
		}](), `schema: enum value "x" is not of type integer`},
		{errorOf[struct {
			A int `enum:"1,9007199254740993"`
		}](), `schema: integer 9007199254740993 exceeds the precision of JSON numbers in a schema; use a string argument, or check the value in the render function`},
		{errorOf[struct {
			A int8 `minimum:"one"`
		}](), `tag minimum must be a number, got "one"`},
		{errorOf[struct {
			A string `maxLength:"1.5"`
		}](), `tag maxLength must be an integer, got "1.5"`},
		{errorOf[struct {
			A string `pattern:"("`
		}](), "schema: pattern: missing closing ): `(`"},
		{errorOf[struct {
			A string `pattern:""`
		}](), "tag pattern is empty"},
		{errorOf[struct {
			A int `minimum:"3" example:"2"`
		}](), "schema: example: must be at least 3, got 2"},
		{errorOf[struct {
			A int `min:"1"`
		}](), `unknown tag min; write minimum:"1"`},
		{errorOf[struct {
			A string `maxlength:"1"`
		}](), `unknown tag maxlength; write maxLength:"1"`},
		{errorOf[struct {
			A string `enum:"low|high"`
		}](), `tag enum must have a comma between two values, got "low|high"; write "low,high", or for one value a JSON array`},
		{errorOf[struct {
			A int `enum:"1; 2 ;3"`
		}](), `tag enum must have a comma between two values, got "1; 2 ;3"; write "1, 2 ,3", or for one value a JSON array`},
		{errorOf[struct {
			A string `patern:"^a"`
		}](), `unknown tag patern; write pattern:"^a"`},
		{errorOf[struct {
			A []string `oneof:"bug,docs"`
		}](), `unknown tag oneof; write enum:"bug,docs"`},
		{errorOf[struct {
			A string `const:"bug"`
		}](), `unknown tag const; write enum:"bug"`},
		{errorOf[struct {
			A string `doc:"a thing"`
		}](), `unknown tag doc; write jsonschema:"a thing"`},
		{errorOf[struct {
			A string `secret:"true"`
		}](), `unknown tag secret; write sensitive:"true"`},
		{errorOf[struct {
			A string `sensitive:"yes"`
		}](), `tag sensitive must be true or false, got "yes"`},
		{errorOf[struct {
			A []string `enum:"bug,docs,bug"`
		}](), `tag enum has "bug" twice`},
		{errorOf[struct {
			A map[string]string `enum:"bug,docs"`
		}](), "schema: enum has no value of type object, so no value is allowed"},
		{errorOf[struct {
			A time.Duration `minimum:"1s"`
		}](), "tag minimum applies to numbers, not to time.Duration; check the value in the render function"},
		{errorOf[struct {
			A []string `uniqueItems:"true"`
		}](), "unknown tag uniqueItems; set the keyword in the Schema of the argument in Prompt.Arguments"},
		{errorOf[struct {
			A bool `required:"false"`
		}](), "unknown tag required; " + optional},
		{errorOf[struct {
			A bool `optional:"true"`
		}](), "unknown tag optional; " + optional},
		{errorOf[struct {
			A *bool `required:"true"`
		}](), "unknown tag required; " + optional},
		{errorOf[struct {
			A struct {
				B int `default:"1"`
			}
		}](), `member "B": tag default applies to arguments, not to members of JSON; fill the member in the render function`},
	} {
		assert.EqualError(t, test.err, `argument "A": `+test.want)
	}
	for tag, want := range map[reflect.StructTag]string{ // which vet would report
		`enum:a,b`:                 `struct tag enum:a,b would be ignored; write name:"value"`,
		`json:"a", minimum:"1"`:    `struct tag , minimum:"1" would be ignored; write name:"value"`,
		`json:"A" pattern:"^\d+$"`: `struct tag pattern:"^\d+$" would be ignored, because the value has an invalid escape; write \\ for \`,
	} {
		_, errs := Compile(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[string](), Tag: tag}}), nil)
		require.Len(t, errs, 1)
		assert.ErrorContains(t, errs[0], want)
	}
}

// The tags of other packages are theirs.
func TestTagsOfOthers(t *testing.T) {
	t.Parallel()
	assert.NoError(t, errorOf[struct {
		A string `json:"a" jsonschema:"a thing" doc:"a thing" yaml:"a,omitempty" form:"a" query:"a" validate:"required,min=1" db:"a" env:"A" mapstructure:"a" protobuf:"bytes,1,opt" binding:"required" header:"X-A"`
	}]())
}

// The tags of other libraries are named with what they mean for the type.
func TestTagsOfOtherLibraries(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, errorOf[struct {
		A string `oneof:"red green"`
	}](), `unknown tag oneof; write enum:"red,green"`)
	assert.ErrorContains(t, errorOf[struct {
		A string `min:"3"`
	}](), `unknown tag min; write minLength:"3"`)
	assert.ErrorContains(t, errorOf[struct {
		A []int `max:"3"`
	}](), `unknown tag max; write maxItems:"3"`)
	assert.ErrorContains(t, errorOf[struct {
		A int `min:"3"`
	}](), `unknown tag min; write minimum:"3"`)
}
