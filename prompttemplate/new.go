package prompttemplate

import (
	"context"
	"errors"

	"github.com/mcp-prompts/prompts"
)

// New returns p with a render function that executes the messages. Their data
// are the texts of the arguments in p.Arguments, by name, but for a boolean,
// which is one. An argument that is absent and has no default is the empty string,
// or false.
//
// The error joins everything that is wrong with the messages and the options,
// each an [*Error].
// What else may be wrong with p is for [prompts.Registry.Add] to say.
func New(p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	names := make(named, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
	}
	c, err := compile(p, o, messages, names, nil)
	if err != nil {
		return prompts.Prompt{}, err
	}
	v := valuesOf(p.Arguments)
	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		return c.render(ctx, v.of(args))
	}
	return p, nil
}

// NewTyped returns p with the arguments that the struct In declares, as
// [prompts.New] does, and a render function that executes the messages. Their
// data is a value of In, with the fields under their Go names; those of
// embedded structs may be written as in Go, with and without the struct's
// name.
//
// The error joins everything that is wrong with In, the messages and the
// options. What else may be wrong with p is for [prompts.Registry.Add] to say.
func NewTyped[In any](p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	in, faults := structOf[In]()
	var d data
	if faults == nil {
		d = in
	}
	c, err := compile(p, o, messages, d, faults)
	if err != nil {
		return prompts.Prompt{}, err
	}
	return prompts.New(p, func(ctx context.Context, value In) (*prompts.Result, error) {
		in.complete(&value)
		return c.render(ctx, &value)
	}), nil
}

// compile checks everything and returns all that is wrong with it, joined,
// behind the faults that there are already. Without data the arguments are
// not checked.
func compile(p prompts.Prompt, o Options, messages []Message, d data, faults []error) (*compiled, error) {
	if hasRender(p) {
		faults = append(faults, errors.New("it has a render function already; leave it out, the messages are what is rendered"))
	}
	set := parseAll(o, messages)
	faults = append(faults, set.faults...)
	faults = append(faults, set.check(d)...)
	if len(faults) == 0 {
		return set.compile(), nil
	}
	for i, err := range faults {
		e, ok := err.(*Error)
		if !ok {
			e = &Error{Err: err}
		}
		e.Prompt, faults[i] = p.Name, e
	}
	return nil, errors.Join(faults...)
}

// hasRender reports whether p has a render function, of its own or from
// [prompts.New]. Only a registry can see the latter.
func hasRender(p prompts.Prompt) bool {
	if p.Render != nil {
		return true
	}
	bare := p
	bare.Name, bare.Title, bare.Description = "it", "", ""
	bare.Arguments, bare.Icons, bare.Meta = nil, nil, nil
	var scratch prompts.Registry
	return scratch.Add(bare) == nil
}
