package prompts

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// rules are the schema keywords that are common in arguments, compiled to
// direct checks: a tenth of the time that jsonschema-go takes, and with an
// answer that says what would have been right. They agree with jsonschema-go, but
// that a multiple is one in decimals.
type rules struct {
	texts     []string // enum or const of a kind that is judged as text
	enum      []any    // enum or const of any other kind
	pattern   *regexp.Regexp
	minLength *int
	maxLength *int
	minItems  *int
	maxItems  *int

	minimum, maximum                   *float64
	exclusiveMinimum, exclusiveMaximum *float64
	multipleOf                         *float64
}

// judgedAsText reports whether the schema judges a value of this kind as the
// string that it came in.
func (k kind) judgedAsText() bool {
	switch k {
	case kindString, kindText, kindDuration, kindURL, kindBytes:
		return true
	}
	return false
}

func (k kind) isNumber() bool { return k == kindInt || k == kindUint || k == kindFloat }

// instanceType is the JSON type of what a schema judges; empty for any.
func (k kind) instanceType() string {
	switch {
	case k.judgedAsText():
		return "string"
	case k == kindBool:
		return "boolean"
	case k == kindFloat:
		return "number"
	case k.isNumber():
		return "integer"
	case k == kindList:
		return "array"
	}
	return ""
}

// compileRules splits the schema of a value, which is of the JSON type want, into
// what is checked directly and what is left to jsonschema-go, which is nothing
// in most cases.
func compileRules(k kind, want string, s *jsonschema.Schema) (rules, *jsonschema.Resolved, error) {
	err := checkType(want, s)
	if err == nil && want != "" {
		err = checkApplies(s, []string{want})
	}
	if err != nil {
		return rules{}, nil, fmt.Errorf("schema: %w", err)
	}
	what, values, err := allowed(s)
	if err == nil {
		err = checkAllowed(k, what, values)
	}
	if err != nil {
		return rules{}, nil, fmt.Errorf("schema: %w", err)
	}
	resolved, err := resolve(s)
	if err != nil {
		return rules{}, nil, err
	}
	r := rules{}
	rest := annotationsRemoved(s)
	if want = k.instanceType(); want != "" && (want != "number" || slices.Contains(typesOf(s), want)) {
		rest.Type, rest.Types = "", nil // the conversion sees to it
	}
	switch {
	case k.judgedAsText():
		for _, e := range values {
			r.texts = append(r.texts, e.(string))
		}
		if s.Pattern != "" {
			r.pattern = regexp.MustCompile(s.Pattern) // resolving has compiled it once
		}
		r.minLength, r.maxLength = s.MinLength, s.MaxLength
		rest.Pattern, rest.MinLength, rest.MaxLength = "", nil, nil
	case k.isNumber():
		r.minimum, r.maximum = s.Minimum, s.Maximum
		r.exclusiveMinimum, r.exclusiveMaximum = s.ExclusiveMinimum, s.ExclusiveMaximum
		r.multipleOf = s.MultipleOf
		rest.Minimum, rest.Maximum, rest.ExclusiveMinimum, rest.ExclusiveMaximum, rest.MultipleOf = nil, nil, nil, nil, nil
	case k == kindList:
		r.minItems, r.maxItems = s.MinItems, s.MaxItems
		rest.MinItems, rest.MaxItems = nil, nil
		if !refersOutside(s) {
			rest.Items = nil // the elements see to it
		}
	}
	if !k.judgedAsText() {
		r.enum = values
	}
	rest.Enum, rest.Const = nil, nil
	if reflect.ValueOf(rest).IsZero() {
		return r, nil, nil
	}
	if !hasReference(s) {
		// What is checked directly is not judged again, nor by other rules.
		rest.Schema = s.Schema // by which the other keywords are read
		resolved, err = resolve(&rest)
	}
	return r, resolved, err
}

func (r *rules) checkText(text string) *problem {
	if r.texts != nil && !slices.Contains(r.texts, text) {
		return r.notOneOf(text)
	}
	if r.minLength != nil || r.maxLength != nil {
		n := utf8.RuneCountInString(text)
		if r.minLength != nil && n < *r.minLength || r.maxLength != nil && n > *r.maxLength {
			return &problem{Reason: reasonLength, Message: fmt.Sprintf("must be %s, not %d", r.length(), n), Allowed: r.lengths()}
		}
	}
	if r.pattern != nil && !r.pattern.MatchString(text) {
		return &problem{Reason: reasonPattern, Message: quote(text) + " does not match " + clip(r.pattern.String(), 128), Allowed: r.pattern.String()}
	}
	return nil
}

func (r *rules) notOneOf(text string) *problem {
	p := &problem{Reason: reasonEnum, Message: quote(text) + " is not one of " + r.choices(), Allowed: r.texts}
	p.suggest(text, r.texts)
	return p
}

func (r *rules) checkNumber(n number, text string) *problem {
	ok := (r.minimum == nil || n.cmp(*r.minimum) >= 0) &&
		(r.maximum == nil || n.cmp(*r.maximum) <= 0) &&
		(r.exclusiveMinimum == nil || n.cmp(*r.exclusiveMinimum) > 0) &&
		(r.exclusiveMaximum == nil || n.cmp(*r.exclusiveMaximum) < 0)
	if ok && r.multipleOf != nil {
		ok = n.isMultipleOf(*r.multipleOf)
	}
	if ok {
		return nil
	}
	return &problem{Reason: reasonRange, Message: clip(text, 64) + " is not " + r.bounds(), Allowed: r.numbers()}
}

// isLength reports whether a list has exactly n elements.
func (r *rules) isLength(n int) bool {
	return r.minItems != nil && *r.minItems == n && r.maxItems != nil && *r.maxItems == n
}

func (r *rules) checkItems(n int) *problem {
	if r.minItems != nil && n < *r.minItems || r.maxItems != nil && n > *r.maxItems {
		return &problem{Reason: reasonLength, Message: fmt.Sprintf("must be %s, not %d", r.items(), n), Allowed: r.itemCounts()}
	}
	return nil
}

func (r *rules) checkInstance(instance any, text string) *problem {
	if r.enum == nil || contains(r.enum, instance) {
		return nil
	}
	return &problem{Reason: reasonEnum, Message: clip(text, 64) + " is not one of " + enumeration(r.enumTexts()), Allowed: r.enum}
}
