package argument

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file says how a string becomes a value of a Go type, and infers the
// schema of such a string. jsontype.go does it for what is inside of JSON.

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeSchemer     = reflect.TypeFor[schemer]()
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

func withoutPointers(t reflect.Type) reflect.Type {
	for depth := 0; t.Kind() == reflect.Pointer && depth < maxTypeDepth; depth++ {
		t = t.Elem()
	}
	return t
}

// hasTextForm reports whether values of type t are read from a string by a rule
// of their own, not by their kind.
func hasTextForm(t reflect.Type) bool {
	return t == typeURL || t == typeDuration || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// readsItself reports whether t has a method by which encoding/json reads it.
func readsItself(t reflect.Type) bool {
	return readsJSON(t) || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// readsJSON reports whether t has the method UnmarshalJSON, or UnmarshalJSONFrom of
// encoding/json/v2. encoding/json calls that too, since Go 1.27.
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

// isBytes reports whether t is a slice of plain bytes, which is base64.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !hasTextForm(t.Elem()) && !readsJSON(t.Elem())
}

// kindOf returns how a value of type t is read.
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

// schemaOf infers the schema of an argument of type t: of the string for kinds
// that are strings to the schema, of the value for all others.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	return schemaAt(t, maxTypeDepth)
}

func schemaAt(t reflect.Type, depth int) (*jsonschema.Schema, error) {
	if depth == 0 {
		return nil, errors.New("type has too many nested lists; use json.RawMessage")
	}
	t = withoutPointers(t)
	k, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	if own, err := ownSchema(t); own != nil || err != nil {
		if err == nil && depth < maxTypeDepth {
			err = checkOwnInside(t, own)
		}
		return own, err
	}
	switch k {
	case schema.Bool:
		return &jsonschema.Schema{Type: "boolean"}, nil
	case schema.Int:
		return &jsonschema.Schema{Type: "integer"}, nil
	case schema.Uint:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0)}, nil
	case schema.Float:
		return &jsonschema.Schema{Type: "number"}, nil
	case schema.Any:
		return &jsonschema.Schema{}, nil
	case schema.List:
		items, err := schemaAt(t.Elem(), depth-1)
		if err != nil {
			return nil, err
		}
		s := &jsonschema.Schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = jsonschema.Ptr(t.Len()), jsonschema.Ptr(t.Len())
		}
		return s, nil
	case schema.JSON:
		return jsonTypes{}.schemaOf(t)
	}
	return &jsonschema.Schema{Type: "string"}, nil
}

// schemer is a type with a schema of its own.
type schemer interface {
	JSONSchema() *jsonschema.Schema
}

// ownSchema returns a copy of the schema that the method JSONSchema of t, or of a
// pointer to it, returns; nil without that method.
func ownSchema(t reflect.Type) (own *jsonschema.Schema, err error) {
	if !reflect.PointerTo(t).Implements(typeSchemer) {
		return nil, nil
	}
	defer func() {
		if v := recover(); v != nil {
			own, err = nil, fmt.Errorf("%s.JSONSchema: panic: %v", t, v)
		}
	}()
	s := reflect.New(t).Interface().(schemer).JSONSchema()
	if s == nil {
		return nil, fmt.Errorf("%s.JSONSchema returned nil", t)
	}
	if own, err = schema.Clone(s); err == nil {
		err = checkPromoted(t, own)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.JSONSchema: %w", t, err)
	}
	return own, nil
}

// checkPromoted returns an error if the method JSONSchema of a struct is promoted
// from an embedded one: that schema lacks the struct's own fields.
func checkPromoted(t reflect.Type, own *jsonschema.Schema) error {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		base := withoutPointers(sf.Type)
		if !sf.Anonymous || !reflect.PointerTo(base).Implements(typeSchemer) {
			continue
		}
		inner, err := ownSchema(base)
		if err != nil {
			return err
		}
		if jsonenc.Text(inner) == jsonenc.Text(own) {
			return fmt.Errorf("JSONSchema is inherited from the embedded %s; define it on %s", base, t)
		}
	}
	return nil
}

// checkOwnInside returns an error if a type's own schema cannot be part of
// another schema.
func checkOwnInside(t reflect.Type, own *jsonschema.Schema) error {
	err := error(nil)
	if schema.HasReference(own) {
		err = errors.New("schema: references do not work inside of another schema; write out the referenced schema")
	} else {
		_, err = compileValue(t, own)
	}
	if err != nil {
		return fmt.Errorf("%s.JSONSchema: %w", t, err)
	}
	return nil
}
