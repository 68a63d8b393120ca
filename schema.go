package prompts

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// resolve prepares the schema for jsonschema-go, which also checks it.
func resolve(s *jsonschema.Schema) (resolved *jsonschema.Resolved, err error) {
	defer func() {
		// It asserts what a schema built by hand can break.
		if v := recover(); v != nil {
			err = fmt.Errorf("schema: %v", v)
		}
	}()
	if resolved, err = s.Resolve(nil); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		return nil, errors.New("schema: multipleOf must be greater than 0")
	}
	return resolved, nil
}

// checkType refuses a schema whose type no value of the kind can have.
func checkType(k kind, s *jsonschema.Schema) error {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	want := k.instanceType()
	if len(types) == 0 || want == "" || slices.Contains(types, want) {
		return nil
	}
	if want == "integer" && slices.Contains(types, "number") || want == "number" && slices.Contains(types, "integer") {
		return nil
	}
	return fmt.Errorf("schema: its type is %s, but the value is read as %s", strings.Join(types, " or "), want)
}

// checkEnum refuses an enum with a value that is not of the kind's type, most
// often one for the elements of a list that belongs into Items.
func checkEnum(k kind, enum []any) error {
	want := k.instanceType()
	if want == "" {
		return nil
	}
	resolved, err := (&jsonschema.Schema{Type: want}).Resolve(nil)
	if err != nil {
		return err
	}
	for _, e := range enum {
		if resolved.Validate(e) == nil {
			continue
		}
		if k == kindList {
			return fmt.Errorf("schema: enum value %v is no list; an enum for the elements belongs into Items", e)
		}
		return fmt.Errorf("schema: enum value %v is not of type %s", e, want)
	}
	return nil
}

// annotationsRemoved returns a shallow copy without the keywords that judge
// nothing.
func annotationsRemoved(s *jsonschema.Schema) jsonschema.Schema {
	c := *s
	c.ID, c.Schema, c.Comment = "", "", ""
	c.Title, c.Description, c.Default, c.Examples = "", "", nil, nil
	c.Deprecated, c.ReadOnly, c.WriteOnly = false, false, false
	c.ContentEncoding, c.ContentMediaType, c.ContentSchema, c.Format = "", "", nil, ""
	c.Extra, c.PropertyOrder = nil, nil
	return c
}

// refersOutside reports whether the schema's parts may refer to each other,
// so that none of them can be judged alone.
func refersOutside(s *jsonschema.Schema) bool {
	return s.Defs != nil || s.Definitions != nil || s.ID != "" || s.Anchor != "" || s.DynamicAnchor != "" ||
		s.Schema != "" || s.PrefixItems != nil || s.ItemsArray != nil
}

// kindOfSchema returns how a text is read if only a schema says so: by its
// type, or by the type that all values of its enum have.
func kindOfSchema(s *jsonschema.Schema) (kind, error) {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if len(types) == 0 && len(s.Enum) > 0 {
		for _, e := range s.Enum {
			if t := typeOfEnum(e); !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
	}
	if len(types) > 1 {
		return 0, fmt.Errorf("schema: a text can be of one type only, not of %s", strings.Join(types, " or "))
	}
	if len(types) == 0 {
		return kindString, nil
	}
	switch types[0] {
	case "string":
		return kindString, nil
	case "boolean":
		return kindBool, nil
	case "integer":
		return kindInt, nil
	case "number":
		return kindFloat, nil
	case "array":
		return kindList, nil
	case "object":
		return kindJSON, nil
	}
	return 0, fmt.Errorf("schema: unknown type %q", types[0])
}

func typeOfEnum(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case nil:
		return "null"
	}
	return "object"
}
