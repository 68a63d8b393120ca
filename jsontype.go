package prompts

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file knows how encoding/json sees the Go type of a value that is read
// from JSON.

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// readsItself reports whether t has a method by which encoding/json reads it.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler)
}

// member is a member of a JSON object as a struct declares it.
type member struct {
	name     string
	typ      reflect.Type
	optional bool // a pointer, or inside an embedded pointer
	quoted   bool // its tag has the option "string"
	tagged   bool
}

// membersOf returns what encoding/json fills in a struct: of members with the
// same name the one that embedding hides least, then the one with a tag.
func membersOf(t reflect.Type) []member {
	type embedded struct {
		typ      reflect.Type
		optional bool
	}
	var members []member
	seen := map[reflect.Type]bool{t: true}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		hiding := len(members)
		for _, e := range level {
			for i := range e.typ.NumField() {
				sf := e.typ.Field(i)
				m, ok := memberOf(sf)
				if !ok {
					continue
				}
				m.optional = m.optional || e.optional
				base := withoutPointers(sf.Type)
				isEmbedded := sf.Anonymous && base.Kind() == reflect.Struct
				if !sf.IsExported() && !isEmbedded {
					continue
				}
				if isEmbedded && !m.tagged {
					if !seen[base] {
						seen[base] = true
						next = append(next, embedded{base, m.optional})
					}
					continue
				}
				switch at := slices.IndexFunc(members, func(other member) bool { return other.name == m.name }); {
				case at < 0:
					members = append(members, m)
				case at >= hiding && m.tagged && !members[at].tagged:
					members[at] = m
				}
			}
		}
		level = next
	}
	return members
}

// memberOf reads the tag of a field; ok is false if it is left out.
func memberOf(sf reflect.StructField) (m member, ok bool) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return member{}, false
	}
	name, options, _ := strings.Cut(tag, ",")
	m = member{name: name, typ: sf.Type, optional: sf.Type.Kind() == reflect.Pointer, tagged: name != ""}
	if !m.tagged {
		m.name = sf.Name
	}
	m.quoted = slices.Contains(strings.Split(options, ","), "string")
	return m, true
}

// completeSchema completes what jsonschema-go has inferred for a value of
// type t: it requires pointers, which are optional here, and passes over the
// option "string". s is nil where it has inferred nothing.
func completeSchema(t reflect.Type, s *jsonschema.Schema) error {
	isInferred := s != nil
	if !isInferred {
		s = &jsonschema.Schema{}
	}
	t = withoutPointers(t)
	if readsItself(t) {
		if slices.Equal(s.Types, []string{"null"}) {
			s.Types = nil // a pointer to what has no type may be anything
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return completeSchema(t.Elem(), s.Items)
	case reflect.Map:
		return completeSchema(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for _, m := range membersOf(t) {
			if m.quoted {
				return fmt.Errorf(`the json tag of its member %q has the option "string", which its schema would not know; remove it, or declare the member as a string`, m.name)
			}
			if isInferred && s.Properties[m.name] == nil {
				return fmt.Errorf("its member %q comes from an embedded struct in a way that its schema would not know; declare it as a field with a name", m.name)
			}
			if m.optional {
				s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == m.name })
			}
			if err := completeSchema(m.typ, s.Properties[m.name]); err != nil {
				return err
			}
		}
		if len(s.Required) == 0 {
			s.Required = nil
		}
	}
	return nil
}

// jsonTypeOf returns the JSON type that encoding/json reads a value of type t
// from; empty if that may be any.
func jsonTypeOf(t reflect.Type) string {
	t = withoutPointers(t)
	switch {
	case reflect.PointerTo(t).Implements(jsonUnmarshaler):
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

// checkMembers refuses a schema of what is inside of a value that is read from
// JSON, if the type t has no such member, or one of another type.
func checkMembers(t reflect.Type, s *jsonschema.Schema) error {
	t = withoutPointers(t)
	if readsItself(t) {
		return nil
	}
	check := func(at string, t reflect.Type, s *jsonschema.Schema) error {
		if s == nil {
			return nil
		}
		err := checkType(jsonTypeOf(t), s)
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
			if err := check("/properties/"+pointerEscaper.Replace(name), t.Elem(), s.Properties[name]); err != nil {
				return err
			}
		}
		return check("/additionalProperties", t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		types := map[string]reflect.Type{}
		for _, m := range membersOf(t) {
			types[m.name] = m.typ
		}
		names := slices.Sorted(maps.Keys(types))
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Properties)), s.Required) {
			if types[name] == nil {
				return fmt.Errorf("its type has no member %q%s", clip(name, 64), meant(name, names))
			}
			if err := check("/properties/"+pointerEscaper.Replace(name), types[name], s.Properties[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
