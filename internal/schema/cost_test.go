package schema_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
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
			_, err := schema.NewValidator(parse(t, c.schema))
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
	_, err := schema.NewValidator(parse(t, `{"$ref":"#/$defs/q0","$defs":{`+defs+`}}`))
	assert.ErrorContains(t, err, "subschemas refer to each other in too many combinations")
}

// randomSchema returns a schema that refers back to itself and to its definitions.
func randomSchema(r *rand.Rand) string {
	ref := func() string {
		return []string{`{"$ref":"#"}`, `{"$ref":"#/$defs/a"}`, `{"$ref":"#/$defs/b"}`}[r.IntN(3)]
	}
	var schema func(depth int) string
	schema = func(depth int) string {
		var keywords []string
		add := func(format string, args ...any) { keywords = append(keywords, fmt.Sprintf(format, args...)) }
		for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
			if depth > 0 && r.IntN(7) == 0 {
				add(`%q:[%s,%s]`, keyword, schema(depth-1), schema(depth-1))
			}
		}
		if depth > 0 && r.IntN(8) == 0 {
			add(`"if":%s,"then":%s,"else":%s`, schema(depth-1), schema(depth-1), schema(depth-1))
		}
		if depth > 0 && r.IntN(10) == 0 {
			add(`"not":%s`, schema(depth-1))
		}
		if depth > 0 && r.IntN(10) == 0 {
			add(`"dependentSchemas":{"x":%s}`, schema(depth-1))
		}
		switch r.IntN(8) {
		case 0:
			add(`"properties":{%q:%s}`, []string{"x", "y"}[r.IntN(2)], ref())
		case 1:
			add(`"properties":{"op":{"enum":%s},%q:%s}`, []string{`["a"]`, `["b"]`, `["a","b"]`}[r.IntN(3)], []string{"x", "y"}[r.IntN(2)], ref())
			if r.IntN(2) == 0 {
				add(`"required":["op"]`)
			}
		}
		for _, keyword := range []string{"additionalProperties", "items", "contains", "unevaluatedProperties", "unevaluatedItems"} {
			if r.IntN(20) == 0 {
				add(`%q:%s`, keyword, ref())
			}
		}
		if r.IntN(20) == 0 {
			add(`"patternProperties":{"^%s":%s}`, []string{"x", "z", "."}[r.IntN(3)], ref())
		}
		if r.IntN(20) == 0 {
			add(`"prefixItems":[%s]`, ref())
		}
		if keywords == nil {
			return []string{`{"type":"string"}`, `{"const":1}`, `true`, `{"required":["x"]}`, `{"minProperties":1}`}[r.IntN(5)]
		}
		return "{" + strings.Join(keywords, ",") + "}"
	}
	return fmt.Sprintf(`{"allOf":[%s],"$defs":{"a":%s,"b":%s}}`, schema(3), schema(3), schema(2))
}

// The work of a validation is in proportion to the levels of a value: of 1,000
// schemas, each is refused or is linear.
func TestValidationIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	refused := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		text := randomSchema(r)
		v, err := schema.NewValidator(parse(t, text))
		if err != nil {
			require.ErrorContains(t, err, "validating a value takes too long", text)
			refused++
			continue
		}
		for range 2 {
			var names, ops [3]string
			for i := range names {
				names[i] = []string{"x", "y", "z", ""}[r.IntN(4)]
				ops[i] = []string{"a", "b", "c", ""}[r.IntN(4)]
			}
			requireLinear(t, v, text, names, ops, []any{"x", 1.0, nil}[r.IntN(3)])
		}
	}
	assert.Less(t, refused, 480)
	assert.Greater(t, refused, 100)
}

// An alternative whose tag is not the tag of the value costs no more than the tag.
func TestTaggedAlternativesAreLinear(t *testing.T) {
	for _, text := range []string{
		`{"required":["op"],"oneOf":[{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}}},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}}}]}`,
		`{"anyOf":[{"properties":{"op":{"enum":["a","c"]},"x":{"$ref":"#"}},"required":["op","x"]},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op","x"]},{"type":"string"}]}`,
		`{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}},"required":["op"]},"b":{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op"]}}}`,
	} {
		v, err := schema.NewValidator(parse(t, text))
		require.NoError(t, err, text)
		for i := range 27 {
			ops := []string{"a", "b", ""}
			for _, leaf := range []any{"x", 1.0} {
				requireLinear(t, v, text, [3]string{"x", "x", "x"}, [3]string{ops[i%3], ops[i/3%3], ops[i/9]}, leaf)
			}
		}
	}
}

// requireLinear compares the work for nested values: that for n times as many levels,
// up to 64, is at most n^1.1 times as much. Each schema that is visited allocates, so
// the allocations count the work. jsonschema-go visits members in random order, so more
// runs decide if a few are not linear.
func requireLinear(t *testing.T, v *schema.Validator, text string, names, ops [3]string, leaf any) {
	t.Helper()
	work := func(levels, runs int) float64 {
		value := leaf
		for i := levels; i > 0; i-- {
			if name, op := names[i%3], ops[i%3]; name == "" {
				value = []any{value}
			} else if op == "" {
				value = map[string]any{name: value}
			} else {
				value = map[string]any{name: value, "op": op}
			}
		}
		return mallocs(func() {
			for range runs {
				v.Accepts(value)
			}
		}) / float64(runs)
	}
	work(1, 1) // without what is made once
	isLinear := func(levels, runs int) bool {
		return work(levels, runs) <= 100+math.Pow(float64(levels)/8, 1.1)*work(8, runs)
	}
	for levels := 16; levels <= 64; levels *= 2 {
		require.True(t, isLinear(levels, 3) || isLinear(levels, 300), "%s %q %q %v, %d levels", text, names, ops, leaf, levels)
	}
}

// mallocs returns the number of allocations that the function makes.
func mallocs(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// A value inside of JSON is not compared with the values of an enum one by one. Each
// comparison of jsonschema-go allocates.
func TestEnumsInsideAreFast(t *testing.T) {
	var values, titled []string
	for i := range 300 {
		values = append(values, fmt.Sprintf(`"value %d."`, i))
		titled = append(titled, fmt.Sprintf(`{"const":"value %d.","title":"%d"}`, i, i))
	}
	enum, consts := strings.Join(values, ","), strings.Join(titled, ",")
	for text, wants := range map[string]map[string]bool{
		`{"enum":[` + enum + `]}`:                                            {`"value 299."`: true, `"value 299"`: false, `"value 299.\n"`: false, `1`: false, `null`: false},
		`{"enum":[` + enum + `,null]}`:                                       {`"value 299."`: true, `null`: true, `[]`: false},
		`{"type":["integer","string"],"enum":[` + enum + `,null]}`:           {`"value 299."`: true, `null`: false, `1`: false},
		`{"type":"integer","enum":[` + enum + `,null]}`:                      {`"value 299."`: false, `null`: false},
		`{"anyOf":[` + consts + `]}`:                                         {`"value 299."`: true, `"x"`: false, `1`: false},
		`{"oneOf":[` + consts + `]}`:                                         {`"value 299."`: true, `"x"`: false, `1`: false},
		`{"anyOf":[{"enum":[` + enum + `]},{"type":"integer"}]}`:             {`"value 299."`: true, `"x"`: false, `1`: true},
		`{"required":["a"],"properties":{"a":{"enum":[` + enum + `]}}}`:      {`{"a":"value 299."}`: true, `{"a":"x"}`: false, `{}`: false},
		`{"$ref":"#/$defs/a","$defs":{"a":{"enum":[` + enum + `]}}}`:         {`"value 299."`: true, `"x"`: false},
		`{"enum":[` + enum + `],"pattern":"^.{9}$","allOf":[{"const":"x"}]}`: {`"value 99."`: false},
	} {
		v, err := schema.NewValidator(parse(t, text))
		require.NoError(t, err, text)
		for value, want := range wants {
			var instance any
			require.NoError(t, json.Unmarshal([]byte(value), &instance))
			assert.Equal(t, want, v.Accepts(instance), "%.60s %s", text, value)
			assert.Less(t, mallocs(func() { v.Accepts(instance) }), 200.0, "%.60s %s", text, value)
		}
	}
}

// A Validator accepts what jsonschema-go accepts.
func TestValidatorAgreesWithJSONSchema(t *testing.T) {
	t.Parallel()
	values := []string{`"x"`, `1`, `[]`, `[1,"x"]`, `{"x":1}`, `{"x":{"x":"x","z":1},"y":[{"x":1}]}`, `{"y":{"y":{}}}`, `[[{"z":null}],1]`, `{"op":"a","x":{"op":"b"}}`, `{"op":"c"}`}
	rules := []string{`"minLength":1`, `"pattern":"x"`, `"propertyNames":{"maxLength":1}`, `"additionalProperties":false`, `"const":{"x":1}`, `"enum":[[],1]`, `"unevaluatedProperties":false`,
		`"enum":["a","b","c","d","e","f","g","h","x"]`}
	accepted := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomSchema(r)
		text = fmt.Sprintf("{%s,%s", rules[r.IntN(len(rules))], text[1:])
		if seed%3 == 0 {
			text = fmt.Sprintf("{%s%s", draft7, text[1:])
		}
		v, err := schema.NewValidator(parse(t, text))
		if err != nil {
			continue
		}
		resolved, err := parse(t, text).Resolve(nil)
		require.NoError(t, err)
		for _, value := range values {
			var instance any
			require.NoError(t, json.Unmarshal([]byte(value), &instance))
			want := resolved.Validate(instance) == nil
			require.Equal(t, want, v.Accepts(instance), "%s %s", text, value)
			if want {
				accepted++
			}
		}
	}
	assert.Greater(t, accepted, 200)
}

// uniqueItems is for elements that jsonschema-go compares in linear time.
func TestUniqueItems(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"uniqueItems":true}`:                                                                  false,
		`{"uniqueItems":true,"items":true}`:                                                     false,
		`{"uniqueItems":true,"items":{"type":"object"}}`:                                        false,
		`{"uniqueItems":true,"items":{"type":["string","array"]}}`:                              false,
		`{"uniqueItems":true,"items":{"anyOf":[{"type":"string"},{"minItems":1}]}}`:             false,
		`{"uniqueItems":true,"prefixItems":[true],"items":{"type":"string"}}`:                   false,
		`{"uniqueItems":true,"prefixItems":[{"type":"string"}]}`:                                false,
		`{"properties":{"a":{"uniqueItems":true,"items":{"$ref":"#"}}}}`:                        false,
		`{"uniqueItems":true,"items":{"enum":[1,[2]]}}`:                                         false,
		`{"uniqueItems":true,"maxItems":64}`:                                                    true,
		`{"uniqueItems":true,"items":{"type":"string"}}`:                                        true,
		`{"uniqueItems":true,"items":{"type":["integer","null"]}}`:                              true,
		`{"uniqueItems":true,"items":{"enum":[1,"a"]}}`:                                         true,
		`{"uniqueItems":true,"items":{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}}`:      true,
		`{"uniqueItems":true,"items":{"allOf":[{"minLength":1},{"type":"string"}]}}`:            true,
		`{"uniqueItems":true,"items":{"$ref":"#/$defs/tag"},"$defs":{"tag":{"type":"string"}}}`: true,
		`{"uniqueItems":true,"prefixItems":[{"type":"string"}],"items":false}`:                  true,
	} {
		_, err := schema.NewValidator(parse(t, text))
		if ok {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, "uniqueItems takes too long", text)
		}
	}
}
