package prompttest

import (
	"slices"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// CheckArguments checks that every argument of every prompt affects the output: with
// all other arguments unchanged, two values of the argument, or a value and its
// absence, must give different results. It reports each argument without effect
// through t.Errorf, and each prompt that fails to render.
//
// It also reports
//
//   - values that break the prompt: each string is a text with spaces, "%", quotes, backquotes,
//     line ends, "{{", other characters than ASCII, or many characters, each list is empty, and
//     each optional argument is absent. The prompt must not fail, end a block of code or a row of
//     a table, break JSON, or use the value as a format or a template. A function may reject any
//     value with InvalidArgument;
//   - completions that fail, completions that the rules of their argument reject and that the
//     user cannot continue, a default that only the description has, and an InvalidArgument with
//     an unknown name;
//   - a result that calls share, a result with a value of an earlier call, and a Cache of a result
//     that differs from run to run. In a bubble of testing/synctest, the check lets a year pass,
//     and reports a result that depends on the time. Elsewhere, it logs a result that has the
//     current day;
//   - an effect before a question, which happens again with each round of questions in protocol
//     version 2026-07-28, and an error of Ask that the function does not return. For both, the
//     check calls the prompt on a server of its own, whose user answers with generated values;
//   - a slow prompt: its calls without the first take 2 seconds, and each call takes 10
//     milliseconds, half of the calls take 30 milliseconds, or two take 700 milliseconds. The
//     completions of an argument are slow if they take a second in such calls.
//
// The check calls a prompt at most 450 times, and stops at a slow prompt, or after 20 seconds. Its
// functions get values that nobody types. If they change or send something, give the check a
// registry whose functions get a fake.
//
// Values come from CheckOptions.Examples, or are generated. If an argument has an
// effect only for certain values, or only with certain values of other arguments,
// add two examples with different values.
//
// If the results of a prompt differ from call to call, for example by a time or a random number,
// the check only searches the texts for the value. In a bubble of testing/synctest, the time does
// not change. An argument with a single valid value is not checked.
func CheckArguments(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	c := newChecker(t, reg, o)
	probe := newProber(c)
	for i := range c.prompts {
		probe.checkArguments(&c.prompts[i], o.Effects)
	}
	for i := range c.prompts { // another prompt may have changed the result
		if first := probe.first[c.prompts[i].Name]; first != nil {
			probe.isShared(&c.prompts[i], first)
		}
	}
}

func (c *prober) checkArguments(p *prompts.Prompt, effects func() int) {
	c.t.Helper()
	base, why := c.render(p, nil, trial.Names(p, false))
	if base == nil {
		c.errorf(p, "rendering failed, so the arguments are not checked: %s\n\t%s", why.text, why.remedy)
		return
	}
	first := c.run(c.newest, p, base.Arguments)
	c.checkValues(p, base)
	if c.first[p.Name] = first; first != nil && c.checkKept(p, base, first) {
		return // no result says anything about an argument
	}
	c.checkRuns(p, base, effects)
	if first != nil && c.isShared(p, first) {
		return
	}
	again, _ := c.get(p, base.Arguments)
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if values := sample.Finite(schema.Of(a.Schema)); len(values) == 1 && a.Required || c.effort(p).isOver {
			continue
		}
		e := c.effort(p)
		const reserve = 40 // calls beyond the share of an argument, for one rendering and its comparisons
		share := e.calls + (e.most-reserve-e.calls)/(len(p.Arguments)-i)
		r := &trial.Reach{Subject: c.subject(p), Argument: a, Base: base, IsVolatile: again == nil || again.Form != base.Form,
			IsOver: func() bool { return e.calls >= share }}
		switch {
		case r.Found():
		case len(r.Tried) == 0 && r.IsOver():
			c.t.Logf("prompt %q: argument %q is not checked after %d calls\n\tTo check the argument, compare two of its values in a test.", p.Name, a.Name, e.calls)
		case r.IsVolatile:
			c.errorf(p, "argument %q may not reach the output: the result differs from call to call, and no text contains a value of the argument\n\tUse the argument in the prompt, remove it from the declaration, or make the result constant; in a bubble of testing/synctest, the time is constant.",
				a.Name)
		case len(r.Tried) == 0:
			c.errorf(p, "argument %q may not reach the output: no value but %s renders (%s)\n\tGive a second value in CheckOptions.Examples.",
				a.Name, phrase.Quote(base.Arguments[a.Name]), r.Refused)
		default:
			own := phrase.Quote(base.Arguments[a.Name])
			others := slices.DeleteFunc(r.Tried, func(v string) bool { return v == own })
			c.errorf(p, "argument %q does not reach the output: the result is the same with %s\n\tUse the argument in the prompt, or remove it from the declaration. If only other values have an effect, declare them by an enum, or give them in CheckOptions.Examples.",
				a.Name, phrase.Enumerate(append([]string{own}, others...)))
		}
	}
}
