package argument

import (
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// compileRules splits the schema of a value of the JSON type want into rules and the rest,
// which a [Validator] validates. Mostly there is no rest: the rules need no tree, no instance
// and no allocation. k is the kind by which the text is read.
func compileRules(k schema.Kind, want string, s *jsonschema.Schema) (rules, *Validator, error) {
	values, err := checkFits(k, want, s)
	if err != nil {
		return rules{}, nil, fmt.Errorf("schema: %w", err)
	}
	// The checks run on a copy with the element type that the list really has, so
	// that keywords of the elements are checked against it.
	checked := s
	if k == schema.List && s.Items == nil {
		c := *s
		c.Items = &jsonschema.Schema{Type: "string"} // a list without a type of its elements
		checked = &c
	}
	if err := schema.Check(checked); err != nil {
		return rules{}, nil, err
	}
	r, rest := splitRules(k, s, values)
	// Of JSON everything is validated by the tree, formats included. The order of
	// the properties is needed for hints and completions.
	if k == schema.JSON {
		rest.Format, rest.PropertyOrder = s.Format, s.PropertyOrder
	}
	if schema.IsEmpty(&rest) && rest.Format == "" {
		return r, nil, nil
	}
	// A reference is a JSON pointer from the root of the schema. Without the whole
	// schema, a pointer would lead nowhere. Checking a keyword twice does no harm.
	validated := rest // which is allocated, unlike rest
	if schema.HasReference(s) {
		validated = *s
	} else {
		validated.Schema = s.Schema // the version of JSON Schema
	}
	validator, err := newPartValidator(&validated)
	return r, validator, err
}

// checkFits returns the values that the schema allows, nil for all. A keyword that never
// applies is an error of the declaration, although JSON Schema ignores it.
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

// Every keyword that becomes a rule is removed from the rest. A keyword that this function does not
// know stays in the rest, so a new keyword of jsonschema-go cannot get lost.
func splitRules(k schema.Kind, s *jsonschema.Schema, values []any) (r rules, rest jsonschema.Schema) {
	rest = schema.WithoutAnnotations(s)
	// The last lines put enum and const back for the kinds whose values only the tree can compare.
	rest.Enum, rest.Const = nil, nil
	if k.InstanceType() != "" {
		rest.Type, rest.Types = "", nil // ensured by the conversion
	}
	// All keywords apply to the kind, see checkFits.
	if k != schema.JSON {
		r, _ = rulesOf(s) // schema.Check has compiled the pattern
	}
	switch {
	case k.IsString():
		for _, e := range values {
			r.texts = append(r.texts, e.(string))
		}
		// A short list is searched faster than a map.
		if len(r.texts) > linear {
			r.textSet = setOf(r.texts, func(text string) string { return text })
		}
		rest.Pattern, rest.MinLength, rest.MaxLength = "", nil, nil
		return r, rest
	case k.IsNumber():
		rest.Minimum, rest.Maximum, rest.ExclusiveMinimum, rest.ExclusiveMaximum, rest.MultipleOf = nil, nil, nil, nil, nil
	case k == schema.List:
		// The count is known after splitting the text, before any element is read.
		rest.MinItems, rest.MaxItems = nil, nil
		if s.Items != nil && !schema.RefersOutside(s) {
			rest.Items, rest.UnevaluatedItems = nil, nil // all elements are checked by Items, one by one
		}
	}
	// Numbers are compared by value and not by text: 1, 1.0 and 1e0 are equal in JSON Schema.
	if r.enum = values; k.IsNumber() && values != nil {
		r.numbers = setOf(values, numeralOf)
	} else {
		rest.Enum, rest.Const = s.Enum, s.Const
	}
	return r, rest
}
