package argument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file has the problems of JSON that a schema does not accept, each with its place.

type explainer struct {
	problems []Problem
	more     int // problems that are only counted
	most     int // problems to collect
	at       place
	budget   *int // of bytes to visit: what is left is not explained in detail
	isTool   bool // the value has the arguments of a tool
}

// check is validate for a value that is not the arguments of a tool. The problems beyond
// MaxProblems are left out.
func (v *Validator) check(ctx context.Context, in instance) []Problem {
	problems, _ := v.validate(ctx, in, false)
	return problems
}

// validate returns the problems of the value and how many are left out, none if the schema accepts
// the value. If the value has the arguments of a tool, each problem has the name of its argument.
// Validation and explanation are separate passes, because nearly all values are valid.
func (v *Validator) validate(ctx context.Context, in instance, isTool bool) (problems []Problem, more int) {
	if !hasHugeNumber(in) {
		w := validation{v: v, ctx: ctx, left: v.visits(in)}
		switch ok := w.accepts(v.root, in, nil); {
		case w.left < 0:
			return []Problem{{Reason: problem.Schema, Message: "takes too long to validate, because its schema applies more than once to a part that is nested deep; use fewer levels", ofAll: isTool}}, 0
		case ok:
			return nil, 0
		}
	}
	return v.explain(ctx, in, isTool)
}

// explain returns the problems of a value that the schema does not accept: one at least,
// MaxProblems at most, and how many are left out.
// The budget is a multiple of the value's size, and a constant for small values. A
// part beyond the budget is still reported, but without the cause inside.
func (v *Validator) explain(ctx context.Context, in instance, isTool bool) (problems []Problem, more int) {
	size := len(in.text) + len(in.value.Raw())
	// Explaining visits alternatives again and again. The budget keeps it linear in the size of
	// the value, however the schema is nested. The visits of all trials together are bounded by
	// fewer than a validation has, because each takes longer.
	budget, visits := 64*size+1<<12, min(v.visits(in)/maxVisits, 1<<20)+1<<16
	e := explainer{most: MaxProblems, budget: &budget, isTool: isTool}
	if hasHugeNumber(in) {
		e.hugeNumbers(in)
	} else {
		w := validation{v, ctx, visits, &e}
		w.accepts(v.root, in, nil)
	}
	// Better a general message than none: the value is invalid, and the client must learn that.
	if e.problems == nil { // the walk ended at the last visit
		e.add(func() *Problem { return v.root.mismatch(in) })
	}
	return e.problems, e.more
}

func (e *explainer) add(make func() *Problem) {
	// Making a message costs more than counting it, and a client reads the first few.
	if len(e.problems) == e.most {
		e.more++
		return
	}
	p := make()
	e.put(p)
	// allOf and references may reach one rule by two ways. The list is short, so comparing all
	// is cheap.
	for _, other := range e.problems {
		if other.Argument == p.Argument && other.Path == p.Path && other.Reason == p.Reason && other.Message == p.Message {
			return
		}
	}
	e.problems = append(e.problems, *p)
}

// The problem of the object as a whole has no argument. Then ofAll makes its sentence.
func (e *explainer) put(p *Problem) {
	if at := e.at; e.isTool && len(at.steps) > 0 {
		p.Argument = phrase.Clip(at.steps[0].name, phrase.MaxEcho)
		// For a tool, the first step is the name of an argument, and clients look for it there.
		place{at.steps[1:]}.put(p)
	} else {
		p.ofAll = e.isTool
		at.put(p)
	}
}

func (e *explainer) count() int { return len(e.problems) + e.more }

func (e *explainer) spend(bytes int) bool {
	*e.budget -= bytes
	return *e.budget >= 0
}

func (e *explainer) inside(s step, explain func()) {
	e.at.enter(s)
	explain()
	e.at.leave()
}

// mismatch is the problem of a value whose cause is not looked for.
func (s *subschema) mismatch(in instance) *Problem {
	if !s.hasType(in) {
		return s.wrongType(in)
	}
	return &Problem{Reason: problem.Schema, Message: "must match the JSON Schema of the argument, got " + in.shown()}
}

func (s *subschema) wrongType(in instance) *Problem {
	p := &Problem{Reason: problem.Type}
	// The values say more than their type.
	if s.values != nil && len(s.rules.enum) > 0 {
		one := notOneOf("", s.rules.enum, choiceOf)
		p.Allowed, p.More = one.Allowed, one.More
		p.Message = mustBe(oneOf(s.rules.enum, choiceOf), in.described())
		return p
	}
	p.Message = mustBe(s.typeNames(), in.described())
	return p
}

func (s *subschema) typeNames() string {
	var names []string
	for _, t := range typesOf(s) {
		names = append(names, typeNames[t])
	}
	return either(names)
}

func either(names []string) string {
	if len(names) < 3 {
		return strings.Join(names, " or ")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

var typeNames = map[string]string{
	"string": "a string", "boolean": "true or false", "integer": "an integer", "number": "a number",
	"array": "a JSON array", "object": "a JSON object", "null": "null",
}

func (s *subschema) brokenRule(in instance) *Problem {
	if in.kind == strictjson.String {
		return s.rules.checkText(in.text)
	}
	return s.rules.outOfRange(in.text)
}

// The message names the type of the value, as in "the string ...", if no choice is a string and the
// value is one, or the other way round: "1" and 1 are easily confused.
func (s *subschema) wrongValue(in instance) *Problem {
	if in.kind == strictjson.String && len(s.rules.texts) == len(s.rules.enum) {
		return notOneOfTexts(in.text, s.rules.texts)
	}
	got := in.shown()
	if isText := in.kind == strictjson.String; isText && len(s.rules.texts) == 0 || !isText && len(s.rules.texts) == len(s.rules.enum) {
		got = in.described()
	}
	p := notOneOf(got, s.rules.enum, choiceOf)
	// A suggestion for a text that is nearly right, among values that are texts.
	if in.kind == strictjson.String {
		p.suggest(in.text, s.rules.texts)
	}
	return p
}

func choiceOf(v any) string {
	if text, ok := v.(string); ok {
		return phrase.Choice(text)
	}
	return phrase.Clip(jsonenc.Text(v), 64)
}

// Such a value never meets the schema, see accepts of Validator, so these are its only problems.
func (e *explainer) hugeNumbers(in instance) {
	if in.kind == strictjson.Number && isHuge(in.text) {
		e.add(func() *Problem {
			return &Problem{Reason: problem.Range, Message: mustBe("a number that a 64-bit float can hold", phrase.Clip(in.text, 64))}
		})
	}
	for s, v := range valueParts(in.value).all {
		e.inside(s, func() { e.hugeNumbers(instanceOf(v)) })
	}
}

func typesOf(s *subschema) []string {
	all := schema.TypesOf(s.source)
	types := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return t == "null" })
	if len(types) < len(all) {
		types = append(types, "null")
	}
	return types
}

// The offset counts bytes of the text that the client sent, so that a program can find it.
func explainText(text string, doc *strictjson.Doc, err error, expected string) *Problem {
	switch e := err.(type) {
	case *strictjson.RuleError:
		switch e.Rule {
		case strictjson.UnpairedSurrogate:
			return &Problem{Reason: problem.Type, Message: mustBe(expected, phrase.Quote(text)) + "; " + e.Error()}
		case strictjson.DuplicateKey:
			p := &Problem{Reason: problem.Schema, Message: fmt.Sprintf("occurs twice, again at byte %d; remove one of the two", e.Offset)}
			if at := new(place); at.toDuplicate(doc.Root()) {
				at.put(p)
			} else {
				p.Message = fmt.Sprintf("has the member %s twice, again at byte %d; remove one of the two", phrase.Quote(e.Key), e.Offset)
			}
			return p
		}
		return &Problem{Reason: problem.Schema, Message: fmt.Sprintf("must have at most %d levels of nesting, exceeded at byte %d", e.Limit, e.Offset)}
	case *strictjson.SyntaxError:
		return &Problem{Reason: problem.Type, Message: mustBe(expected, phrase.Quote(text)) + fmt.Sprintf("; invalid JSON at byte %d: %s", e.Offset, e.Reason)}
	}
	return &Problem{Reason: problem.Type, Message: mustBe(expected, phrase.Quote(text))}
}

// toDuplicate goes to the first member whose name is that of another, and returns false without
// one. After true, the place is that of the member. After false, it is unchanged.
func (at *place) toDuplicate(v strictjson.Value) bool {
	// The parser stops at the second name and knows its offset. The place of it is found here,
	// in what was parsed.
	seen := map[string]bool{}
	for s, m := range valueParts(v).all {
		at.enter(s)
		if seen[s.name] || at.toDuplicate(m) {
			return true
		}
		seen[s.name] = s.index < 0
		at.leave()
	}
	return false
}
