package jsonenc

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("boom") }

type rawText string

func (t rawText) MarshalText() ([]byte, error) { return []byte(t), nil }

type rawJSON string

func (j rawJSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

func TestAppend(t *testing.T) {
	t.Parallel()
	circle := map[string]any{}
	circle["a"] = circle
	for _, c := range []struct {
		value     any
		want, err string
	}{
		{map[string]any{"b": "<&>", "a": 1}, `{"a":1,"b":"<&>"}`, ""},
		{"\ufffd", `"` + "\ufffd" + `"`, ""},
		{`\ufffd`, `"\\ufffd"`, ""},
		{`\\ufffd`, `"\\\\ufffd"`, ""},
		{nil, "null", ""},
		{"\u2028", `"\u2028"`, ""},
		{rawJSON(` {"a": [1, 2.5]} `), `{"a":[1,2.5]}`, ""},
		{json.RawMessage(strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)), strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), ""},
		{"\xff", "null", "invalid UTF-8"},
		{`\` + "\xff", "null", "invalid UTF-8"},
		{map[string]any{"\xff": 1}, "null", "invalid UTF-8"},
		{[]any{map[string]any{"a": "\xff"}}, "null", "invalid UTF-8"},
		{struct{ A string }{"\xff"}, "null", "invalid UTF-8"},
		{rawJSON("\"\xff\""), "null", "invalid UTF-8"},
		{json.RawMessage("\"\xff\""), "null", "invalid UTF-8"},
		{rawText("\xff"), "null", "invalid UTF-8"},
		{map[rawText]int{"\xff": 1}, "null", "invalid UTF-8"},
		{math.NaN(), "null", "NaN"},
		{circle, "null", "cycle"},
		{rawJSON("{"), "null", "end of JSON input"},
		{panics{}, "null", "panic: boom"},
		{func() {}, "null", "json: unsupported type: func()"},
		{json.RawMessage(`{"a":1,"a":2}`), "null", `duplicate`},
		{json.RawMessage(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)), "null", "nest"},
	} {
		got, err := Append([]byte("x"), c.value)
		assert.Equal(t, "x"+c.want, string(got))
		if c.err == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.err)
		}
	}
	assert.Equal(t, `["<"]`, Text([]string{"<"}))
	assert.Equal(t, "{}", Text(panics{}))
}

// The MarshalJSON of a schema may hide that one of its strings is invalid.
func TestAppendSchema(t *testing.T) {
	t.Parallel()
	invalid := &jsonschema.Schema{Title: "\xff"}
	var anyInvalid any = "\xff"
	values := []any{
		"\xff", json.RawMessage("\"\xff\""), &anyInvalid, []any{map[string]any{"a": "\xff"}}, []string{"\xff"},
		map[string]any{"a": "\xff"}, map[string]any{"\xff": 1}, map[string][]string{"a": {"\xff"}}, map[string]bool{"\xff": true},
		invalid, []*jsonschema.Schema{invalid}, map[string]*jsonschema.Schema{"a": invalid}, map[string]*jsonschema.Schema{"\xff": {}},
	}
	for i := range reflect.TypeFor[jsonschema.Schema]().NumField() {
		tested := false
		field := reflect.TypeFor[jsonschema.Schema]().Field(i)
		for _, v := range values {
			var s jsonschema.Schema
			if f := reflect.ValueOf(&s).Elem().Field(i); f.Type() == reflect.TypeOf(v) {
				f.Set(reflect.ValueOf(v))
				for _, v := range []any{&s, s, map[string]any{"a": []any{s}}, &jsonschema.Schema{Items: &jsonschema.Schema{AllOf: []*jsonschema.Schema{&s}}}} {
					_, err := Append(nil, v)
					if field.Name != "PropertyOrder" { // it is not encoded
						assert.ErrorContains(t, err, "invalid UTF-8", field.Name)
					}
				}
				tested = true
			}
		}
		kind := field.Type.Kind()
		if kind == reflect.Pointer {
			kind = field.Type.Elem().Kind()
		}
		assert.True(t, tested || kind == reflect.Bool || kind == reflect.Int || kind == reflect.Float64, field.Name)
	}
}
