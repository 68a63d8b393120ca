package main

import (
	"context"
	"errors"

	"github.com/mcp-prompts/prompts"
)

// errNoExec is for a page that asks for an answer without --exec.
var errNoExec = errors.New("no command answers; start the preview with --exec")

// answer renders a prompt and returns what the command of --exec answers. If the page
// ends the request, the command and all programs that it has started end.
func (a *authorPage) answer(ctx context.Context, p *prompts.Prompt, in *asked) (any, error) {
	if a.exec == "" {
		return nil, errNoExec
	}
	_, raw, cause, err := a.renderer.render(ctx, p.Name, in.Arguments)
	if err != nil {
		return nil, renderError(err, cause)
	}
	text, err := askModel(ctx, a.exec, a.timeout, p.Name, "preview", raw)
	if err != nil {
		return nil, err
	}
	return map[string]string{"answer": text}, nil
}
