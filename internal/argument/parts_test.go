package argument

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

type inRegion struct {
	Region string   `json:"region" enum:"eu,us"`
	N      int      `json:"n,omitempty" maximum:"3"`
	Tags   []string `json:"tags,omitempty" maxItems:"2"`
	Zone   struct {
		Name string  `json:"name" jsonschema:"of the zone"`
		Note *string `json:"note,omitempty"`
	} `json:"zone"`
	Counts map[string]int `json:"counts,omitempty"`
	IsDry  bool           `json:"isDry,omitempty"`
}

// A form asks for an object by one field for each member.
func TestFormOfMembers(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{"mode":"form","message":"Message","requestedSchema":{"type":"object","properties":{
		"x.region":{"type":"string","enum":["eu","us"]},
		"x.n":{"type":"integer","maximum":3},
		"x.tags":{"type":"string","description":"comma-separated; at most 2 elements"},
		"x.zone.name":{"type":"string","description":"of the zone"},
		"x.zone.note":{"type":"string"},
		"x.counts":{"type":"string","description":"a JSON object"},
		"x.isDry":{"type":"boolean"}},"required":["x.region","x.zone.name"]}}`, encodeForm[asField[inRegion]](t, true))
	assert.NotContains(t, encodeForm[asOptional[inRegion]](t, true), `"required"`)
	preset := Spec{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage(`{"region":"us","zone":{"name":"a"}}`)}}
	assert.Contains(t, encodeForm[asOptional[inRegion]](t, true, preset), `"x.region":{"type":"string","enum":["eu","us"],"default":"us"}`)

	for _, c := range []struct{ content, want string }{
		{`{"x.region":"eu","x.zone.name":"a"}`, `{"region":"eu","zone":{"name":"a"}}`},
		{`{"x.zone.note":"b","x.zone.name":"a","x.n":3.0,"x.region":"us","x.tags":"a, b","x.counts":"{\"a\":1}","x.isDry":true}`,
			`{"region":"us","n":3,"tags":["a","b"],"zone":{"name":"a","note":"b"},"counts":{"a":1},"isDry":true}`},
		{`{"x.region":"eu","x.zone.name":"a","x.n":null,"x.tags":"","x.counts":""}`, `{"region":"eu","zone":{"name":"a"}}`},
		{`{"x":"{\"region\":\"eu\",\"zone\":{\"name\":\"a\"}}"}`, `{"region":"eu","zone":{"name":"a"}}`},

		{`{}`, "x.region is required; x.zone.name is required"},
		{`{"x.region":"EU","x.zone.name":"a"}`, `x.region must be one of eu, us, got "EU" (did you mean "eu"?)`},
		{`{"x.region":"eu","x.n":9}`, `x.n must be at most 3, got 9; x.zone.name is required`},
		{`{"x.region":"eu","x.zone.name":""}`, "x.zone.name is required"},
		{`{"x.region":"eu","x.zone.name":7,"x.isDry":"yes"}`, "x.zone.name must be a string; x.isDry must be a boolean"},
		{`{"x.region":"eu","x.zone.name":"a","x.tags":"a,b,c","x.counts":"{\"a\":\"b\"}"}`, `x.tags must have at most 2 elements, got 3; x.counts.a must be an integer, got the string "b"`},
		{`{"x.region":"eu","x.zone.name":"a","x.counts":"many"}`, `x.counts must be a JSON object or null, got the string "many"`},
		{`{"x.region":1}`, "x.region must be a string"},
		{`{"x.region":"eu","x.zone.name":"a","x.tags":"a,,b"}`, "x.tags must be a list without empty elements; remove the extra comma"},
	} {
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(c.content, jsonenc.MaxDepth))
		p := planOf[asField[inRegion]](t)
		texts, problems := p.ReadForm(doc.Root(), true)
		var got asField[inRegion]
		if problems == nil {
			problems = fill(p, &got, texts...)
		}
		if problems != nil {
			assert.Equal(t, c.want, Sentences(problems, 0), c.content)
			continue
		}
		assert.Equal(t, c.want, jsonenc.Text(got.X), c.content)
	}
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"x.region":null,"x.tags":""}`, jsonenc.MaxDepth))
	texts, _ := planOf[asOptional[inRegion]](t).ReadForm(doc.Root(), true)
	assert.False(t, texts[0].Given, "an optional argument of which nothing was filled in")
}

// What has no fields of its own is asked for as JSON.
func TestFormOfOneField(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"type":"object","properties":{"a.b":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"dependentRequired":{"a":["b"]}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^b":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`,
	} {
		raw, err := listPlan(t, Spec{Name: "s", Schema: parsed(t, text)}).AppendForm(nil, "Message", false, true)
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"properties":{"s":{"type":"string"}}`, text)
	}
	s := parsed(t, `{"type":"object","properties":{"a":{"type":"string"}}}`)
	raw, err := listPlan(t, Spec{Name: "s", Schema: s}, Spec{Name: "s.a"}).AppendForm(nil, "Message", false, true)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"properties":{"s":{"type":"string"},"s.a":{"type":"string"}}`)
	for fields, want := range map[int]string{maxParts: `"s.m0":`, maxParts + 1: `"s":`} {
		wide := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
		for i := range fields {
			wide.Properties[fmt.Sprintf("m%d", i)] = &jsonschema.Schema{Type: "boolean"}
		}
		raw, err := listPlan(t, Spec{Name: "s", Schema: wide}).AppendForm(nil, "Message", false, true)
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"properties":{`+want)
	}
	gone := `{"type":"object","properties":{"a":{"type":"boolean"},"gone":false}}`
	raw, err = listPlan(t, Spec{Name: "s", Schema: parsed(t, gone)}).AppendForm(nil, "Message", false, true)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"properties":{"s.a":{"type":"boolean"}}`, "a member that no object can have")
	inner := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"x.y": {Type: "string"}}}
	for i := range maxParts {
		inner.Properties[fmt.Sprintf("m%d", i)] = &jsonschema.Schema{Type: "boolean"}
	}
	outer := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": inner, "b": {Type: "boolean"}}}
	raw, err = listPlan(t, Spec{Name: "s", Schema: outer}).AppendForm(nil, "Message", false, true)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"properties":{"s.a":{"type":"string"},"s.b":{"type":"boolean"}}`, "a is one field")
	nested := `{"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#"}}}`
	raw, err = listPlan(t, Spec{Name: "s", Schema: parsed(t, nested)}).AppendForm(nil, "Message", false, true)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"s.next.next.next":{"type":"string"}`)
	assert.NotContains(t, string(raw), "next.next.next.")
}
