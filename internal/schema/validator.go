package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file makes a validation with jsonschema-go cheap enough for values of
// strangers: its errors repeat the value for each alternative and each level.

// Validator validates values with a schema. It is immutable, and safe for concurrent
// use.
type Validator struct{ resolved *jsonschema.Resolved }

// NewValidator returns an error for a schema that makes no sense, and for one whose
// validation takes too long.
func NewValidator(s *jsonschema.Schema) (*Validator, error) {
	if err := Check(s); err != nil {
		return nil, err
	}
	return NewPartValidator(s)
}

// NewPartValidator is NewValidator for a part of a checked schema.
func NewPartValidator(s *jsonschema.Schema) (*Validator, error) {
	resolved, err := withShortErrors(s).Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Validator{resolved}, nil
}

// Check returns an error for a schema that makes no sense, and for one whose
// validation takes too long.
func Check(s *jsonschema.Schema) (err error) {
	defer func() {
		// jsonschema-go panics for some schemas that are built by hand.
		if r := recover(); r != nil {
			err = fmt.Errorf("schema: %v", r)
		}
	}()
	if err := checkKeywords(s); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if _, err := s.Resolve(nil); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	r, err := resolveReferences(s)
	if err == nil {
		err = r.checkUnique(s)
	}
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}

// Accepts reports whether the schema accepts the value, which is as encoding/json
// decodes it.
func (v *Validator) Accepts(instance any) bool {
	return v.resolved.Validate(unprinted(instance)) == nil
}

// A value in an error of jsonschema-go is printed by its String method.
type (
	unprintedObject map[string]any
	unprintedArray  []any
	unprintedString string
)

func (unprintedObject) String() string { return "an object" }
func (unprintedArray) String() string  { return "an array" }
func (unprintedString) String() string { return "a string" }

// unprinted returns a copy of the value with the types above, which jsonschema-go
// validates like those of encoding/json.
func unprinted(v any) any {
	switch v := v.(type) {
	case string:
		return unprintedString(v)
	case []any:
		l := make(unprintedArray, len(v))
		for i, e := range v {
			l[i] = unprinted(e)
		}
		return l
	case map[string]any:
		o := make(unprintedObject, len(v))
		for name, e := range v {
			o[name] = unprinted(e)
		}
		return o
	}
	return v
}

// withShortErrors returns a copy of the schema that accepts the same values, and in
// which no error of jsonschema-go grows with the value. An "if" has no errors, so a
// part of the schema becomes {"if": part, "else": false}.
//
// Without that, the error of a recursive schema would have the errors of all levels
// of the value, and would be copied at each level. All JSON pointers that were valid
// still are, except those into propertyNames.
//
// A schema with references gets the guards that checkCost relies on.
func withShortErrors(s *jsonschema.Schema) *jsonschema.Schema {
	root := s.CloneSchemas()
	wrapped := map[string]string{} // references, by the reference that they wrap
	wrap := func(ref string) string {
		if wrapped[ref] == "" {
			if root.Defs == nil {
				root.Defs = map[string]*jsonschema.Schema{}
			}
			name := "silent"
			for root.Defs[name] != nil {
				name += "_"
			}
			root.Defs[name] = silent(&jsonschema.Schema{Ref: ref})
			wrapped[ref] = "#/$defs/" + name
		}
		return wrapped[ref]
	}
	refers := HasReference(root)
	for _, s := range slices.Collect(all(root)) {
		if e, err := WithEnum(s); err == nil && !refers {
			*s = *e
		}
		matchEnum(s)
		if s.Ref != "" {
			s.Ref = wrap(s.Ref)
		}
		if s.DynamicRef != "" { // without an $id inside, like any other
			s.AllOf = append(s.AllOf, &jsonschema.Schema{Ref: wrap(s.DynamicRef)})
			s.DynamicRef = ""
		}
		if s.Pattern != "" || s.MinLength != nil || s.MaxLength != nil {
			s.AllOf = append(s.AllOf, silent(&jsonschema.Schema{Pattern: s.Pattern, MinLength: s.MinLength, MaxLength: s.MaxLength}))
			s.Pattern, s.MinLength, s.MaxLength = "", nil, nil
		}
		if guard := guardOf(s); refers && !IsEmpty(guard) {
			for _, p := range guard.Properties {
				matchEnum(p)
			}
			s.AllOf = append(s.AllOf, guard)
		}
		if s.PropertyNames != nil {
			s.PropertyNames = silent(s.PropertyNames)
		}
		if IsFalse(s.AdditionalProperties) {
			s.AdditionalProperties.Not.Title = "any" // else jsonschema-go lists the names
		}
	}
	return root
}

// silent returns a schema that accepts what s accepts, without the errors of s.
func silent(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{If: s, Else: False()}
}

// matchEnum replaces an enum of many strings, or of strings and null, by a pattern.
// jsonschema-go compares a value with the values of an enum one by one, and allocates for
// each: with 300 strings, a list of 800 KB took 8 seconds.
func matchEnum(s *jsonschema.Schema) {
	const few = 8
	if len(s.Enum) <= few {
		return
	}
	types := []string{"string"}
	var texts []string
	for _, v := range s.Enum {
		switch v := v.(type) {
		case string:
			texts = append(texts, regexp.QuoteMeta(v))
		case nil:
			types = append(types, "null")
		default:
			return
		}
	}
	if declared := TypesOf(s); declared != nil {
		types = slices.DeleteFunc(types, func(t string) bool { return !slices.Contains(declared, t) })
	}
	slices.Sort(texts) // so that regexp finds common prefixes
	pattern := "^(?:" + strings.Join(texts, "|") + ")$"
	if _, err := regexp.Compile(pattern); err != nil || len(types) == 0 {
		return // very long or deep
	}
	s.Type, s.Types, s.Enum = "", types, nil
	s.AllOf = append(s.AllOf, silent(&jsonschema.Schema{Pattern: pattern}))
}
