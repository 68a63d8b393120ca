package argument

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fruit, stars, flavours, twig and code bring their schemas.
type (
	fruit    string
	stars    int
	flavours []string
	twig     struct {
		Name string `json:"name"`
		Kids []twig `json:"kids,omitempty"`
	}
	chain struct {
		Next *chain `json:"next,omitempty"`
	}
	code  string // as text
	whole struct {
		Own string `json:"own"`
		twig
	}
)

func (fruit) JSONSchema() *jsonschema.Schema { return enum("apple", "pear") }

func (*stars) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: ptr(1.0), Maximum: ptr(5.0), Description: "how good it is"}
}

func (flavours) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", MaxItems: ptr(2), Items: enum("sweet", "sour")}
}

func (twig) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{"name"}, Properties: map[string]*jsonschema.Schema{
		"name": {Type: "string"}, "kids": {Type: "array", Items: &jsonschema.Schema{Ref: "#"}}}}
}

func (chain) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"next": {Ref: "#"}}}
}

func (code) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Pattern: "^[A-Z]+$"} }

func (c *code) UnmarshalText(text []byte) error {
	*c = "code " + code(text)
	return nil
}

// A type that brings its own schema is judged by that, as an argument, as an
// element and inside of JSON.
func TestTypesWithSchemas(t *testing.T) {
	t.Parallel()
	type basket struct {
		Fruit  fruit            `json:"fruit" jsonschema:"which one"`
		Maybe  *fruit           `json:"maybe"`
		Stars  map[string]stars `json:"stars,omitempty"`
		Tastes flavours         `json:"tastes,omitempty"`
	}
	for _, c := range []typeCase{
		of("string", typed[fruit]{
			hint: "one of: apple, pear", completes: []string{"apple", "pear"},
			reads:   []read[fruit]{{"pear", "pear"}},
			refuses: []refusal{{"aple", "enum", `must be one of apple, pear, got "aple" (did you mean "apple"?)`, `["apple","pear"]`}},
		}),
		of("string that the argument's schema narrows", typed[fruit]{
			schema: enum("pear"), hint: "one of: pear", completes: []string{"pear"},
			refuses: []refusal{{"apple", "enum", `must be pear, got "apple"`, `["pear"]`}},
		}),
		of("pointer", typed[*fruit]{
			hint: "one of: apple, pear", completes: []string{"apple", "pear"},
			reads: []read[*fruit]{{"pear", ptr(fruit("pear"))}, {"", nil}},
		}),
		of("integer, by a method of its pointer", typed[stars]{
			completes: []string{"1", "2", "3", "4", "5"},
			hint:      "an integer from 1 to 5",
			reads:     []read[stars]{{"5", 5}},
			refuses:   []refusal{{"6", "range", "must be from 1 to 5, got 6", `{"minimum":1,"maximum":5}`}},
		}),
		of("with UnmarshalText", typed[code]{
			hint:    "matching ^[A-Z]+$",
			reads:   []read[code]{{"A", "code A"}},
			refuses: []refusal{{"a", "pattern", `must match the pattern ^[A-Z]+$, got "a"`, `"^[A-Z]+$"`}},
		}),
		of("list", typed[flavours]{
			hint: "comma-separated; at most 2 elements; each one of: sweet, sour", completes: []string{"sweet", "sour"},
			reads:   []read[flavours]{{"sweet,sour", flavours{"sweet", "sour"}}},
			refuses: []refusal{{"salty", "enum", `[0] must be one of sweet, sour, got "salty"`, `["sweet","sour"]`}},
		}),
		of("elements", typed[[]fruit]{
			hint: "comma-separated; each one of: apple, pear", completes: []string{"apple", "pear"},
			reads: []read[[]fruit]{{"apple,pear", []fruit{"apple", "pear"}}},
		}),
		of("struct that holds itself", typed[twig]{
			hint:  "a JSON object with kids (a JSON array, each a JSON object, optional), name (a string)",
			reads: []read[twig]{{`{"name":"a","kids":[{"name":"b"}]}`, twig{"a", []twig{{Name: "b"}}}}},
			refuses: []refusal{
				{`{"name":"a","kids":[{}]}`, "missing", ".kids[0].name is required", ""},
				{`{"name":"a","kids":[{"Name":"b"}]}`, "missing", ".kids[0].name is required", ""}},
		}),
		of("struct with a field of its own type, which it does not embed", typed[chain]{
			hint:  "a JSON object with next (a JSON object, optional)",
			reads: []read[chain]{{`{"next":{}}`, chain{&chain{}}}},
		}),
		of("members", typed[basket]{
			hint: "a JSON object with fruit (one of: apple, pear), maybe (optional), stars (a JSON object or null, optional), tastes (optional)",
			reads: []read[basket]{
				{`{"fruit":"pear","maybe":"apple","stars":{"a":5},"tastes":["sour"]}`, basket{"pear", ptr(fruit("apple")), map[string]stars{"a": 5}, flavours{"sour"}}},
				{`{"fruit":"pear","maybe":null,"stars":null,"tastes":null}`, basket{Fruit: "pear"}}},
			refuses: []refusal{
				{`{"fruit":"nut"}`, "enum", `.fruit must be one of apple, pear, got "nut"`, `["apple","pear"]`},
				{`{"fruit":"pear","maybe":"nut"}`, "enum", `.maybe must be one of apple, pear, got "nut"`, `["apple","pear"]`},
				{`{"fruit":"pear","stars":{"a":6}}`, "range", ".stars.a must be from 1 to 5, got 6", `{"minimum":1,"maximum":5}`},
				{`{"fruit":"pear","tastes":["salty"]}`, "enum", `.tastes[0] must be one of sweet, sour, got "salty"`, `["sweet","sour"]`}},
		}),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}

type (
	noSchema    string
	panicking   string
	emptyEnum   string
	wrongType   string
	wrongMember struct{ A int }
	shared      string
)

func (noSchema) JSONSchema() *jsonschema.Schema  { return nil }
func (panicking) JSONSchema() *jsonschema.Schema { panic(errors.New("boom")) }
func (emptyEnum) JSONSchema() *jsonschema.Schema { return enum() }
func (wrongType) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer"} }
func (wrongMember) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{"a"}}
}

var sharedSchema = &jsonschema.Schema{Default: json.RawMessage(`"x"`)}

func (shared) JSONSchema() *jsonschema.Schema { return sharedSchema }

// What cannot work about such a schema is refused when the prompt is added.
func TestDeclaredTypesWithSchemas(t *testing.T) {
	t.Parallel()
	of := func(typ, fault string) []string {
		return []string{`argument "a": argument.` + typ + ".JSONSchema" + fault}
	}
	checkDeclared(t, []declaredCase{
		{"none", faultOf[noSchema](nil), of("noSchema", " returned nil")},
		{"a panic", faultOf[panicking](nil), of("panicking", ": panic: boom")},
		{"that allows nothing", faultOf[emptyEnum](nil), of("emptyEnum", ": schema: enum is empty, so no value is allowed")},
		{"of another type", faultOf[wrongType](nil), []string{`argument "a": schema: type is integer, but this value is read as string`}},
		{"of another type, inside", faultOf[map[string]wrongType](nil), of("wrongType", ": schema: type is integer, but this value is read as string")},
		{"of a member that there is not", faultOf[*wrongMember](nil), []string{`argument "a": schema: the type has no member "a"; did you mean "A"?`}},
		{"with references, inside", faultOf[map[string]twig](nil), of("twig", ": schema: references do not work inside of another schema; write out the referenced schema")},
		{"with references, of elements", faultOf[[]twig](nil), of("twig", ": schema: references do not work inside of another schema; write out the referenced schema")},
		{"of what a struct embeds", faultOf[whole](nil), of("whole", ": JSONSchema is inherited from the embedded argument.twig; define it on argument.whole")},
		{"that the argument's contradicts", faultOf[stars](&jsonschema.Schema{Minimum: ptr(6.0)}), []string{`argument "a": schema: minimum is 6 and maximum is 5, so no value is allowed`}},
	})
}

// The schema is copied: nothing that happens to it changes the type's.
func TestTypesWithSchemasCopyThem(t *testing.T) {
	t.Parallel()
	require.NoError(t, faultOf[shared](&jsonschema.Schema{MaxLength: ptr(1)}))
	assert.Equal(t, &jsonschema.Schema{Default: json.RawMessage(`"x"`)}, sharedSchema)
}
