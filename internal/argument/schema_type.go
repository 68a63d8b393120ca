package argument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file finds the JSON types that a schema allows. The type says how the text of
// an argument is read, and a type that no text can give is an error.

// typeSet is a set of JSON types.
type typeSet uint8

const (
	typeString typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction // numbers that are not integers
	typeArray
	typeObject
	typeNull
	anyType typeSet = 1<<iota - 1
	numeric         = typeInteger | typeFraction
)

var typeSets = map[string]typeSet{
	"string": typeString, "boolean": typeBoolean, "integer": typeInteger, "number": numeric,
	"array": typeArray, "object": typeObject, "null": typeNull,
}

// String lists the types.
func (set typeSet) String() string {
	var names []string
	for _, name := range schemaTypes {
		if name == "integer" && set&typeFraction != 0 {
			continue // "number" follows
		}
		if of := typeSets[name]; set&of == of {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// possibleTypes returns the types of the values that the schema can allow: all
// types if it says nothing. It returns an error for references that loop.
func possibleTypes(s *jsonschema.Schema) (typeSet, error) {
	f, err := newTypeFinder(s)
	if err != nil {
		return 0, err
	}
	return f.find(s), nil
}

// newTypeFinder returns a typeFinder for the parts of the schema.
func newTypeFinder(root *jsonschema.Schema) (*typeFinder, error) {
	r, err := resolveReferences(root)
	if err != nil {
		return nil, err
	}
	return &typeFinder{references: r, found: map[*jsonschema.Schema]typeSet{}}, nil
}

type typeFinder struct {
	references *references
	found      map[*jsonschema.Schema]typeSet // each schema is visited once
}

func (f *typeFinder) find(s *jsonschema.Schema) typeSet {
	if set, ok := f.found[s]; ok {
		return set
	}
	set := declaredTypes(s)
	if _, values, err := allowed(s); err == nil && values != nil {
		set &= typesOfValues(values)
	}
	for _, ref := range []string{s.Ref, s.DynamicRef} {
		if target, err := f.references.target(ref); ref != "" && err == nil {
			set &= f.find(target)
		}
	}
	for _, sub := range s.AllOf {
		set &= f.find(sub)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if branches != nil {
			either := typeSet(0)
			for _, sub := range branches {
				either |= f.find(sub)
			}
			set &= either
		}
	}
	if isFalse(s) {
		set = 0
	}
	f.found[s] = set
	return set
}

// declaredTypes returns the types of the keyword type: all types without it.
func declaredTypes(s *jsonschema.Schema) typeSet {
	types := typesOf(s)
	if len(types) == 0 {
		return anyType
	}
	set := typeSet(0)
	for _, name := range types {
		set |= typeSets[name] // checkKeywords reports an unknown type
	}
	return set
}

func typesOfValues(values []any) typeSet {
	set := typeSet(0)
	for _, v := range values {
		set |= typeSets[typeOf(v)]
	}
	return set
}

// kindOfSchema returns how a text is read without a Go type: by the only type that
// the schema can allow. A schema that can allow all types is of a string.
func kindOfSchema(s *jsonschema.Schema) (kind, error) {
	for _, t := range typesOf(s) {
		if !slices.Contains(schemaTypes, t) {
			return 0, fmt.Errorf("schema: %w", checkKeywords(&jsonschema.Schema{Type: t}))
		}
	}
	set, err := possibleTypes(s)
	if err != nil {
		return 0, fmt.Errorf("schema: %w", err)
	}
	switch set &^= typeNull; set {
	case typeString, anyType &^ typeNull:
		return kindString, nil
	case typeBoolean:
		return kindBool, nil
	case typeInteger:
		return kindInt, nil
	case numeric, typeFraction:
		return kindFloat, nil
	case typeArray:
		if refersOutside(s) || s.Items == nil && (s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil) {
			return kindJSON, nil // Items is not a schema by itself, or may be in another part
		}
		return kindList, nil
	case typeObject:
		return kindJSON, nil
	case 0:
		return 0, errors.New("schema: no type that a string can be converted to is allowed, so no value is allowed")
	}
	return 0, fmt.Errorf("schema: a string can be converted to one type only, not to %s; use a string with a pattern", set)
}

// checkTypes returns an error for a schema that allows no value of the type want, or
// that allows a type besides it, of which no text can be.
func checkTypes(want string, s *jsonschema.Schema) error {
	if want == "" {
		return nil
	}
	f, err := newTypeFinder(s)
	if err != nil {
		return err
	}
	set, read := f.find(s), typeSets[want]
	if read&numeric != 0 {
		read = numeric // 1.0 is an integer
	}
	switch {
	case set == 0 && len(s.Enum) > 0:
		return fmt.Errorf("enum has no value of type %s, so no value is allowed", want)
	case set == 0:
		return errors.New("no type that a string can be converted to is allowed, so no value is allowed")
	case set&read == 0:
		return fmt.Errorf("type is %s, but this value is read as %s", set, want)
	case set|typeNull != anyType && set&^read&^typeNull != 0:
		return fmt.Errorf("schema allows %s, but this value is read as %s; remove the other types", set, want)
	}
	for at, sub := range subschemas(s) {
		isBranch := strings.HasPrefix(at, "/anyOf/") || strings.HasPrefix(at, "/oneOf/")
		if set := f.find(sub) &^ typeNull; isBranch && set&read == 0 && set != 0 {
			return fmt.Errorf("%s allows only %s, but this value is read as %s; remove it", at, set, want)
		}
	}
	return nil
}
