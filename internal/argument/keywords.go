package argument

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has the keywords that validation checks without another schema, and what a schema
// has evaluated.

func (s *subschema) hasType(in instance) bool {
	// 7.0 is an integer in JSON Schema, so the form of the text does not decide.
	return s.kinds == 0 || s.kinds>>in.kind&1 == 1 && (!s.isIntegral || in.kind != strictjson.Number || in.number().isInteger())
}

// Values are equal in JSON Schema if they have the same type and content: the order
// of members and the form of a number do not count.
func (s *subschema) hasValue(in instance) bool {
	if s.values == nil {
		return true
	}
	// A short list is compared faster than a key is made.
	if in.kind == strictjson.String && len(s.rules.texts) <= linear {
		return s.rules.hasText(in.text)
	}
	// On the stack: most values of an enum are short, and longer than the longest is no match.
	var buffer [64]byte
	key, ok := appendInstanceKey(buffer[:0], in, s.longest)
	if ok {
		_, ok = s.values[string(key)]
	}
	return ok
}

// JSON Schema lets a keyword for strings accept every number, and the other way round.
func (s *subschema) fitsRules(in instance) bool {
	switch in.kind {
	case strictjson.String:
		return s.rules.brokenBy(in.text) == ""
	case strictjson.Number:
		r := &s.rules
		// Most schemas have no bounds, and then the number is not even read.
		return r.minimum == nil && r.maximum == nil && r.exclusiveMinimum == nil && r.exclusiveMaximum == nil && r.multipleOf == nil || r.fits(in.number())
	}
	return true
}

// acceptsTags checks the required members, and the members with a const or an enum, before others.
// So an alternative for another tag costs little. The tags are checked again with their members, so
// that checking them here changes no result. Without tags, a recursive schema with alternatives
// would take twice the time for each level of the value.
func (s *subschema) acceptsTags(object strictjson.Value) bool {
	if s.required == nil && s.tags == nil {
		return true
	}
	// Counting works because members have distinct names, which the parser ensures,
	// and because s.required lists each name once.
	n := 0
	for name, v := range object.Members() {
		if s.isRequired[name] {
			n++
		}
		if len(s.tags) > 0 {
			// A reference could lead back here, so that only direct values count as tags.
			if m := s.members[name]; m != nil && m.values != nil && m.ref == nil && !m.hasValue(instanceOf(v)) {
				return false
			}
		}
	}
	return n == len(s.required)
}

// items applies to the elements after those of prefixItems only.
func (s *subschema) elementAt(i int) *subschema {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

func (*subschema) isCount(n int, low, high *int) bool {
	return (low == nil || n >= *low) && (high == nil || n <= *high)
}

// An array without any matching element is valid if minContains is 0.
func (s *subschema) containsEnough(n int) bool {
	if s.contains == nil {
		return true
	}
	return n >= s.leastContained() && (s.maxContains == nil || n <= *s.maxContains)
}

func (s *subschema) leastContained() int {
	if s.minContains != nil {
		return *s.minContains
	}
	return 1
}

// schemasOf yields the schemas of the member: a single nil without any. additionalProperties
// applies only to members that neither properties nor patternProperties of the same schema have.
// Members that allOf or a reference declares do not count.
func (s *subschema) schemasOf(name string) func(yield func(*subschema) bool) {
	return func(yield func(*subschema) bool) {
		some := false
		if m := s.members[name]; m != nil {
			if some = true; !yield(m) {
				return
			}
		}
		for _, p := range s.patterns {
			if p.pattern.MatchString(name) {
				// A name can match several patterns, and all of their schemas apply.
				if some = true; !yield(p.schema) {
					return
				}
			}
		}
		if !some {
			yield(s.additional)
		}
	}
}

// evaluated are the members and elements of a value that a schema has accepted, for the
// unevaluatedProperties and the unevaluatedItems around it.
// JSON Schema 2020-12 calls these annotations: unevaluatedProperties applies to the
// members that no properties, patternProperties, additionalProperties or
// unevaluatedProperties of the same schema, or of those in place, have validated.
type evaluated struct {
	all     bool
	names   map[string]bool
	first   int // elements from the first
	indexes map[int]bool
}

func (e *evaluated) has(at step) bool {
	return e.all || at.index < 0 && e.names[at.name] || at.index >= 0 && (at.index < e.first || e.indexes[at.index])
}

func (e *evaluated) add(other *evaluated) {
	e.all = e.all || other.all
	e.first = max(e.first, other.first)
	for name := range other.names {
		e.addName(name)
	}
	for i := range other.indexes {
		e.addIndex(i)
	}
}

// The maps are made when the first name or index is added: most values have none.
func (e *evaluated) addName(name string) {
	if e.names == nil {
		e.names = map[string]bool{}
	}
	e.names[name] = true
}

func (e *evaluated) addIndex(i int) {
	if e.indexes == nil {
		e.indexes = map[int]bool{}
	}
	e.indexes[i] = true
}

// The walk costs one pass over the text. Short containers cannot contain a huge
// number and are not entered.
func hasHugeNumber(in instance) bool {
	if in.kind == strictjson.Number {
		return isHuge(in.text)
	}
	if len(in.value.Raw()) <= shortNumber {
		return false
	}
	for e := range in.value.Elements() {
		if hasHugeNumber(instanceOf(e)) {
			return true
		}
	}
	for _, m := range in.value.Members() {
		if hasHugeNumber(instanceOf(m)) {
			return true
		}
	}
	return false
}

// shortNumber is the length up to which no number is huge.
// Four bytes give 9e99 at most, which a 64-bit float can hold.
const shortNumber = len("9e99")

// isHuge reports whether no 64-bit float is near the number. A check by length comes first, because
// a parse costs more than all other checks of a short number. A number without an exponent has at
// most as many digits as bytes: 300 digits are below the largest float64, 1.8e308.
func isHuge(number string) bool {
	if len(number) <= shortNumber || len(number) <= 300 && !strings.ContainsAny(number, "eE") {
		return false
	}
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}

// repeated returns the elements that equal one before: the index of that by their own. Each
// round makes the keys of the elements up to a length, and keeps only the elements whose
// beginnings are equal for the next round with four times the length. So an element is read
// about as far as it equals another, and the sum of all rounds is linear in the array.
func repeated(array strictjson.Value) map[int]int {
	var elements []strictjson.Value
	// An array of three bytes has one element at most. Most arrays are short, and cost nothing.
	if len(array.Raw()) > len("[1]") {
		elements = slices.Collect(array.Elements())
	}
	if len(elements) < 2 {
		return nil
	}
	open := make([]int, len(elements)) // those that may equal another
	for i := range open {
		open[i] = i
	}
	var first map[int]int
	// The loop ends: a key that is whole leaves open, and each key is whole at some length.
	for most := shortKey; len(open) > 1; most *= 4 {
		same := make(map[string][]int, len(open)) // by the beginning of their keys
		var next []int
		for _, i := range open {
			// Equal values have equal keys, whatever the order of their members and the form
			// of their numbers.
			var buffer [shortKey]byte
			key, isWhole := appendInstanceKey(buffer[:0], instanceOf(elements[i]), most)
			// The sign keeps the beginning of a long key apart from a whole key of the same bytes.
			if !isWhole {
				key = append(key, '+')
			}
			others := same[string(key)]
			switch {
			case len(others) > 0 && isWhole:
				if first == nil {
					first = map[int]int{}
				}
				first[i] = others[0]
				continue
			// With the second element of a beginning, the first stays open as well.
			case len(others) == 1:
				next = append(next, others[0], i)
			case len(others) > 1:
				next = append(next, i)
			}
			same[string(key)] = append(others, i)
		}
		slices.Sort(next)
		open = next
	}
	return first
}

// shortKey is the length up to which the keys of elements are compared first.
const shortKey = 64
