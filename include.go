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

// Include returns what another prompt of the same server comes to, for a render
// function to put into its own result. ctx is that of the function, or comes
// from it. The arguments are checked as a client's would be, and one that the
// prompt does not declare is an error. What the prompt asks the client with
// [Ask] is asked as part of this request; their keys are shared. Messages may be
// appended to the result, but what they hold must not be changed. The middleware
// does not see it.
//
// It fails if there is no such prompt, or none that the client may know of; if
// prompts include each other in a circle; if the function is one of a prompt
// with a [Cache], which works for nobody, and Options.Visible would have to
// decide, or the other prompt has sensitive arguments; if the arguments are not
// valid, which is not the client's to hear; and with what the other render function
// returns, but that no argument of this prompt is blamed for it.
func Include(ctx context.Context, name string, args map[string]string) (*Result, error) {
	s := scopeOf(ctx)
	if s == nil {
		return nil, errors.New("prompts: Include: this is not the context of a render function")
	}
	outer, _ := ctx.Value(includesKey{}).(*includes)
	if outer == nil || outer.server != s.server { // which may have called this one
		outer = &includes{server: s.server, name: s.prompt}
	}
	if s.isCached && s.server.options.Visible != nil {
		return nil, errors.New("prompts: Include: a prompt with a Cache works for no client, so Options.Visible cannot say what it may include")
	}
	if outer.has(name) {
		return nil, fmt.Errorf("prompts: Include: %s includes itself", outer.path(name))
	}
	d, ok := s.server.registry.snapshot().Get(name)
	if !ok || !s.server.isVisible(ctx, d) {
		return nil, fmt.Errorf("prompts: Include: there is no prompt %q", phrase.Clip(name, phrase.MaxEcho))
	}
	texts, undeclared, _ := d.plan.CollectTexts(args, nil, nil, true)
	if d.plan.HasSensitive {
		if s.isCached {
			return nil, fmt.Errorf("prompts: Include: prompt %q has sensitive arguments, so its results must not be cached; remove the Cache of prompt %q", name, s.prompt)
		}
		s.addSecrets(d.plan.Secrets(texts))
	}
	render, problems := d.bind(texts)
	if problems = append(problems, undeclared...); len(problems) > 0 {
		return nil, fmt.Errorf("prompts: Include: prompt %q: %s", name, argument.Redacted(problems))
	}
	result, err := render.call(context.WithValue(ctx, includesKey{}, &includes{server: s.server, name: name, by: outer}))
	if err == nil && result == nil {
		err = errors.New("the render function returned neither a result nor an error")
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

// path says for the author how it has come to the prompt.
func (i *includes) path(name string) string {
	names := []string{fmt.Sprintf("%q", name)}
	for ; i != nil; i = i.by {
		names = append(names, fmt.Sprintf("%q", i.name))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// includeError is what an included prompt has returned.
type includeError struct {
	prompt string
	err    error
}

func (e *includeError) Error() string { return fmt.Sprintf("included prompt %q: %v", e.prompt, e.err) }

func (e *includeError) Unwrap() error { return e.err }

// OfAnotherPrompt says that the arguments that err blames are not the
// including prompt's.
func (e *includeError) OfAnotherPrompt() {}
