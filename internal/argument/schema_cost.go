package argument

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file bounds the time that validation takes. jsonschema-go visits every
// alternative and remembers nothing, so a schema that refers back to itself through
// the same member of two alternatives takes twice the time for each level of a value.

const (
	// maxVisits limits how many schemas are visited for one part of a value: each
	// schema this many times on average. A schema that grows with the value exceeds
	// every limit.
	maxVisits = 16
	// maxCostSteps limits the work of checkCost.
	maxCostSteps = 1_000_000
)

// checkCost returns an error if the number of schemas that are visited for one part
// of a value is not bounded. Without references, each is visited once at most.
//
// A state is the multiset of the schemas that apply to one part of a value. The root
// applies to the value. checkCost follows each step from a part to a member or an
// element, and visits all states. For {"anyOf": [{"properties": {"a": {"$ref": "#"}}},
// {"properties": {"a": {"$ref": "#"}}}]} the states are 1, 2, 4, … times the root.
func checkCost(r *references) error {
	c := costs{
		references: r, most: maxVisits * len(r.schemas),
		parts: map[*jsonschema.Schema][]part{}, visits: map[*jsonschema.Schema]int{}, steps: map[*jsonschema.Schema][]step{}, next: map[stepFrom]counts{},
	}
	type state struct {
		counts counts
		before *state
		step   step
	}
	seen := map[string]bool{}
	work := 0
	todo := []*state{{counts: counts{c.entry(r.schemas[0]): 1}}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		key := c.key(s.counts)
		if seen[key] {
			continue
		}
		seen[key] = true
		visits, heaviest := 0, r.schemas[0]
		steps := map[step]bool{}
		for _, entry := range c.sorted(s.counts) {
			n := c.bounded(s.counts[entry] * c.visitsOf(entry))
			if visits = c.bounded(visits + n); visits > c.most {
				heaviest = entry
				break
			}
			for _, st := range c.stepsOf(entry) {
				steps[st] = true
			}
		}
		if visits > c.most {
			for ; s.before != nil; s = s.before {
				for _, entry := range c.sorted(s.counts) {
					if places := c.places(s.before.counts, s.step, entry); len(places) > 1 {
						return fmt.Errorf("validating a value takes too long: %s and %s both refer to #%s for %s, so the work multiplies with each level of a value; declare the %s once, beside the alternatives, or differently in each alternative",
							places[0], places[1], r.pointers[entry], s.step, s.step.kind)
					}
				}
			}
			return fmt.Errorf("validating a value takes too long: #%s visits more than %d schemas for one part of a value; refer to each schema once", r.pointers[heaviest], c.most)
		}
		inOrder := func(a, b step) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.index, b.index))
		}
		for _, st := range slices.SortedFunc(maps.Keys(steps), inOrder) {
			next := counts{}
			for entry, n := range s.counts {
				for target, m := range c.nextOf(entry, st) {
					next[target] = c.bounded(next[target] + n*m)
				}
				work += 1 + len(next)
			}
			todo = append(todo, &state{next, s, st})
		}
		if work > maxCostSteps {
			return errors.New("its parts refer to each other in too many combinations to bound the time of validation; use fewer alternatives that refer to others")
		}
	}
	return nil
}

// counts is a multiset of schemas.
type counts map[*jsonschema.Schema]int

// step leads from a part of a value to a member or an element.
type step struct {
	kind  stepKind
	name  string // of a member that properties name; empty: any other member
	index int    // of an element, up to the length of prefixItems, which stands for the rest
}

type stepKind string

const (
	toMember  stepKind = "member"
	toOther   stepKind = "other members"
	toElement stepKind = "element"
	toName    stepKind = "member names"
)

func (s step) String() string {
	switch s.kind {
	case toMember:
		return fmt.Sprintf("the member %q", s.name)
	case toElement:
		return "the same element"
	}
	return "the same " + string(s.kind)
}

type stepFrom struct {
	from *jsonschema.Schema
	step step
}

// costs has the results of checkCost so far.
type costs struct {
	*references
	most   int
	parts  map[*jsonschema.Schema][]part // in place
	visits map[*jsonschema.Schema]int
	steps  map[*jsonschema.Schema][]step
	next   map[stepFrom]counts
}

// part is a schema that applies to the same value as another.
type part struct {
	schema   *jsonschema.Schema
	isBranch bool // then or else, of which one applies
}

func (c *costs) partsOf(s *jsonschema.Schema) []part {
	parts, ok := c.parts[s]
	if !ok {
		for at, sub := range c.inPlace(s) {
			parts = append(parts, part{sub, at == "/then" || at == "/else"})
		}
		c.parts[s] = parts
	}
	return parts
}

// bounded keeps counts from an overflow.
func (c *costs) bounded(n int) int { return min(n, c.most+1) }

func (c *costs) sorted(in counts) []*jsonschema.Schema {
	return slices.SortedFunc(maps.Keys(in), func(a, b *jsonschema.Schema) int { return strings.Compare(c.pointers[a], c.pointers[b]) })
}

func (c *costs) key(in counts) string {
	var key strings.Builder
	for _, s := range c.sorted(in) {
		fmt.Fprintf(&key, "%d %s\n", in[s], c.pointers[s])
	}
	return key.String()
}

// entry returns the schema that s stands for: if s is a reference only, its target.
func (c *costs) entry(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != "" {
		rest := annotationsRemoved(s)
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
func (c *costs) visitsOf(s *jsonschema.Schema) int {
	n, ok := c.visits[s]
	if ok {
		return n
	}
	n = 1
	branch := 0
	for _, p := range c.partsOf(s) {
		if p.isBranch {
			branch = max(branch, c.visitsOf(p.schema))
		} else {
			n = c.bounded(n + c.visitsOf(p.schema))
		}
	}
	n = c.bounded(n + branch)
	c.visits[s] = n
	return n
}

// stepsOf returns the steps that s tells apart.
func (c *costs) stepsOf(s *jsonschema.Schema) []step {
	steps, ok := c.steps[s]
	if ok {
		return steps
	}
	set := map[step]bool{}
	for name := range s.Properties {
		set[step{kind: toMember, name: name}] = true
	}
	if s.PatternProperties != nil || s.AdditionalProperties != nil || s.UnevaluatedProperties != nil {
		set[step{kind: toOther}] = true
	}
	if s.PropertyNames != nil {
		set[step{kind: toName}] = true
	}
	listed := max(len(s.PrefixItems), len(s.ItemsArray))
	for i := range listed {
		set[step{kind: toElement, index: i}] = true
	}
	if listed > 0 || cmp.Or(s.Items, s.Contains, s.UnevaluatedItems) != nil {
		set[step{kind: toElement, index: listed}] = true
	}
	for _, p := range c.partsOf(s) {
		for _, st := range c.stepsOf(p.schema) {
			set[st] = true
		}
	}
	steps = slices.Collect(maps.Keys(set))
	c.steps[s] = steps
	return steps
}

// nextOf returns the schemas that apply after the step from a value that s applies
// to.
func (c *costs) nextOf(s *jsonschema.Schema, st step) counts {
	key := stepFrom{s, st}
	if next, ok := c.next[key]; ok {
		return next
	}
	next, branch := counts{}, counts{}
	these, otherwise := apply(s, st)
	for _, sub := range otherwise {
		next[c.entry(sub)] = 1
	}
	matched := counts{}
	for _, sub := range these {
		matched[c.entry(sub)]++
	}
	for target, n := range matched {
		next[target] = max(next[target], n)
	}
	for _, p := range c.partsOf(s) {
		for target, n := range c.nextOf(p.schema, st) {
			if p.isBranch {
				branch[target] = max(branch[target], n)
			} else {
				next[target] = c.bounded(next[target] + n)
			}
		}
	}
	for target, n := range branch {
		next[target] = c.bounded(next[target] + n)
	}
	c.next[key] = next
	return next
}

// places returns where the schemas of the state refer to the target for the step.
func (c *costs) places(from counts, st step, target *jsonschema.Schema) []string {
	var places []string
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		if len(places) > 1 || c.nextOf(s, st)[target] == 0 {
			return
		}
		these, otherwise := apply(s, st)
		for _, sub := range append(these, otherwise...) {
			if c.entry(sub) == target && !slices.Contains(places, "#"+c.pointers[sub]) {
				places = append(places, "#"+c.pointers[sub])
			}
		}
		for _, p := range c.partsOf(s) {
			walk(p.schema)
		}
	}
	for _, s := range c.sorted(from) {
		walk(s)
	}
	return places
}

// apply returns the schemas directly inside of s that apply after the step. For a
// member that no properties name, either those of all patterns apply at most, or
// those in otherwise.
func apply(s *jsonschema.Schema, st step) (these, otherwise []*jsonschema.Schema) {
	switch st.kind {
	case toName:
		these = []*jsonschema.Schema{s.PropertyNames}
	case toMember, toOther:
		if st.kind == toMember && s.Properties[st.name] != nil {
			these = append(these, s.Properties[st.name])
		}
		for _, pattern := range slices.Sorted(maps.Keys(s.PatternProperties)) {
			// checkPatterns has compiled the pattern.
			if st.kind == toOther || regexp.MustCompile(pattern).MatchString(st.name) {
				these = append(these, s.PatternProperties[pattern])
			}
		}
		otherwise = []*jsonschema.Schema{cmp.Or(s.AdditionalProperties, s.UnevaluatedProperties)}
		if st.kind == toMember {
			if these == nil {
				these = otherwise
			}
			otherwise = nil
		}
	case toElement:
		listed := slices.Concat(s.PrefixItems, s.ItemsArray)
		if st.index < len(listed) {
			these = []*jsonschema.Schema{listed[st.index], s.Contains}
		} else {
			these = []*jsonschema.Schema{cmp.Or(s.Items, s.AdditionalItems, s.UnevaluatedItems), s.Contains}
		}
	}
	isNil := func(s *jsonschema.Schema) bool { return s == nil }
	return slices.DeleteFunc(these, isNil), slices.DeleteFunc(otherwise, isNil)
}
