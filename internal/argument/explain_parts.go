package argument

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has the problems of the keywords for arrays and objects.

// elements adds the problems of an array.
func (e *explainer) elements(s *subschema, in instance) {
	n, matching := 0, 0
	for v := range in.value.Elements() {
		// A forbidden element is reported below, where the number of elements is
		// known.
		if sub := s.elementAt(n); sub != nil && !sub.isFalse {
			e.inside(step{index: n}, func() { e.explain(sub, instanceOf(v)) })
		}
		if s.contains != nil && e.accepts(s.contains, instanceOf(v)) {
			matching++
		}
		n++
	}
	r := &s.rules
	switch {
	case !s.isCount(n, r.minItems, r.maxItems):
		e.add(func() *Problem {
			return &Problem{Reason: reasonLength, Message: fmt.Sprintf("must have %s, got %d", r.items(), n), Allowed: r.itemCounts()}
		})
	case n > len(s.prefix) && s.items != nil && s.items.isFalse:
		most := len(s.prefix)
		e.add(func() *Problem {
			return &Problem{Reason: reasonLength, Message: fmt.Sprintf("must have %s, got %d", phrase.Count(nil, &most, "element", "elements"), n), Allowed: limits{MaxItems: &most}}
		})
	default:
		for i, sub := range s.prefix[:min(n, len(s.prefix))] {
			if sub.isFalse {
				e.inside(step{index: i}, func() { e.add(notAllowed) })
			}
		}
	}
	if !s.containsEnough(matching) {
		least := s.leastContained()
		e.add(func() *Problem {
			message := fmt.Sprintf("must have %s %s, got %d", phrase.Count(&least, s.maxContains, "element", "elements"), s.contains.thatIs(), matching)
			return &Problem{Reason: reasonSchema, Message: message}
		})
	}
	if s.isUnique {
		e.repeated(in.value)
	}
}

// repeated adds a problem for each element that equals one before.
//
// The first of equal elements has no problem, so that the client removes the others
// only.
func (e *explainer) repeated(array strictjson.Value) {
	first := repeated(array)
	for _, i := range slices.Sorted(maps.Keys(first)) {
		e.inside(step{index: i}, func() {
			e.add(func() *Problem {
				return &Problem{Reason: reasonSchema, Message: fmt.Sprintf("must be unique, but equals the element [%d]; remove one of the two", first[i])}
			})
		})
	}
}

// members adds the problems of an object: first the missing members, then those of
// each member.
func (e *explainer) members(s *subschema, in instance) {
	for _, name := range s.required {
		if in.value.Get(name).Kind() == strictjson.Invalid {
			// The place is that of the member which is not there: a form can mark the field.
			e.inside(step{name: name, index: -1, isDeclared: true}, func() { e.add(missing) })
		}
	}
	n := 0
	for name, v := range in.value.Members() {
		n++
		_, isDeclared := s.members[name]
		e.inside(step{name: name, index: -1, isDeclared: isDeclared}, func() { e.member(s, name, instanceOf(v)) })
	}
	if !s.isCount(n, s.minMembers, s.maxMembers) {
		e.add(func() *Problem {
			count := phrase.Count(s.minMembers, s.maxMembers, "member", "members")
			return &Problem{Reason: reasonLength, Message: fmt.Sprintf("must have %s, got %d", count, n), Allowed: limits{MinProperties: s.minMembers, MaxProperties: s.maxMembers}}
		})
	}
	for _, d := range s.dependents {
		if in.value.Get(d.name).Kind() == strictjson.Invalid {
			continue
		}
		for _, name := range d.required {
			if in.value.Get(name).Kind() == strictjson.Invalid {
				e.inside(step{name: name, index: -1, isDeclared: true}, func() {
					e.add(func() *Problem {
						return &Problem{Reason: ReasonMissing, Message: "is required, because " + memberName(d.name) + " is given"}
					})
				})
			}
		}
		if d.schema != nil {
			e.explain(d.schema, in)
		}
	}
}

// member adds the problems of one member: of its name, and of its value with each
// schema that applies.
func (e *explainer) member(s *subschema, name string, in instance) {
	if s.memberNames != nil {
		named := instance{kind: strictjson.String, text: name}
		// An explainer of its own, because the place of these problems is a name and no value.
		inner := explainer{v: e.v, most: 1, budget: e.budget}
		if inner.explain(s.memberNames, named); inner.problems != nil {
			e.add(func() *Problem {
				p := inner.problems[0]
				p.Message = "has a name that " + p.Message
				return &p
			})
		}
	}
	for sub := range s.schemasOf(name) {
		switch {
		case sub == nil:
		// A name that is unknown may be misspelled, while false for a declared name forbids it.
		case sub.isFalse && sub == s.additional:
			e.add(func() *Problem { return s.unknown(name, e.isTool && len(e.at.steps) == 1) })
		case sub.isFalse:
			e.add(notAllowed)
		default:
			e.explain(sub, in)
		}
	}
}

// missing is the problem of a required member, and has the place of that member.
func missing() *Problem { return &Problem{Reason: ReasonMissing, Message: "is required"} }

// notAllowed is the problem of a value whose schema is false.
func notAllowed() *Problem {
	return &Problem{Reason: reasonUnknown, Message: "is not allowed; remove it"}
}

// unknown is the problem of a member that the schema does not declare.
//
// A misspelled name is the most common cause, so a suggestion is better than the
// list of names.
func (s *subschema) unknown(name string, isArgument bool) *Problem {
	p := &Problem{Reason: reasonUnknown, Message: "is unknown"}
	if isArgument {
		p.Message = "is not an argument of this tool"
	}
	p.suggest(name, s.names)
	switch {
	case p.Suggestion != "":
	case len(s.names) == 0:
		p.Message += "; remove it"
	case !isArgument: // the model has the list of arguments
		p.Message += "; known members: " + phrase.Clip(phrase.List(s.names, memberName), maxPlace)
	}
	if len(s.names) > 0 {
		p.Allowed, p.More = s.names[:min(len(s.names), maxAllowed)], max(0, len(s.names)-maxAllowed)
	}
	return p
}

// memberName returns the name of a member for a message.
func memberName(name string) string {
	if isPlain(name) {
		return name
	}
	return strconv.Quote(phrase.Clip(name, 64))
}

// unevaluated adds the problems of unevaluatedItems and unevaluatedProperties, if all
// other keywords accept the value.
//
// The unevaluated parts depend on all other keywords, so these problems are useful
// only after the others are fixed.
func (e *explainer) unevaluated(s *subschema, in instance) {
	if e.accepts(s, in) {
		return
	}
	// Without both keywords, the schema says what the others have evaluated.
	rest := *s
	rest.unevaluatedItems, rest.unevaluatedProperties = nil, nil
	var seen evaluated
	if !e.v.acceptsPart(&rest, in, &seen) {
		e.add(func() *Problem { return s.mismatch(in) })
		return
	}
	explain := func(sub *subschema, v strictjson.Value) {
		if sub.isFalse {
			e.add(func() *Problem { return &Problem{Reason: reasonUnknown, Message: "is unknown; remove it"} })
		} else {
			e.explain(sub, instanceOf(v))
		}
	}
	if s.unevaluatedProperties != nil {
		for name, v := range in.value.Members() {
			if !seen.all && !seen.names[name] {
				e.inside(step{name: name, index: -1}, func() { explain(s.unevaluatedProperties, v) })
			}
		}
	}
	if s.unevaluatedItems != nil {
		i := 0
		for v := range in.value.Elements() {
			if !seen.all && i >= seen.first && !seen.indexes[i] {
				e.inside(step{index: i}, func() { explain(s.unevaluatedItems, v) })
			}
			i++
		}
	}
}

// thatIs says in a few words which values the schema accepts, after a noun.
//
// The words stand in a message about contains, such as "must have at least 1
// element equal to a".
func (s *subschema) thatIs() string {
	asJSON := s.asJSON
	s = s.target()
	switch {
	case s.rules.enum != nil:
		return "equal to " + phrase.List(s.rules.enum, choiceOf)
	case s.kinds != 0:
		of := "of the type " + either(typesOf(s))
		return phrase.Join(", ", of, s.rules.bounds(), s.rules.length())
	case len(s.required) > 0:
		return "with the members " + phrase.List(slices.Clone(s.required), memberName)
	}
	return "that matches the JSON Schema " + asJSON()
}
