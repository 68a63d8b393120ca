package argument

import (
	"context"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file validates JSON with a compiled schema, in one walk over the keywords. Without an
// explainer, the walk allocates nothing for most schemas.
// The work is linear in the value: a validation ends when it has visited maxVisits times
// as many schemas as there are, for each part of the value.

// Accepts reports whether the schema accepts the JSON. It rejects a text that is not strict
// JSON, and a number that no 64-bit float is near. Arguments are parsed before.
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

func (v *Validator) acceptsPart(s *subschema, in instance, around *evaluated) bool {
	w := validation{v: v, left: v.visits(in)}
	return w.accepts(s, in, around) && w.left >= 0 // a not turns the result around
}

// maxVisits limits how many schemas are visited for one part of a value: each schema this
// many times on average. A schema that refers back to itself through the same member of two
// alternatives takes twice the time for each level of a value, and so exceeds every limit.
const maxVisits = 16

// visitsPerLook is after how many visits a walk looks whether its request has ended: a request
// that the client cancels, or that exceeds its time limit, must not keep a processor.
const visitsPerLook = 1 << 12

func (v *Validator) visits(in instance) int64 {
	return maxVisits * int64(v.schemas) * int64(1+in.value.Nodes())
}

// validation is one walk of a value through the schemas: to the first keyword that fails or,
// with an explainer, through all keywords.
type validation struct {
	v         *Validator
	ctx       context.Context // whose end ends the walk; nil for a walk that is short
	left      int64           // how many schemas may still be visited
	explainer *explainer      // collects the problems; nil to end at the first
}

// fails adds the problem of a keyword, if somebody wants it, and returns false. After the last
// visit, nothing is known.
func (w *validation) fails(make func() *Problem) bool {
	if w.explainer != nil && w.left >= 0 {
		w.explainer.add(make)
	}
	return false
}

func (w *validation) ends(ok bool) bool { return !ok && w.explainer == nil }

// If around is not nil, accepts adds the members and elements that the schema has evaluated. All
// keywords must accept the value: the order only decides what a rejected value costs.
func (w *validation) accepts(s *subschema, in instance, around *evaluated) bool {
	// A reference is not counted, but its target is.
	if s.ref == nil {
		if w.left--; w.left%visitsPerLook == 0 && w.ctx != nil && w.ctx.Err() != nil {
			w.left = -1 // nobody waits for the result
		}
	}
	if w.left < 0 {
		return false
	}
	// Past the budget, the value still gets a problem, without the reason inside.
	if w.explainer != nil && !w.explainer.spend(1) {
		return w.looksAhead(s, in, around) || w.fails(func() *Problem { return s.mismatch(in) })
	}
	var own *evaluated
	if around != nil || s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		// Few schemas have an unevaluated keyword. All others allocate nothing here.
		own = &evaluated{}
	}
	// In draft 7, the other keywords are absent beside a reference, see compile.
	ok := s.ref == nil || w.accepts(s.ref, in, own)
	switch {
	case w.ends(ok):
		return false
	// Cheap checks first: a value of the wrong type is never looked into. It would break nearly
	// every other rule as well, and one problem says it.
	case !s.hasType(in):
		return w.fails(func() *Problem { return s.wrongType(in) })
	case !s.hasValue(in):
		return w.fails(func() *Problem { return s.wrongValue(in) })
	case !s.fitsRules(in):
		if ok = w.fails(func() *Problem { return s.brokenRule(in) }); w.ends(ok) {
			return false
		}
	}
	if ok = w.inPlace(s, in, own) && ok; w.ends(ok) {
		return false
	}
	switch in.kind {
	// The type is checked above, so a keyword for arrays does not concern an object.
	case strictjson.Array:
		ok = w.elements(s, in.value, own) && ok
	case strictjson.Object:
		ok = w.members(s, in, own) && ok
	}
	// What is evaluated depends on all other keywords. Only a schema that accepts the value
	// evaluates anything of it: an alternative that fails must not count.
	ok = ok && (own == nil || w.unevaluated(s, in, own))
	if ok && around != nil {
		around.add(own)
	}
	return ok
}

func (w *validation) part(at step, s *subschema, in instance) (ok bool) {
	if w.explainer == nil {
		return w.accepts(s, in, nil)
	}
	w.explainer.inside(at, func() { ok = w.accepts(s, in, nil) })
	return ok
}

// wouldAccept reports whether the schema accepts the value, if that decides which other keywords
// apply: no problem of the schema counts. The look ahead of an explainer is charged to the budget.
func (w *validation) wouldAccept(s *subschema, in instance, around *evaluated) bool {
	if w.explainer == nil {
		return w.accepts(s, in, around)
	}
	w.explainer.spend(1 + len(in.text) + len(in.value.Raw()))
	return w.looksAhead(s, in, around)
}

func (w *validation) looksAhead(s *subschema, in instance, around *evaluated) bool {
	ahead := validation{v: w.v, ctx: w.ctx, left: w.left}
	ok := ahead.accepts(s, in, around)
	w.left = ahead.left
	return ok && w.left >= 0
}

// explain is accepts with another explainer, which takes as long as many visits.
func (w *validation) explain(e *explainer, s *subschema, in instance) bool {
	inner := validation{w.v, w.ctx, w.left - 32, e}
	ok := inner.accepts(s, in, nil)
	w.left = inner.left
	return ok
}

// The schemas in place get own, because the parts that they evaluate count for s as well.
func (w *validation) inPlace(s *subschema, in instance, own *evaluated) bool {
	if s.isFalse {
		return w.fails(notAllowed)
	}
	ok := true
	for _, sub := range s.allOf {
		if ok = w.accepts(sub, in, own) && ok; w.ends(ok) {
			return false
		}
	}
	// Before the alternatives: a tag rules most of them out without a look at their members. An
	// explainer reports the tags as members.
	if w.explainer == nil && in.kind == strictjson.Object && !s.acceptsTags(in.value) {
		return false
	}
	if s.anyOf != nil {
		most := 1
		if own != nil { // each alternative that accepts the value may evaluate others
			most = len(s.anyOf)
		}
		if first, _ := w.accepting(s.anyOf, in, own, most); first == nil {
			if ok = false; w.ends(ok) {
				return false
			}
			w.alternatives(s.anyOf, in)
		}
	}
	if s.oneOf != nil {
		// If two alternatives accept the value, the value is rejected. How many more there are does
		// not matter.
		first, second := w.accepting(s.oneOf, in, own, 2)
		if first == nil || second != nil {
			if ok = false; w.ends(ok) {
				return false
			}
			if first == nil {
				w.alternatives(s.oneOf, in)
			} else {
				w.fails(func() *Problem { return bothMatch(first, second, in) })
			}
		}
	}
	// What a not accepts is rejected here, so it evaluates nothing.
	if s.not != nil && w.wouldAccept(s.not, in, nil) {
		if ok = w.fails(func() *Problem { return s.not.excluded(in) }); w.ends(ok) {
			return false
		}
	}
	if s.cond == nil {
		return ok
	}
	// Without an else, a value that the if rejects is valid.
	branch := s.els
	if w.wouldAccept(s.cond, in, own) {
		branch = s.then
	}
	return (branch == nil || w.accepts(branch, in, own)) && ok
}

// accepting returns the first two alternatives that accept the value, nil for none. It visits
// alternatives until this many accept it.
func (w *validation) accepting(all []*subschema, in instance, own *evaluated, most int) (first, second *subschema) {
	n := 0
	for _, sub := range all {
		if !w.wouldAccept(sub, in, own) {
			continue
		}
		switch n++; n {
		case 1:
			first = sub
		case 2:
			second = sub
		}
		if n == most {
			break
		}
	}
	return first, second
}

func (w *validation) elements(s *subschema, array strictjson.Value, own *evaluated) bool {
	n, matching, ok := 0, 0, true
	for e := range array.Elements() {
		in := instanceOf(e)
		// An explainer reports forbidden elements below, where the number of elements is known.
		if sub := s.elementAt(n); sub != nil && (w.explainer == nil || !sub.isFalse) {
			if ok = w.part(step{index: n}, sub, in) && ok; w.ends(ok) {
				return false
			}
		}
		// In 2020-12, an element that contains accepts is evaluated. The elements
		// that it rejects are not.
		if s.contains != nil && w.wouldAccept(s.contains, in, nil) {
			if matching++; own != nil {
				own.addIndex(n)
			}
		}
		n++
	}
	if !s.isCount(n, s.rules.minItems, s.rules.maxItems) {
		ok = w.fails(func() *Problem { return s.rules.checkItems(n) })
	} else if w.explainer != nil {
		ok = w.explainer.forbiddenElements(s, n) && ok
	}
	if !s.containsEnough(matching) {
		ok = w.fails(func() *Problem { return s.notEnough(matching) })
	}
	// uniqueItems comes last, as the only keyword that compares elements with each other.
	if w.ends(ok) {
		return false
	}
	if s.isUnique {
		first := repeated(array)
		if ok = first == nil && ok; w.explainer != nil {
			w.explainer.repeated(first)
		}
	}
	if own != nil {
		// Prefixes are evaluated from the first on, so one number says it all. Elements of contains
		// can be anywhere.
		own.first = max(own.first, min(len(s.prefix), n))
		own.all = own.all || s.items != nil
	}
	return ok
}

// members validates with the keywords for objects. An explainer gets the missing members
// here, for which acceptsTags has looked otherwise.
func (w *validation) members(s *subschema, in instance, own *evaluated) bool {
	ok := w.explainer == nil || w.hasMembers(s.required, in.value, missing)
	n := 0
	for name, v := range in.value.Members() {
		n++
		if w.explainer == nil {
			ok = w.member(s, name, instanceOf(v), own)
		} else {
			_, isDeclared := s.members[name]
			w.explainer.inside(step{name: name, index: -1, isDeclared: isDeclared}, func() { ok = w.member(s, name, instanceOf(v), own) && ok })
		}
		if w.ends(ok) {
			return false
		}
	}
	if !s.isCount(n, s.minMembers, s.maxMembers) {
		ok = w.fails(func() *Problem {
			count := phrase.Count(s.minMembers, s.maxMembers, "member", "members")
			return &Problem{Reason: problem.Length, Message: fmt.Sprintf("must have %s, got %d", count, n), Allowed: limits{MinProperties: s.minMembers, MaxProperties: s.maxMembers}}
		})
	}
	// Dependent schemas apply to the whole object and not to the member, so they get own.
	for _, d := range s.dependents {
		if w.ends(ok) {
			return false
		}
		// A dependency applies only if its member is there.
		if in.value.Get(d.name).Kind() == strictjson.Invalid {
			continue
		}
		ok = w.hasMembers(d.required, in.value, func() *Problem {
			return &Problem{Reason: problem.Missing, Message: "is required, because " + memberName(d.name) + " is given"}
		}) && ok
		ok = (d.schema == nil || w.accepts(d.schema, in, own)) && ok
	}
	return ok
}

// The place of a problem is that of the member which is not there: a form can mark the field.
func (w *validation) hasMembers(names []string, object strictjson.Value, problem func() *Problem) bool {
	ok := true
	for _, name := range names {
		if object.Get(name).Kind() != strictjson.Invalid {
			continue
		}
		if ok = false; w.ends(ok) {
			break
		}
		w.explainer.inside(step{name: name, index: -1, isDeclared: true}, func() { w.explainer.add(problem) })
	}
	return ok
}

func (w *validation) member(s *subschema, name string, in instance, own *evaluated) bool {
	ok := s.memberNames == nil || w.memberName(s.memberNames, name)
	isEvaluated := true
	for sub := range s.schemasOf(name) {
		switch {
		case w.ends(ok):
			return false
		case sub == nil:
			isEvaluated = false
		// A name that is unknown may be misspelled, while false for a declared name forbids it.
		case sub.isFalse && sub == s.additional:
			ok = w.fails(func() *Problem { return s.unknown(name, w.explainer.isTool && len(w.explainer.at.steps) == 1) })
		default:
			ok = w.accepts(sub, in, nil) && ok
		}
	}
	// A member that only additionalProperties accepts is evaluated, too.
	if own != nil && isEvaluated {
		own.addName(name)
	}
	return ok
}

func (w *validation) memberName(s *subschema, name string) bool {
	in := instance{kind: strictjson.String, text: name}
	if w.explainer == nil {
		return w.accepts(s, in, nil)
	}
	// An explainer of its own, because the place of these problems is a name and no value.
	inner := explainer{most: 1, budget: w.explainer.budget}
	return w.explain(&inner, s, in) || w.fails(func() *Problem {
		if inner.problems == nil { // the walk ended at maxVisits
			return s.mismatch(in)
		}
		p := inner.problems[0]
		p.Message = "has a name that " + p.Message
		return &p
	})
}

// unevaluated validates the parts that no other keyword has evaluated, which are then
// evaluated, too.
func (w *validation) unevaluated(s *subschema, in instance, own *evaluated) bool {
	sub := s.unevaluatedItems
	if in.kind == strictjson.Object {
		sub = s.unevaluatedProperties
	}
	if sub == nil {
		return true
	}
	ok := true
	for at, v := range valueParts(in.value).all {
		if own.has(at) {
			continue
		}
		if sub.isFalse && w.explainer != nil {
			w.explainer.inside(at, func() { ok = w.fails(unknownPart) })
		} else if ok = w.part(at, sub, instanceOf(v)) && ok; w.ends(ok) {
			return false
		}
	}
	own.all = true
	return ok
}
