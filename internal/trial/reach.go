package trial

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
)

type Reach struct {
	*Subject
	Argument   *prompts.Argument
	Base       *Rendering
	IsVolatile bool        // the results differ anyhow
	Tried      []string    // quoted values that made no difference
	Refused    string      // why the last value was not accepted
	IsOver     func() bool // reports whether the search has taken enough calls; nil: never
}

func (r *Reach) isOver() bool { return r.IsOver != nil && r.IsOver() }

// fewBytes is the length of a value from which on it is not in a text by accident.
const fewBytes = 4

// mostValues is how many values of an argument are compared, and fewValues how many beside
// other values of the other arguments.
const mostValues, fewValues = 32, 3

func (r *Reach) Found() bool {
	if r.varied(r.Base, mostValues) {
		return true
	}
	// Other arguments may decide whether this one counts.
	if with, _ := r.Render(nil, Names(r.Prompt, true)); with != nil && r.varied(with, fewValues) {
		return true
	}
	for i := range r.Prompt.Arguments {
		if r.isOver() {
			return false
		}
		other := &r.Prompt.Arguments[i]
		if other.Name == r.Argument.Name {
			continue
		}
		values := sample.Finite(schema.Of(other.Schema))
		for _, v := range values[:min(len(values), mostValues)] {
			if r.isOver() {
				return false
			}
			if with, _ := r.Render(map[string]string{other.Name: v}, Names(r.Prompt, false)); with != nil && r.varied(with, fewValues) {
				return true
			}
		}
		if other.Required {
			continue
		}
		without := slices.DeleteFunc(Names(r.Prompt, false), func(name string) bool { return name == other.Name })
		if with, _ := r.Render(nil, without); with != nil && r.varied(with, fewValues) {
			return true
		}
	}
	for _, call := range r.Examples {
		if with, _ := r.Render(call, Names(r.Prompt, true)); with != nil && r.varied(with, fewValues) {
			return true
		}
	}
	return r.isRepeated()
}

// varied reports whether a result becomes another one when nothing but the argument changes.
func (r *Reach) varied(from *Rendering, most int) bool {
	name := r.Argument.Name
	if r.IsVolatile {
		value := from.Arguments[name]
		return len(value) >= fewBytes && from.Says(value) && r.differs(from, value)
	}
	if _, ok := from.Arguments[name]; ok && !r.Argument.Required {
		without := maps.Clone(from.Arguments)
		delete(without, name)
		if got, _ := r.Get(without); got != nil {
			if got.Form != from.Form {
				return r.isStable(from) || r.varied(from, most)
			}
			r.note("none")
		}
	}
	for _, v := range r.others(from, most) {
		if r.isOver() {
			return false
		}
		if got := r.with(from, v); got != nil {
			if got.Form != from.Form {
				return r.isStable(from) || r.varied(from, most)
			}
			r.note(phrase.Quote(v))
		}
	}
	return false
}

// others returns values of the argument to compare with the one of a rendering, and at last the
// words of the description, which may name the values that count.
func (r *Reach) others(from *Rendering, most int) []string {
	values := r.Candidates(r.Argument, from.Arguments)
	values = slices.Clone(values[:min(len(values), most)])
	if most == mostValues {
		words := strings.FieldsFunc(r.Argument.Description, func(c rune) bool { return c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		values = append(values, words[:min(len(words), most)]...)
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == from.Arguments[r.Argument.Name] })
}

// isStable reports whether a result is still the same with the same arguments, so that
// another result is due to the argument. If not, the prompt is volatile from then on.
func (r *Reach) isStable(from *Rendering) bool {
	again, _ := r.Get(from.Arguments)
	r.IsVolatile = again == nil || again.Form != from.Form
	return !r.IsVolatile
}

// with returns the result with another value of the argument.
func (r *Reach) with(from *Rendering, value string) *Rendering {
	arguments := maps.Clone(from.Arguments)
	arguments[r.Argument.Name] = value
	got, err := r.Get(arguments)
	if refusal := (*prompts.Error)(nil); errors.As(err, &refusal) {
		r.Refused = phrase.Quote(value) + ": " + refusal.Message
	}
	return got
}

func (r *Reach) note(value string) {
	if !slices.Contains(r.Tried, value) {
		r.Tried = append(r.Tried, value)
	}
}

// differs reports whether a value is in the result because it is the argument's, and not anyhow.
func (r *Reach) differs(from *Rendering, value string) bool {
	values := r.Candidates(r.Argument, from.Arguments)
	for _, v := range values[:min(len(values), mostValues)] {
		if v == value || strings.Contains(v, value) {
			continue
		}
		if got := r.with(from, v); got != nil {
			if !got.Says(value) {
				return true
			}
			r.note(phrase.Quote(v))
		}
	}
	return false
}

// isRepeated reports whether a result has a value of the argument in a text that one with another
// value has not. The other arguments may differ too: it is for those that cannot be changed alone.
func (r *Reach) isRepeated() bool {
	if len(r.Tried) > 0 {
		return false
	}
	name := r.Argument.Name
	values := r.Candidates(r.Argument, r.Base.Arguments)
	for _, v := range values[:min(len(values), mostValues)] {
		if v == r.Base.Arguments[name] || v == "" || r.IsVolatile && len(v) < fewBytes {
			continue
		}
		got, _ := r.Render(map[string]string{name: v}, Names(r.Prompt, false))
		if got == nil {
			continue
		}
		if got.Says(v) && !r.Base.Says(v) {
			return true
		}
		r.note(phrase.Quote(v))
	}
	return false
}
