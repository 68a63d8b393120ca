package argument

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

// hintOf returns the description of an argument that has none of its own.
func hintOf[T any](t *testing.T, s *jsonschema.Schema) string {
	t.Helper()
	return planOf[maybe[T]](t, Spec{Name: "a", Schema: s}).Arguments[0].DescriptionWithHint()
}

func TestHints(t *testing.T) {
	t.Parallel()
	def := func(text string) *jsonschema.Schema { return &jsonschema.Schema{Default: json.RawMessage(text)} }
	for _, c := range []struct{ want, got string }{
		{"", hintOf[string](t, nil)},
		{"", hintOf[any](t, nil)},
		{"", hintOf[weekday](t, nil)},
		{"true or false", hintOf[bool](t, nil)},
		{"an integer", hintOf[int](t, nil)},
		{"an integer, at least 0", hintOf[uint](t, nil)},
		{"a number", hintOf[float32](t, nil)},
		{"a duration such as 1h30m", hintOf[time.Duration](t, nil)},
		{"a time such as 2026-05-31T14:30:00Z", hintOf[time.Time](t, nil)},
		{"an IP address", hintOf[netip.Addr](t, nil)},
		{"a URL", hintOf[url.URL](t, nil)},
		{"base64 data", hintOf[[]byte](t, nil)},
		{"comma-separated", hintOf[[]string](t, nil)},
		{"comma-separated; each an integer", hintOf[[]int](t, nil)},
		{"comma-separated; 2 elements; each true or false", hintOf[[2]bool](t, nil)},
		{"a JSON array; each a JSON array; each an integer", hintOf[[][]int](t, nil)},
		{"a JSON array; each a JSON object with name (a string), size (an integer, optional)", hintOf[[]inner](t, nil)},
		{"a JSON object with name (a string), size (an integer, optional)", hintOf[inner](t, nil)},
		{"a JSON object", hintOf[map[string]int](t, nil)},
		{"JSON", hintOf[json.RawMessage](t, nil)},
		{"a JSON object", hintOf[any](t, &jsonschema.Schema{Type: "object"})},

		{"one of: go, rust", hintOf[string](t, enum("go", "rust"))},
		{`one of: "a, b", " c", "", d e`, hintOf[string](t, enum("a, b", " c", "", "d e"))},
		{"one of: x", hintOf[string](t, &jsonschema.Schema{Const: ptr(any("x"))})},
		{"one of: 5", hintOf[int](t, &jsonschema.Schema{Const: ptr(any(5))})},
		{`one of: {"a":1,"b":2}`, hintOf[map[string]int](t, &jsonschema.Schema{Const: ptr(any(map[string]int{"a": 1, "b": 2}))})},
		{"an IP prefix such as 192.0.2.0/24", hintOf[netip.Prefix](t, nil)},
		{"an IP address and port such as 192.0.2.1:80", hintOf[netip.AddrPort](t, nil)},
		{"a number", hintOf[json.Number](t, nil)},
		{"one of: 1, 2", hintOf[int](t, &jsonschema.Schema{Enum: []any{1, 2}})},
		{"one of: true", hintOf[bool](t, &jsonschema.Schema{Enum: []any{true}})},
		{"1 to 9 characters, matching ^a", hintOf[string](t, &jsonschema.Schema{MinLength: ptr(1), MaxLength: ptr(9), Pattern: "^a"})},
		{"matching " + strings.Repeat("a", 64) + "…", hintOf[string](t, &jsonschema.Schema{Pattern: strings.Repeat("a", 100)})},
		{"an integer from 1 to 10", hintOf[int](t, &jsonschema.Schema{Minimum: ptr(1.0), Maximum: ptr(10.0)})},
		{"an integer from 0 to 10", hintOf[uint](t, &jsonschema.Schema{Maximum: ptr(10.0)})},
		{"an integer from 0 to 10, a multiple of 5", hintOf[int](t, &jsonschema.Schema{Minimum: ptr(0.0), Maximum: ptr(10.0), MultipleOf: ptr(5.0)})},
		{"an integer, greater than 0, less than 255", hintOf[uint8](t, &jsonschema.Schema{ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(255.0)})},
		{"comma-separated; each an integer, greater than 0", hintOf[[]uint](t, &jsonschema.Schema{Items: &jsonschema.Schema{ExclusiveMinimum: ptr(0.0)}})},
		{"a number, greater than 0, less than 0.5", hintOf[float64](t, &jsonschema.Schema{ExclusiveMinimum: ptr(0.0), ExclusiveMaximum: ptr(0.5)})},
		{"a number, at most 1", hintOf[float64](t, &jsonschema.Schema{Maximum: ptr(1.0)})},
		{"comma-separated; 1 to 3 elements; each one of: a, b", hintOf[[]string](t, &jsonschema.Schema{MinItems: ptr(1), MaxItems: ptr(3), Items: enum("a", "b")})},

		{"comma-separated; each an integer from 0 to 9", hintOf[[]uint](t, &jsonschema.Schema{Items: &jsonschema.Schema{Maximum: ptr(9.0)}})},

		{"default x", hintOf[string](t, def(`"x"`))},
		{"", hintOf[string](t, def(`""`))},
		{"an integer; default 3", hintOf[int](t, def(`3`))},
		{"one of: go, rust; default go", hintOf[string](t, &jsonschema.Schema{Enum: []any{"go", "rust"}, Default: json.RawMessage(`"go"`)})},
		{`comma-separated; default ["a"]`, hintOf[[]string](t, def(`["a"]`))},
		{"a duration such as 1h30m; default 5m", hintOf[time.Duration](t, def(`"5m"`))},
		{"default " + strings.Repeat("é", 32) + "…", hintOf[string](t, def(`"`+strings.Repeat("é", 99)+`"`))},
	} {
		assert.Equal(t, c.want, c.got)
	}
}

// Documentation has the members of an argument, with the places around.
func TestMembers(t *testing.T) {
	t.Parallel()
	a := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object","properties":{"region":{"enum":["eu","us"],"description":"where"},"filters":{"type":"array","items":{"$ref":"#/$defs/f"}},"gone":false,"a b":{"type":"integer","minimum":1}},
		"required":["region"],"$defs":{"f":{"type":"object","properties":{"name":{"type":"string"},"inner":{"$ref":"#/$defs/f"}},"required":["name"]}}}`)}).Arguments[0]
	all := a.Members()
	assert.Equal(t, []Member{
		{`s["a b"]`, false, "", "an integer, at least 1"},
		{"s.filters", false, "", "a JSON array, each a JSON object"},
		{"s.filters[].inner", false, "", "a JSON object"},
		{"s.filters[].inner.inner", false, "", "a JSON object"},
		{"s.filters[].inner.inner.inner", false, "", "a JSON object"},
		{"s.filters[].inner.inner.name", true, "", "a string"},
		{"s.filters[].inner.name", true, "", "a string"},
		{"s.filters[].name", true, "", "a string"},
		{"s.region", true, "where", "one of: eu, us"},
	}, all)
	list := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"array","items":{"$ref":"#"}}`)}).Arguments[0]
	assert.Empty(t, list.Members(), "lists inside of lists without end")
	inside := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/properties/a"}}}}`)}).Arguments[0]
	endless := "a JSON array" + strings.Repeat(", each a JSON array", hintDepth)
	assert.Equal(t, []Member{{"s.a", false, "", endless}}, inside.Members())
	assert.Contains(t, inside.DescriptionWithHint(), "a JSON object with a (a JSON array, each")
	wide := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for i := range maxMembers + 1 {
		wide.Properties[strings.Repeat("m", i+1)] = &jsonschema.Schema{Type: "boolean"}
	}
	assert.Len(t, listPlan(t, Spec{Name: "s", Schema: wide}).Arguments[0].Members(), maxMembers)
	assert.Empty(t, listPlan(t, Spec{Name: "s"}).Arguments[0].Members())
}
