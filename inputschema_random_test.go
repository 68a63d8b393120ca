package prompts_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// randomSchemas makes declarations and values that are near to each other's limits.
type randomSchemas struct{ *rand.Rand }

func (r randomSchemas) maybe() bool { return r.IntN(3) == 0 }

func (r randomSchemas) schema(depth int) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	types := []string{"string", "integer", "number", "boolean", "array", "object"}
	if depth == 0 {
		types = types[:4]
	}
	switch s.Type = types[r.IntN(len(types))]; s.Type {
	case "string":
		switch r.IntN(4) {
		case 0:
			s.Enum = []any{"a", "ab", ""}[:1+r.IntN(3)]
		case 1:
			s.AnyOf = []*jsonschema.Schema{{Const: ptr[any]("a"), Title: "A"}, {Const: ptr[any]("abc"), Title: "B"}}
		default:
			if r.maybe() {
				s.MinLength = ptr(r.IntN(3))
			}
			if r.maybe() {
				s.MaxLength = ptr(2 + r.IntN(3))
			}
			if r.maybe() {
				s.Pattern = []string{"^a", "b$", "^[a-c]*$"}[r.IntN(3)]
			}
			if r.maybe() {
				s.Not = &jsonschema.Schema{Const: ptr[any]("ab")}
			}
		}
	case "integer", "number":
		if r.maybe() {
			s.Enum = []any{1.0, 2.0, -3.0, 4.5}[:1+r.IntN(3)]
			break
		}
		for _, bound := range []**float64{&s.Minimum, &s.ExclusiveMinimum} {
			if r.maybe() {
				*bound = ptr(float64(r.IntN(4)) - 2)
			}
		}
		for _, bound := range []**float64{&s.Maximum, &s.ExclusiveMaximum} {
			if r.maybe() {
				*bound = ptr(float64(r.IntN(4)) + 2.5)
			}
		}
		if r.maybe() {
			s.MultipleOf = ptr([]float64{1, 2, 0.5}[r.IntN(3)])
		}
	case "array":
		s.Items = r.schema(depth - 1)
		if r.maybe() {
			s.MinItems = ptr(r.IntN(2))
		}
		if r.maybe() {
			s.MaxItems = ptr(1 + r.IntN(2))
		}
	case "object":
		s.Properties = map[string]*jsonschema.Schema{"a": r.schema(depth - 1), "b": r.schema(depth - 1)}
		if r.maybe() {
			s.Required = []string{"a"}
		}
		if r.maybe() {
			s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		}
	}
	return s
}

func (r randomSchemas) value(typ string, depth int) any {
	if r.IntN(10) == 0 && depth < 2 {
		typ = "" // a member of another type
	}
	switch typ {
	case "string":
		return []string{"", "a", "b", "ab", "abc", "aabb", "x y", "ü"}[r.IntN(8)]
	case "integer":
		return r.IntN(10) - 5
	case "number":
		return float64(r.IntN(20)-10) / 2
	case "boolean":
		return r.maybe()
	case "array":
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = r.value([]string{"string", "integer", "number", "boolean", "array", "object"}[r.IntN(6)], depth-1)
		}
		return list
	case "object":
		object := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if r.maybe() {
				object[name] = r.value([]string{"string", "integer", "number", "boolean"}[r.IntN(4)], depth-1)
			}
		}
		return object
	}
	return []any{nil, "a", 1, true}[r.IntN(4)]
}

// like returns a value with the structure of the schema.
func (r randomSchemas) like(s *jsonschema.Schema) any {
	switch {
	case s.Type == "array" && !r.maybe():
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = r.like(s.Items)
		}
		return list
	case s.Type == "object" && !r.maybe():
		return map[string]any{"a": r.like(s.Properties["a"]), "b": r.like(s.Properties["b"])}
	}
	return r.value(s.Type, 2)
}

// For random schemas and values, the schema of all arguments accepts as typed JSON
// what prompts/get accepts as strings.
func TestInputSchemaOfRandomDeclarations(t *testing.T) {
	if testing.Short() {
		t.Skip("a comparison of many values, which takes long")
	}
	t.Parallel()
	r := randomSchemas{rand.New(rand.NewPCG(1, 2))}
	declared, accepted, rejected := 0, 0, 0
	for n := range 400 {
		p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Required: r.maybe(), Schema: r.schema(2)}}, Render: nothing}
		var reg prompts.Registry
		if reg.Add(p) != nil {
			continue // no value can pass, or it has elements that no text has
		}
		declared++
		s, err := p.InputSchema()
		require.NoError(t, err)
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		srv := prompts.NewServer(&reg, prompts.Options{})
		for range 20 {
			value := r.like(p.Arguments[0].Schema)
			text, isString := value.(string)
			if isString != (p.Arguments[0].Schema.Type == "string") {
				continue // "1" is the text of 1
			}
			if text == "" && isString && !p.Arguments[0].Required {
				continue // the argument may count as absent
			}
			raw, err := json.Marshal(value)
			require.NoError(t, err)
			if !isString {
				text = string(raw)
			}
			var instance any
			require.NoError(t, json.Unmarshal(raw, &instance))
			params, err := json.Marshal(map[string]any{"name": "p", "arguments": map[string]string{"a": text}})
			require.NoError(t, err)
			bySchema := resolved.Validate(map[string]any{"a": instance})
			_, byGet := srv.Call(t.Context(), "prompts/get", params, prompts.CallOptions{})
			schema, _ := json.Marshal(s.Properties["a"])
			assert.Equal(t, byGet == nil, bySchema == nil, "%d: required %v, %s of %s:\n%v\n%v", n, p.Arguments[0].Required, raw, schema, byGet, bySchema)
			if byGet == nil {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d declarations, %d values accepted, %d rejected", declared, accepted, rejected)
	assert.Greater(t, declared, 300)
	assert.Greater(t, min(accepted, rejected), 1000)
}
