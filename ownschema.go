package prompts

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemer is a type that brings its own schema.
type schemer interface {
	JSONSchema() *jsonschema.Schema
}

var typeSchemer = reflect.TypeFor[schemer]()

// ownSchema returns a copy of the schema that t, or a pointer to it, brings;
// nil if it brings none.
func ownSchema(t reflect.Type) (own *jsonschema.Schema, err error) {
	if !reflect.PointerTo(t).Implements(typeSchemer) {
		return nil, nil
	}
	defer func() {
		if v := recover(); v != nil {
			own, err = nil, fmt.Errorf("the method JSONSchema of %s: panic: %v", t, v)
		}
	}()
	s := reflect.New(t).Interface().(schemer).JSONSchema()
	if s == nil {
		return nil, fmt.Errorf("the method JSONSchema of %s returns nil", t)
	}
	if own, err = cloneSchema(s); err == nil {
		err = checkPromoted(t, own)
	}
	if err != nil {
		return nil, fmt.Errorf("the method JSONSchema of %s: %w", t, err)
	}
	return own, nil
}

// checkPromoted refuses the schema of a struct that is that of what it embeds,
// and so lacks its own fields.
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
		if jsonText(inner) == jsonText(own) {
			return fmt.Errorf("it is that of %s, which is embedded; give %s one of its own", base, t)
		}
	}
	return nil
}

// checkOwnInside refuses a schema that is to be a part of another.
func checkOwnInside(t reflect.Type, own *jsonschema.Schema) error {
	err := error(nil)
	if hasReference(own) {
		err = errors.New("schema: inside of another schema its references would mean something else; write out what they refer to")
	} else {
		_, err = compileValue(t, own)
	}
	if err != nil {
		return fmt.Errorf("the method JSONSchema of %s: %w", t, err)
	}
	return nil
}
