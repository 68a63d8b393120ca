package schema

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

//
// This file knows in which order the validator visits the schemas inside of a schema,
// and when it stops, for checkCost.

// stepsOf returns the steps that s distinguishes.
//
// Members that no properties name are one step, and so are the elements after the
// listed ones: the same schemas apply to all of them.
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
//
// Of a then and an else, the larger number counts for each schema. Of a pattern and
// additionalProperties, only one applies to a member.
func (c *costs) nextOf(s *jsonschema.Schema, st step) counts {
	key := stepFrom{s, st}
	if next, ok := c.next[key]; ok {
		return next
	}
	next, branch := counts{}, counts{}
	parts, inside := c.visited(s, st)
	if inside {
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
	}
	for _, p := range parts {
		for target, n := range c.nextOf(p.schema, st) {
			if p.isBranch() {
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

// visited returns the parts of s in place that the validator visits for a value which
// the step can be made from, and whether it visits the schemas of members and
// elements. It checks $ref, then the type and the values, then allOf, where the guard
// is the last, then other parts, and then members and elements. It ends with the
// first that fails.
//
// This function must describe what accepts of package argument does. A change of
// the order there needs the same change here.
func (c *costs) visited(s *jsonschema.Schema, st step) (parts []part, inside bool) {
	all := c.partsOf(s)
	for _, p := range all {
		if p.keyword == "$ref" {
			parts = append(parts, p)
			if s.DynamicRef == "" && c.failsFor(p.schema, st) { // a dynamic reference comes after allOf
				return parts, false
			}
		}
	}
	if s.Ref == "" && !isFor(s, st) {
		return parts, false
	}
	for _, p := range all {
		if p.keyword == "allOf" {
			parts = append(parts, p)
			if c.failsFor(p.schema, st) {
				return parts, false
			}
		}
	}
	if s.Ref == "" && c.guardFails(s, st) {
		return parts, false
	}
	for _, p := range all {
		if p.keyword != "$ref" && p.keyword != "allOf" && (p.keyword != "then" || !c.failsFor(s.If, st)) {
			parts = append(parts, p)
		}
	}
	return parts, !c.failsFor(s, st)
}

// failsFor reports whether s accepts no value which the step can be made from. It
// finds only what the validator finds before it visits the members and elements of s.
//
// False is always safe: then the cost is counted as higher than it is.
func (c *costs) failsFor(s *jsonschema.Schema, st step) bool {
	key := stepFrom{s, step{kind: st.kind, tag: st.tag, value: st.value}}
	fails, ok := c.fails[key]
	if ok {
		return fails
	}
	all := func(in []*jsonschema.Schema) bool {
		return in != nil && !slices.ContainsFunc(in, func(s *jsonschema.Schema) bool { return !c.failsFor(s, st) })
	}
	if s.Ref != "" { // next to which draft 7 ignores the other keywords
		target, _ := c.target(s.Ref)
		fails = c.failsFor(target, st)
	} else {
		fails = !isFor(s, st) || c.guardFails(s, st) || all(s.AnyOf) || all(s.OneOf) || IsFalse(s) ||
			slices.ContainsFunc(s.AllOf, func(s *jsonschema.Schema) bool { return c.failsFor(s, st) })
	}
	c.fails[key] = fails
	return fails
}

// isFor reports whether the type and the values of s allow a value which the step
// can be made from.
//
// A value with members or elements is an object or an array. A const or an enum of
// other values rejects each of them.
func isFor(s *jsonschema.Schema, st step) bool {
	container := "object"
	if st.kind == toElement {
		container = "array"
	}
	isComposite := func(v any) bool { return TypeOf(v) == "array" || TypeOf(v) == "object" }
	types := TypesOf(s)
	return (types == nil || slices.Contains(types, container)) &&
		(s.Const == nil || isComposite(*s.Const)) && (s.Enum == nil || slices.ContainsFunc(s.Enum, isComposite))
}

// guardFails reports whether the guard of s rejects objects with the step's tag.
//
// If the object has a value that no guard names, every guard with values for the
// member fails.
func (c *costs) guardFails(s *jsonschema.Schema, st step) bool {
	guard := guardOf(s)
	p := guard.Properties[st.tag]
	switch values := c.tags[st.tag]; {
	case st.tag == "" || st.kind == toElement:
		return false
	case st.value < 0:
		return slices.Contains(guard.Required, st.tag)
	case p == nil:
		return false
	case st.value == len(values):
		return true
	default:
		v := values[st.value]
		return p.Const != nil && !contains(constOf(p), v) || p.Enum != nil && !contains(p.Enum, v)
	}
}

// guardOf returns the rules of s that distinguish alternatives: the required members,
// and the const and the enum of members. The validator of package argument checks them
// before the members, so that it does not visit those of an alternative that does not
// apply.
//
// A member with a $ref is no guard, because a reference could lead back to the
// schema itself.
func guardOf(s *jsonschema.Schema) *jsonschema.Schema {
	guard := jsonschema.Schema{Required: s.Required}
	for name, p := range s.Properties {
		if p.Ref == "" && (p.Const != nil || p.Enum != nil) {
			if guard.Properties == nil {
				guard.Properties = map[string]*jsonschema.Schema{}
			}
			guard.Properties[name] = &jsonschema.Schema{Const: p.Const, Enum: p.Enum}
		}
	}
	return &guard
}

// constOf returns the const as a list; nil without one.
func constOf(s *jsonschema.Schema) []any {
	if s.Const == nil {
		return nil
	}
	return []any{*s.Const}
}

// apply returns the schemas directly inside of s that apply after the step. For a
// member that no properties name, either those of all patterns apply at most, or
// those in otherwise.
//
// contains is listed with the element, because the validator visits both schemas
// for each element.
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
