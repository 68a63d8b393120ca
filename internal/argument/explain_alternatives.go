package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file has the problems of the keywords that apply schemas to the same value. Of
// alternatives, it explains the one that was probably meant.

// Often the alternatives differ in the member that they require, and the object has both members.
func bothMatch(a, b *subschema, in instance) *Problem {
	onlyOf := func(a, b *subschema) []string {
		return slices.DeleteFunc(slices.Clone(a.required), func(name string) bool { return b.isRequired[name] })
	}
	if one, other := onlyOf(a, b), onlyOf(b, a); len(one) > 0 && len(other) > 0 && in.kind == strictjson.Object {
		return together(one[0], other[0])
	}
	message := fmt.Sprintf("must match only one of the JSON Schemas %s and %s, got %s", a.asJSON(), b.asJSON(), in.shown())
	return &Problem{Reason: problem.Schema, Message: message}
}

// The reason is that of an unknown member: the fix is to remove one.
func together(names ...string) *Problem {
	message := "must not have the members " + phrase.List(names, memberName) + " together; remove one of them"
	if len(names) == 1 {
		message = "must not have the member " + memberName(names[0]) + "; remove it"
	}
	return &Problem{Reason: problem.Unknown, Message: message}
}

// The words say what not excludes, if that is one simple keyword. Any other schema
// is shown as JSON.
func (s *subschema) excluded(in instance) *Problem {
	switch {
	case s.rules.enum != nil:
		return &Problem{Reason: problem.Enum, Message: "must not be " + phrase.List(s.rules.enum, choiceOf)}
	case s.rules.pattern != nil:
		return &Problem{Reason: problem.Pattern, Message: "must not match the pattern " + phrase.Clip(s.rules.pattern.String(), 128) + ", got " + in.shown()}
	case s.isOnlyType():
		return &Problem{Reason: problem.Type, Message: "must not be " + s.typeNames() + ", got " + in.shown()}
	case len(s.required) > 0 && in.kind == strictjson.Object:
		return together(s.required...)
	}
	return &Problem{Reason: problem.Schema, Message: "must not match the JSON Schema " + s.asJSON() + ", got " + in.shown()}
}

func (s *subschema) isOnlyType() bool {
	rest := *s.source
	rest.Type, rest.Types = "", nil
	return schema.IsEmpty(&rest)
}

// alternatives adds the problems of the alternative that was probably meant. The choice goes in
// three steps, each more work than the one before: the type of the value, then the tag, and
// then a trial with each alternative. The fewest problems win.
func (w *validation) alternatives(all []*subschema, in instance) {
	if w.left < 0 {
		return
	}
	e := w.explainer
	fitting := slices.DeleteFunc(slices.Clone(all), func(s *subschema) bool { return !s.mayHaveType(in, inPlaceDepth) })
	if len(fitting) == 0 {
		e.add(func() *Problem { return noneOfTypes(all, in) })
		return
	}
	if in.kind == strictjson.Object && len(fitting) > 1 {
		if fitting = e.tagged(fitting, in.value); fitting == nil {
			return
		}
	}
	// More trials would cost too much for one message. All trials share the budget.
	const most = 8
	var best explainer
	var itself []Problem // of alternatives that fail for one reason, and none inside
	var lacking []string // of each alternative that fails for one missing member
	for _, s := range fitting[:min(len(fitting), most)] {
		trial := explainer{most: e.most, at: place{slices.Clone(e.at.steps)}, budget: e.budget, isTool: e.isTool}
		w.explain(&trial, s, in)
		n := trial.count()
		if n == 1 && trial.problems[0].Path == e.path() {
			itself = append(itself, trial.problems[0])
		}
		if member := s.lacks(in); n == 1 && member != "" && trial.problems[0].Reason == problem.Missing && !slices.Contains(lacking, member) {
			lacking = append(lacking, member)
		}
		// The walk of an alternative without a problem ended at the last visit.
		if n > 0 && (best.count() == 0 || n < best.count()) {
			best = trial
		}
	}
	// Several alternatives fail for one reason each, and none inside of the value:
	// none of them is more likely to be meant.
	if best.count() == 1 && best.problems[0].Path == e.path() && len(itself) > 1 {
		best.problems[0] = eitherOf(itself)
	}
	if best.count() == 1 && len(lacking) > 1 && best.problems[0].Reason == problem.Missing {
		best.problems[0].Message = "is required, unless " + phrase.Clip(either(quotedNames(lacking[1:])), maxPlace) + " is given"
	}
	for _, p := range best.problems {
		e.addPlaced(p)
	}
	if e.more += best.more; best.count() == 0 {
		w.fails(func() *Problem { return all[0].mismatch(in) })
	}
}

// anyOf with a required member in each alternative says "one of these members".
func (s *subschema) lacks(in instance) string {
	lacking := ""
	for _, name := range s.target().required {
		switch {
		case in.value.Get(name).Kind() != strictjson.Invalid:
		case lacking != "":
			return ""
		default:
			lacking = name
		}
	}
	return lacking
}

func quotedNames(names []string) []string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = memberName(name)
	}
	return quoted
}

func (e *explainer) path() string {
	var p Problem
	e.put(&p)
	return p.Path
}

// The value of the client is the same in each message, and follows once at the end.
func eitherOf(problems []Problem) Problem {
	const most = 4
	one := problems[0]
	var expectations []string
	got := ""
	for _, p := range problems {
		expectation := p.Message
		if i := strings.LastIndex(p.Message, ", got "); i > 0 {
			expectation, got = p.Message[:i], p.Message[i:]
		}
		if !slices.Contains(expectations, expectation) && len(expectations) < most {
			expectations = append(expectations, expectation)
		}
		if p.Reason != one.Reason {
			one.Reason = problem.Schema
		}
	}
	if len(expectations) > 1 {
		one.Message = strings.Join(expectations, ", or ") + got
		one.Allowed, one.More, one.Suggestion = nil, 0, ""
	}
	return one
}

// The problem comes from a trial, which has removed duplicates.
func (e *explainer) addPlaced(p Problem) {
	if len(e.problems) == e.most {
		e.more++
	} else {
		e.problems = append(e.problems, p)
	}
}

// True may be wrong, but false is certain.
func (s *subschema) mayHaveType(in instance, depth int) bool {
	if !s.hasType(in) || s.isFalse {
		return false
	}
	if depth == 0 {
		return true
	}
	return (s.ref == nil || s.ref.mayHaveType(in, depth-1)) &&
		!slices.ContainsFunc(s.allOf, func(sub *subschema) bool { return !sub.mayHaveType(in, depth-1) })
}

func noneOfTypes(all []*subschema, in instance) *Problem {
	var names []string
	for _, s := range all {
		for depth := inPlaceDepth; depth > 0 && s.ref != nil && s.kinds == 0; depth-- {
			s = s.ref
		}
		for _, t := range typesOf(s) {
			if name := typeNames[t]; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return all[0].mismatch(in)
	}
	return &Problem{Reason: problem.Type, Message: mustBe(either(names), in.described())}
}

func (s *subschema) tagsOf(tags map[string]*subschema, depth int) map[string]*subschema {
	for _, t := range s.tags {
		tags[t.name] = t.schema
	}
	if depth > 0 {
		for _, sub := range append(slices.Clone(s.allOf), s.ref) {
			if sub != nil {
				sub.tagsOf(tags, depth-1)
			}
		}
	}
	return tags
}

// tagged returns the alternatives that the tag of an object selects: a member for which each
// alternative allows other values. If the tag selects none, tagged adds the problem and returns
// nil. Without a tag, it returns all. A tag must be declared by all alternatives. The names are
// visited in order, so the first tag that excludes an alternative is the same in each call.
func (e *explainer) tagged(all []*subschema, object strictjson.Value) []*subschema {
	var tags []map[string]*subschema
	for _, s := range all {
		tags = append(tags, s.tagsOf(map[string]*subschema{}, inPlaceDepth))
	}
	for _, name := range sortedKeys(tags[0]) {
		if slices.ContainsFunc(tags, func(t map[string]*subschema) bool { return t[name] == nil }) {
			continue
		}
		v := object.Get(name)
		at := step{name: name, index: -1, isDeclared: true}
		var some []*subschema
		// The union exists for its message: which values all alternatives together allow.
		union := &subschema{source: all[0].source}
		for i, t := range tags {
			if v.Kind() == strictjson.Invalid || t[name].hasValue(instanceOf(v)) {
				some = append(some, all[i])
			}
			union.rules.enum = append(union.rules.enum, t[name].rules.enum...)
			union.rules.texts = append(union.rules.texts, t[name].rules.texts...)
		}
		switch {
		case v.Kind() == strictjson.Invalid:
			if slices.ContainsFunc(all, func(s *subschema) bool { return !s.isRequired[name] }) {
				continue
			}
			e.inside(at, func() {
				e.add(func() *Problem {
					p := notOneOf("", union.rules.enum, choiceOf)
					p.Reason, p.Message = problem.Missing, "is required, one of "+phrase.List(union.rules.enum, choiceOf)
					return p
				})
			})
			return nil
		case len(some) == 0:
			e.inside(at, func() { e.add(func() *Problem { return union.wrongValue(instanceOf(v)) }) })
			return nil
		case len(some) < len(all):
			return some
		}
	}
	return all
}
