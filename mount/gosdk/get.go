package gosdk

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// get answers prompts/get. The SDK's server handles each request first, so that
// middleware installed before the mount is not bypassed. A prompt of the registry
// is rendered only if the server has no prompt with that name. Any other response
// of the server is returned unchanged: the result of the server's own prompt, or
// the response of a middleware, which may reject the request.
func (m *mount) get(ctx context.Context, r *mcp.GetPromptRequest) (mcp.Result, error) {
	name := r.Params.Name
	res, err := m.state.next(ctx, methodGet, r)
	if !isUnknown(err, name) {
		if err == nil && m.has(name) { // or a middleware has answered
			m.reportOwn(ctx, "prompt", name)
		}
		return res, err
	}
	members := map[string]any{"name": name}
	arguments, meta := argumentsOf(r.Params)
	if arguments != nil {
		members["arguments"] = arguments
	}
	if r.Params.InputResponses != nil {
		members["inputResponses"] = answers(r.Params.InputResponses)
	}
	if r.Params.RequestState != "" {
		members["requestState"] = r.Params.RequestState
	}
	req, err := m.newRequest(r, r.Session, meta, members)
	if err != nil {
		return nil, m.failure(ctx, methodGet, err)
	}
	raw, err := m.call(ctx, methodGet, req)
	if err != nil {
		return nil, err
	}
	result, err := getResult(raw)
	if err != nil {
		return nil, internalError(ctx, m.server, cannotConvert, fmt.Sprintf("prompt %q", name), slog.String("prompt", name), err)
	}
	return result, nil
}
