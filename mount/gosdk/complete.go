package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// complete answers completion/complete: for a prompt of the registry with our
// completions, for anything else as the server does.
func (m *mount) complete(ctx context.Context, r *mcp.CompleteRequest) (mcp.Result, error) {
	ref := r.Params.Ref
	isPrompt := ref != nil && ref.Type == "ref/prompt"
	if !m.completes || !isPrompt || !m.has(ref.Name) {
		res, err := m.host.next(ctx, methodComplete, r)
		if !m.completes || !isNoMethod(err) {
			return res, err
		}
		// The server has no CompletionHandler. The method is there now, so a
		// prompt of its own has no completions, and the rest is unknown.
		if isPrompt {
			found := false
			as := &mcp.ListPromptsRequest{Session: r.Session, Params: &mcp.ListPromptsParams{Meta: r.Params.Meta}, Extra: r.Extra}
			if err := m.host.pages(ctx, as, func(p *mcp.Prompt) { found = found || p.Name == ref.Name }); err != nil {
				return nil, m.failure(ctx, methodComplete, err)
			}
			if found {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
			}
		}
	}
	members := map[string]any{"ref": ref, "argument": r.Params.Argument}
	if r.Params.Context != nil {
		members["context"] = r.Params.Context
	}
	req, err := m.newRequest(r, r.Session, r.Params.Meta, members)
	if err != nil {
		return nil, m.failure(ctx, methodComplete, err)
	}
	raw, err := m.call(ctx, methodComplete, req)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Completion mcp.CompletionResultDetails `json:"completion"`
		Meta       map[string]json.RawMessage  `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, m.failure(ctx, methodComplete, err)
	}
	return &mcp.CompleteResult{Completion: wire.Completion, Meta: metaOf(wire.Meta)}, nil
}
