package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// get answers prompts/get. The SDK's server handles each request first, so that middleware
// installed before the mount is not bypassed. A prompt of the registry is rendered only if the
// server has no prompt with that name. Any other response of the server is returned unchanged: the
// result of the server's own prompt, or the response of a middleware, which may reject the request.
func (m *mount) get(ctx context.Context, r *mcp.GetPromptRequest) (mcp.Result, error) {
	name := r.Params.Name
	res, err := m.state.next(ctx, methodGet, r)
	if !isUnknown(err, "prompt", name) {
		if err == nil && m.has(name) && m.hasOwn(ctx, name) { // else a middleware has answered
			m.ReportOwn(ctx, "prompt", name)
		}
		return res, err
	}
	params := &struct {
		*mcp.GetPromptParams
		InputResponses map[string]any `json:"inputResponses,omitzero"`
	}{r.Params, exactResponses(r.Params.InputResponses)}
	raw, err := m.call(ctx, methodGet, r, params)
	if err != nil {
		return nil, err
	}
	result, err := getResult(raw)
	if err != nil {
		return nil, wireError(m.Unconverted(ctx, "prompt", name, err))
	}
	return result, nil
}
