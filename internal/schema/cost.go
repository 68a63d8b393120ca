package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file bounds the time that validation takes. A validator visits every
// alternative and remembers nothing, so a schema that refers back to itself through
// the same member of two alternatives takes twice the time for each level of a value.

const (
	// maxVisits limits how many schemas are visited for one part of a value: each
	// schema this many times on average. A schema that grows with the value exceeds
	// every limit.
	maxVisits = 16
	// maxCostSteps limits the work of checkCost.
	// Few schemas come near to the limit. Without it, checkCost itself could take
	// exponential time.
	maxCostSteps = 1_000_000
)

// checkCost returns an error if the number of schemas that are visited for one part
// of a value is not bounded. Without references, each is visited once at most.
//
// The root applies to the value. checkCost follows each step from a part to a member or
// an element, and checks all states. If two schemas apply after a step, it follows the
// step for each value of a tag: an alternative that requires another value of the
// member fails before its other members are visited, see guardOf. For
//
//	{"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}
//
// the states are 1, 2, 4, … times the root.
//
// The states are finite in number, because the counts of a state are bounded by
// most, and a state that was seen is not followed again.
func checkCost(r *references) error {
	c := costs{
		references: r, most: maxVisits * len(r.schemas), tags: map[string][]any{},
		parts: map[*jsonschema.Schema][]part{}, visits: map[*jsonschema.Schema]int{}, steps: map[*jsonschema.Schema][]step{},
		next: map[stepFrom]counts{}, fails: map[stepFrom]bool{},
	}
	for _, s := range r.schemas {
		// The values of all guards are collected first: a step for a tag must know
		// which other values exist.
		for name, p := range guardOf(s).Properties {
			for _, v := range slices.Concat(p.Enum, constOf(p)) {
				if !contains(c.tags[name], v) {
					c.tags[name] = append(c.tags[name], v)
				}
			}
		}
	}
	seen := map[string]bool{}
	todo := []*state{{counts: counts{c.entry(r.schemas[0]): 1}}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		key := c.key(s.counts)
		if seen[key] {
			continue
		}
		seen[key] = true
		steps, err := c.check(s)
		if err != nil {
			return err
		}
		for _, st := range steps {
			for _, st := range c.withTags(s.counts, st) {
				todo = append(todo, &state{c.nextOfAll(s.counts, st), s, st})
			}
		}
		if c.work > maxCostSteps {
			return errors.New("subschemas refer to each other in too many combinations to bound the time of validation; use fewer alternatives that refer to others")
		}
	}
	return nil
}

// state is the multiset of the schemas that apply to one part of a value, after a step
// from the state before.
//
// The chain of the states before is kept for the error, which names the places that
// multiply.
type state struct {
	counts counts
	before *state // nil for the value itself
	step   step
}

// check returns the steps from the state in order, or an error if the state visits too
// many schemas.
//
// The steps are sorted, so that the same schema always gets the same error.
func (c *costs) check(s *state) ([]step, error) {
	visits := 0
	steps := map[step]bool{}
	for _, entry := range c.sorted(s.counts) {
		n := c.bounded(s.counts[entry] * c.visitsOf(entry))
		if visits = c.bounded(visits + n); visits > c.most {
			return nil, c.tooLong(s, entry)
		}
		for _, st := range c.stepsOf(entry) {
			steps[st] = true
		}
	}
	inOrder := func(a, b step) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
	}
	return slices.SortedFunc(maps.Keys(steps), inOrder), nil
}

// tooLong returns the error for a state that visits too many schemas: two places that
// refer to the same schema on the way to the state, or else the heaviest schema.
//
// The search goes back from the last state, because the nearest step is where the
// author sees both places.
func (c *costs) tooLong(s *state, heaviest *jsonschema.Schema) error {
	for ; s.before != nil; s = s.before {
		for _, entry := range c.sorted(s.counts) {
			if places := c.places(s.before.counts, s.step, entry); len(places) > 1 {
				return fmt.Errorf("validating a value takes too long: %s and %s both refer to #%s for %s, so the work multiplies with each level of a value; declare the %s once, beside the alternatives, or require a member with another const in each alternative",
					places[0], places[1], c.pointers[entry], s.step, s.step.kind)
			}
		}
	}
	return fmt.Errorf("validating a value takes too long: #%s visits more than %d schemas for one part of a value; refer to each schema once", c.pointers[heaviest], c.most)
}

// counts is a multiset of schemas.
//
// A schema that applies twice to the same part is visited twice.
type counts map[*jsonschema.Schema]int

// step leads from a part of a value to a member or an element.
//
// A step is comparable, so it can be the key of a map.
type step struct {
	kind  stepKind
	name  string // of a member that properties name; empty: any other member
	index int    // of an element, up to the length of prefixItems, which stands for the rest

	// If tag is not empty, the step is from an object whose member of that name has a
	// value of costs.tags: the one at the index, none (-1), or another (their number).
	tag   string
	value int
}

// stepKind is a group of parts of a value to which the same schemas apply.
type stepKind string

const (
	toMember  stepKind = "member"
	toOther   stepKind = "other members"
	toElement stepKind = "element"
	toName    stepKind = "member names"
)

// String words the step for an error.
func (s step) String() string {
	switch s.kind {
	case toMember:
		return fmt.Sprintf("the member %q", s.name)
	case toElement:
		return "the same element"
	}
	return "the same " + string(s.kind)
}

// stepFrom is a step from a value that one schema applies to.
type stepFrom struct {
	from *jsonschema.Schema
	step step
}

// costs has the results of checkCost so far.
//
// The results of each schema are kept, so that a schema is analyzed once, however
// many states contain it.
type costs struct {
	*references
	most   int
	tags   map[string][]any              // the values that guards have for a member
	parts  map[*jsonschema.Schema][]part // in place
	visits map[*jsonschema.Schema]int
	steps  map[*jsonschema.Schema][]step
	next   map[stepFrom]counts
	fails  map[stepFrom]bool
	work   int
}

// part is a schema that applies to the same value as another.
type part struct {
	schema  *jsonschema.Schema
	keyword string
}

// isBranch reports whether the part is a then or an else, of which one applies.
func (p part) isBranch() bool { return p.keyword == "then" || p.keyword == "else" }

// partsOf returns the schemas in place of s, in the order of inPlace.
func (c *costs) partsOf(s *jsonschema.Schema) []part {
	parts, ok := c.parts[s]
	if !ok {
		for at, sub := range c.inPlace(s) {
			keyword, _, _ := strings.Cut(at[1:], "/")
			parts = append(parts, part{sub, keyword})
		}
		c.parts[s] = parts
	}
	return parts
}

// bounded keeps counts from an overflow.
//
// One more than the limit is as much as any larger number.
func (c *costs) bounded(n int) int { return min(n, c.most+1) }

// sorted returns the schemas of the multiset in the order of their pointers.
func (c *costs) sorted(in counts) []*jsonschema.Schema {
	return slices.SortedFunc(maps.Keys(in), func(a, b *jsonschema.Schema) int { return strings.Compare(c.pointers[a], c.pointers[b]) })
}

// key returns a text that is the same for equal multisets only.
func (c *costs) key(in counts) string {
	var key strings.Builder
	for _, s := range c.sorted(in) {
		fmt.Fprintf(&key, "%d %s\n", in[s], c.pointers[s])
	}
	return key.String()
}

// entry returns the schema that s stands for: if s is a reference only, its target.
//
// So two references to one schema count as the same schema, and the states stay
// few.
func (c *costs) entry(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != "" {
		rest := WithoutAnnotations(s)
		rest.Ref, rest.Defs, rest.Definitions, rest.Anchor, rest.DynamicAnchor = "", nil, nil, "", ""
		if !reflect.ValueOf(rest).IsZero() {
			break
		}
		s, _ = c.target(s.Ref) // follow has checked the reference
	}
	return s
}

// visitsOf returns how many schemas are visited for a value that s applies to, the
// parts of the value aside.
//
// Of then and else only the heavier one counts. The recursion ends, because follow
// has rejected loops in place.
func (c *costs) visitsOf(s *jsonschema.Schema) int {
	n, ok := c.visits[s]
	if ok {
		return n
	}
	n = 1
	branch := 0
	for _, p := range c.partsOf(s) {
		if p.isBranch() {
			branch = max(branch, c.visitsOf(p.schema))
		} else {
			n = c.bounded(n + c.visitsOf(p.schema))
		}
	}
	n = c.bounded(n + branch)
	c.visits[s] = n
	return n
}

// withTags returns the step for each value of the tag that distinguishes the most
// schemas. It returns the step alone if no tag distinguishes any.
//
// Only objects have tags. A single tag is enough for each step: every combination of
// several tags would make too many states.
func (c *costs) withTags(from counts, st step) []step {
	steps := []step{st}
	least := c.mostNext(from, steps)
	if least < 2 || st.kind == toElement {
		return steps
	}
	tags := map[string]bool{}
	seen := map[*jsonschema.Schema]bool{}
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		for name := range guardOf(s).Properties {
			tags[name] = true
		}
		for _, p := range c.partsOf(s) {
			walk(p.schema)
		}
	}
	for s := range from {
		walk(s)
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		var tagged []step
		for value := range len(c.tags[tag]) + 2 {
			st.tag, st.value = tag, value-1
			tagged = append(tagged, st)
		}
		if most := c.mostNext(from, tagged); most < least {
			steps, least = tagged, most
		}
	}
	return steps
}

// mostNext returns the most schemas that apply after one of the steps.
//
// The number says how many schemas meet after the step, which withTags tries to
// make small.
func (c *costs) mostNext(from counts, steps []step) int {
	most := 0
	for _, st := range steps {
		n := 0
		for _, m := range c.nextOfAll(from, st) {
			n = c.bounded(n + m)
		}
		most = max(most, n)
	}
	return most
}

// nextOfAll returns the schemas that apply after the step from a value that all of
// the multiset apply to.
//
// The work is counted here, because every state and every trial of a tag passes
// this function.
func (c *costs) nextOfAll(from counts, st step) counts {
	next := counts{}
	for s, n := range from {
		for target, m := range c.nextOf(s, st) {
			next[target] = c.bounded(next[target] + n*m)
		}
		c.work += 1 + len(next)
	}
	return next
}

// places returns where the schemas of the state refer to the target for the step.
//
// Two places are enough for the error.
func (c *costs) places(from counts, st step, target *jsonschema.Schema) []string {
	var places []string
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		if len(places) > 1 || c.nextOf(s, st)[target] == 0 {
			return
		}
		parts, inside := c.visited(s, st)
		these, otherwise := apply(s, st)
		for _, sub := range append(these, otherwise...) {
			if inside && c.entry(sub) == target && !slices.Contains(places, "#"+c.pointers[sub]) {
				places = append(places, "#"+c.pointers[sub])
			}
		}
		for _, p := range parts {
			walk(p.schema)
		}
	}
	for _, s := range c.sorted(from) {
		walk(s)
	}
	return places
}
