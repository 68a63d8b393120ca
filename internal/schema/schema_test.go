package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/schema"
)

func parse(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(text), s))
	return s
}

// A keyword that its draft ignores would be a rule that never applies.
func TestDrafts(t *testing.T) {
	t.Parallel()
	const draft7, latest = `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	for _, c := range []struct{ schema, want string }{
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, `schema: $schema must be https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#, got "https://json-schema.org/draft/2019-09/schema"; remove $schema for draft 2020-12`},
		{`{"$schema":"http://json-schema.org/draft-07/schema"}`, `got "http://json-schema.org/draft-07/schema"`},
		{`{"properties":{"a":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}}`, "remove the inner $schema"},
		{`{"dependencies":{"a":["b"]}}`, "schema: dependencies is ignored in draft 2020-12; use dependentRequired"},
		{`{` + latest + `"properties":{"x":{"dependencies":{"a":{"minProperties":2}}}}}`, "use dependentSchemas"},
		{`{"items":[{"type":"string"}]}`, "items with an array is ignored in draft 2020-12; use prefixItems"},
		{`{"additionalItems":false}`, "additionalItems is ignored in draft 2020-12; use items next to prefixItems"},
		{`{"$recursiveRef":"#"}`, "use $ref"},
		{`{` + draft7 + `"prefixItems":[true]}`, "prefixItems is ignored in draft 7; use items with an array"},
		{`{` + draft7 + `"dependentRequired":{"a":["b"]}}`, "use dependencies"},
		{`{` + draft7 + `"not":{"dependentSchemas":{"a":{"minProperties":2}}}}`, "use dependencies"},
		{`{` + draft7 + `"items":[{"type":"string"}],"additionalItems":false,"dependencies":{"a":["b"],"b":{"minProperties":2}}}`, ""},
		{`{` + latest + `"prefixItems":[true],"dependentRequired":{"a":["b"]}}`, ""},
	} {
		if err := schema.Check(parse(t, c.schema)); c.want == "" {
			assert.NoError(t, err, c.schema)
		} else {
			assert.ErrorContains(t, err, c.want, c.schema)
		}
	}
}

// An empty list of alternatives is an error, wherever it is, and is never read as absent.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	for keyword, s := range map[string]*jsonschema.Schema{
		"type":  {Types: []string{}},
		"enum":  {Enum: []any{}},
		"anyOf": {AnyOf: []*jsonschema.Schema{}},
		"oneOf": {OneOf: []*jsonschema.Schema{}},
	} {
		want := keyword + " is empty, so no value is allowed"
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		require.Error(t, resolved.Validate("x"), keyword) // which jsonschema-go agrees with
		for _, whole := range []*jsonschema.Schema{s, {Type: "object", Properties: map[string]*jsonschema.Schema{"a": s}}, {Not: s}} {
			_, err := schema.Clone(whole)
			assert.ErrorContains(t, err, want)
			assert.ErrorContains(t, schema.Check(whole), want)
		}
		assert.ErrorContains(t, schema.Check(parse(t, `{"items":{"`+keyword+`":[]}}`)), want)
	}
	for _, text := range []string{`{"allOf":[]}`, `{"required":[]}`, `{"prefixItems":[]}`, `{"properties":{}}`, `{"dependentRequired":{"a":[]}}`} {
		s := parse(t, text)
		require.NoError(t, schema.Check(s), text)
		_, err := schema.Clone(s)
		require.NoError(t, err, text)
	}
}

// A schema that leads back to itself without going into the value would
// overflow the stack at the first call, which ends the process.
func TestCycles(t *testing.T) {
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
			err := schema.Check(parse(t, c.schema))
			if c.want != "" {
				require.ErrorContains(t, err, "schema: ")
				assert.ErrorContains(t, err, c.want)
				return
			}
			assert.NoError(t, err)
		})
	}
}
