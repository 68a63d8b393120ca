package argument

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/schema"
)

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeDuration    = reflect.TypeFor[time.Duration]()
	typeTime        = reflect.TypeFor[time.Time]()
	typeURL         = reflect.TypeFor[url.URL]()
	typeAddr        = reflect.TypeFor[netip.Addr]()
	typeAddrPort    = reflect.TypeFor[netip.AddrPort]()
	typePrefix      = reflect.TypeFor[netip.Prefix]()
	typeNumber      = reflect.TypeFor[json.Number]()
)

// maxTypeDepth limits how deep pointers and lists may nest in the type of an
// argument, because a type can contain itself.
const maxTypeDepth = 8

// A pointer says only that a value may be absent.
func withoutPointers(t reflect.Type) reflect.Type {
	for depth := 0; t.Kind() == reflect.Pointer && depth < maxTypeDepth; depth++ {
		t = t.Elem()
	}
	return t
}

// encoding.TextUnmarshaler is checked on the pointer, because its method has to set the value.
func hasTextForm(t reflect.Type) bool {
	return t == typeURL || t == typeDuration || reflect.PointerTo(t).Implements(textUnmarshaler)
}

func readsItself(t reflect.Type) bool {
	return readsJSON(t) || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// readsJSON reports whether t has the method UnmarshalJSON, or UnmarshalJSONFrom of
// encoding/json/v2. encoding/json calls that too, since Go 1.27. The method is found by the name of
// its parameter's type, so that this package compiles with Go 1.26.
func readsJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	if p.Implements(jsonUnmarshaler) {
		return true
	}
	m, ok := p.MethodByName("UnmarshalJSONFrom")
	if !ok || m.Type.NumIn() != 2 || m.Type.In(1).Kind() != reflect.Pointer {
		return false
	}
	decoder := m.Type.In(1).Elem() // a type that Go 1.26 does not have
	return decoder.PkgPath() == "encoding/json/jsontext" && decoder.Name() == "Decoder"
}

// An element with a method of its own is read by the method, so the slice is a list.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !hasTextForm(t.Elem()) && !readsJSON(t.Elem())
}

// The order matters: a type with its own method is read by the method, whatever its Go kind is.
func kindOf(t reflect.Type) (schema.Kind, error) {
	t = withoutPointers(t)
	switch {
	case t == typeDuration:
		return schema.Duration, nil
	case t == typeURL:
		return schema.URL, nil
	case t == typeNumber:
		return schema.Float, nil
	case reflect.PointerTo(t).Implements(textUnmarshaler):
		return schema.Text, nil
	case readsJSON(t):
		return schema.JSON, nil
	}
	switch t.Kind() {
	case reflect.String:
		return schema.String, nil
	case reflect.Bool:
		return schema.Bool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return schema.Int, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema.Uint, nil
	case reflect.Float32, reflect.Float64:
		return schema.Float, nil
	case reflect.Slice:
		if isBytes(t) {
			return schema.Bytes, nil
		}
		return schema.List, nil
	case reflect.Array:
		return schema.List, nil
	case reflect.Struct, reflect.Map:
		return schema.JSON, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return schema.Any, nil
		}
	}
	return 0, unsupported(t)
}

func unsupported(t reflect.Type) error {
	return fmt.Errorf("unsupported argument type %s; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText", t)
}

// expectedOf returns what the text of a value must be; "" if any text is valid, or if only the
// type's own method knows. The result is the object of "must be", and begins a hint.
func expectedOf(k schema.Kind, t reflect.Type, s *jsonschema.Schema) string {
	switch k {
	case schema.Bool:
		return "true or false"
	case schema.Int, schema.Uint:
		return "an integer"
	case schema.Float:
		return "a number"
	case schema.Text:
		switch t {
		case typeTime:
			return "a time such as 2026-05-31T14:30:00Z"
		case typeAddr:
			return "an IP address"
		case typeAddrPort:
			return "an IP address and port such as 192.0.2.1:80"
		case typePrefix:
			return "an IP prefix such as 192.0.2.0/24"
		}
	case schema.Duration:
		return "a duration such as 1h30m"
	case schema.URL:
		return "a URL"
	case schema.Bytes:
		return "base64 data"
	case schema.List:
		return "a JSON array" // any other text is split
	case schema.JSON:
		switch {
		case slices.Equal(schema.TypesOf(s), []string{"object"}):
			return "a JSON object"
		case slices.Equal(schema.TypesOf(s), []string{"array"}):
			return "a JSON array"
		}
		return "JSON"
	}
	return ""
}

// encoding/json also reads integers as keys, which are not supported.
func isKey(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler)
}

func jsonTypeOf(t reflect.Type) string {
	t = withoutPointers(t)
	switch {
	case readsJSON(t):
		return ""
	case reflect.PointerTo(t).Implements(textUnmarshaler), isBytes(t):
		return "string"
	case t == typeNumber:
		return "number"
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return ""
	}
	return "integer"
}
