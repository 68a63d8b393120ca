package sample

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(text), s), text)
	return s
}

// accepts asks jsonschema-go.
func accepts(t testing.TB, s *jsonschema.Schema, text string) bool {
	t.Helper()
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	return validates(t, resolved, text)
}

func validates(t testing.TB, resolved *jsonschema.Resolved, text string) bool {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return resolved.Validate(value) == nil
}

// Schemas of every shape that authors write have a value.
func TestInstances(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"object","properties":{"region":{"enum":["eu","us"]},"n":{"type":"integer","maximum":3},"c":{"type":["null","array"],"items":{"type":"string"},"maxItems":1}},"required":["region"],"additionalProperties":false}`,
		`{"type":["null","array"],"items":{"type":"array","items":{"type":["null","array"],"items":{"enum":["a",1]},"minItems":2}},"minItems":1}`,
		`{"type":"array","items":{"type":"string","pattern":"^[A-Z]{2}-\\d+$"},"uniqueItems":true,"minItems":3}`,
		`{"type":"object","properties":{"at":{"type":"string","format":"date-time"},"mail":{"type":"string","format":"email"},"id":{"type":"string","format":"uuid"},"for":{"type":"string","format":"duration"}},"required":["at","mail","id","for"]}`,
		`{"type":"object","properties":{"value":{"type":"integer"},"left":{"$ref":"#"},"all":{"type":"array","items":{"$ref":"#"}}},"required":["value","all"]}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}]}},"required":["next"]}}}`,
		`{"type":"array","items":{"oneOf":[{"type":"object","properties":{"op":{"const":"is"},"v":{"type":"string","minLength":3}},"required":["op","v"]},{"type":"object","properties":{"op":{"const":"not"},"of":{"$ref":"#/items"}},"required":["op","of"]}]},"minItems":1}`,
		`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number","exclusiveMinimum":0,"maximum":0.5}},"required":["b"]}]}`,
		`{"type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}},"minProperties":2}`,
		`{"type":"object","propertyNames":{"pattern":"^k[0-9]$"},"minProperties":1}`,
		`{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["x"]},"else":{"required":["y"]}}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer","multipleOf":7,"minimum":8}],"items":false,"minItems":2}`,
		`{"type":"array","items":{"type":"integer"},"contains":{"minimum":50},"minContains":2}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false,"minItems":2}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"dependentRequired":{"a":["b"]}}`,
	} {
		s := parse(t, text)
		all := Instances("name", s)
		assert.NotEmpty(t, all, text)
		for _, value := range all {
			assert.True(t, accepts(t, s, value), "%s\n%s", text, value)
		}
		if isStructured(s) {
			assert.Equal(t, all, Values("name", s)[:len(all)], "the first values of an argument are valid")
		}
	}
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`, `{"not":{}}`, `{"type":"array","items":false,"contains":{"type":"string"}}`, `{"type":"string","pattern":"^a\\b.$"}`,
		`{"type":"object","minProperties":2000000000}`,
	} {
		assert.Empty(t, Instances("name", parse(t, text)), "%s has no value, or none that is found", text)
	}
}

func randomSchema(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	if depth == 0 {
		return pick(`{"type":"string","minLength":2}`, `{"type":"integer","minimum":2,"maximum":9}`, `{"const":1}`, `{"enum":["x",2,null]}`, `{"type":["null","number"],"maximum":1}`, `{"type":"string","pattern":"^a+[0-9]?$"}`, `{"$ref":"#"}`)
	}
	sub := func() string { return randomSchema(r, depth-1) }
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf(`{"type":["null","array"],"items":%s,"minItems":%d}`, sub(), r.IntN(3))
	case 1:
		return fmt.Sprintf(`{"anyOf":[%s,%s]}`, sub(), sub())
	case 2:
		return fmt.Sprintf(`{"oneOf":[%s,%s]}`, sub(), sub())
	case 3:
		return fmt.Sprintf(`{"type":"object","additionalProperties":%s,"minProperties":1}`, sub())
	case 4:
		return fmt.Sprintf(`{"type":"array","prefixItems":[%s,%s],"uniqueItems":true}`, sub(), sub())
	}
	return fmt.Sprintf(`{"type":"object","properties":{"x":%s,"y":%s},"required":[%s]}`, sub(), sub(), pick("", `"x"`, `"x","y"`))
}

// A generated value is valid for jsonschema-go too, and most schemas have one.
func TestInstancesOfRandomSchemas(t *testing.T) {
	t.Parallel()
	judged, found := 0, 0
	for seed := range uint64(300) {
		text := randomSchema(rand.New(rand.NewPCG(seed, 37)), 3)
		s := parse(t, text)
		resolved, err := s.Resolve(nil)
		if err != nil {
			continue
		}
		all := Instances("name", s)
		if judged++; len(all) > 0 {
			found++
		}
		for _, value := range all {
			require.True(t, validates(t, resolved, value), "%s\n%s", text, value)
		}
	}
	t.Logf("%d of %d schemas have a value", found, judged)
	assert.Greater(t, found, judged*3/5)
}
