package mcpgo

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

var _ server.PromptCompletionProvider = (*serverState)(nil)

// CompletePromptArgument completes arguments of mounted prompts, and calls the
// application's provider for the others.
func (st *serverState) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	st.mu.RLock()
	mounts, own := st.mounts, st.provider
	st.mu.RUnlock()
	for _, m := range mounts {
		prompt, ok := m.lookup(name)
		isOurs := ok && mountOf(m.sdk.ListPrompts()[name]) == m // and not of the application, which may have added one since
		if !isOurs || m.Options.DisableCompletions || own != nil && !core.Completes(prompt, argument.Name) {
			continue
		}
		if m.Shows(ctx, prompt) {
			return m.complete(ctx, name, argument, others)
		}
		// A Visible that needs what the middleware puts into the context shows a prompt only
		// there. For the client, a hidden prompt is an unknown one.
		if m.Options.Middleware != nil {
			watched, shown := core.Watch(ctx, name)
			if result, err := m.complete(watched, name, argument, others); shown() {
				return result, err
			}
		}
	}
	if own != nil {
		return own.CompletePromptArgument(ctx, name, argument, others)
	}
	// Without ErrorHandler, the client would get an internal error in place of no values.
	if _, ok := ctx.Value(markersKey{}).(*markers); ok && len(mounts) > 0 {
		if there := mounts[0].sdk.ListPrompts()[name]; there == nil || mountOf(there) != nil {
			data := map[string]string{"prompt": phrase.Clip(name, phrase.MaxEcho)}
			return nil, failure(ctx, &prompts.Error{Code: prompts.CodeInvalidParams, Message: "unknown prompt " + phrase.Quote(name), Data: data})
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

func (m *mount) complete(ctx context.Context, name string, argument mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	params := mcp.CompleteParams{Ref: mcp.PromptReference{Type: "ref/prompt", Name: name}, Argument: argument, Context: others}
	return answer(ctx, m, "completion/complete", "prompt", name, params, func(raw json.RawMessage) (*mcp.Completion, error) {
		var result mcp.CompleteResult
		err := json.Unmarshal(raw, &result)
		return &result.Completion, err
	})
}
