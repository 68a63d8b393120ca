package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

type peer struct {
	ctx     context.Context // of the request, by which the SDK finds its stream
	session *mcp.ServerSession
}

// notify sends progress, the only notification that a call has.
func (p *peer) notify(method string, params json.RawMessage) {
	progress := new(mcp.ProgressNotificationParams)
	if method == "notifications/progress" && core.Decode(params, progress) == nil {
		_ = p.session.NotifyProgress(p.ctx, progress) // a client that does not get it gets no response either
	}
}

// request asks the client, without a limit of time.
func (p *peer) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	question, err := inputRequest(method, params)
	if err != nil {
		return nil, err
	}
	var response any
	switch q := question.(type) {
	case *mcp.ElicitParams:
		response, err = p.session.Elicit(ctx, q)
	case *mcp.CreateMessageWithToolsParams:
		response, err = p.session.CreateMessageWithTools(ctx, q)
	case *mcp.ListRootsParams:
		response, err = p.session.ListRoots(ctx, q)
	default:
		err = fmt.Errorf("go-sdk has no request %q", method)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(exactResponse(response))
}

func inputRequest(method string, params json.RawMessage) (mcp.InputRequest, error) {
	raw, err := json.Marshal(map[string]any{"q": map[string]any{"method": method, "params": params}})
	if err != nil {
		return nil, err
	}
	var all mcp.InputRequestMap
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("go-sdk cannot read the request %s: %w", method, err)
	}
	if e, ok := all["q"].(*mcp.ElicitParams); ok && e.RequestedSchema != nil {
		var members struct {
			Schema json.RawMessage `json:"requestedSchema"`
		}
		if err := json.Unmarshal(params, &members); err != nil {
			return nil, err
		}
		e.RequestedSchema = members.Schema // in its own order, with its own numbers
	}
	return all["q"], nil
}

// exactResponse returns a client's response to a question with its own encoding. In the SDK's
// encoding, a form that was left empty is missing (v1.8.0 mcp/protocol.go:2190).
func exactResponse(response any) any {
	e, ok := response.(*mcp.ElicitResult)
	if !ok {
		return response
	}
	return struct {
		*mcp.ElicitResult
		Content map[string]any `json:"content,omitzero"`
	}{e, e.Content}
}

func exactResponses(all mcp.InputResponseMap) map[string]any {
	if all == nil {
		return nil
	}
	exact := make(map[string]any, len(all))
	for key, response := range all {
		exact[key] = exactResponse(response)
	}
	return exact
}
