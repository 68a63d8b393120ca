package sample

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two texts at least are made of a pattern that has two.
func TestMatches(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		`^[A-Z]{2}-\d+$`, `^(a|b|c)x?$`, `^\d{4}-\d{2}-\d{2}$`, `^v[0-9]+(\.[0-9]+)*$`, `[a-f0-9]{40}`, `(?i)^yes|no$`,
		`^.+@.+$`, `^[^/]+/[^/]+$`, `^[äöü]+$`, `^\S+$`,
	} {
		all := matches(pattern)
		assert.GreaterOrEqual(t, len(all), 2, "%s: %q", pattern, all)
		for _, text := range all {
			assert.Regexp(t, regexp.MustCompile(pattern), text)
		}
	}
	assert.Equal(t, []string{"ä", "ö", "ü", "öüäöüäöü", "üäöüäöüä"}, matches("^[äöü]+$"))
	assert.Equal(t, []string{"abc"}, matches("^abc$"))
	assert.Empty(t, matches(`^[[:nothing:]]`))
	assert.Empty(t, matches(`(?=a)`), "what Go has not")
	assert.Empty(t, matches(`[^\x00-\x{10FFFF}]`))
	assert.Empty(t, matches(`^a\b.$`), "what depends on its neighbours")
	assert.Empty(t, matches(strings.Repeat("(a{1000})", 100)), "what is too long")
}

// The values of what has only so many are those of its schema, as texts.
func TestFinite(t *testing.T) {
	t.Parallel()
	var one any = 1.0
	for _, test := range []struct {
		schema *jsonschema.Schema
		want   []string
	}{
		{nil, nil},
		{&jsonschema.Schema{Type: "string"}, nil},
		{enum("a", "b"), []string{"a", "b"}},
		{&jsonschema.Schema{Enum: []any{1, 2.5, true}}, []string{"1", "2.5", "true"}},
		{&jsonschema.Schema{Const: &one}, []string{"1"}},
		{&jsonschema.Schema{Type: "boolean"}, []string{"true", "false"}},
		{&jsonschema.Schema{Type: "array", Items: enum("a", "b,c", " d")}, []string{"a", `["b,c"]`, `[" d"]`}},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}, nil},
	} {
		assert.Equal(t, test.want, Finite(test.schema))
	}
}

// Lists are as long as they may be, and one is longer than the others.
func TestSamplesOfLists(t *testing.T) {
	t.Parallel()
	two := 2
	items := &jsonschema.Schema{Type: "boolean"}
	assert.Equal(t, []string{"true", "false", "true", "false", "true, false"}, Values("a", &jsonschema.Schema{Type: "array", Items: items}))
	for _, text := range Values("a", &jsonschema.Schema{Type: "array", Items: items, MinItems: &two, MaxItems: &two}) {
		assert.Equal(t, 1, strings.Count(text, ","), "%s", text)
	}
}

// Each level of nested objects costs the same: 20 of them would never end if it were a
// multiple of the level below.
func TestSamplesOfNestedObjects(t *testing.T) {
	t.Parallel()
	nested := &jsonschema.Schema{Type: "boolean"}
	for range 20 {
		nested = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": nested}}
	}
	nested.Required = []string{"a"}
	for _, text := range Values("a", nested) {
		assert.Contains(t, text, `{"a":`)
	}
}

func enum(values ...any) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Enum: values} }

// A text is JSON of the type in its schema, if it can be.
func TestJSON(t *testing.T) {
	t.Parallel()
	schema := func(text string) *jsonschema.Schema {
		s := new(jsonschema.Schema)
		require.NoError(t, json.Unmarshal([]byte(text), s))
		return s
	}
	for _, test := range []struct{ schema, text, want string }{
		{`{"type":"string"}`, `3`, `"3"`},
		{`{"type":["null","string"]}`, `3`, `"3"`},
		{`{}`, `3`, `"3"`},
		{`{"type":"integer"}`, `3`, `3`},
		{`{"type":["null","integer"]}`, `3`, `3`},
		{`{"type":"integer"}`, `three`, `"three"`},
		{`{"type":"integer"}`, ``, `""`},
		{`{"type":"boolean"}`, `true`, `true`},
		{`{"type":"array","items":{"type":"integer"}}`, `1, 2,x`, `[1,2,"x"]`},
		{`{"type":"array","items":{"type":"string"}}`, `["1"]`, `["1"]`},
		{`{"type":"array"}`, `a`, `["a"]`},
		{`{"type":"object"}`, `{"a":1}`, `{"a":1}`},
		{`{"$ref":"#/$defs/a"}`, `{"a":1}`, `{"a":1}`},
	} {
		assert.Equal(t, test.want, JSON(schema(test.schema), test.text), "%s %s", test.schema, test.text)
	}
	assert.Equal(t, `"3"`, JSON(nil, "3"))
}
