package argument

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/suggest"
)

// This file is about Go types that encoding/json fills: an argument that is a
// struct or a map, and everything inside of it. It infers their schemas, checks
// a declared schema against the type, and rejects members in the wrong case.

// jsonTypes infers the schemas of types that encoding/json fills. It holds the
// types around the current one.
//
// ForType of jsonschema-go 0.4.3 does not fit: it requires pointers, allows no
// null for a map, reads []byte as an array and a type with UnmarshalText as an
// object, and knows no type with a schema of its own.
type jsonTypes map[reflect.Type]bool

// schemaOf returns the schema of the JSON that fills a value of type t, which is
// no pointer.
func (within jsonTypes) schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	switch {
	case t == typeNumber:
		return &jsonschema.Schema{Type: "number"}, nil
	case within[t]:
		return nil, fmt.Errorf("recursive type %s; use json.RawMessage and decode it in the render function", t)
	case t == typeURL:
		return nil, errors.New("url.URL cannot be a member of JSON; use a string and parse the URL in the render function")
	case readsJSON(t) && t != typeTime:
		return &jsonschema.Schema{}, nil // the method validates
	case reflect.PointerTo(t).Implements(textUnmarshaler), isBytes(t):
		return &jsonschema.Schema{Type: "string"}, nil
	}
	if _, err := kindOf(t); err != nil {
		return nil, err
	}
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

// partOf returns the schema of a member, an element or a value of type t. Null
// is allowed for what can be nil.
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

// object returns the schema of a struct.
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

// isKey reports whether a map with keys of type t is a JSON object.
func isKey(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler)
}

// jsonTypeOf returns the JSON type that fills a value of type t; "" for any.
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

// checkMembers returns an error if the schema has a member that the type t does
// not have, or has with another JSON type.
func checkMembers(t reflect.Type, s *jsonschema.Schema) error {
	t = withoutPointers(t)
	if readsItself(t) {
		return nil
	}
	check := func(at string, t reflect.Type, s *jsonschema.Schema) error {
		if s == nil {
			return nil
		}
		err := schema.CheckType(jsonTypeOf(t), s)
		if err == nil {
			err = checkMembers(t, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return check("/items", t.Elem(), s.Items)
	case reflect.Map:
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if err := check("/properties/"+schema.PointerEscaper.Replace(name), t.Elem(), s.Properties[name]); err != nil {
				return err
			}
		}
		return check("/additionalProperties", t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		types := map[string]reflect.Type{}
		for _, f := range fieldsOf(t) {
			if f.err != nil { // a type with a schema of its own was not checked before
				return fmt.Errorf("member %q: %w", f.name, f.err)
			}
			types[f.name] = f.typ
		}
		names := slices.Sorted(maps.Keys(types))
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Properties)), s.Required) {
			if types[name] == nil {
				return fmt.Errorf("the type has no member %q%s", phrase.Clip(name, 64), suggest.DidYouMean(name, names))
			}
			if err := check("/properties/"+schema.PointerEscaper.Replace(name), types[name], s.Properties[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// memberCase finds members of JSON in the wrong case. encoding/json would fill
// the field "level" from a member "LEVEL", which no schema has validated.
type memberCase struct {
	members map[string]*memberCase // of a struct
	inside  *memberCase            // of a slice, an array or a map
}

// memberCaseOf returns nil if no value of type t contains a struct.
func memberCaseOf(t reflect.Type) *memberCase { return memberCaseIn(t, map[reflect.Type]*memberCase{}) }

// memberCaseIn is memberCaseOf with the types known so far. A type with a schema
// of its own may contain itself.
func memberCaseIn(t reflect.Type, known map[reflect.Type]*memberCase) *memberCase {
	t = withoutPointers(t)
	if c, ok := known[t]; ok || readsItself(t) {
		return c
	}
	c := &memberCase{}
	known[t] = c
	switch t.Kind() {
	case reflect.Struct:
		c.members = map[string]*memberCase{}
		for _, f := range fieldsOf(t) {
			c.members[f.name] = memberCaseIn(f.typ, known)
		}
		return c
	case reflect.Slice, reflect.Array, reflect.Map:
		if c.inside = memberCaseIn(t.Elem(), known); c.inside != nil {
			return c
		}
	}
	known[t] = nil
	return nil
}

// check returns the problem of the first member in the wrong case.
func (c *memberCase) check(v strictjson.Value) *Problem {
	if c == nil {
		return nil
	}
	for e := range v.Elements() {
		if p := c.inside.check(e); p != nil {
			return p
		}
	}
	for name, e := range v.Members() {
		inside, ok := c.members[name]
		if !ok {
			if other := c.folded(name); other != "" {
				return &Problem{Reason: reasonType, Message: "has the member " + Quote(name) + ", which must be written " + Quote(other)}
			}
			inside = c.inside
		}
		if p := inside.check(e); p != nil {
			return p
		}
	}
	return nil
}

// folded returns the first member of the struct that is name in another case; ""
// without one.
func (c *memberCase) folded(name string) string {
	first := ""
	for member := range c.members {
		if strings.EqualFold(member, name) && (first == "" || member < first) {
			first = member
		}
	}
	return first
}
