package argument

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file infers the schema of a Go type: of an argument, and of what is inside of an
// argument that encoding/json fills.

// schemaOf infers the schema of an argument of type t: of the string for kinds that are strings to
// the schema, of the value for all others. The result belongs to the caller.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	return schemaAt(t, maxTypeDepth)
}

// schemaAt is schemaOf with the levels of lists that are left.
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
		// Inside of a list, the schema becomes a part of another one, for which other rules hold.
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

// jsonTypes infers the schemas of types that encoding/json fills. It holds the
// types around the current one.
//
// ForType of jsonschema-go 0.4.3 does not fit: it requires pointers, allows no
// null for a map, reads []byte as an array and a type with UnmarshalText as an
// object, and knows no type with a schema of its own.
//
// A type that contains itself has no finite schema without a reference, and is an
// error. The same type may occur twice side by side.
type jsonTypes map[reflect.Type]bool

func (within jsonTypes) schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	switch {
	case t == typeNumber:
		return &jsonschema.Schema{Type: "number"}, nil
	case within[t]:
		return nil, fmt.Errorf("recursive type %s; use json.RawMessage and decode it in the render function", t)
	case t == typeURL:
		return nil, errors.New("url.URL cannot be a member of JSON; use a string and parse the URL in the render function")
	// time.Time has UnmarshalJSON and reads a string.
	case readsJSON(t) && t != typeTime:
		return &jsonschema.Schema{}, nil // the method validates
	case reflect.PointerTo(t).Implements(textUnmarshaler), isBytes(t):
		return &jsonschema.Schema{Type: "string"}, nil
	}
	if _, err := kindOf(t); err != nil {
		return nil, err
	}
	// Only a named type can contain itself.
	if t.Name() != "" {
		within[t] = true
		defer delete(within, t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return within.object(t)
	case reflect.Map:
		if !isKey(t.Key()) {
			return nil, fmt.Errorf("map keys must be strings; use map[string]%s", t.Elem())
		}
		values, err := within.partOf(t.Elem())
		return &jsonschema.Schema{Type: "object", AdditionalProperties: values}, err
	case reflect.Slice, reflect.Array:
		items, err := within.partOf(t.Elem())
		s := &jsonschema.Schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = jsonschema.Ptr(t.Len()), jsonschema.Ptr(t.Len())
		}
		return s, err
	}
	s := &jsonschema.Schema{Type: jsonTypeOf(t)}
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		end := float64(int64(1) << (t.Bits() - 1))
		s.Minimum, s.Maximum = jsonschema.Ptr(-end), jsonschema.Ptr(end-1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		s.Minimum, s.Maximum = jsonschema.Ptr(0.0), jsonschema.Ptr(float64(int64(1)<<t.Bits()-1))
	case reflect.Uint, reflect.Uint64:
		s.Minimum = jsonschema.Ptr(0.0)
	}
	return s, nil
}

// encoding/json writes null for a nil pointer, slice or map, so clients that copy
// such JSON send null.
func (within jsonTypes) partOf(t reflect.Type) (*jsonschema.Schema, error) {
	base := withoutPointers(t)
	isNilable := t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	own, err := ownSchema(base)
	if err == nil && own != nil {
		err = checkOwnInside(base, own)
	}
	switch {
	case err != nil:
		return nil, err
	case own != nil && isNilable:
		s := &jsonschema.Schema{Description: own.Description, AnyOf: []*jsonschema.Schema{{Type: "null"}, own}}
		own.Description = ""
		return s, nil
	case own != nil:
		return own, nil
	}
	s, err := within.schemaOf(base)
	if err == nil && isNilable && s.Type != "" {
		s.Type, s.Types = "", []string{"null", s.Type}
	}
	return s, err
}

// additionalProperties is false: an unknown member would be dropped by
// encoding/json, although a model may have meant another one.
func (within jsonTypes) object(t reflect.Type) (*jsonschema.Schema, error) {
	fields := fieldsOf(t)
	if len(fields) == 0 && t.NumField() > 0 {
		return nil, unsupported(t) // no field is exported
	}
	s := &jsonschema.Schema{Type: "object", AdditionalProperties: schema.False()}
	for _, f := range fields {
		if f.quoted && f.err == nil {
			return nil, fmt.Errorf(`json tag of member %q has the option "string", which the schema does not know; remove the option, or declare the member as a string`, f.name)
		}
		member, err := (*jsonschema.Schema)(nil), f.err
		if err == nil {
			member, err = within.partOf(f.typ)
		}
		if err == nil {
			member, err = f.constrain(member, true)
		}
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", f.name, err)
		}
		// The tag of the field says more about the member than the description of its type.
		if f.description != "" {
			member.Description = f.description
		}
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[f.name] = member
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if !f.optional {
			s.Required = append(s.Required, f.name)
		}
	}
	return s, nil
}

// hasSchema reports whether a type, or a pointer to it, has a schema of its own: a method
// JSONSchema with one result, a value that encodes as a schema.
func hasSchema(t reflect.Type) bool {
	m, ok := reflect.PointerTo(t).MethodByName("JSONSchema")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1
}

// ownSchema returns a copy of the schema that the method JSONSchema of t, or of a pointer to it,
// returns; nil without that method. The method is called for a new zero value. A panic is an error
// of the declaration.
func ownSchema(t reflect.Type) (own *jsonschema.Schema, err error) {
	if !hasSchema(t) {
		return nil, nil
	}
	defer func() {
		if v := recover(); v != nil {
			own, err = nil, fmt.Errorf("%s.JSONSchema: panic: %v", t, v)
		}
	}()
	s, err := schema.Parse(reflect.New(t).MethodByName("JSONSchema").Call(nil)[0].Interface())
	if err != nil {
		return nil, fmt.Errorf("%s.JSONSchema: %w", t, err)
	}
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

// checkPromoted returns an error if the method JSONSchema of a struct is promoted from an embedded
// one: that schema lacks the struct's own fields. The two schemas are compared as JSON, because Go
// cannot see whether a method is promoted.
func checkPromoted(t reflect.Type, own *jsonschema.Schema) error {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		base := withoutPointers(sf.Type)
		if !sf.Anonymous || !hasSchema(base) {
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
