package argument

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file validates JSON with a compiled schema. It allocates nothing for most schemas,
// and finds no errors.
//
//
// The work is linear in the value: a validation ends when it has visited maxVisits times
// as many schemas as there are, for each part of the value.

// Accepts reports whether the schema accepts the JSON. It rejects a text that is not
// strict JSON, and a number that no 64-bit float is near.
//
// Package elicit and the samples validate whole texts with Accepts. Arguments are
// parsed before.
func (v *Validator) Accepts(text string) bool {
	var doc strictjson.Doc
	return doc.Parse(text, jsonenc.MaxDepth) == nil && v.accepts(instanceOf(doc.Root()))
}

// accepts is Accepts for a value that was parsed. accepts must be the only way into the
// tree for values of clients, because it rejects huge numbers.
func (v *Validator) accepts(in instance) bool {
	// Numbers are compared digit by digit, and 1e999999999 has as many digits as it says.
	return !hasHugeNumber(in) && v.acceptsPart(v.root, in, nil)
}

// acceptsPart reports whether a schema of the tree accepts a value, within maxVisits.
func (v *Validator) acceptsPart(s *subschema, in instance, around *evaluated) bool {
	left := v.visits(in)
	return s.accepts(in, around, &left) && left >= 0 // a not turns the result around
}

// maxVisits limits how many schemas are visited for one part of a value: each schema this
// many times on average. A schema that refers back to itself through the same member of two
// alternatives takes twice the time for each level of a value, and so exceeds every limit.
const maxVisits = 16

// visits returns how many schemas may be visited to validate the value.
func (v *Validator) visits(in instance) int64 {
	return maxVisits * int64(v.schemas) * int64(1+in.value.Nodes())
}

// tooManyVisits reports whether a validation of the value ends at maxVisits.
func (v *Validator) tooManyVisits(in instance) bool {
	left := v.visits(in)
	v.root.accepts(in, nil, &left)
	return left < 0
}

// hasHugeNumber reports whether the value contains a number outside the range of a
// 64-bit float.
//
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

// isHuge reports whether no 64-bit float is near the number. A check by length comes first,
// because a parse costs more than all other checks of a short number.
//
// A number without an exponent has at most as many digits as bytes: 300 digits are
// below the largest float64, 1.8e308.
func isHuge(number string) bool {
	if len(number) <= shortNumber || len(number) <= 300 && !strings.ContainsAny(number, "eE") {
		return false
	}
	_, err := strconv.ParseFloat(number, 64)
	return err != nil
}

// evaluated are the members and elements of a value that a schema has accepted, for the
// unevaluatedProperties and the unevaluatedItems around it.
//
// JSON Schema 2020-12 calls these annotations: unevaluatedProperties applies to the
// members that no properties, patternProperties, additionalProperties or
// unevaluatedProperties of the same schema, or of those in place, have validated.
type evaluated struct {
	all     bool
	names   map[string]bool
	first   int // elements from the first
	indexes map[int]bool
}

// add adds what another schema for the same value has evaluated.
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

// addName adds an evaluated member. The maps are made when the first name or index is
// added: most values have none.
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

// accepts reports whether the schema accepts the value. If around is not nil, accepts adds
// the members and elements that the schema has evaluated. left is how many schemas may
// still be visited.
//
// The rule of JSON Schema is that all keywords must accept the value. The order
// only decides what a rejected value costs.
func (s *subschema) accepts(in instance, around *evaluated, left *int64) bool {
	// A reference is not counted, but its target is.
	if s.ref == nil {
		*left--
	}
	if *left < 0 {
		return false
	}
	var own *evaluated
	if around != nil || s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		// Few schemas have an unevaluated keyword. All others allocate nothing here.
		own = &evaluated{}
	}
	// Cheap checks first: a value of the wrong type is never looked into.
	if s.ref != nil && !s.ref.accepts(in, own, left) ||
		!s.hasType(in) || !s.hasValue(in) || !s.fitsRules(in) ||
		!s.acceptsInPlace(in, own, left) {
		return false
	}
	switch in.kind {
	// The type is checked above, so a keyword for arrays does not concern an object.
	case strictjson.Array:
		if !s.acceptsElements(in.value, own, left) {
			return false
		}
	case strictjson.Object:
		if !s.acceptsMembers(in, own, left) {
			return false
		}
	}
	if around != nil {
		// Only a schema that accepts the value evaluates anything of it: an alternative that
		// fails must not count.
		around.add(own)
	}
	return true
}

// hasType reports whether the keyword type allows the value. No type allows all.
func (s *subschema) hasType(in instance) bool {
	// 7.0 is an integer in JSON Schema, so the form of the text does not decide.
	return s.kinds == 0 || s.kinds>>in.kind&1 == 1 && (!s.isIntegral || in.kind != strictjson.Number || in.number().isInteger())
}

// hasValue reports whether the enum and the const allow the value.
//
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

// fitsRules checks the rules of strings and numbers.
//
// JSON Schema lets a keyword for strings accept every number, and the other way
// round.
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

// acceptsInPlace checks the schemas that apply to the same value.
//
// The schemas in place get own, because the parts that they evaluate count for s as
// well.
func (s *subschema) acceptsInPlace(in instance, own *evaluated, left *int64) bool {
	if s.isFalse {
		return false
	}
	for _, sub := range s.allOf {
		if !sub.accepts(in, own, left) {
			return false
		}
	}
	// Before the alternatives: a tag rules most of them out without a look at their members.
	if in.kind == strictjson.Object && !s.acceptsTags(in.value) {
		return false
	}
	if s.anyOf != nil && !s.acceptsAny(in, own, left) || s.oneOf != nil && s.countOf(in, own, left) != 1 {
		return false
	}
	// What a not accepts is rejected here, so it evaluates nothing.
	if s.not != nil && s.not.accepts(in, nil, left) {
		return false
	}
	if s.cond == nil {
		return true
	}
	// Without an else, a value that the if rejects is valid.
	branch := s.els
	if s.cond.accepts(in, own, left) {
		branch = s.then
	}
	return branch == nil || branch.accepts(in, own, left)
}

// acceptsAny visits all alternatives if own is not nil: each may evaluate others.
//
// JSON Schema demands that the annotations of all alternatives that accept the
// value are collected.
func (s *subschema) acceptsAny(in instance, own *evaluated, left *int64) bool {
	ok := false
	for _, sub := range s.anyOf {
		if sub.accepts(in, own, left) {
			// The rest can only add what is evaluated.
			if ok = true; own == nil {
				break
			}
		}
	}
	return ok
}

// countOf returns how many alternatives of oneOf accept the value, up to 2.
//
// If two alternatives accept the value, the value is rejected, so what they have
// evaluated is never used.
func (s *subschema) countOf(in instance, own *evaluated, left *int64) int {
	n := 0
	for _, sub := range s.oneOf {
		if sub.accepts(in, own, left) {
			// Two are too many already. How many more there are does not matter.
			if n++; n == 2 {
				break
			}
		}
	}
	return n
}

// acceptsTags checks the required members, and the members with a const or an enum,
// before others. So an alternative for another tag costs little.
//
// No other function checks required. The tags are checked again with their members,
// so that checking them here changes no result. Without tags, a recursive schema with
// alternatives would take twice the time for each level of the value.
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

// acceptsElements checks the keywords for arrays, in one pass over the elements if
// there is no unevaluatedItems.
func (s *subschema) acceptsElements(array strictjson.Value, own *evaluated, left *int64) bool {
	i, matching := 0, 0
	for e := range array.Elements() {
		in := instanceOf(e)
		if sub := s.elementAt(i); sub != nil && !sub.accepts(in, nil, left) {
			return false
		}
		// In 2020-12, an element that contains accepts is evaluated. The elements
		// that it rejects are not.
		if s.contains != nil && s.contains.accepts(in, nil, left) {
			if matching++; own != nil {
				own.addIndex(i)
			}
		}
		i++
	}
	// uniqueItems comes last, as the only keyword that compares elements with each
	// other.
	if !s.isCount(i, s.rules.minItems, s.rules.maxItems) || !s.containsEnough(matching) || s.isUnique && repeated(array) != nil {
		return false
	}
	if own == nil {
		return true
	}
	// Prefixes are evaluated from the first on, so one number says it all. Elements of contains
	// can be anywhere.
	own.first = max(own.first, min(len(s.prefix), i))
	own.all = own.all || s.items != nil
	if s.unevaluatedItems == nil || own.all {
		return true
	}
	i = 0
	for e := range array.Elements() {
		if i >= own.first && !own.indexes[i] && !s.unevaluatedItems.accepts(instanceOf(e), nil, left) {
			return false
		}
		i++
	}
	own.all = true
	return true
}

// elementAt returns the schema of the element at the index; nil for any value.
//
// items applies to the elements after those of prefixItems only.
func (s *subschema) elementAt(i int) *subschema {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

// isCount reports whether a number of elements or members is within the two limits.
func (*subschema) isCount(n int, low, high *int) bool {
	return (low == nil || n >= *low) && (high == nil || n <= *high)
}

// containsEnough reports whether n elements that contains accepts are allowed.
//
// An array without any matching element is valid if minContains is 0.
func (s *subschema) containsEnough(n int) bool {
	if s.contains == nil {
		return true
	}
	return n >= s.leastContained() && (s.maxContains == nil || n <= *s.maxContains)
}

// leastContained returns minContains, whose default in JSON Schema is 1.
func (s *subschema) leastContained() int {
	if s.minContains != nil {
		return *s.minContains
	}
	return 1
}

// repeated returns the elements that equal one before: the index of that by their own. It
// reads elements up to where they differ: lists inside of lists would be read once for
// each level otherwise.
//
// Each round makes the keys of the elements up to a length, and keeps only the
// elements whose beginnings are equal for the next round with four times the
// length. So an element is read about as far as it equals another, and the sum of
// all rounds is linear in the array.
func repeated(array strictjson.Value) map[int]int {
	var elements []strictjson.Value
	// An array of three bytes has one element at most. Most arrays are short, and
	// cost nothing.
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
	// The loop ends: a key that is whole leaves open, and each key is whole at some
	// length.
	for most := shortKey; len(open) > 1; most *= 4 {
		same := make(map[string][]int, len(open)) // by the beginning of their keys
		var next []int
		for _, i := range open {
			// Equal values have equal keys, whatever the order of their members and the form
			// of their numbers.
			var buffer [shortKey]byte
			key, isWhole := appendInstanceKey(buffer[:0], instanceOf(elements[i]), most)
			// The sign keeps the beginning of a long key apart from a whole key of
			// the same bytes.
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

// acceptsMembers checks the keywords for objects, except for required, which
// acceptsTags has checked.
func (s *subschema) acceptsMembers(in instance, own *evaluated, left *int64) bool {
	n := 0
	for name, v := range in.value.Members() {
		n++
		// propertyNames is a schema for the name, which is validated as a string.
		if s.memberNames != nil && !s.memberNames.accepts(instance{kind: strictjson.String, text: name}, nil, left) {
			return false
		}
		m := instanceOf(v)
		isEvaluated := true
		for sub := range s.schemasOf(name) {
			if sub == nil {
				isEvaluated = false
			} else if !sub.accepts(m, nil, left) {
				return false
			}
		}
		// A member that only additionalProperties accepts is evaluated, too.
		if own != nil && isEvaluated {
			own.addName(name)
		}
	}
	if !s.isCount(n, s.minMembers, s.maxMembers) {
		return false
	}
	// Dependent schemas apply to the whole object and not to the member, so they
	// get own.
	for _, d := range s.dependents {
		// A dependency applies only if its member is there.
		if in.value.Get(d.name).Kind() == strictjson.Invalid {
			continue
		}
		for _, name := range d.required {
			if in.value.Get(name).Kind() == strictjson.Invalid {
				return false
			}
		}
		if d.schema != nil && !d.schema.accepts(in, own, left) {
			return false
		}
	}
	if s.unevaluatedProperties == nil || own.all {
		return true
	}
	for name, v := range in.value.Members() {
		if !own.names[name] && !s.unevaluatedProperties.accepts(instanceOf(v), nil, left) {
			return false
		}
	}
	own.all = true
	return true
}

// schemasOf yields the schemas of the member: a single nil without any.
//
// additionalProperties applies only to members that neither properties nor
// patternProperties of the same schema have. Members that allOf or a reference
// declares do not count.
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
