package prompts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/suggest"
)

// This file refuses schemas that can mean nothing, which jsonschema-go takes.

// judgedTypes are the JSON types that keywords judge. They pass over any other.
var judgedTypes = map[string]string{
	"multipleOf": "number", "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string",
	"items": "array", "prefixItems": "array", "additionalItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"contains": "array", "minContains": "array", "maxContains": "array", "unevaluatedItems": "array",
	"properties": "object", "patternProperties": "object", "additionalProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object", "required": "object", "dependentRequired": "object",
	"dependentSchemas": "object", "dependencies": "object", "unevaluatedProperties": "object",
}

var schemaTypes = []string{"string", "boolean", "integer", "number", "array", "object", "null"}

// checkKeywords refuses what no value can satisfy, and what judges no value of
// the types that there are.
func checkKeywords(s *jsonschema.Schema) error {
	for _, t := range typesOf(s) {
		if !slices.Contains(schemaTypes, t) {
			return fmt.Errorf("unknown type %q%s", clip(t, 64), meant(t, schemaTypes))
		}
	}
	if err := checkApplies(s, typesOf(s)); err != nil {
		return err
	}
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		return errors.New("multipleOf must be greater than 0")
	}
	if err := cmp.Or(checkRanges(s), checkPatterns(s)); err != nil {
		return err
	}
	for at, sub := range subschemas(s) {
		if err := checkKeywords(sub); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// checkApplies refuses a keyword that judges no value of the types. None are
// any.
func checkApplies(s *jsonschema.Schema, types []string) error {
	types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(types) == 0 {
		return nil
	}
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		keyword := keywordOf(v.Type().Field(i))
		judged := judgedTypes[keyword]
		if judged == "" || v.Field(i).IsZero() || slices.Contains(types, judged) || judged == "number" && slices.Contains(types, "integer") {
			continue
		}
		return fmt.Errorf("%s is for %ss, but the value is read as %s", keyword, judged, strings.Join(types, " or "))
	}
	return nil
}

// checkRanges refuses bounds between which there is nothing.
func checkRanges(s *jsonschema.Schema) error {
	counts := []struct {
		min, max  string
		low, high *int
	}{
		{"minLength", "maxLength", s.MinLength, s.MaxLength},
		{"minItems", "maxItems", s.MinItems, s.MaxItems},
		{"minContains", "maxContains", s.MinContains, s.MaxContains},
		{"minProperties", "maxProperties", s.MinProperties, s.MaxProperties},
	}
	for _, c := range counts {
		switch {
		case c.low != nil && *c.low < 0:
			return fmt.Errorf("%s must not be negative", c.min)
		case c.high != nil && *c.high < 0:
			return fmt.Errorf("%s must not be negative", c.max)
		case c.low != nil && c.high != nil && *c.low > *c.high:
			return fmt.Errorf("%s is %d and %s is %d, so no value is allowed", c.min, *c.low, c.max, *c.high)
		}
	}
	bounds := []struct {
		min, max  string
		low, high *float64
		exclusive bool
	}{
		{"minimum", "maximum", s.Minimum, s.Maximum, false},
		{"minimum", "exclusiveMaximum", s.Minimum, s.ExclusiveMaximum, true},
		{"exclusiveMinimum", "maximum", s.ExclusiveMinimum, s.Maximum, true},
		{"exclusiveMinimum", "exclusiveMaximum", s.ExclusiveMinimum, s.ExclusiveMaximum, true},
	}
	for _, b := range bounds {
		if b.low != nil && b.high != nil && (*b.low > *b.high || b.exclusive && *b.low == *b.high) {
			return fmt.Errorf("%s is %s and %s is %s, so no value is allowed", b.min, decimal(*b.low), b.max, decimal(*b.high))
		}
	}
	return nil
}

func checkPatterns(s *jsonschema.Schema) error {
	check := func(keyword, pattern string) error {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("%s: %s", keyword, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return nil
	}
	if err := check("pattern", s.Pattern); err != nil {
		return err
	}
	for pattern := range s.PatternProperties {
		if err := check("patternProperties", pattern); err != nil {
			return err
		}
	}
	return nil
}

// checkType refuses a schema whose type no value of the type can have.
func checkType(want string, s *jsonschema.Schema) error {
	types := typesOf(s)
	if len(types) == 0 || want == "" || slices.Contains(types, want) || isNumeric(want) && slices.ContainsFunc(types, isNumeric) {
		return nil
	}
	if err := checkKeywords(&jsonschema.Schema{Types: types}); err != nil {
		return err // of a type that there is not
	}
	return fmt.Errorf("its type is %s, but the value is read as %s", strings.Join(types, " or "), want)
}

// allowed returns the values that the enum and the const of a schema leave,
// and what they are called; nil if they leave any.
func allowed(s *jsonschema.Schema) (what string, values []any, err error) {
	if s.Const == nil {
		return "enum value", s.Enum, nil
	}
	if s.Enum != nil && !contains(s.Enum, *s.Const) {
		return "", nil, fmt.Errorf("the const %s is not in the enum, so no value is allowed", clip(jsonText(*s.Const), 64))
	}
	return "const", []any{*s.Const}, nil
}

func contains(values []any, v any) bool {
	return slices.ContainsFunc(values, func(e any) bool { return jsonschema.Equal(e, v) })
}

// checkAllowed refuses a value of an enum that is not of the kind's type, most
// often one for the elements of a list that belongs into Items.
func checkAllowed(k kind, what string, values []any) error {
	want := k.instanceType()
	if want == "" {
		return nil
	}
	var resolved *jsonschema.Resolved
	for _, e := range values {
		if _, ok := e.(string); ok && want == "string" { // as nearly all are
			continue
		}
		if resolved == nil {
			var err error
			if resolved, err = (&jsonschema.Schema{Type: want}).Resolve(nil); err != nil {
				return err
			}
		}
		if resolved.Validate(e) == nil {
			continue
		}
		text := clip(jsonText(e), 64)
		switch {
		case k == kindList:
			return fmt.Errorf("%s %s is no list; one for the elements belongs into Items", what, text)
		case k.judgedAsText():
			return fmt.Errorf("%s %s is not a string", what, text)
		default:
			return fmt.Errorf("%s %s is not of type %s", what, text, want)
		}
	}
	return nil
}

// checkReadable refuses a value of an enum that no text of a client's can give,
// and a default whose reading panics. What else a default must be is checked
// where it is used.
func (v *value) checkReadable(t reflect.Type, s *jsonschema.Schema) error {
	what, values, err := allowed(s)
	if err != nil {
		return err
	}
	for _, e := range values {
		p, err := v.readDeclared(t, e)
		if err == nil && p != nil {
			err = errors.New(p.Message)
		}
		if err != nil {
			return fmt.Errorf("%s %s cannot be given: %w", what, clip(jsonText(e), 64), err)
		}
	}
	var byDefault any
	if s.Default == nil || json.Unmarshal(s.Default, &byDefault) != nil {
		return nil
	}
	if _, err = v.readDeclared(t, byDefault); err != nil {
		return fmt.Errorf("its default: %w", err)
	}
	return nil
}

// readDeclared reads the text that gives a value of the schema into a new value
// of type t, which may be nil. The method of t that reads it is the author's: if
// it panics, that is the error.
func (v *value) readDeclared(t reflect.Type, declared any) (p *problem, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading it as %s: panic: %v", t, r)
		}
	}()
	text, ok := declared.(string)
	if !ok || !v.kind.judgedAsText() {
		text = jsonText(declared)
	}
	var dst reflect.Value
	if t != nil {
		dst = reflect.New(t).Elem()
	}
	_, p = v.read(dst, text, false)
	return p, nil
}

// meant returns what to say behind a name that there is not.
func meant(name string, names []string) string {
	if near := suggest.Near(name, names); near != "" {
		return "; did you mean " + choice(near) + "?"
	}
	return ""
}
