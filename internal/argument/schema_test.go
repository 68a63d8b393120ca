package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/problem"
)

func schemaOfJSON(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(text), s))
	return s
}

// A schema that leads back to itself is an error for a prompt with a struct, too, whose
// schema is completed by the author's.
func TestSchemaCycleOfField(t *testing.T) {
	t.Parallel()
	err := errorOf[one[map[string]any]](Spec{Name: "a", Schema: schemaOfJSON(t, `{"allOf":[{"$ref":"#"}]}`)})
	assert.ErrorContains(t, err, "schema reference loop: validation would never end")
	err = errorOf[one[[]int]](Spec{Name: "a", Schema: schemaOfJSON(t, `{"items":{"$ref":"#/items"}}`)})
	assert.ErrorContains(t, err, "schema reference loop: validation would never end")
}

// A schema is kept as encoding/json decodes it, which alters large integers.
func TestSchemaIntegers(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		int64(1<<53 + 1), int64(-(1<<53 + 1)), int64(1 << 60), uint64(1<<64 - 1), json.Number("9007199254740993"), json.RawMessage("[1,9007199254740993]"),
		[]any{1, map[string]any{"a": int64(1<<53 + 1)}},
	} {
		for _, s := range []*jsonschema.Schema{
			{Type: "object", Enum: []any{1, v}}, {Type: "object", Const: &v}, {Type: "array", Items: &jsonschema.Schema{Enum: []any{v}}},
		} {
			_, errs := Compile(nil, []Spec{Spec{Name: "a", Schema: s}})
			err := errors.Join(errs...)
			assert.ErrorContains(t, err, "exceeds the precision of JSON numbers in a schema", "%s", jsonenc.Text(v))
		}
	}
	for _, v := range []any{int64(1 << 53), int64(-(1 << 53)), 1e20, 123456789012345678901.0, 1e300, 0.1, json.Number("1.0"), json.Number("-0"), "9007199254740993"} {
		_, errs := Compile(nil, []Spec{Spec{Name: "a", Schema: &jsonschema.Schema{Enum: []any{v}}}})
		err := errors.Join(errs...)
		assert.NoError(t, err, "%v", v)
	}
}

// Without a type and a struct the const says how a text is read.
func TestSchemaConst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value      any
		good, bad  string
		wantReason problem.Reason
	}{
		{5, "5", "6", "enum"},
		{true, "true", "false", "enum"},
		{"5", "5", "6", "enum"},
		{1.5, "1.5", "x", "type"},
		{[]any{"x", "y"}, "x,y", "x", "enum"},
		{map[string]any{"a": 1}, `{"a":1}`, "x", "type"},
	} {
		p := declared{plan: listPlan(t, Spec{Name: "a", Schema: &jsonschema.Schema{Const: &c.value}})}
		e := get(t, p, `{"a":`+jsonenc.Text(c.good)+`}`)
		assert.Nil(t, e, c.good)
		e = get(t, p, `{"a":`+jsonenc.Text(c.bad)+`}`)
		if assert.NotNil(t, e, c.bad) {
			assert.Contains(t, jsonenc.Text(e.Problems), `"reason":"`+c.wantReason+`"`)
		}
	}
}

// What the author's schema says to people is the argument's, unless that says
// it itself.
func TestSchemaDescription(t *testing.T) {
	t.Parallel()
	schema := &jsonschema.Schema{Title: "of the schema", Description: "what the schema says"}
	type in struct {
		A string `json:"a"`
		B string `json:"b" jsonschema:"what the tag says"`
		C inner  `json:"c"`
	}
	typed := planOf[in](t, Spec{Name: "a", Schema: schema}, Spec{Name: "b", Title: "own", Schema: schema})
	list := listPlan(t, Spec{Name: "a", Schema: schema}, Spec{Name: "b", Title: "own", Description: "what the tag says", Schema: schema}, Spec{Name: "c"})
	for _, p := range []*Plan{typed, list} {
		var got []string
		for _, a := range p.Arguments {
			got = append(got, a.Name+"|"+a.Title+"|"+a.Description)
		}
		assert.Equal(t, "a|of the schema|what the schema says b|own|what the tag says c||", strings.Join(got, " "))
	}
}

// bytesOf returns the bytes that the function allocates.
func bytesOf(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// An error of jsonschema-go repeats the value for each alternative, and again for
// each level. A client cannot make the server build such an error.
func TestErrorsOfValidationAreShort(t *testing.T) {
	long := strings.Repeat("x", 256<<10)
	nested := func(value string, levels int) string {
		return strings.Repeat("[", levels) + value + strings.Repeat("]", levels)
	}
	for _, c := range []struct{ name, schema, value string }{
		{"one text in many arrays", `{"anyOf":[{"type":"number"},{"type":"array","items":{"$ref":"#"}}]}`, nested(`"`+long+`"`, 100)},
		{"its pattern", `{"anyOf":[{"type":"string","pattern":"^a"},{"type":"array","items":{"$ref":"#"}}]}`, nested(`"`+long+`"`, 100)},
		{"its length", `{"anyOf":[{"type":"string","maxLength":9},{"type":"array","items":{"$ref":"#"}}]}`, nested(`"`+long+`"`, 100)},
		{"many alternatives", `{"anyOf":[` + strings.Repeat(`{"const":"a"},`, 99) + `{"pattern":"^b"}]}`, `"` + long + `"`},
		{"a long name", `{"anyOf":[{"type":"object","additionalProperties":false},{"type":"array","items":{"$ref":"#"}}]}`, nested(`{"`+long+`":1}`, 100)},
		{"a long name where false has a title", `{"anyOf":[{"type":"object","additionalProperties":{"not":{},"title":"none"}},{"type":"array","items":{"$ref":"#"}}]}`, nested(`{"`+long+`":1}`, 100)},
		{"the name's rules", `{"anyOf":[{"type":"object","propertyNames":{"enum":["a"]}},{"type":"array","items":{"$ref":"#"}}]}`, nested(`{"`+long+`":1}`, 100)},
		{"a dynamic reference", `{"$dynamicAnchor":"a","anyOf":[{"type":"string","pattern":"^a"},{"type":"array","items":{"$dynamicRef":"#a"}}]}`, nested(`"`+long+`"`, 100)},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","anyOf":[{"type":"string","pattern":"^a"},{"type":"array","items":{"$ref":"#","minItems":9}}]}`, nested(`"`+long+`"`, 100)},
		{"many elements", `{"anyOf":[{"type":"number","minimum":1},{"type":"array","items":{"$ref":"#"}}]}`, nested(strings.Repeat("0,", 20<<10)+"0", 100)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf[one[json.RawMessage]](t, Spec{Name: "a", Schema: schemaOfJSON(t, c.schema)})
			var in one[json.RawMessage]
			var problems []Problem
			bytes := bytesOf(func() { problems = fill(p, &in, text(c.value)) })
			assert.Len(t, problems, 1)
			assert.Less(t, bytes, 32.0*float64(len(c.value))+8<<20)
		})
	}
}

// A text that takes long to match with the patterns of its schema is refused.
func TestPatternsTakeABoundedTime(t *testing.T) {
	t.Parallel()
	const refused = "exceeds the limit of 18600 bytes"
	for _, c := range []struct{ schema, pattern string }{
		{`{"type":"string","pattern":%q}`, "%s"},
		{`{"type":"object","patternProperties":{%q:true}}`, `{"a":"%s"}`},
		{`{"type":"array","items":{"anyOf":[{"type":"string","pattern":%q}]}}`, `["%s"]`},
	} {
		p := listPlan(t, Spec{Name: "a", Schema: schemaOfJSON(t, fmt.Sprintf(c.schema, "^(.{0,900}x)*.{0,900}$"))})
		_, problems := p.Texts(t.Context(), []Text{text(fmt.Sprintf(c.pattern, strings.Repeat("x", 1<<20)))})
		require.Len(t, problems, 1, c.schema)
		assert.Contains(t, problems[0].Message, refused)
		_, problems = p.Texts(t.Context(), []Text{text(fmt.Sprintf(c.pattern, "xyz"))})
		assert.Empty(t, problems, c.schema)
	}
}
