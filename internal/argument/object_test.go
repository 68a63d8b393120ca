package argument_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func object(t testing.TB, schema string) (*argument.Object, error) {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(schema), &s))
	return argument.NewObject(&s)
}

// parsed returns the JSON, which must be valid.
func parsed(t testing.TB, text string) strictjson.Value {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(text, jsonenc.MaxDepth))
	return doc.Root()
}

// read returns what the tool gets of an object, and why the schema rejects that.
func read(t testing.TB, o *argument.Object, object string) (string, *argument.Rejection) {
	t.Helper()
	text, r := o.Read(parsed(t, object), func(sent string) string { return sent })
	if r != nil {
		return "", r
	}
	return text, o.Check(t.Context(), parsed(t, text))
}

// A schema that makes no sense is an error.
func TestObjectErrors(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{}`:                `type must be "object", got ""`,
		`{"type":"string"}`: `type must be "object", got "string"`,
		`{"type":"object","properties":{"a":{"type":"string","minimum":1}}}`: `minimum applies to numbers`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`:          `b`,
		`{"type":"object","allOf":[{"$ref":"#"}]}`:                           `reference loop`,
	} {
		_, err := object(t, schema)
		assert.ErrorContains(t, err, want, schema)
	}
	loop := &jsonschema.Schema{Type: "object"}
	loop.Properties = map[string]*jsonschema.Schema{"a": loop}
	_, err := argument.NewObject(loop)
	assert.ErrorContains(t, err, "contains itself")
}

// What a rejection details is bounded.
func TestObjectIsBounded(t *testing.T) {
	t.Parallel()
	o, err := object(t, `{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`)
	require.NoError(t, err)
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `,"x%d":1`, i)
	}
	r := o.Check(t.Context(), parsed(t, "{"+many.String()[1:]+"}"))
	assert.Len(t, r.Problems, argument.MaxProblems)
	assert.Equal(t, 1001-argument.MaxProblems, r.More)
	assert.Contains(t, r.Message, "a is required; x0 is not an argument")
	assert.Contains(t, r.Message, "and 993 more")
}

// A tool of the application gets its arguments without the nulls that its schema rejects, and
// with the values that strings mean, wherever the schema declares the member (GAP-18).
func TestObjectRead(t *testing.T) {
	t.Parallel()
	const members = `{"env":{"enum":["test","live"]},"n":{"type":"integer","minimum":1},"b":{"type":"boolean"},"f":{"anyOf":[{"type":"number"},{"type":"null"}]},
		"note":{"type":["string","null"]},"any":true,"both":{"type":["string","integer"]},"one":{"enum":[1,2]},"inner":{"type":"object","properties":{"x":{"type":"string"}}},
		"late":{"pattern":"^2"},"either":{"anyOf":[{"type":"integer"},{"pattern":"^x"}]}}`
	always := map[string]string{
		"properties":  `"properties":` + members,
		"allOf":       `"allOf":[{"properties":` + members + `}]`,
		"$ref":        `"$ref":"#/$defs/m","$defs":{"m":{"allOf":[{"properties":` + members + `}]}}`,
		"$dynamicRef": `"$dynamicRef":"#m","$defs":{"m":{"$dynamicAnchor":"m","properties":` + members + `}}`,
		"members":     `"properties":{"n":{"description":"how many"},"b":{}},"allOf":[{"properties":` + members + `}]`,
	}
	sometimes := map[string]string{
		"anyOf":            `"anyOf":[{"properties":` + members + `},{"required":["other"]}]`,
		"oneOf":            `"oneOf":[{"properties":` + members + `},{"required":["other"],"properties":{"n":{"type":"boolean"}}}]`,
		"then":             `"if":{"not":{"required":["other"]}},"then":{"properties":` + members + `}`,
		"else":             `"if":{"required":["other"]},"else":{"properties":` + members + `}`,
		"dependentSchemas": `"dependentSchemas":{"other":{"properties":` + members + `}}`,
		"inside":           `"anyOf":[{"oneOf":[{"$ref":"#/$defs/m"}]},{"required":["other"]}],"$defs":{"m":{"properties":` + members + `}}`,
	}
	for where, schema := range allOf(always, sometimes) {
		o, err := object(t, `{"type":"object","required":["env"],"additionalProperties":{"type":["null","boolean","string","number","object","array"]},`+schema+`}`)
		require.NoError(t, err, where)
		for object, want := range map[string]string{
			`{"env":"test"}`:            `{"env":"test"}`,
			`{"env":"test", "n": null}`: `{"env":"test"}`,
			`{ "n":null,"env":"\u0074est","note":null , "any":null,"x":null,"f":null}`: `{"env":"\u0074est","note":null,"any":null,"x":null,"f":null}`,
			`{"env":null}`:         `{}`,
			`{"inner":{"x":null}}`: `{"inner":{"x":null}}`,
			`{"env":"null"}`:       `{"env":"null"}`,
			`{"\u006e":null}`:      `{}`,

			`{"n":"2000","b":"true","f":"-1.5e3","one":"2"}`: `{"n":2000,"b":true,"f":-1.5e3,"one":2}`,
			`{"n":"0","f":"1","b":"false"}`:                  `{"n":0,"f":1,"b":false}`, // of the type, though not of the range
			`{"n":"12345678901234567890123"}`:                `{"n":12345678901234567890123}`,
			`{"n":"\u0032"}`:                                 `{"n":2}`,
			`{"n":"2.5","b":"True","f":"NaN","one":"3"}`:     `{"n":"2.5","b":"True","f":"NaN","one":"3"}`,
			`{"n":"","b":"","f":"","one":""}`:                `{"n":"","b":"","f":"","one":""}`,
			`{"n":" 2","f":"2 ","b":"1","one":"+1"}`:         `{"n":" 2","f":"2 ","b":"1","one":"+1"}`,
			`{"n":"007","f":"0x10","b":"null"}`:              `{"n":"007","f":"0x10","b":"null"}`,
			`{"f":"1e999"}`:                                  `{"f":"1e999"}`,
			`{"n":["1"],"inner":{"x":"1"},"x":"1"}`:          `{"n":["1"],"inner":{"x":"1"},"x":"1"}`,
			`{"both":"1","any":"1","note":"1","late":"21"}`:  `{"both":"1","any":"1","note":"1","late":"21"}`,
			`{"either":"3"}`:                                 `{"either":3}`,
			`{"either":"x3"}`:                                `{"either":"x3"}`,
			`{"n":"` + strings.Repeat("1", 1025) + `"}`:      `{"n":"` + strings.Repeat("1", 1025) + `"}`,
		} {
			got, _ := read(t, o, object)
			assert.Equal(t, want, got, "%s: %s", where, object)
		}
	}

	// The schemas that always apply decide, and those under not never do.
	for schema, want := range map[string]string{
		`"properties":{"a":{"type":["string","null"]}},"anyOf":[{"properties":{"a":{"type":"string"}}}]`: `{"a":null}`,
		`"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"a":{"type":"null"}}}]`:            `{}`,
		`"properties":{"a":{}},"allOf":[{"properties":{"a":{"type":"string"}}}]`:                         `{}`,
		`"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]`:          `{"a":null}`,
		`"not":{"properties":{"a":{"type":"string"}}}`:                                                   `{"a":null}`,
		`"patternProperties":{"a":{"type":"string"}}`:                                                    `{"a":null}`,
	} {
		o, err := object(t, `{"type":"object",`+schema+`}`)
		require.NoError(t, err, schema)
		got, _ := read(t, o, `{"a":null}`)
		assert.Equal(t, want, got, schema)
	}
	o, err := object(t, `{"type":"object"}`)
	require.NoError(t, err)
	got, _ := read(t, o, `{"n": null}`)
	assert.Equal(t, `{"n": null}`, got)
	o, err = object(t, `{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/m","properties":{"b":{"type":"string"}},"definitions":{"m":{"properties":{"a":{"type":"string"}}}}}`)
	require.NoError(t, err)
	got, _ = read(t, o, `{"a":null,"b":null}`)
	assert.Equal(t, `{"b":null}`, got, "in draft 7, a $ref hides what is beside it")
}

func allOf[V any](all ...map[string]V) map[string]V {
	joined := map[string]V{}
	for _, m := range all {
		maps.Copy(joined, m)
	}
	return joined
}

// The work of patterns is bounded: of each with the values that it may match. Values without
// a pattern may be longer.
func TestObjectPatternsTakeABoundedTime(t *testing.T) {
	t.Parallel()
	const (
		path   = `"path":{"type":"string","pattern":"^[a-z]{1,255}$"}`
		member = `^%s exceeds the limit of \d+ bytes for values whose schema has a pattern$`
		whole  = `^arguments exceed the limit of \d+ bytes for a schema with patterns$`
	)
	long := strings.Repeat("b", 200<<10)
	for name, test := range map[string]struct{ schema, text, want string }{
		"a member without":     {`"properties":{` + path + `,"content":{"type":"string"}}`, `{"path":"b","content":"` + long + `"}`, ``},
		"undeclared":           {`"properties":{` + path + `}`, `{"path":"b","content":"` + long + `"}`, ``},
		"a member":             {`"properties":{` + path + `}`, `{"path":"` + long + `"}`, fmt.Sprintf(member, "path")},
		"inside a member":      {`"properties":{"files":{"items":{"properties":{` + path + `}}}}`, `{"files":[{"path":"b","content":"` + long + `"}]}`, fmt.Sprintf(member, "files")},
		"members together":     {`"properties":{` + path + `,"to":{"pattern":"^[a-z]{1,255}$"}}`, `{"path":"` + long[:100<<10] + `","to":"` + long[:100<<10] + `"}`, whole},
		"names":                {`"patternProperties":{"^[a-z]{1,255}$":{}}`, `{"` + long + `":1}`, whole},
		"other members":        {`"additionalProperties":{"pattern":"^[a-z]{1,255}$"}`, `{"a":"` + long + `"}`, whole},
		"beside the members":   {`"properties":{"a":{}},"allOf":[{"properties":{` + path + `}}]`, `{"a":"` + long + `"}`, whole},
		"through a reference":  {`"properties":{` + path + `,"content":{"$ref":"#/properties/path"}}`, `{"content":"` + long + `"}`, whole},
		"with other reference": {`"$defs":{"a":{}},"properties":{` + path + `,"content":{"$ref":"#/$defs/a"}}`, `{"content":"` + long + `"}`, whole},
	} {
		o, err := object(t, `{"type":"object",`+test.schema+`}`)
		require.NoError(t, err, name)
		_, r := read(t, o, test.text)
		if test.want == "" {
			assert.Nil(t, r, name)
		} else if assert.NotNil(t, r, name) {
			assert.Regexp(t, test.want, r.Message, name)
		}
	}
}

// References and keywords that join members count, whether or not a single member is
// invalid.
func TestObjectOfAnySchema(t *testing.T) {
	t.Parallel()
	o, err := object(t, `{"type":"object","$defs":{"n":{"type":"integer"}},"properties":{
		"a":{"$ref":"#/$defs/n"}, "b":{"$ref":"#/properties/a"}, "tree":{"type":"object","properties":{"tree":{"$ref":"#/properties/tree"}},"additionalProperties":false}
	},"maxProperties":2,"required":["a","undeclared"]}`)
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"a":1,"undeclared":null}`:       ``,
		`{"a":1}`:                         `undeclared is required`,
		`{"a":"x","undeclared":1}`:        `a must be an integer, got the string "x"`,
		`{"b":"x","undeclared":1}`:        `a is required; b must be an integer, got the string "x"`,
		`{"a":1,"undeclared":1,"c":1}`:    `the object must have at most 2 members, got 3`,
		`{"undeclared":1,"tree":{"b":1}}`: `a is required; tree.b is unknown; known members: tree`,
		`{"a":1,"undeclared":1,"tree":1}`: `tree must be a JSON object, got the number 1; the object must have at most 2 members, got 3`,
	} {
		if r := o.Check(t.Context(), parsed(t, text)); want == "" {
			assert.Nil(t, r, text)
		} else if assert.NotNil(t, r, text) {
			assert.Equal(t, want, r.Message, text)
		}
	}
}

// JSON Schema takes 3.0 for an integer, so its bounds are the problem.
func TestObjectIntegerWithFraction(t *testing.T) {
	t.Parallel()
	o, err := object(t, `{"type":"object","properties":{"a":{"type":"integer","minimum":5}}}`)
	require.NoError(t, err)
	assert.Equal(t, "a must be at least 5, got 3.0", o.Check(t.Context(), parsed(t, `{"a":3.0}`)).Message)
}

// Objects are accepted as jsonschema-go accepts what Read makes of them, and a rejection has
// a message.
func FuzzObject(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":"x"}`)
	f.Add(`{"type":"object","properties":{"a":{"enum":["x"]},"b":{"type":["string","null"]}},"additionalProperties":false}`, `{"a":"x","b":null,"c":1}`)
	f.Add(`{"type":"object","patternProperties":{"^x":{"type":"number"}},"minProperties":1}`, `{"xy":1}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":"8"}`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		var s jsonschema.Schema
		if json.Unmarshal([]byte(schema), &s) != nil || len(schema) > 1000 {
			t.Skip()
		}
		var instance map[string]any
		if json.Unmarshal([]byte(text), &instance) != nil || instance == nil {
			t.Skip()
		}
		o, err := argument.NewObject(&s)
		if err != nil {
			t.Skip()
		}
		canonical, err := json.Marshal(instance) // without duplicate names and invalid UTF-8
		require.NoError(t, err)
		resolved, err := s.Resolve(nil)
		require.NoError(t, err)
		read, r := read(t, o, string(canonical))
		if read != "" {
			instance = nil
			require.NoError(t, json.Unmarshal([]byte(read), &instance))
		}
		assert.Equal(t, resolved.Validate(instance) == nil, r == nil, "%s", canonical)
		if r != nil {
			assert.NotEmpty(t, r.Message)
		}
	})
}
