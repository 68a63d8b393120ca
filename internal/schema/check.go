package schema

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file rejects schemas that jsonschema-go accepts although they make no sense:
// keywords for other types, empty ranges, references that loop. A typing error in a
// schema should not be a rule that never applies.

func Check(s *jsonschema.Schema) (err error) {
	defer func() {
		// jsonschema-go panics for some schemas that are built by hand.
		if r := recover(); r != nil {
			err = fmt.Errorf("schema: %v", r)
		}
	}()
	if err := cmp.Or(checkKeywords(s), checkDraft(s)); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if isFlat(s) {
		return nil
	}
	// jsonschema-go also checks what this file does not, such as anchors and the URIs of $id.
	if _, err := s.Resolve(nil); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if _, err := resolveReferences(s); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}

// keywordTypes are the JSON types that keywords apply to. They accept all values of other types. A
// keyword that is not in the map applies to all types.
var keywordTypes = map[string]string{
	"multipleOf": "number", "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"items": "array", "prefixItems": "array", "additionalItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"contains": "array", "minContains": "array", "maxContains": "array", "unevaluatedItems": "array",
	"properties": "object", "patternProperties": "object", "additionalProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object", "required": "object", "dependentRequired": "object",
	"dependentSchemas": "object", "dependencies": "object", "unevaluatedProperties": "object",
}

var schemaTypes = []string{"string", "boolean", "integer", "number", "array", "object", "null"}

// The schemas inside are checked in the order of Subschemas, so the first error is always the same.
func checkKeywords(s *jsonschema.Schema) error {
	for _, t := range TypesOf(s) {
		if !slices.Contains(schemaTypes, t) {
			return fmt.Errorf("unknown type %s%s", phrase.Quote(t), nearest.DidYouMean(t, schemaTypes))
		}
	}
	if err := CheckApplies(s, TypesOf(s)); err != nil {
		return err
	}
	// The specification demands it. jsonschema-go divides by the number without a check.
	if s.MultipleOf != nil && *s.MultipleOf <= 0 {
		return errors.New("multipleOf must be greater than 0")
	}
	if err := cmp.Or(checkEmpty(s), checkRanges(s), checkPatterns(s)); err != nil {
		return err
	}
	for at, sub := range Subschemas(s) {
		if err := checkKeywords(sub); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// CheckApplies returns an error for a keyword that applies to none of the types; nil means all.
// A schema of null alone, as a part of an anyOf, may have any keyword.
func CheckApplies(s *jsonschema.Schema, types []string) error {
	types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(types) == 0 {
		return nil
	}
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() { // as most are
			continue
		}
		keyword := keywordOf(v.Type().Field(i))
		applies := keywordTypes[keyword]
		if applies == "" || slices.Contains(types, applies) || applies == "number" && slices.Contains(types, "integer") {
			continue
		}
		return fmt.Errorf("%s applies to %ss, but this value is read as %s", keyword, applies, strings.Join(types, " or "))
	}
	return nil
}

// checkRanges returns an error for empty ranges.
// The specification allows empty ranges, which then reject all values.
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
			return fmt.Errorf("%s must not be negative, got %d", c.min, *c.low)
		case c.high != nil && *c.high < 0:
			return fmt.Errorf("%s must not be negative, got %d", c.max, *c.high)
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
			return fmt.Errorf("%s is %s and %s is %s, so no value is allowed", b.min, phrase.Decimal(*b.low), b.max, phrase.Decimal(*b.high))
		}
	}
	return nil
}

// checkPatterns returns an error for a pattern that package regexp does not accept, such as a
// lookahead of ECMAScript. Later code may use regexp.MustCompile for all patterns.
func checkPatterns(s *jsonschema.Schema) error {
	for keyword, pattern := range patterns(s) {
		if _, err := regexp.Compile(pattern); err != nil {
			message, fix := explain.Pattern(err, pattern)
			return fmt.Errorf("%s: %s", keyword, phrase.Join("; ", message, fix))
		}
	}
	return nil
}

func patterns(s *jsonschema.Schema) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if s.Pattern != "" && !yield("pattern", s.Pattern) {
			return
		}
		for pattern := range s.PatternProperties {
			if !yield("patternProperties", pattern) {
				return
			}
		}
	}
}

// PatternSize returns the number of instructions of all valid patterns in the schema.
// A match takes time proportional to this number times the length of the text.
// Package argument limits the product.
func PatternSize(s *jsonschema.Schema) int {
	n := 0
	for sub := range all(s) {
		for _, pattern := range patterns(sub) {
			re, err := syntax.Parse(pattern, syntax.Perl)
			if err != nil {
				continue
			}
			if prog, err := syntax.Compile(re.Simplify()); err == nil {
				n += len(prog.Inst)
			}
		}
	}
	return n
}

// CheckType returns an error for a schema that allows no value of the type. An integer and a number
// fit each other here: whether a fraction is allowed is checked for each value.
func CheckType(want string, s *jsonschema.Schema) error {
	types := TypesOf(s)
	if len(types) == 0 || want == "" || slices.Contains(types, want) || IsNumeric(want) && slices.ContainsFunc(types, IsNumeric) {
		return nil
	}
	if err := checkKeywords(&jsonschema.Schema{Types: types}); err != nil {
		return err // for an unknown type
	}
	return fmt.Errorf("type is %s, but this value is read as %s", strings.Join(types, " or "), want)
}

// Allowed returns the values that the enum and the const allow, and what they are called; nil if
// they allow all. The const must be in the enum, because both keywords have to accept a value.
func Allowed(s *jsonschema.Schema) (what string, values []any, err error) {
	if s.Const == nil {
		return "enum value", s.Enum, nil
	}
	if s.Enum != nil && !contains(s.Enum, *s.Const) {
		return "", nil, fmt.Errorf("const %s is not in the enum, so no value is allowed", phrase.Clip(jsonenc.Text(*s.Const), 64))
	}
	return "const", []any{*s.Const}, nil
}

// contains reports whether a value equals one of the others, as JSON Schema defines
// equality: 1 and 1.0 are equal.
func contains(values []any, v any) bool {
	return slices.ContainsFunc(values, func(e any) bool { return jsonschema.Equal(e, v) })
}

// CheckAllowed returns an error for a value of an enum that does not have the type.
// Often it is an element of a list, which belongs into Items.
// The values must be as encoding/json decodes them: 3.0 is an integer.
func CheckAllowed(k Kind, what string, values []any) error {
	want := k.InstanceType()
	if want == "" {
		return nil
	}
	for _, e := range values {
		if got := TypeOf(e); got == want || want == "number" && got == "integer" {
			continue
		}
		text := phrase.Clip(jsonenc.Text(e), 64)
		switch {
		case k == List:
			return fmt.Errorf("%s %s is not an array; set %[1]s of the elements on Items", what, text)
		case k.IsString():
			return fmt.Errorf("%s %s is not a string", what, text)
		default:
			return fmt.Errorf("%s %s is not of type %s", what, text, want)
		}
	}
	return nil
}
