package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeSet is a set of JSON types. Integers and fractions are apart, so that a set can say "number,
// but only integers".
type TypeSet uint8

const (
	typeString TypeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction // numbers that are not integers
	typeArray
	typeObject
	typeNull
	anyType TypeSet = 1<<iota - 1
	numeric         = typeInteger | typeFraction
)

var typeSets = map[string]TypeSet{
	"string": typeString, "boolean": typeBoolean, "integer": typeInteger, "number": numeric,
	"array": typeArray, "object": typeObject, "null": typeNull,
}

func (set TypeSet) HasFractions() bool { return set&typeFraction != 0 }

// String lists the types.
// The names have the order of schemaTypes, so that a message is always the same.
func (set TypeSet) String() string {
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

// PossibleTypes returns the types of the values that the schema can allow: all types if it says
// nothing. It returns an error for references that loop. The set may be too large, as not, if and
// other keywords are not considered. A type that is not in the set is certainly rejected.
func PossibleTypes(s *jsonschema.Schema) (TypeSet, error) {
	f, err := newTypeFinder(s)
	if err != nil {
		return 0, err
	}
	return f.find(s), nil
}

func newTypeFinder(root *jsonschema.Schema) (*typeFinder, error) {
	r, err := resolveReferences(root)
	if err != nil {
		return nil, err
	}
	return &typeFinder{references: r, found: map[*jsonschema.Schema]TypeSet{}}, nil
}

type typeFinder struct {
	references *references
	found      map[*jsonschema.Schema]TypeSet // each schema is visited once
}

// A keyword intersects, and alternatives are united. The recursion ends, because newTypeFinder
// rejects loops in place.
func (f *typeFinder) find(s *jsonschema.Schema) TypeSet {
	if set, ok := f.found[s]; ok {
		return set
	}
	set := declaredTypes(s)
	if _, values, err := Allowed(s); err == nil && values != nil {
		set &= typesOfValues(values)
	}
	if isFlat(s) {
		return set
	}
	for _, ref := range []string{s.Ref, s.DynamicRef} {
		if ref == "" {
			continue
		}
		if target, err := f.references.target(ref); err == nil {
			set &= f.find(target)
		}
	}
	for _, sub := range s.AllOf {
		set &= f.find(sub)
	}
	for _, branches := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if branches != nil {
			either := TypeSet(0)
			for _, sub := range branches {
				either |= f.find(sub)
			}
			set &= either
		}
	}
	if IsFalse(s) {
		set = 0
	}
	f.found[s] = set
	return set
}

// declaredTypes returns the types of the keyword type: all types without it.
func declaredTypes(s *jsonschema.Schema) TypeSet {
	types := TypesOf(s)
	if len(types) == 0 {
		return anyType
	}
	set := TypeSet(0)
	for _, name := range types {
		set |= typeSets[name] // checkKeywords reports an unknown type
	}
	return set
}

func typesOfValues(values []any) TypeSet {
	set := TypeSet(0)
	for _, v := range values {
		set |= typeSets[TypeOf(v)]
	}
	return set
}

// KindOf returns how a text is read without a Go type: by the only type that
// the schema can allow. A schema that can allow all types is of a string.
// Null does not count: the types integer and null together are read as an integer.
func KindOf(s *jsonschema.Schema) (Kind, error) {
	for _, t := range TypesOf(s) {
		if !slices.Contains(schemaTypes, t) {
			return 0, fmt.Errorf("schema: %w", checkKeywords(&jsonschema.Schema{Type: t}))
		}
	}
	set, err := PossibleTypes(s)
	if err != nil {
		return 0, fmt.Errorf("schema: %w", err)
	}
	switch set &^= typeNull; set {
	case typeString, anyType &^ typeNull:
		return String, nil
	case typeBoolean:
		return Bool, nil
	case typeInteger:
		return Int, nil
	case numeric, typeFraction:
		return Float, nil
	case typeArray:
		if RefersOutside(s) || s.Items == nil && (s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil) {
			return JSON, nil // Items is not a schema by itself, or may be in another part
		}
		// A comma-separated list without a type of its elements contains strings only.
		if s.Contains != nil && (s.Items == nil || IsEmpty(s.Items)) {
			return JSON, nil // which may contain others than strings
		}
		return List, nil
	case typeObject:
		return JSON, nil
	case 0:
		return 0, errors.New("schema: no type that a string can be converted to is allowed, so no value is allowed")
	}
	return 0, fmt.Errorf("schema: a string can be converted to one type only, not to %s; use a string with a pattern", set)
}

// CheckTypes returns an error for a schema that allows no value of the type want, or that allows a
// type besides it, of which no text can be. A value with a Go type is read in one way, so another
// type in the schema is an error that the author should see. A schema without a type allows all,
// which is fine.
func CheckTypes(want string, s *jsonschema.Schema) error {
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
	// An alternative of another type could never be meant.
	for at, sub := range Subschemas(s) {
		isBranch := strings.HasPrefix(at, "/anyOf/") || strings.HasPrefix(at, "/oneOf/")
		if set := f.find(sub) &^ typeNull; isBranch && set&read == 0 && set != 0 {
			return fmt.Errorf("%s allows only %s, but this value is read as %s; remove it", at, set, want)
		}
	}
	return nil
}
