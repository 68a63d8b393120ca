package prompttemplate

import (
	"context"
	"errors"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// New returns p with a render function that executes the messages. Their data are the arguments in
// p.Arguments, by name. An argument with the schema type integer, number, boolean or array is an
// int, a float64, a bool, or a slice of these types or of strings. Any other argument is a string.
// An absent argument without a default is the zero value of its type.
//
// An argument that the messages only print, as {{.name}} or {{index . "a-b"}}, becomes
// Verbatim: see [prompts.Argument].
//
// If p has no Digest, New sets it: a SHA-256 of the declaration, the messages and the
// partials that they call. A change of Go code does not change the Digest.
//
// New returns all errors in the messages and the options, joined, each an [*Error].
// [prompts.Registry.Add] reports errors in the rest of p.
func New(p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	d := namedOf(p.Arguments)
	c, err := compile(p, newSet(o), messages, d, nil)
	if err != nil {
		return prompts.Prompt{}, err
	}
	return c.named(p, d), nil
}

// NewTyped returns p with the arguments of the struct In, like [prompts.New], and a render function
// that executes the messages. Their data is an In, with the fields under their Go names. Fields of
// embedded structs may be written as in Go, with or without the struct's name.
//
// NewTyped returns all errors in In, the messages and the options, joined.
// [prompts.Registry.Add] reports errors in the rest of p.
func NewTyped[In any](p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	in, faults := structOf[In]()
	var d data
	if faults == nil {
		d = in
	}
	c, err := compile(p, newSet(o), messages, d, faults)
	if err != nil {
		return prompts.Prompt{}, err
	}
	p.Digest = c.digest(p)
	p.Arguments = c.verbatim(p.Arguments, d)
	return prompts.New(p, func(ctx context.Context, value In) (*prompts.Result, error) {
		in.complete(&value)
		return c.render(ctx, &value)
	}), nil
}

// compile compiles the messages with a set of their own. It also returns the errors of the set.
func compile(p prompts.Prompt, s *Set, messages []Message, d data, faults []*Error) (*compiled, error) {
	c, all := s.compile(p, messages, d, slices.Concat(faults, renderErrors(p), s.all()))
	var own []*Error
	for _, e := range all {
		if broken := (*brokenError)(nil); !errors.As(e.Err, &broken) { // the error of the partial is in all too
			own = append(own, e)
		}
	}
	return c, join(own, p.Name)
}
