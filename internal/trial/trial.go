// Package trial renders a prompt with values of examples, of its declaration and with
// generated values, for checks: it finds values that the server accepts, and whether an
// argument reaches the output.
package trial

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

type Subject struct {
	Prompt *prompts.Prompt
	// Examples are calls with values of arguments, the most important first.
	Examples []map[string]string
	// Complete returns the completions of an argument beside others; nil for none.
	Complete func(a *prompts.Argument, others map[string]string) []string
	// Get returns the result with these arguments, or why the prompt does not render: the
	// *prompts.Error of the client, or another error.
	Get func(arguments map[string]string) (*Rendering, error)
	// IsShown says that users see the values: a generated text is words, such as "task one". Without,
	// the text is in no other text.
	IsShown bool

	known map[string]constants // by argument
}

// Rendering is a result, with the arguments that it was made of.
type Rendering struct {
	Arguments map[string]string
	Result    *prompts.Result
	Form      string // the text form, see package golden
}

func NewRendering(arguments map[string]string, result *prompts.Result) *Rendering {
	return &Rendering{arguments, result, golden.Format(result)}
}

// Says reports whether a value is part of what a result says.
func (r *Rendering) Says(value string) bool {
	return slices.ContainsFunc(append(golden.Texts(r.Result), r.Result.Description), func(text string) bool {
		return strings.Contains(text, value)
	})
}

// Names returns the names of all arguments of a prompt, or of those that are required.
func Names(p *prompts.Prompt, onlyRequired bool) []string {
	var names []string
	for _, a := range p.Arguments {
		if a.Required || !onlyRequired {
			names = append(names, a.Name)
		}
	}
	return names
}

// Candidates returns at least one value for an argument, the likeliest first: the values of
// the examples, the values that the schema names, the completions that the server offers with
// the other arguments, and generated values. The caller must not change the slice.
func (s *Subject) Candidates(a *prompts.Argument, others map[string]string) []string {
	first, rest := s.constants(a)
	if a.Complete == nil || s.Complete == nil {
		return first[:len(first)+len(rest)]
	}
	return distinct(slices.Concat(first, s.Complete(a, others), rest))
}

// constants returns the candidates before and after the completions. The second slice follows the
// first in the same array.
func (s *Subject) constants(a *prompts.Argument) (first, rest []string) {
	if all, ok := s.known[a.Name]; ok {
		return all.first, all.rest
	}
	for _, call := range s.Examples {
		if v, ok := call[a.Name]; ok {
			first = append(first, v)
		}
	}
	declared := schema.Of(a.Schema)
	if declared != nil {
		for _, v := range declared.Examples {
			first = append(first, sample.Text(v))
		}
	}
	first = distinct(append(first, sample.Finite(declared)...))
	all := slices.Clone(first)
	if isFree := declared == nil || sample.IsString(declared) && declared.Pattern == "" && declared.Format == ""; isFree && s.IsShown {
		words := strings.NewReplacer("-", " ", "_", " ").Replace(a.Name)
		all = append(all, words+" one", words+" two")
	}
	all = distinct(append(all, sample.Values(a.Name, declared)...))
	first, rest = all[:len(first)], all[len(first):]
	if s.known == nil {
		s.known = map[string]constants{}
	}
	s.known[a.Name] = constants{first, rest}
	return first, rest
}

type constants struct{ first, rest []string }

// distinct returns values without repetitions.
func distinct(values []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(values, func(v string) bool {
		before := seen[v]
		seen[v] = true
		return before
	})
}

// MostAttempts is how many values of arguments are tried for one rendering.
const MostAttempts = 200

// Obstacle is why there is no rendering.
type Obstacle struct {
	Arguments map[string]string // that were tried last
	Others    int               // attempts before
	Err       error             // of Get; nil after MostAttempts
}

// Render returns a result with these arguments: those that are pinned have the values
// given, and the names get values that the server accepts. If there are none, it returns why
// the last ones are refused.
func (s *Subject) Render(pinned map[string]string, names []string) (*Rendering, *Obstacle) {
	isNamed := map[string]bool{}
	for _, name := range names {
		isNamed[name] = true
	}
	chosen := map[string]int{} // which of its candidates an argument has
	var arguments map[string]string
	for attempt := range MostAttempts {
		arguments = maps.Clone(pinned)
		if arguments == nil {
			arguments = map[string]string{}
		}
		last := map[string]bool{} // those that have no other candidate
		for i := range s.Prompt.Arguments {
			a := &s.Prompt.Arguments[i]
			if _, ok := pinned[a.Name]; ok || !isNamed[a.Name] {
				continue
			}
			candidates := s.Candidates(a, arguments)
			at := min(chosen[a.Name], len(candidates)-1)
			arguments[a.Name] = candidates[at]
			last[a.Name] = at == len(candidates)-1
		}
		r, err := s.Get(arguments)
		if r != nil {
			return r, nil
		}
		moved := false
		for _, p := range problem.Of(err) {
			if isLast, ok := last[p.Argument]; ok && !isLast {
				chosen[p.Argument]++
				last[p.Argument] = true // once for all of its problems
				moved = true
			}
		}
		if !moved {
			return nil, &Obstacle{arguments, attempt, err}
		}
	}
	return nil, &Obstacle{Arguments: arguments, Others: MostAttempts}
}
