package gosdk

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// get answers prompts/get: a name that the registry has is ours, any other the
// server's own.
func (m *mount) get(ctx context.Context, r *mcp.GetPromptRequest) (mcp.Result, error) {
	name := r.Params.Name
	if !m.has(name) {
		res, err := m.host.next(ctx, methodGet, r)
		if !isUnknown(err, name) {
			return res, err
		}
		// Our server's answer, so that it is that for a prompt which is hidden.
	}
	members := map[string]any{"name": name}
	if r.Params.Arguments != nil {
		members["arguments"] = r.Params.Arguments
	}
	if r.Params.InputResponses != nil {
		members["inputResponses"] = answers(r.Params.InputResponses)
	}
	if r.Params.RequestState != "" {
		members["requestState"] = r.Params.RequestState
	}
	req, err := m.newRequest(r, r.Session, r.Params.Meta, members)
	if err != nil {
		return nil, m.failure(ctx, methodGet, err)
	}
	raw, err := m.call(ctx, methodGet, req)
	if err != nil {
		return nil, err
	}
	result, err := getResult(raw)
	if err != nil {
		m.logger.LogAttrs(ctx, slog.LevelError, "the SDK cannot carry the prompt", slog.String("prompt", name), slog.Any("error", err))
		return nil, internalError("the prompt could not be rendered")
	}
	return result, nil
}
