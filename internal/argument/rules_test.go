package argument

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/problem"
)

// What each keyword says to a value that breaks it, and what it says was
// allowed.
func TestRules(t *testing.T) {
	t.Parallel()
	type refusal struct {
		reason  problem.Reason
		message string
		allowed string
	}
	none := refusal{}
	text := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[string](t, text, s); return p }
	number := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[int](t, text, s); return p }
	float := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[float64](t, text, s); return p }
	boolean := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[bool](t, text, s); return p }
	list := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[[]string](t, text, s); return p }
	ints := func(s *jsonschema.Schema, text string) []Problem { _, p := readAs[[]int](t, text, s); return p }
	object := func(s *jsonschema.Schema, text string) []Problem {
		_, p := readAs[map[string]any](t, text, s)
		return p
	}
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("v%02d", i)
	}
	for _, c := range []struct {
		read   func(*jsonschema.Schema, string) []Problem
		schema *jsonschema.Schema
		text   string
		want   refusal
	}{
		{text, enum("go", "rust"), "go", none},
		{text, enum("go", "rust"), "Go", refusal{problem.Enum, `must be one of go, rust, got "Go" (did you mean "go"?)`, `["go","rust"]`}},
		{text, enum(many...), "x", refusal{problem.Enum, `must be one of v00, v01, v02, v03, v04, v05, v06, v07, v08, v09, v10, v11 and 8 more, got "x"`, jsonenc.Text(many)}},
		{text, &jsonschema.Schema{MinLength: ptr(2)}, "é", refusal{problem.Length, `must have at least 2 characters, got 1`, `{"minLength":2}`}},
		{text, &jsonschema.Schema{MinLength: ptr(2)}, "a", refusal{problem.Length, `must have at least 2 characters, got 1`, `{"minLength":2}`}},
		{text, &jsonschema.Schema{MaxLength: ptr(2)}, "éé", none},
		{text, &jsonschema.Schema{MaxLength: ptr(2)}, "abc", refusal{problem.Length, `must have at most 2 characters, got 3`, `{"maxLength":2}`}},
		{text, &jsonschema.Schema{MinLength: ptr(1), MaxLength: ptr(2)}, "abc", refusal{problem.Length, `must have 1 to 2 characters, got 3`, `{"minLength":1,"maxLength":2}`}},
		{text, &jsonschema.Schema{MinLength: ptr(2), MaxLength: ptr(2)}, "abc", refusal{problem.Length, `must have 2 characters, got 3`, `{"minLength":2,"maxLength":2}`}},
		{text, &jsonschema.Schema{MinLength: ptr(0)}, "", none},
		{text, &jsonschema.Schema{Pattern: "b+"}, "abbc", none},
		{text, &jsonschema.Schema{Pattern: "^b+$"}, "abbc", refusal{problem.Pattern, `must match the pattern ^b+$, got "abbc"`, `"^b+$"`}},
		{number, &jsonschema.Schema{Minimum: ptr(1.0), Maximum: ptr(3.0)}, "3", none},
		{number, &jsonschema.Schema{Minimum: ptr(1.0), Maximum: ptr(3.0)}, "4", refusal{problem.Range, `must be from 1 to 3, got 4`, `{"minimum":1,"maximum":3}`}},
		{number, &jsonschema.Schema{Minimum: ptr(1.5)}, "1", refusal{problem.Range, `must be at least 1.5, got 1`, `{"minimum":1.5}`}},
		{number, &jsonschema.Schema{Maximum: ptr(-1.0)}, "0", refusal{problem.Range, `must be at most -1, got 0`, `{"maximum":-1}`}},
		{number, &jsonschema.Schema{ExclusiveMinimum: ptr(0.0)}, "0", refusal{problem.Range, `must be greater than 0, got 0`, `{"exclusiveMinimum":0}`}},
		{number, &jsonschema.Schema{ExclusiveMaximum: ptr(1e21)}, "7", none},
		{number, &jsonschema.Schema{Minimum: ptr(0.0), ExclusiveMinimum: ptr(0.0), Maximum: ptr(255.0), ExclusiveMaximum: ptr(255.0)}, "0", refusal{problem.Range, `must be greater than 0 and less than 255, got 0`, `{"exclusiveMinimum":0,"exclusiveMaximum":255}`}},
		{number, &jsonschema.Schema{Minimum: ptr(1.0), ExclusiveMinimum: ptr(0.0), Maximum: ptr(2.0), ExclusiveMaximum: ptr(255.0)}, "0", refusal{problem.Range, `must be from 1 to 2, got 0`, `{"minimum":1,"maximum":2}`}},
		{float, &jsonschema.Schema{ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(1e21)}, "1e21", refusal{problem.Range, `must be greater than 0 and less than 1e+21, got 1e21`, `{"exclusiveMinimum":0,"exclusiveMaximum":1e+21}`}},
		{number, &jsonschema.Schema{MultipleOf: ptr(5.0), Minimum: ptr(0.0), Maximum: ptr(100.0)}, "7", refusal{problem.Range, `must be from 0 to 100 and a multiple of 5, got 7`, `{"minimum":0,"maximum":100,"multipleOf":5}`}},
		{number, &jsonschema.Schema{MultipleOf: ptr(5.0)}, "-10", none},
		{number, &jsonschema.Schema{Maximum: ptr(float64(1 << 53))}, "9007199254740993", refusal{problem.Range, `must be at most 9007199254740992, got 9007199254740993`, `{"maximum":9007199254740992}`}},
		{number, &jsonschema.Schema{Enum: []any{1, 2}}, "2", none},
		{number, &jsonschema.Schema{Enum: []any{1, 2}}, "3", refusal{problem.Enum, `must be one of 1, 2, got 3`, `[1,2]`}},
		{float, &jsonschema.Schema{Enum: []any{1, 2.5}}, "1.0", none},
		{float, &jsonschema.Schema{Type: "integer"}, "2.0", none},
		{float, &jsonschema.Schema{Type: "integer"}, "1.5", refusal{problem.Type, `must be an integer, got "1.5"`, `null`}},
		{number, &jsonschema.Schema{Type: "number"}, "5", none},
		{boolean, &jsonschema.Schema{Enum: []any{true}}, "false", refusal{problem.Enum, `must be true, got false`, `[true]`}},
		{list, &jsonschema.Schema{MinItems: ptr(1)}, "[]", refusal{problem.Length, `must have at least 1 element, got 0`, `{"minItems":1}`}},
		{list, &jsonschema.Schema{MaxItems: ptr(1)}, "a,b", refusal{problem.Length, `must have at most 1 element, got 2`, `{"maxItems":1}`}},
		{list, &jsonschema.Schema{Items: enum("a", "b")}, "a,c", refusal{problem.Enum, `[1] must be one of a, b, got "c"`, `["a","b"]`}},
		{list, &jsonschema.Schema{Enum: []any{[]any{"a"}, []any{"a", "b"}}}, "a,b", none},
		{list, &jsonschema.Schema{Enum: []any{[]any{"a"}, []any{"a", "b"}}}, "b", refusal{problem.Enum, `must be one of ["a"], ["a","b"], got ["b"]`, `[["a"],["a","b"]]`}},
		{ints, &jsonschema.Schema{Items: &jsonschema.Schema{Minimum: ptr(1.0)}}, "1,0", refusal{problem.Range, `[1] must be at least 1, got 0`, `{"minimum":1}`}},

		// A const is an enum of one.
		{text, &jsonschema.Schema{Const: ptr(any("k"))}, "k", none},
		{text, &jsonschema.Schema{Const: ptr(any("k"))}, "x", refusal{problem.Enum, `must be k, got "x"`, `["k"]`}},
		{text, &jsonschema.Schema{Const: ptr(any("k")), Enum: []any{"j", "k"}}, "j", refusal{problem.Enum, `must be k, got "j"`, `["k"]`}},
		{number, &jsonschema.Schema{Const: ptr(any(5))}, "+5", none},
		{number, &jsonschema.Schema{Const: ptr(any(5))}, "6", refusal{problem.Enum, `must be 5, got 6`, `[5]`}},
		{list, &jsonschema.Schema{Items: &jsonschema.Schema{Const: ptr(any("k"))}}, "k,x", refusal{problem.Enum, `[1] must be k, got "x"`, `["k"]`}},
		{object, &jsonschema.Schema{Const: ptr(any(map[string]any{"k": 1}))}, `{"k":2}`, refusal{problem.Enum, `must be {"k":1}, got {"k":2}`, `[{"k":1}]`}},

		// What is meant is said in quotes if it could not be seen otherwise.
		{text, enum("a,b", " c ", "", "d e"), "x", refusal{problem.Enum, `must be one of "a,b", " c ", "", d e, got "x"`, `["a,b"," c ","","d e"]`}},
		{text, enum("north", "south"), "norht", refusal{problem.Enum, `must be one of north, south, got "norht" (did you mean "north"?)`, `["north","south"]`}},
		{text, enum("one, two", "south"), "one; two", refusal{problem.Enum, `must be one of "one, two", south, got "one; two" (did you mean "one, two"?)`, `["one, two","south"]`}},
		{text, enum("cat", "hat"), "bat", refusal{problem.Enum, `must be one of cat, hat, got "bat"`, `["cat","hat"]`}},
		{text, &jsonschema.Schema{Enum: []any{"<a>"}}, "b", refusal{problem.Enum, `must be <a>, got "b"`, `["<a>"]`}},
		{object, &jsonschema.Schema{Enum: []any{map[string]any{"k": "<a>"}}}, `{}`, refusal{problem.Enum, `must be {"k":"<a>"}, got {}`, `[{"k":"<a>"}]`}},

		// What is left to jsonschema-go.
		{float, &jsonschema.Schema{MultipleOf: ptr(0.1), Not: enum("x")}, "0.3", none}, // but for what is checked already
		{text, &jsonschema.Schema{Not: enum("x")}, "y", none},
		{text, &jsonschema.Schema{Not: enum("x")}, "x", refusal{problem.Enum, `must not be x`, `null`}},
		{text, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Pattern: "^a"}, {Pattern: "^b"}}}, "b", none},
		{text, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Pattern: "^a"}, {Pattern: "^b"}}}, strings.Repeat("é", 99), refusal{problem.Pattern, `must match the pattern ^a, or must match the pattern ^b, got "` + strings.Repeat("é", 32) + `…"`, `null`}},
		{text, &jsonschema.Schema{If: &jsonschema.Schema{Pattern: "^a"}, Then: &jsonschema.Schema{MinLength: ptr(3)}}, "ab", refusal{problem.Length, `must have at least 3 characters, got 2`, `{"minLength":3}`}},
		{number, &jsonschema.Schema{OneOf: []*jsonschema.Schema{{MultipleOf: ptr(2.0)}, {MultipleOf: ptr(3.0)}}}, "6", refusal{problem.Schema, `must match only one of the JSON Schemas {"multipleOf":2} and {"multipleOf":3}, got 6`, `null`}},
		{number, &jsonschema.Schema{Not: &jsonschema.Schema{Enum: []any{int64(9007199254740992)}}}, "9007199254740993", none},
		{list, &jsonschema.Schema{UniqueItems: true}, "a,b", none},
		{list, &jsonschema.Schema{UniqueItems: true}, "a,a", refusal{problem.Schema, `[1] must be unique, but equals the element [0]; remove one of the two`, `null`}},
		{list, &jsonschema.Schema{Contains: enum("a")}, "b", refusal{problem.Schema, `must have at least 1 element equal to a, got 0`, `null`}},
		{ints, &jsonschema.Schema{PrefixItems: []*jsonschema.Schema{{Minimum: ptr(5.0)}}}, "4,1", refusal{problem.Range, `[0] must be at least 5, got 4`, `{"minimum":5}`}},
		{ints, &jsonschema.Schema{PrefixItems: []*jsonschema.Schema{{Minimum: ptr(5.0)}}}, "5,1", none},
		{ints, &jsonschema.Schema{Items: &jsonschema.Schema{Ref: "#/$defs/n"}, Defs: map[string]*jsonschema.Schema{"n": {Maximum: ptr(5.0)}}}, "5,6", refusal{problem.Range, `[1] must be at most 5, got 6`, `{"maximum":5}`}},
		{ints, &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Items: &jsonschema.Schema{Maximum: ptr(5.0)}}, "5,6", refusal{problem.Range, `[1] must be at most 5, got 6`, `{"maximum":5}`}},
		{object, &jsonschema.Schema{Required: []string{"k"}}, `{"k":1}`, none},
		{object, &jsonschema.Schema{Required: []string{"k"}}, `{"K":1}`, refusal{problem.Missing, `k is required`, `null`}},
		{object, &jsonschema.Schema{Enum: []any{map[string]any{"k": 1}}}, `{"k":1.0}`, none},
		{object, &jsonschema.Schema{Enum: []any{map[string]any{"k": 1}}}, `{"k":2}`, refusal{problem.Enum, `must be {"k":1}, got {"k":2}`, `[{"k":1}]`}},

		// Keywords that judge nothing.
		{text, &jsonschema.Schema{Title: "t", Description: "d", Comment: "c", Deprecated: true, Examples: []any{1}, Extra: map[string]any{"x-y": 1}}, "x", none},
		{object, &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"k": {Minimum: ptr(5.0), MinItems: ptr(5)}}}, `{"k":"x"}`, none},
	} {
		t.Run(jsonenc.Text(c.schema)+c.text, func(t *testing.T) {
			t.Parallel()
			problems := c.read(c.schema, c.text)
			if c.want == none {
				assert.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			assert.Equal(t, c.want, refusal{problems[0].Reason, problems[0].inside(), jsonenc.Text(problems[0].Allowed)})
		})
	}
}

// The common keywords need no validator.
func TestCommonSchemasAreDirect(t *testing.T) {
	t.Parallel()
	for _, s := range []*jsonschema.Schema{
		nil, enum("a"), {MinLength: ptr(1), MaxLength: ptr(2), Pattern: "a", Title: "t", Description: "d", Default: []byte(`"a"`)},
	} {
		assert.Nil(t, valueOf[string](t, s).validator)
	}
	bounds := &jsonschema.Schema{Minimum: ptr(1.0), Maximum: ptr(2.0), ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(3.0), MultipleOf: ptr(1.0), Enum: []any{1}}
	assert.Nil(t, valueOf[int](t, bounds).validator)
	assert.Nil(t, valueOf[float64](t, &jsonschema.Schema{Type: "integer"}).validator)
	v := valueOf[[]string](t, &jsonschema.Schema{MinItems: ptr(0), MaxItems: ptr(2), Items: enum("a")})
	assert.Nil(t, v.validator)
	assert.Nil(t, v.elem.validator)
}

// A schema for a struct's member adds to what the struct says of it.
func TestMergedProperties(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"name": enum("x")}}
	got, problems := readAs[inner](t, `{"name":"x","size":1}`, s)
	require.Empty(t, problems)
	assert.Equal(t, inner{"x", 1}, got)
	for _, text := range []string{`{"name":"y"}`, `{"name":"x","size":"1"}`, `{"name":"x","other":1}`, `{}`} {
		_, problems = readAs[inner](t, text, s)
		assert.Len(t, problems, 1, text)
	}
}

func bounded(i int) *jsonschema.Schema { return &jsonschema.Schema{Minimum: ptr(float64(i))} }
