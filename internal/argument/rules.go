package argument

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// This file compiles the common keywords of a schema into direct checks. They take
// a tenth of the time of jsonschema-go, and their problems say what is valid.

// rules are the compiled keywords. Their results are those of jsonschema-go,
// except that multipleOf is exact for decimals.
//
// The schema {"type": "integer", "minimum": 1, "enum": [1, 2, 3], "not": {"const": 2}}
// of an int becomes rules with a minimum and three numbers. The rest, which
// a [Validator] validates, is {"not": {"const": 2}}: an int is an integer anyway.
//
// The value of an argument has rules of its kind only. A [subschema] has the rules
// of all kinds at once, because JSON Schema lets a schema have keywords for several
// types: each keyword applies to values of its type and accepts all others.
//
// A nil pointer is an absent keyword. A rule for numbers is a float64, as jsonschema-go decodes a
// schema. The number of a client is compared without rounding, see [number].
type rules struct {
	texts   []string             // enum or const of strings
	enum    []any                // enum or const of any other kind
	textSet map[string]struct{}  // of texts; nil for a few
	numbers map[numeral]struct{} // of enum, for a number

	pattern   *regexp.Regexp
	format    *format
	minLength *int
	maxLength *int
	minItems  *int
	maxItems  *int

	minimum, maximum                   *float64
	exclusiveMinimum, exclusiveMaximum *float64
	multipleOf                         *float64
}

func rulesOf(s *jsonschema.Schema) (r rules, err error) {
	r = rules{
		minLength: s.MinLength, maxLength: s.MaxLength, minItems: s.MinItems, maxItems: s.MaxItems,
		minimum: s.Minimum, maximum: s.Maximum, exclusiveMinimum: s.ExclusiveMinimum, exclusiveMaximum: s.ExclusiveMaximum, multipleOf: s.MultipleOf,
	}
	// Of an inclusive and an exclusive bound, only the narrower one has an effect.
	drop := func(inclusive, exclusive **float64, sign int) {
		switch {
		case *inclusive == nil || *exclusive == nil:
		case cmp.Compare(**inclusive, **exclusive) == sign:
			*exclusive = nil
		default:
			*inclusive = nil
		}
	}
	drop(&r.minimum, &r.exclusiveMinimum, 1)
	drop(&r.maximum, &r.exclusiveMaximum, -1)
	if s.Pattern != "" {
		r.pattern, err = regexp.Compile(s.Pattern)
	}
	return r, err
}

// The reasons of brokenBy decide the message. The enum is not checked here, because
// its message can suggest a value: see enum.go.
func (r *rules) checkText(text string) *Problem {
	// The check comes first and the message after it: valid texts, nearly all of them, allocate
	// nothing.
	switch r.brokenBy(text) {
	case problem.Length:
		return &Problem{Reason: problem.Length, Message: fmt.Sprintf("must have %s, got %d", r.length(), utf8.RuneCountInString(text)), Allowed: limits{MinLength: r.minLength, MaxLength: r.maxLength}}
	case problem.Format:
		return &Problem{Reason: problem.Format, Message: mustBe(r.format.expected, phrase.Quote(text)), Allowed: r.format.name}
	case problem.Pattern:
		return &Problem{Reason: problem.Pattern, Message: "must match the pattern " + phrase.Clip(r.pattern.String(), 128) + ", got " + phrase.Quote(text), Allowed: r.pattern.String()}
	}
	return nil
}

// The rules run in the order of their cost. JSON Schema counts the characters of a length, as
// jsonschema-go does: code points, not bytes.
func (r *rules) brokenBy(text string) problem.Reason {
	// Counting characters reads the whole text. The number of bytes often decides alone.
	if !r.surelyFits(len(text)) {
		n := utf8.RuneCountInString(text)
		if r.minLength != nil && n < *r.minLength || r.maxLength != nil && n > *r.maxLength {
			return problem.Length
		}
	}
	if r.format != nil && !r.format.check(text) {
		return problem.Format
	}
	if r.pattern != nil && !r.pattern.MatchString(text) {
		return problem.Pattern
	}
	return ""
}

// A character has 1 to 4 bytes, so a text of ASCII within the limits is never counted. A false only
// means that counting is needed.
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

// An absent bound accepts every number. The comparisons are exact.
func (r *rules) fits(n number) bool {
	return (r.minimum == nil || n.cmp(*r.minimum) >= 0) &&
		(r.maximum == nil || n.cmp(*r.maximum) <= 0) &&
		(r.exclusiveMinimum == nil || n.cmp(*r.exclusiveMinimum) > 0) &&
		(r.exclusiveMaximum == nil || n.cmp(*r.exclusiveMaximum) < 0) &&
		(r.multipleOf == nil || n.isMultipleOf(*r.multipleOf))
}

// The text is what the client sent, so that a message repeats the number as it was written.
func (r *rules) checkNumber(n number, text string) *Problem {
	if !r.fits(n) {
		return r.outOfRange(text)
	}
	if r.numbers != nil {
		// A number that was rounded only looks like one of the enum.
		if _, ok := r.numbers[n.numeral()]; !ok || n.isRounded() {
			return notOneOf(phrase.Clip(text, 64), r.enum, jsonenc.Text)
		}
	}
	return nil
}

func (r *rules) outOfRange(text string) *Problem {
	return &Problem{Reason: problem.Range, Message: mustBe(strings.Join(r.boundsEach(), " and "), phrase.Clip(text, 64)), Allowed: r.limits()}
}

func (r *rules) isLength(n int) bool {
	return r.minItems != nil && *r.minItems == n && r.maxItems != nil && *r.maxItems == n
}

func (r *rules) checkItems(n int) *Problem {
	if r.minItems != nil && n < *r.minItems || r.maxItems != nil && n > *r.maxItems {
		return &Problem{Reason: problem.Length, Message: fmt.Sprintf("must have %s, got %d", r.items(), n), Allowed: limits{MinItems: r.minItems, MaxItems: r.maxItems}}
	}
	return nil
}

// Membership takes constant time, so that a large enum costs a call no more than a small one.
func setOf[T any, K comparable](values []T, key func(T) K) map[K]struct{} {
	set := make(map[K]struct{}, len(values))
	for _, v := range values {
		set[key(v)] = struct{}{}
	}
	return set
}

// numeral is the key of a number in a set. Equal numbers of all kinds have the same key. Neither a
// float64 would do, which different integers above 2^53 share, nor the text: 1.0 equals 1.
type numeral struct {
	kind schema.Kind // Int below 0, Uint from 0, Float for all but 64-bit integers
	bits uint64
}

// Every integer that fits 64 bits has the same key, whether the Go type is signed, unsigned or a
// float.
func (n number) numeral() numeral {
	switch {
	case n.kind == schema.Int && n.int < 0:
		return numeral{schema.Int, uint64(n.int)}
	case n.kind == schema.Int:
		return numeral{schema.Uint, uint64(n.int)}
	case n.kind == schema.Uint:
		return numeral{schema.Uint, n.uint}
	// A fraction, or a number for which Go does not define the conversion to an integer.
	case n.float != math.Trunc(n.float) || n.float < -1<<63 || n.float >= 1<<64:
		return numeral{schema.Float, math.Float64bits(n.float)}
	case n.float < 0:
		return numeral{schema.Int, uint64(int64(n.float))}
	}
	return numeral{schema.Uint, uint64(n.float)}
}

// A clone of a schema has no other numbers, see [schema.Clone].
func numeralOf(v any) numeral { return number{kind: schema.Float, float: v.(float64)}.numeral() }

func (r *rules) length() string {
	return phrase.Count(r.minLength, r.maxLength, "character", "characters")
}

func (r *rules) items() string {
	return phrase.Count(r.minItems, r.maxItems, "element", "elements")
}

func (r *rules) bounds() string { return strings.Join(r.boundsEach(), ", ") }

func (r *rules) boundsEach() (parts []string) {
	if r.minimum != nil && r.maximum != nil {
		parts = append(parts, "from "+phrase.Decimal(*r.minimum)+" to "+phrase.Decimal(*r.maximum))
	} else if r.minimum != nil {
		parts = append(parts, "at least "+phrase.Decimal(*r.minimum))
	} else if r.maximum != nil {
		parts = append(parts, "at most "+phrase.Decimal(*r.maximum))
	}
	if r.exclusiveMinimum != nil {
		parts = append(parts, "greater than "+phrase.Decimal(*r.exclusiveMinimum))
	}
	if r.exclusiveMaximum != nil {
		parts = append(parts, "less than "+phrase.Decimal(*r.exclusiveMaximum))
	}
	if r.multipleOf != nil {
		parts = append(parts, "a multiple of "+phrase.Decimal(*r.multipleOf))
	}
	return parts
}

func (r *rules) enumTexts() []string {
	texts := make([]string, len(r.enum))
	for i, e := range r.enum {
		texts[i] = jsonenc.Text(e)
	}
	return texts
}

// The bounds are rounded inwards to integers; infinities without. The lower result is greater than
// the upper one if no integer is between the bounds.
func (r *rules) between() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if r.minimum != nil {
		low = math.Ceil(*r.minimum)
	}
	if r.exclusiveMinimum != nil {
		low = max(low, math.Floor(*r.exclusiveMinimum)+1)
	}
	if r.maximum != nil {
		high = math.Floor(*r.maximum)
	}
	if r.exclusiveMaximum != nil {
		high = min(high, math.Ceil(*r.exclusiveMaximum)-1)
	}
	return low, high
}

// An absent keyword is left out.
type limits struct {
	MinLength        *int     `json:"minLength,omitempty"`
	MaxLength        *int     `json:"maxLength,omitempty"`
	MinItems         *int     `json:"minItems,omitempty"`
	MaxItems         *int     `json:"maxItems,omitempty"`
	MinProperties    *int     `json:"minProperties,omitempty"`
	MaxProperties    *int     `json:"maxProperties,omitempty"`
	Minimum          *float64 `json:"minimum,omitempty"`
	Maximum          *float64 `json:"maximum,omitempty"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum *float64 `json:"exclusiveMaximum,omitempty"`
	MultipleOf       *float64 `json:"multipleOf,omitempty"`
}

func (r *rules) limits() limits {
	return limits{
		Minimum: r.minimum, Maximum: r.maximum,
		ExclusiveMinimum: r.exclusiveMinimum, ExclusiveMaximum: r.exclusiveMaximum,
		MultipleOf: r.multipleOf,
	}
}

// linear is the number of arguments up to which a linear search is faster than a map. The number is
// also that of the values of an enum for which a slice is searched.
const linear = 8
