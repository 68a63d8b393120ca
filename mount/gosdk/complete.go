package gosdk

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// complete answers completion/complete. As with get the server has it first: if that fails, the
// client is refused. But what the server's CompletionHandler says of a prompt of the registry is
// not the answer, since it says something of all prompts.
func (m *mount) complete(ctx context.Context, r *mcp.CompleteRequest) (mcp.Result, error) {
	res, err := m.state.next(ctx, methodComplete, r)
	ref := r.Params.Ref
	isPrompt := ref != nil && ref.Type == "ref/prompt"
	isOurs := isPrompt && m.shows(ctx, r, ref.Name) // a hidden prompt does not exist
	// A Visible that needs what the middleware puts into the context shows a prompt only there.
	isInside := isPrompt && !isOurs && m.Options.Middleware != nil && m.has(ref.Name)
	hasHandler := !isNoMethod(err)
	switch {
	case m.Options.DisableCompletions:
		return res, err
	case err != nil && hasHandler:
		if isOurs && m.letsGet(ctx, r) {
			m.Server.Log(ctx, slog.LevelInfo, "CompletionHandler returned an error for a registry prompt",
				slog.String("prompt", ref.Name), slog.String("error_type", fmt.Sprintf("%T", err))) // its text may quote a Sensitive argument
			break
		}
		return nil, err
	case hasHandler && !isOurs && !isInside:
		return res, nil
	}
	shown := func() bool { return false }
	if isInside {
		ctx, shown = core.Watch(ctx, ref.Name)
	}
	result := new(mcp.CompleteResult)
	failed := m.callInto(ctx, methodComplete, r, r.Params, result)
	isOurs = isOurs || shown()
	if failed == nil && isOurs && m.completions != nil {
		if p, _ := m.Registry.Lookup(ref.Name); !core.Completes(p, r.Params.Argument.Name) {
			own, err := m.completions(ctx, r)
			if err != nil || own != nil {
				return own, err
			}
		}
	}
	switch {
	case hasHandler && (!isOurs || isMissing(failed, "prompt")):
		return res, err // for the client, a hidden prompt is an unknown one
	case failed == nil:
		return result, nil
	case !isPrompt || !isMissing(failed, "prompt"):
		return nil, failed
	}
	// The server has no CompletionHandler. The method is there now, so a prompt
	// of its own has no completions.
	found := false
	as := &mcp.ListPromptsRequest{Session: r.Session, Params: &mcp.ListPromptsParams{Meta: r.Params.Meta}, Extra: r.Extra}
	if err := m.state.pages(ctx, as, func(p *mcp.Prompt) { found = found || p.Name == ref.Name }); err != nil {
		return nil, m.failure(ctx, methodComplete, err)
	}
	if found {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	return nil, failed
}

// letsGet reports whether the middleware lets the client get the prompt of a completion. Then
// an error of the completion is that of the CompletionHandler, which does not know the prompt.
func (m *mount) letsGet(ctx context.Context, r *mcp.CompleteRequest) bool {
	name := r.Params.Ref.Name
	_, err := m.state.next(ctx, methodGet, &mcp.GetPromptRequest{Session: r.Session, Params: &mcp.GetPromptParams{Name: name, Meta: r.Params.Meta}, Extra: r.Extra})
	return isUnknown(err, "prompt", name)
}
