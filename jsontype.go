package prompts

import (
	"encoding"
	"encoding/json"
	"errors"
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

// tag is what the json tag of a field says.
type tag struct {
	name     string // empty for the field's own
	optional bool
	quoted   bool // it has the option "string"
	left     bool // the field is left out
}

// readTag reads the json tag of a field. It fails on what encoding/json would
// pass over.
func readTag(sf reflect.StructField) (tag, error) {
	text, ok := sf.Tag.Lookup("json")
	if text == "-" {
		return tag{left: true}, nil
	}
	if ok && !sf.IsExported() && !sf.Anonymous {
		return tag{left: true}, fmt.Errorf("the field %s has a json tag, but is not exported; export it, or remove the tag", sf.Name)
	}
	name, options, _ := strings.Cut(text, ",")
	t := tag{name: name}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty", "omitzero":
			t.optional = true
		case "string":
			t.quoted = true
		default:
			return t, fmt.Errorf("the json tag of the field %s has the unknown option %q%s", sf.Name, clip(option, 64), meant(strings.TrimSpace(option), []string{"omitempty", "omitzero"}))
		}
	}
	return t, nil
}

// member is a member of a JSON object as a struct declares it.
type member struct {
	name     string
	typ      reflect.Type
	field    reflect.StructField
	optional bool // a pointer, or inside an embedded pointer
	tag      tag
	fault    error
}

// membersOf returns what encoding/json fills in a struct: of members with the
// same name the one that embedding hides least, then the one with a tag. What
// of it may surprise is a fault of the member.
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
				m := memberOf(sf)
				m.optional = m.optional || e.optional
				base := withoutPointers(sf.Type)
				isEmbedded := sf.Anonymous && base.Kind() == reflect.Struct
				if m.fault == nil && (m.tag.left || !sf.IsExported() && !isEmbedded) {
					continue
				}
				if m.fault == nil && isEmbedded && m.tag.name == "" {
					if sf.Type.Kind() == reflect.Pointer && !sf.IsExported() {
						m.fault = unsettable(base)
					} else if !seen[base] {
						seen[base] = true
						next = append(next, embedded{base, m.optional})
						continue
					} else {
						continue
					}
				}
				switch at := slices.IndexFunc(members, func(other member) bool { return other.name == m.name }); {
				case at < 0:
					members = append(members, m)
				case at >= hiding || members[at].field.Name != sf.Name:
					members[at].fault = fmt.Errorf("two of its fields have the name %q; rename one in its json tag", m.name)
				}
			}
		}
		level = next
	}
	return members
}

func memberOf(sf reflect.StructField) member {
	m := member{name: sf.Name, typ: sf.Type, field: sf, optional: sf.Type.Kind() == reflect.Pointer}
	if m.tag, m.fault = readTag(sf); m.tag.name != "" {
		m.name = m.tag.name
	}
	return m
}

// unsettable is the fault of an embedded pointer to a struct that is not
// exported.
func unsettable(base reflect.Type) error {
	return fmt.Errorf("the embedded pointer to %s cannot be set, because the type is not exported; embed the struct itself", base.Name())
}

// typeWalk goes through a type that is read from JSON, before jsonschema-go
// does, and refuses what that would not explain or would let pass.
type typeWalk struct {
	known  map[reflect.Type]*jsonschema.Schema // of types whose kind does not say what they are read from
	within map[reflect.Type]bool
}

func (w *typeWalk) walk(t reflect.Type) error {
	t = withoutPointers(t)
	if w.known[t] != nil {
		return nil
	}
	if w.within[t] {
		return fmt.Errorf("its type %s holds itself; use json.RawMessage and decode it in the render function", t)
	}
	if own, err := ownSchema(t); own != nil || err != nil {
		if err == nil {
			err = checkOwnInside(t, own)
		}
		w.known[t] = own
		return err
	}
	switch {
	case t == typeURL:
		return errors.New("encoding/json reads a url.URL from an object of its fields; use a string and parse it in the render function")
	case reflect.PointerTo(t).Implements(jsonUnmarshaler) && t != typeTime:
		w.known[t] = &jsonschema.Schema{}
		return nil
	case reflect.PointerTo(t).Implements(textUnmarshaler), isBytes(t):
		w.known[t] = &jsonschema.Schema{Type: "string"}
		return nil
	}
	if _, err := kindOf(t); err != nil {
		return err
	}
	if t.Name() != "" {
		w.within[t] = true
		defer delete(w.within, t)
	}
	switch t.Kind() {
	case reflect.Map:
		if !isKey(t.Key()) {
			return fmt.Errorf("a map's keys must be strings; use map[string]%s", t.Elem())
		}
		return w.walk(t.Elem())
	case reflect.Slice, reflect.Array:
		return w.walk(t.Elem())
	case reflect.Struct:
		return w.members(t)
	}
	return nil
}

// isKey reports whether encoding/json and jsonschema-go both take t as the type
// of a map's keys.
func isKey(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler)
}

func (w *typeWalk) members(t reflect.Type) error {
	members := membersOf(t)
	if len(members) == 0 && t.NumField() > 0 {
		return unfillable(t) // all its fields are its own
	}
	for _, m := range members {
		err := m.fault
		if err == nil && m.tag.quoted {
			return fmt.Errorf(`the json tag of its member %q has the option "string", which its schema would not know; remove it, or declare the member as a string`, m.name)
		}
		if err == nil {
			_, err = description(m.field)
		}
		if err == nil {
			err = w.walk(m.typ)
		}
		if err != nil {
			return fmt.Errorf("its member %q: %w", m.name, err)
		}
	}
	return nil
}

// completeSchema completes what jsonschema-go has inferred for what is inside
// of a value of type t: it requires pointers, which are optional here, and
// refuses null for some of what can be nil.
func completeSchema(t reflect.Type, s *jsonschema.Schema) error {
	t = withoutPointers(t)
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return completeInside(t.Elem(), s.Items)
	case reflect.Map:
		return completeInside(t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		for _, m := range membersOf(t) {
			if s.Properties[m.name] == nil {
				return fmt.Errorf("its member %q comes from an embedded struct in a way that its schema would not know; declare it as a field with a name", m.name)
			}
			if m.optional {
				s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == m.name })
			}
			if err := completeInside(m.typ, s.Properties[m.name]); err != nil {
				return err
			}
		}
		if len(s.Required) == 0 {
			s.Required = nil
		}
	}
	return nil
}

// completeInside completes the schema of a part. What can be nil may be null,
// as encoding/json reads and prints it.
func completeInside(t reflect.Type, s *jsonschema.Schema) error {
	base := withoutPointers(t)
	isNilable := t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	own, err := ownSchema(base)
	switch {
	case err != nil:
		return err
	case own != nil && isNilable:
		own.Description = ""
		*s = jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{{Type: "null"}, own}}
	case own != nil:
	case slices.Equal(s.Types, []string{"null"}):
		s.Types = nil // a pointer to what has no type may be anything
	case isNilable && s.Type != "":
		s.Type, s.Types = "", []string{"null", s.Type}
	}
	if own != nil || readsItself(base) || isBytes(base) {
		return nil
	}
	return completeSchema(base, s)
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
			if m.fault != nil { // its schema is its own, and so nobody has seen it
				return fmt.Errorf("member %q: %w", m.name, m.fault)
			}
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
