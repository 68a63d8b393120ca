package argument

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// doors returns what each way of a call makes of the arguments: as strings and as typed JSON,
// directly and behind code of the application that changes nothing.
func doors(t testing.TB, p *Plan, object string) map[string]func(strict bool) ([]Text, []Problem, []string) {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(object, jsonenc.MaxDepth))
	all := map[string]func(bool) ([]Text, []Problem, []string){}
	for door, g := range map[string]Given{
		"strings": {}, "strings, detached": {Detach: true}, "altered strings": {IsAltered: true},
		"typed": {IsTyped: true}, "typed, detached": {IsTyped: true, Detach: true}, "altered typed": {IsTyped: true, IsAltered: true},
	} {
		g.Object = doc.Root()
		if g.IsAltered {
			g.Texts, g.NonStrings = TextsOf(g.Object, g.IsTyped, false)
		}
		all[door] = func(strict bool) ([]Text, []Problem, []string) {
			g.IsStrict = strict
			return p.Collect(nil, g)
		}
	}
	return all
}

// GAP-18: null is the same as leaving an argument out, unless its schema admits null.
func TestNull(t *testing.T) {
	t.Parallel()
	type object struct {
		A string `json:"a,omitempty"`
	}
	nullable := func(s *jsonschema.Schema) *jsonschema.Schema {
		s.Types, s.Type = []string{"null", s.Type}, ""
		return s
	}
	byDefault := func(s *jsonschema.Schema, value string) *jsonschema.Schema {
		s.Default = json.RawMessage(value)
		return s
	}
	of := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }
	for _, test := range []struct {
		name string
		spec Spec
		want string // the strings, or the problem
	}{
		{"string", Spec{}, `{}`},
		{"string with a default", Spec{Schema: byDefault(of("string"), `"x"`)}, `{"a":"x"}`},
		{"no type", Spec{Schema: byDefault(&jsonschema.Schema{MaxLength: jsonschema.Ptr(3)}, `"x"`)}, `{"a":"x"}`},
		{"enum", Spec{Schema: byDefault(&jsonschema.Schema{Enum: []any{"x", "y"}}, `"x"`)}, `{"a":"x"}`},
		{"integer with a default", Spec{Schema: byDefault(of("integer"), `7`)}, `{"a":"7"}`},
		{"list with a default", Spec{Schema: byDefault(of("array"), `["x"]`)}, `{"a":"[\"x\"]"}`},
		{"object with a default", Spec{Schema: byDefault(of("object"), `{"b":1}`)}, `{"a":"{\"b\":1}"}`},
		{"sensitive", Spec{Sensitive: true}, `{}`},
		{"required", Spec{Required: true}, `a is required (missing)`},
		{"required integer", Spec{Required: true, Schema: of("integer")}, `a is required (missing)`},
		{"required object", Spec{Required: true, Schema: of("object")}, `a is required (missing)`},
		{"required and sensitive", Spec{Required: true, Sensitive: true}, `a is required (missing)`},

		// null is a value: no default applies, and nothing is missing.
		{"nullable string", Spec{Schema: byDefault(nullable(of("string")), `"x"`)}, `{}`},
		{"nullable integer", Spec{Schema: byDefault(nullable(of("integer")), `7`)}, `{}`},
		{"nullable and required", Spec{Required: true, Schema: nullable(of("integer"))}, `{}`},
		{"nullable list", Spec{Schema: byDefault(nullable(of("array")), `["x"]`)}, `{}`},
		{"nullable object", Spec{Schema: byDefault(nullable(of("object")), `{"b":1}`)}, `{"a":"null"}`},
		{"nullable object, required", Spec{Required: true, Schema: nullable(of("object"))}, `{"a":"null"}`},
		{"nullable by a reference", Spec{Required: true, Schema: &jsonschema.Schema{Ref: "#/$defs/n", Defs: map[string]*jsonschema.Schema{"n": nullable(of("integer"))}}}, `{}`},
		{"nullable, but not of the enum", Spec{Schema: byDefault(&jsonschema.Schema{Types: []string{"null", "string"}, Enum: []any{"x"}}, `"x"`)}, `{"a":"x"}`},
	} {
		test.spec.Name = "a"
		p := listPlan(t, test.spec)
		for door, collect := range doors(t, p, `{"a":null}`) {
			texts, undeclared, ignored := collect(true)
			assert.Empty(t, undeclared, "%s, %s", test.name, door)
			assert.Empty(t, ignored, "%s, %s", test.name, door)
			assert.Empty(t, p.Secrets(texts), "%s, %s", test.name, door)
			byName, problems := p.Texts(t.Context(), texts)
			got := jsonenc.Text(byName)
			if problems != nil {
				require.Len(t, problems, 1)
				got = problems[0].Sentence() + " (" + string(problems[0].Reason) + ")"
			}
			assert.Equal(t, test.want, got, "%s, %s", test.name, door)
		}
	}

	// Into a struct. What is inside of an argument is decided by its schema.
	type in struct {
		Text   string          `json:"text,omitempty" default:"x"`
		Count  *int            `json:"count,omitempty"`
		Raw    json.RawMessage `json:"raw,omitempty"`
		Object object          `json:"object,omitzero"`
		Map    map[string]any  `json:"map,omitempty"`
	}
	p := planOf[in](t)
	for door, collect := range doors(t, p, `{"text":null,"count":null,"raw":null,"object":null,"map":null}`) {
		texts, _, _ := collect(true)
		var got in
		assert.Empty(t, p.Fill(t.Context(), reflect.ValueOf(&got).Elem(), texts), door)
		assert.Equal(t, in{Text: "x", Raw: json.RawMessage("null")}, got, door)
	}
	for door, collect := range doors(t, p, `{"object":{"a":null}}`) {
		if door[0] == 't' || door == "altered typed" {
			texts, _, _ := collect(true)
			assert.Equal(t, "object.a must be a string, got null", Sentences(p.Fill(t.Context(), reflect.ValueOf(new(in)).Elem(), texts), 0), door)
		}
	}

	// A name that the prompt does not declare is judged as with a string.
	p = listPlan(t, Spec{Name: "a"})
	for door, collect := range doors(t, p, `{"b":null}`) {
		_, problems, ignored := collect(false)
		if strict := door[0] == 't' || door == "altered typed"; strict {
			assert.Equal(t, "b is not an argument of this prompt", Redacted(problems), door)
			assert.Empty(t, ignored, door)
		} else {
			assert.Empty(t, problems, door)
			assert.Equal(t, []string{"b"}, ignored, door)
		}
		_, problems, ignored = collect(true)
		assert.Equal(t, "b is not an argument of this prompt", Redacted(problems), door)
		assert.Empty(t, ignored, door)
	}
}

// What code of the application has removed is absent, null included, and what it has set wins.
func TestAlteredNull(t *testing.T) {
	t.Parallel()
	p := listPlan(t, Spec{Name: "a", Required: true, Schema: &jsonschema.Schema{Types: []string{"null", "integer"}}})
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"a":null}`, jsonenc.MaxDepth))
	for _, typed := range []bool{false, true} {
		texts, nonStrings := TextsOf(doc.Root(), typed, true)
		assert.Empty(t, texts)
		assert.Equal(t, []string{"a"}, nonStrings)
		got, _, _ := p.Collect(nil, Given{Object: doc.Root(), IsTyped: typed, IsAltered: true})
		assert.Equal(t, []Text{{}}, got)
		got, _, _ = p.Collect(nil, Given{Object: doc.Root(), IsTyped: typed, IsAltered: true, Texts: map[string]string{"a": "null"}, NonStrings: nonStrings})
		assert.Equal(t, []Text{{Value: "null", Given: true}}, got)
	}
}

// A string that code of the application sets wins, even if it is the JSON of the value that
// the client has sent.
func TestAlteredNumber(t *testing.T) {
	t.Parallel()
	p := listPlan(t, Spec{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "integer"}})
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"a":3}`, jsonenc.MaxDepth))
	for _, typed := range []bool{false, true} {
		texts, nonStrings := TextsOf(doc.Root(), typed, true)
		texts["a"] = "3"
		got, problems, _ := p.Collect(nil, Given{Object: doc.Root(), IsTyped: typed, IsAltered: true, Texts: texts, NonStrings: nonStrings})
		assert.Equal(t, []Text{{Value: "3", Given: true}}, got)
		assert.Empty(t, problems)
	}
}
