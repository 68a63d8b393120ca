package prompts

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// rules are the schema keywords that are common in arguments, compiled to
// direct checks: a tenth of the time that jsonschema-go takes, and with an
// answer that says what would have been right. They agree with jsonschema-go, but
// that a multiple is one in decimals.
type rules struct {
	texts   []string             // enum or const of a kind that is judged as text
	enum    []any                // enum or const of any other kind
	textSet map[string]struct{}  // the texts; nil while a linear search is as fast
	numbers map[numeral]struct{} // the enum of a number
	others  map[string]struct{}  // the enum of what is neither, as keys

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
		if len(r.texts) > linear {
			r.textSet = setOf(r.texts, func(text string) string { return text })
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
	switch {
	case k.judgedAsText() || values == nil:
	case k.isNumber():
		r.enum, r.numbers = values, setOf(values, numeralOf)
	default:
		r.enum, r.others = values, setOf(values, func(e any) string { return string(appendKey(nil, e)) })
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
	if r.texts != nil && !r.hasText(text) {
		return r.notOneOfTexts(text)
	}
	if !r.surelyFits(len(text)) {
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

// surelyFits reports whether a text of n bytes is neither too short nor too
// long, whatever its characters are: each has 1 to 4 bytes.
func (r *rules) surelyFits(n int) bool {
	return (r.minLength == nil || (n+utf8.UTFMax-1)/utf8.UTFMax >= *r.minLength) && (r.maxLength == nil || n <= *r.maxLength)
}

func (r *rules) hasText(text string) bool {
	if r.textSet == nil {
		return slices.Contains(r.texts, text)
	}
	_, ok := r.textSet[text]
	return ok
}

func (r *rules) notOneOfTexts(text string) *problem {
	p := notOneOf(quote(text), r.texts, choice)
	p.suggest(text, r.texts)
	return p
}

// maxAllowed is how many values of an enum one problem has: a client must not
// be sent a list of thousands for each slip.
const maxAllowed = 100

// notOneOf is the problem of what is not one of the values of an enum.
func notOneOf[T any](what string, values []T, say func(T) string) *problem {
	most := min(len(values), maxAllowed)
	return &problem{
		Reason: reasonEnum, Message: what + " is not one of " + listed(values, say),
		Allowed: values[:most], More: len(values) - most,
	}
}

func (r *rules) checkNumber(n number, text string) *problem {
	ok := (r.minimum == nil || n.cmp(*r.minimum) >= 0) &&
		(r.maximum == nil || n.cmp(*r.maximum) <= 0) &&
		(r.exclusiveMinimum == nil || n.cmp(*r.exclusiveMinimum) > 0) &&
		(r.exclusiveMaximum == nil || n.cmp(*r.exclusiveMaximum) < 0)
	if ok && r.multipleOf != nil {
		ok = n.isMultipleOf(*r.multipleOf)
	}
	if !ok {
		return &problem{Reason: reasonRange, Message: clip(text, 64) + " is not " + r.bounds(), Allowed: r.limits()}
	}
	if r.numbers != nil {
		if _, ok = r.numbers[n.numeral()]; !ok {
			return notOneOf(clip(text, 64), r.enum, jsonText)
		}
	}
	return nil
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
	if r.others == nil {
		return nil
	}
	var buffer [64]byte
	if _, ok := r.others[string(appendKey(buffer[:0], instance))]; ok {
		return nil
	}
	return notOneOf(clip(text, 64), r.enum, jsonText)
}

// setOf returns the keys of the values.
func setOf[T any, K comparable](values []T, key func(T) K) map[K]struct{} {
	set := make(map[K]struct{}, len(values))
	for _, v := range values {
		set[key(v)] = struct{}{}
	}
	return set
}

// numeral is a number as the key of a set: numbers that are equal have the same,
// of whatever kind they are.
type numeral struct {
	kind kind // kindInt only below 0, kindFloat only of what is no integer of 64 bits
	bits uint64
}

func (n number) numeral() numeral {
	switch {
	case n.kind == kindInt && n.int < 0:
		return numeral{kindInt, uint64(n.int)}
	case n.kind == kindInt:
		return numeral{kindUint, uint64(n.int)}
	case n.kind == kindUint:
		return numeral{kindUint, n.uint}
	case n.float != math.Trunc(n.float) || n.float < -1<<63 || n.float >= 1<<64:
		return numeral{kindFloat, math.Float64bits(n.float)}
	case n.float < 0:
		return numeral{kindInt, uint64(int64(n.float))}
	}
	return numeral{kindUint, uint64(n.float)}
}

// numeralOf returns the numeral of a number of a schema, which is a float64, or
// of one that was read.
func numeralOf(v any) numeral {
	switch v := v.(type) {
	case int64:
		return number{kind: kindInt, int: v}.numeral()
	case uint64:
		return number{kind: kindUint, uint: v}.numeral()
	}
	return number{kind: kindFloat, float: v.(float64)}.numeral()
}

// appendKey appends a text that is the same for all values that JSON Schema
// holds to be equal, and for no other.
func appendKey(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return appendTextKey(dst, v)
	case []any:
		dst = append(dst, '[')
		for _, e := range v {
			dst = appendKey(dst, e)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = appendKey(appendTextKey(dst, name), v[name])
		}
		return append(dst, '}')
	}
	n := numeralOf(v)
	dst = append(dst, '0'+byte(n.kind))
	dst = strconv.AppendUint(dst, n.bits, 10)
	return append(dst, ';')
}

// appendTextKey appends a text with its length, which says where it ends.
func appendTextKey(dst []byte, text string) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, int64(len(text)), 10)
	dst = append(dst, ':')
	return append(dst, text...)
}
