package schema_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/schema"
)

const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`

// A schema whose validation takes more than a constant time for each part of a value
// is refused when the prompt is added, and the error says where and what to write.
func TestExpensiveSchemas(t *testing.T) {
	t.Parallel()
	doubling := `{"$ref":"#/$defs/d0","$defs":{"d12":{"minLength":1}`
	for i := range 12 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]}`, i, i+1)
	}
	const both = " both refer to # for the member \"arg\", so the work multiplies with each level of a value; declare the member once, beside the alternatives"
	for _, c := range []struct{ schema, want string }{
		{`{"anyOf":[{"properties":{"op":{"const":"not"},"arg":{"$ref":"#"}}},{"properties":{"op":{"const":"any"},"arg":{"$ref":"#"}}},{"required":["field"]}]}`,
			"#/anyOf/0/properties/arg and #/anyOf/1/properties/arg" + both},
		// Without the tag, both alternatives apply.
		{`{"oneOf":[{"properties":{"op":{"const":"not"},"arg":{"$ref":"#"}}},{"properties":{"op":{"const":"any"},"arg":{"$ref":"#"}},"required":["op"]},
			{"properties":{"op":{"const":"all"},"arg":{"$ref":"#"}}}]}`, "or require a member with another const in each alternative"},
		{`{"oneOf":[{"properties":{"op":{"enum":["not","any"]},"arg":{"$ref":"#"}},"required":["op"]},{"properties":{"op":{"enum":["all","any"]},"arg":{"$ref":"#"}},"required":["op"]}]}`, both},
		{`{"$defs":{"a":{"properties":{"op":{"const":"not"}},"required":["op"]}},"oneOf":[{"$ref":"#/$defs/a","properties":{"arg":{"$ref":"#"}}},{"$ref":"#/$defs/a","properties":{"arg":{"$ref":"#"}}}]}`, both},
		// It comes after the alternatives.
		{`{"anyOf":[{"properties":{"arg":{"$ref":"#"}}},{"properties":{"arg":{"$ref":"#"}}}],"dependentSchemas":{"x":false}}`, both},
		{`{"allOf":[{"properties":{"arg":{"$ref":"#"}}},{"properties":{"arg":{"$ref":"#"}}},false]}`, both},
		{`{"allOf":[{"properties":{"arg":{"$ref":"#"}}},{"properties":{"arg":{"$ref":"#"}}}],"$dynamicRef":"#/$defs/a","$defs":{"a":false}}`, both},
		{`{"oneOf":[{"properties":{"arg":{"$ref":"#"}}},{"not":{"properties":{"arg":{"$ref":"#"}}}}]}`, both},
		{`{"properties":{"arg":{"$ref":"#"}},"patternProperties":{"^a":{"$ref":"#"}}}`, both},
		{`{"properties":{"arg":{"$ref":"#"}},"dependentSchemas":{"x":{"additionalProperties":{"$ref":"#"}}}}`, both},
		{`{` + draft7 + `"properties":{"arg":{"$ref":"#"}},"dependencies":{"x":{"properties":{"arg":{"$ref":"#"}}}}}`, both},
		{`{"if":{"properties":{"arg":{"$ref":"#"}}},"then":{"properties":{"arg":{"$ref":"#"}}}}`, both},
		{`{"items":{"$ref":"#"},"contains":{"$ref":"#"}}`, "#/items and #/contains both refer to # for the same element"},
		{`{"prefixItems":[{"$ref":"#"}],"anyOf":[{"items":{"$ref":"#"}}]}`, "for the same element"},
		{`{"anyOf":[{"additionalProperties":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}]}`, "for the same other members"},
		{`{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"x":{"$ref":"#"}}}}}`, "validating a value takes too long"},
		// Two members lead back together only.
		{`{"anyOf":[{"properties":{"a":{"properties":{"b":{"$ref":"#"}}}}},{"properties":{"a":{"additionalProperties":{"$ref":"#"}}}}]}`, "validating a value takes too long"},
		// The work for a part of the value grows with its level.
		{`{"properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"a":{"$ref":"#/$defs/b"}}}}}`, "#/$defs/b visits more than 80 schemas for one part of a value; refer to each schema once"},
		{doubling + "}}", "visits more than 608 schemas for one part of a value"},

		{`{"properties":{"arg":{"$ref":"#"}},"anyOf":[{"properties":{"op":{"const":"not"}}},{"properties":{"op":{"const":"any"}}}]}`, ""},
		{`{"anyOf":[{"properties":{"not":{"$ref":"#"}}},{"properties":{"all":{"items":{"$ref":"#"}}}},{"properties":{"any":{"items":{"$ref":"#"}}}}]}`, ""},
		{`{"oneOf":[{"properties":{"op":{"enum":["+","*"]},"left":{"$ref":"#"},"right":{"$ref":"#"}}},{"properties":{"neg":{"$ref":"#"}}},{"type":"number"}]}`, ""},
		{`{"if":{"properties":{"op":{"const":"not"}}},"then":{"properties":{"arg":{"$ref":"#"}}},"else":{"properties":{"arg":{"$ref":"#"}}}}`, ""},
		{`{"patternProperties":{"^x-":{"$ref":"#"}},"additionalProperties":{"$ref":"#"}}`, ""},
		{`{"prefixItems":[{"$ref":"#"},{"$ref":"#"}],"items":{"$ref":"#"}}`, ""},
		{`{"propertyNames":{"$ref":"#"}}`, ""},
		// The tag tells which alternative applies.
		{`{"oneOf":[{"properties":{"op":{"const":"not"},"arg":{"$ref":"#"}},"required":["op","arg"]},{"properties":{"op":{"enum":["any","all"]},"arg":{"$ref":"#"}},"required":["op"]}]}`, ""},
		{`{"required":["op"],"oneOf":[{"properties":{"op":{"const":1},"arg":{"$ref":"#"}}},{"properties":{"op":{"const":2},"arg":{"$ref":"#"}}},{"properties":{"op":{"const":3},"arg":{"items":{"$ref":"#"}}}}]}`, ""},
		{`{"anyOf":[{"$ref":"#/$defs/field"},{"$ref":"#/$defs/not"},{"$ref":"#/$defs/all"}],"$defs":{"base":{"properties":{"id":{"type":"string"}}},"field":{"type":"string"},
			"not":{"type":"object","allOf":[{"$ref":"#/$defs/base"}],"properties":{"op":{"const":"not"},"in":{"enum":["a","b"]},"arg":{"$ref":"#"}},"required":["op","arg"],"additionalProperties":false},
			"all":{"type":"object","allOf":[{"$ref":"#/$defs/base"}],"properties":{"op":{"const":"all"},"in":{"enum":["a","b"]},"arg":{"$ref":"#"}},"required":["op","arg"],"additionalProperties":false}}}`, ""},
		// The type tells.
		{`{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"enum":["a"],"items":{"$ref":"#"}},{"const":1,"items":{"$ref":"#"}}]}`, ""},
		{`{"allOf":[{"properties":{"arg":{"$ref":"#"}}},false],"properties":{"arg":{"$ref":"#"}}}`, ""},
		{`{"if":{"type":"string"},"then":{"properties":{"arg":{"$ref":"#"}},"anyOf":[{"properties":{"arg":{"$ref":"#"}}}]}}`, ""},
		{`{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"base":{"required":["id"]},
			"a":{"allOf":[{"$ref":"#/$defs/base"}],"properties":{"a":{"$ref":"#"}}},"b":{"allOf":[{"$ref":"#/$defs/base"}],"properties":{"b":{"$ref":"#"}}}}}`, ""},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			err := schema.Check(parse(t, c.schema))
			if c.want == "" {
				assert.NoError(t, err, c.schema)
				return
			}
			require.ErrorContains(t, err, "schema: ", c.schema)
			assert.ErrorContains(t, err, c.want, c.schema)
		})
	}
}

// A schema whose references combine in very many ways is refused in little time.
func TestCombinationsOfReferences(t *testing.T) {
	t.Parallel()
	// One definition for each of the last 22 members that was an a: 2^22 sets.
	defs := `"q0":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/q1"},{"$ref":"#/$defs/q0"}]},"b":{"$ref":"#/$defs/q0"}}},"q22":{"minProperties":1}`
	for i := 1; i < 22; i++ {
		defs += fmt.Sprintf(`,"q%d":{"properties":{"a":{"$ref":"#/$defs/q%d"},"b":{"$ref":"#/$defs/q%[2]d"}}}`, i, i+1)
	}
	err := schema.Check(parse(t, `{"$ref":"#/$defs/q0","$defs":{`+defs+`}}`))
	assert.ErrorContains(t, err, "subschemas refer to each other in too many combinations")
}
