package argument

import (
	"fmt"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file splits the schema of an argument: into the rules of its kind, which are checked
// directly, and the rest for a [Validator].

// compileRules splits the schema of a value of the JSON type want into rules and
// the rest, which a [Validator] validates. Mostly there is no rest.
func compileRules(k schema.Kind, want string, s *jsonschema.Schema) (rules, *Validator, error) {
	values, err := checkFits(k, want, s)
	if err != nil {
		return rules{}, nil, fmt.Errorf("schema: %w", err)
	}
	checked := *s
	if k == schema.List && s.Items == nil {
		checked.Items = &jsonschema.Schema{Type: "string"} // a list without a type of its elements
	}
	if err := schema.Check(&checked); err != nil {
		return rules{}, nil, err
	}
	r, rest := splitRules(k, s, values)
	if k == schema.JSON {
		rest.Format, rest.PropertyOrder = s.Format, s.PropertyOrder
	}
	if schema.IsEmpty(&rest) && rest.Format == "" {
		return r, nil, nil
	}
	if schema.HasReference(s) {
		rest = *s
	} else {
		rest.Schema = s.Schema // the version of JSON Schema
	}
	validator, err := newPartValidator(&rest)
	return r, validator, err
}

// checkFits returns the values that the schema allows, nil for all, or an error if
// the schema does not fit the type.
func checkFits(k schema.Kind, want string, s *jsonschema.Schema) ([]any, error) {
	if err := schema.CheckType(want, s); err != nil {
		return nil, err
	}
	if want != "" {
		if err := schema.CheckApplies(s, []string{want}); err != nil {
			return nil, err
		}
	}
	what, values, err := schema.Allowed(s)
	if err != nil {
		return nil, err
	}
	if err := schema.CheckAllowed(k, what, values); err != nil {
		return nil, err
	}
	return values, schema.CheckTypes(want, s)
}

// splitRules returns the rules of a checked schema, which allows the values, and the
// schema of the rest.
func splitRules(k schema.Kind, s *jsonschema.Schema, values []any) (r rules, rest jsonschema.Schema) {
	rest = schema.WithoutAnnotations(s)
	rest.Enum, rest.Const = nil, nil
	if k.InstanceType() != "" {
		rest.Type, rest.Types = "", nil // ensured by the conversion
	}
	switch {
	case k.IsString():
		for _, e := range values {
			r.texts = append(r.texts, e.(string))
		}
		if len(r.texts) > linear {
			r.textSet = setOf(r.texts, func(text string) string { return text })
		}
		if s.Pattern != "" {
			r.pattern = regexp.MustCompile(s.Pattern) // schema.Check has compiled it
		}
		r.minLength, r.maxLength = s.MinLength, s.MaxLength
		rest.Pattern, rest.MinLength, rest.MaxLength = "", nil, nil
		return r, rest
	case k.IsNumber():
		r.minimum, r.maximum = s.Minimum, s.Maximum
		r.exclusiveMinimum, r.exclusiveMaximum = s.ExclusiveMinimum, s.ExclusiveMaximum
		r.multipleOf = s.MultipleOf
		rest.Minimum, rest.Maximum, rest.ExclusiveMinimum, rest.ExclusiveMaximum, rest.MultipleOf = nil, nil, nil, nil, nil
	case k == schema.List:
		r.minItems, r.maxItems = s.MinItems, s.MaxItems
		rest.MinItems, rest.MaxItems = nil, nil
		if s.Items != nil && !schema.RefersOutside(s) {
			rest.Items, rest.UnevaluatedItems = nil, nil // all elements are checked by Items, one by one
		}
	}
	if r.enum = values; k.IsNumber() && values != nil {
		r.numbers = setOf(values, numeralOf)
	} else {
		rest.Enum, rest.Const = s.Enum, s.Const
	}
	return r, rest
}
