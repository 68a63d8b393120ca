package prompts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file renders a prompt inside of another.

// Include renders another prompt of the same server and returns the result, for a
// render function to add to its own. ctx is the context of the function, or a
// context made from it. Arguments are validated as in a request, and an undeclared
// argument is an error. Questions that the other prompt sends with [Ask] are part of
// this request and share its keys. You may append messages to the result, but must
// not change their contents. The middleware does not see the call.
//
// Include returns an error if
//
//   - the prompt does not exist or is hidden from the client;
//   - prompts include each other in a cycle;
//   - the arguments are invalid. The client does not get these details;
//   - the other render function fails. Its errors about arguments are not attributed
//     to arguments of this prompt;
//   - the calling prompt has a [Cache], and Options.Visible is set or the other
//     prompt has sensitive arguments.
func Include(ctx context.Context, name string, args map[string]string) (*Result, error) {
	s := scopeOf(ctx)
	if s == nil {
		return nil, errors.New("prompts: Include: ctx does not come from a render function")
	}
	outer, _ := ctx.Value(includesKey{}).(*includes)
	if outer == nil || outer.server != s.server { // which may have called this one
		outer = &includes{server: s.server, name: s.prompt}
	}
	if s.isCached && s.server.options.Visible != nil {
		return nil, errors.New("prompts: Include: a cached prompt cannot use Include with Options.Visible")
	}
	if outer.has(name) {
		return nil, fmt.Errorf("prompts: Include: cycle: %s", outer.path(name))
	}
	d, ok := s.server.registry.snapshot().Get(name)
	if !ok || !s.server.isVisible(ctx, d) {
		return nil, fmt.Errorf("prompts: Include: unknown prompt %q", phrase.Clip(name, phrase.MaxEcho))
	}
	texts, undeclared, _ := d.plan.CollectTexts(args, nil, nil, true)
	if d.plan.HasSensitive {
		if s.isCached {
			return nil, fmt.Errorf("prompts: Include: prompt %q has sensitive arguments and cannot be part of a cached result; remove the Cache of prompt %q", name, s.prompt)
		}
		s.addSecrets(d.plan.Secrets(texts))
	}
	render, problems := d.bind(texts)
	if problems = append(problems, undeclared...); len(problems) > 0 {
		return nil, fmt.Errorf("prompts: Include: prompt %q: %s", name, argument.Redacted(problems))
	}
	result, err := render.call(context.WithValue(ctx, includesKey{}, &includes{server: s.server, name: name, by: outer}))
	if err == nil && result == nil {
		err = errors.New("render function returned neither a result nor an error")
	}
	if err != nil {
		return nil, &includeError{prompt: name, err: err}
	}
	return result, nil
}

// includes is a prompt that is being rendered and what has included it.
type includes struct {
	server *Server
	name   string
	by     *includes // nil for the one that the client has asked for
}

type includesKey struct{}

func (i *includes) has(name string) bool {
	for ; i != nil; i = i.by {
		if i.name == name {
			return true
		}
	}
	return false
}

// path returns the chain of includes that leads to the prompt, for the log.
func (i *includes) path(name string) string {
	names := []string{fmt.Sprintf("%q", name)}
	for ; i != nil; i = i.by {
		names = append(names, fmt.Sprintf("%q", i.name))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// includeError is the error of an included prompt.
type includeError struct {
	prompt string
	err    error
}

func (e *includeError) Error() string { return fmt.Sprintf("included prompt %q: %v", e.prompt, e.err) }

func (e *includeError) Unwrap() error { return e.err }

// OfAnotherPrompt marks the errors of arguments in err as errors of the included
// prompt's arguments, not of the including prompt's.
func (e *includeError) OfAnotherPrompt() {}
