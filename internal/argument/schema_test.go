package argument

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

func schemaOfJSON(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(text), s))
	return s
}

// A schema that leads back to itself without going into the value would
// overflow the stack at the first call, which ends the process.
func TestSchemaCycles(t *testing.T) {
	t.Parallel()
	const never, nowhere = "schema reference loop: validation would never end", "unsupported $ref"
	for _, c := range []struct{ schema, want string }{
		{`{"$ref":"#"}`, never},
		{`{"type":"object","allOf":[{"$ref":"#"}]}`, never},
		{`{"anyOf":[{"type":"string"},{"$ref":"#"}]}`, never},
		{`{"oneOf":[{"$ref":"#/oneOf/0"}]}`, never},
		{`{"not":{"$ref":"#"}}`, never},
		{`{"if":{"$ref":"#"}}`, never},
		{`{"if":true,"then":{"$ref":"#"}}`, never},
		{`{"if":true,"else":{"$ref":"#"}}`, never},
		{`{"type":"object","dependentSchemas":{"a":{"$ref":"#"}}}`, never},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":{"$ref":"#"}}}`, never},
		{`{"$dynamicAnchor":"a","allOf":[{"$dynamicRef":"#a"}]}`, never},
		{`{"$anchor":"a","allOf":[{"$ref":"#a"}]}`, never},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`, never},
		{`{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"$ref":"#"}}}`, never},
		{`{"type":"array","items":{"$ref":"#/items"}}`, never},
		{`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, never},
		{`{"type":"object","$defs":{"unused":{"$ref":"#/$defs/unused"}}}`, never},

		{`{"$id":"https://example.com/a","$ref":"https://example.com/a"}`, nowhere},
		{`{"$id":"https://example.com/a","$ref":"a#/$defs/x","$defs":{"x":true}}`, nowhere},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$id":"https://example.com/b","$ref":"#"}}}`, "$id is not supported"},
		{`{"$ref":"#a","$defs":{"a":{"$anchor":"a"},"b":{"$anchor":"a"}}}`, `two subschemas have the name "a"`},

		{`{"type":"object","properties":{"next":{"$ref":"#"}}}`, ""},
		{`{"type":"object","$anchor":"x","$dynamicAnchor":"x","properties":{"a":{"$ref":"#x"}}}`, ""},
		{`{"type":"object","additionalProperties":{"$ref":"#"}}`, ""},
		{`{"type":"object","patternProperties":{"^a":{"$ref":"#"}}}`, ""},
		{`{"type":"array","items":{"$ref":"#"}}`, ""},
		{`{"type":"array","prefixItems":[{"$ref":"#"}]}`, ""},
		{`{"type":"array","contains":{"$ref":"#"}}`, ""},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}}}}}`, ""},
		{`{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"minLength":1}}}`, ""},
		{`{"$id":"https://example.com/a","$ref":"#/$defs/x","$defs":{"x":true}}`, ""},
		{`{"type":"object","properties":{"x":{"$id":"https://example.com/x"}}}`, ""},
	} {
		t.Run(c.schema, func(t *testing.T) {
			t.Parallel()
			p, errs := Compile(nil, []Spec{{Name: "a", Schema: schemaOfJSON(t, c.schema)}})
			err := errors.Join(errs...)
			if c.want != "" {
				require.ErrorContains(t, err, `argument "a": schema: `)
				assert.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			for _, text := range []string{`{"next":{"next":{}}}`, `[[[]]]`, "x"} {
				_, _ = p.Texts([]Text{{Value: text, Given: true}})
			}
		})
	}
}

// The same for a prompt with a struct, whose schema is completed by the
// author's.
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
		1<<53 + 1, -(1<<53 + 1), int64(1 << 60), uint64(1<<64 - 1), json.Number("9007199254740993"), json.RawMessage("[1,9007199254740993]"),
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
	for _, v := range []any{1 << 53, -(1 << 53), 1e20, 123456789012345678901.0, 1e300, 0.1, json.Number("1.0"), json.Number("-0"), "9007199254740993"} {
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
		wantReason string
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
