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

type self struct{ Self *self }

func (*self) MarshalJSON() ([]byte, error) { return []byte(`"self"`), nil }

// Encoded copies a struct with the fields that it embeds and that JSON has. What is not
// exported, what JSON leaves out, and a type with MarshalJSON are shared, so a cycle
// there does no harm.
func TestEncoded(t *testing.T) {
	t.Parallel()
	type embedded struct{ Deep []string }
	type private struct {
		embedded
		Names  []string
		Parent *private `json:"-"`
		note   []string
	}
	value := &private{embedded: embedded{[]string{"d"}}, Names: []string{"a"}, note: []string{"n"}}
	value.Parent = value
	declared := map[string]any{
		"strings": map[string][]string{"k": {"v"}}, "value": value, "array": [1][]int{{1}},
		"raw": json.RawMessage(`{"a":1}`), "int": int64(1<<53 + 1), "self": &self{},
	}
	c := Encoded(declared)
	copied := c["value"].(*private)
	assert.Equal(t, []string{"n"}, copied.note)
	assert.Same(t, declared["self"], c["self"])
	assert.Equal(t, declared["int"], c["int"])
	copied.Names[0], copied.Deep[0] = "spoilt", "spoilt"
	assert.Equal(t, []string{"a"}, value.Names)
	assert.Equal(t, []string{"d"}, value.Deep)
	for _, name := range []string{"strings", "array", "raw"} {
		assert.Equal(t, declared[name], c[name])
		assertApart(t, reflect.ValueOf(declared[name]), reflect.ValueOf(c[name]), name)
	}
}
