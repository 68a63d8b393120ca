package prompttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts/internal/sample"

	"github.com/mcp-prompts/prompts"
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
//     each optional argument is absent. The prompt must not fail, end a block of code, break
//     JSON, or use the value as a format or a template. A function may reject any value with
//     InvalidArgument;
//   - completions that the rules of their argument reject, a default that only the description
//     has, and an InvalidArgument with an unknown name;
//   - a result that calls share, and a Cache of a result that differs from run to run or has the
//     current day;
//   - an effect before a question, which happens again with each round of questions in protocol
//     version 2026-07-28, and an error of Ask that the function does not return. For both, the
//     check calls the prompt on a server of its own, whose user answers with generated values;
//   - a prompt that takes more than 2 seconds in all, and 20 milliseconds for each call.
//
// Values come from CheckOptions.Examples, or are generated. If an argument has an
// effect only for certain values, or only with certain values of other arguments,
// add two examples with different values.
//
// If the results of a prompt differ from call to call, for example by a time or a
// random number, the check only searches the texts for the value. In a bubble of
// testing/synctest, the time does not change. An argument with a single valid value
// is not checked.
func CheckArguments(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	c := newChecker(t, reg, o)
	c.probe = newProbe(t, c.prompts)
	for i := range c.prompts {
		c.checkArguments(&c.prompts[i], o.Effects)
	}
}

func (c *checker) checkArguments(p *prompts.Prompt, effects func() int) {
	c.t.Helper()
	base, why := c.render(p, nil, argumentNames(p, false))
	if base == nil {
		c.errorf(p, "rendering failed, so the arguments are not checked: %s\n\t%s", why.text, why.remedy)
		return
	}
	c.checkValues(p, base)
	c.checkRuns(p, base, effects)
	again, _ := c.get(p, base.arguments)
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if values := sample.Finite(a.Schema); len(values) == 1 && a.Required {
			continue
		}
		r := &reach{checker: c, prompt: p, argument: a, base: base, isVolatile: again == nil || again.form != base.form}
		switch {
		case r.found():
		case r.isVolatile:
			c.errorf(p, "argument %q may not reach the output: the result differs from call to call, and no text contains a value of the argument\n\tUse the argument in the prompt, remove it from the declaration, or make the result constant; in a bubble of testing/synctest, the time is constant.",
				a.Name)
		case len(r.tried) == 0:
			c.errorf(p, "argument %q may not reach the output: no value but %s renders (%s)\n\tGive a second value in CheckOptions.Examples.",
				a.Name, quote(base.arguments[a.Name]), r.refused)
		default:
			own := quote(base.arguments[a.Name])
			others := slices.DeleteFunc(r.tried, func(v string) bool { return v == own })
			c.errorf(p, "argument %q does not reach the output: the result is the same with %s\n\tUse the argument in the prompt, or remove it from the declaration. If only other values have an effect, give them in CheckOptions.Examples.",
				a.Name, some(append([]string{own}, others...)))
		}
	}
}

// reach finds out whether an argument reaches the output.
type reach struct {
	*checker
	prompt     *prompts.Prompt
	argument   *prompts.Argument
	base       *rendering
	isVolatile bool     // the results differ anyhow
	tried      []string // what made no difference
	refused    string   // why the last value was not accepted
}

// fewBytes is the length of a value from which on it is not in a text by accident.
const fewBytes = 4

// mostValues is how many values of an argument are compared.
const mostValues = 32

func (r *reach) found() bool {
	if r.varied(r.base) {
		return true
	}
	// Other arguments may decide whether this one counts.
	if with, _ := r.render(r.prompt, nil, argumentNames(r.prompt, true)); with != nil && r.varied(with) {
		return true
	}
	for i := range r.prompt.Arguments {
		other := &r.prompt.Arguments[i]
		if other.Name == r.argument.Name {
			continue
		}
		for _, v := range sample.Finite(other.Schema) {
			if with, _ := r.render(r.prompt, map[string]string{other.Name: v}, argumentNames(r.prompt, false)); with != nil && r.varied(with) {
				return true
			}
		}
		if other.Required {
			continue
		}
		without := slices.DeleteFunc(argumentNames(r.prompt, false), func(name string) bool { return name == other.Name })
		if with, _ := r.render(r.prompt, nil, without); with != nil && r.varied(with) {
			return true
		}
	}
	for _, call := range r.examples[r.prompt.Name] {
		if with, _ := r.render(r.prompt, call, argumentNames(r.prompt, true)); with != nil && r.varied(with) {
			return true
		}
	}
	return r.isRepeated()
}

// varied reports whether a result becomes another one when nothing but the
// argument changes.
func (r *reach) varied(from *rendering) bool {
	name := r.argument.Name
	if r.isVolatile {
		value := from.arguments[name]
		return len(value) >= fewBytes && from.says(value) && r.differs(from, value)
	}
	if _, ok := from.arguments[name]; ok && !r.argument.Required {
		without := maps.Clone(from.arguments)
		delete(without, name)
		if got, _ := r.get(r.prompt, without); got != nil {
			if got.form != from.form {
				return r.isStable(from) || r.varied(from)
			}
			r.note("none")
		}
	}
	values := r.candidates(r.prompt, r.argument, from.arguments)
	for _, v := range values[:min(len(values), mostValues)] {
		if v == from.arguments[name] {
			continue
		}
		if got := r.with(from, v); got != nil {
			if got.form != from.form {
				return r.isStable(from) || r.varied(from)
			}
			r.note(quote(v))
		}
	}
	return false
}

// isStable reports whether a result is still the same with the same arguments, so that
// another result is due to the argument. If not, the prompt is volatile from then on.
func (r *reach) isStable(from *rendering) bool {
	again, _ := r.get(r.prompt, from.arguments)
	r.isVolatile = again == nil || again.form != from.form
	return !r.isVolatile
}

// with returns the result with another value of the argument.
func (r *reach) with(from *rendering, value string) *rendering {
	arguments := maps.Clone(from.arguments)
	arguments[r.argument.Name] = value
	got, refusal := r.get(r.prompt, arguments)
	if refusal != nil && refusal.err != nil {
		r.refused = quote(value) + ": " + refusal.err.Message
	}
	return got
}

// some returns the first values of a list for people.
func some(values []string) string {
	const most = 6
	if n := len(values); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:most], ", "), n-most)
	}
	return strings.Join(values, ", ")
}

func (r *reach) note(value string) {
	if !slices.Contains(r.tried, value) {
		r.tried = append(r.tried, value)
	}
}

// differs reports whether a value is in the result because it is the
// argument's, and not anyhow.
func (r *reach) differs(from *rendering, value string) bool {
	values := r.candidates(r.prompt, r.argument, from.arguments)
	for _, v := range values[:min(len(values), mostValues)] {
		if v == value || strings.Contains(v, value) {
			continue
		}
		if got := r.with(from, v); got != nil {
			if !got.says(value) {
				return true
			}
			r.note(quote(v))
		}
	}
	return false
}

// isRepeated reports whether a result has a value of the argument in a text
// that one with another value has not. The other arguments may differ too: it
// is for those that cannot be changed alone.
func (r *reach) isRepeated() bool {
	if len(r.tried) > 0 {
		return false
	}
	name := r.argument.Name
	values := r.candidates(r.prompt, r.argument, r.base.arguments)
	for _, v := range values[:min(len(values), mostValues)] {
		if v == r.base.arguments[name] || v == "" || r.isVolatile && len(v) < fewBytes {
			continue
		}
		got, _ := r.render(r.prompt, map[string]string{name: v}, argumentNames(r.prompt, false))
		if got == nil {
			continue
		}
		if got.says(v) && !r.base.says(v) {
			return true
		}
		r.note(quote(v))
	}
	return false
}
