package clone

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

// Deep leaves nothing shared, so that a copy from Lookup can be changed.
func TestDeep(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{
		Enum: []any{[]any{1.0}, map[string]any{"a": []any{"b"}}, nil}, Minimum: new(1.0), Default: json.RawMessage(`1`), Const: new(any("x")),
		Properties: map[string]*jsonschema.Schema{"p": {MinLength: new(1)}, "nil": nil}, AllOf: []*jsonschema.Schema{{}},
		Extra: map[string]any{"x": []any{1.0}},
	}
	c := Deep(s)
	assert.Equal(t, s, c)
	assertApart(t, reflect.ValueOf(s), reflect.ValueOf(c), "schema")
	assert.Nil(t, Deep((*jsonschema.Schema)(nil)))
}

func assertApart(t *testing.T, a, b reflect.Value, where string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.IsNil() {
			return
		}
		assert.NotEqual(t, a.Pointer(), b.Pointer(), where)
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !a.IsNil() {
			assertApart(t, a.Elem(), b.Elem(), where)
		}
	case reflect.Slice:
		for i := range a.Len() {
			assertApart(t, a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", where, i))
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			assertApart(t, a.MapIndex(k), b.MapIndex(k), fmt.Sprintf("%s[%s]", where, k))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			assertApart(t, a.Field(i), b.Field(i), where+"."+a.Type().Field(i).Name)
		}
	}
}
