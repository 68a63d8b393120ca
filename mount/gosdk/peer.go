package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type peer struct {
	ctx     context.Context // of the request, by which the SDK finds its stream
	session *mcp.ServerSession
}

// notify sends progress, the only notification that a call has.
func (p *peer) notify(method string, params json.RawMessage) {
	var progress struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if method != "notifications/progress" || p.session == nil || json.Unmarshal(params, &progress) != nil {
		return
	}
	// A client that does not get it gets no answer either.
	_ = p.session.NotifyProgress(p.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: progress.Token, Progress: progress.Progress, Total: progress.Total, Message: progress.Message,
	})
}

// request asks the client, which may take the time that it takes.
func (p *peer) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	question, err := inputRequest(method, params)
	if err != nil {
		return nil, err
	}
	var answer any
	switch q := question.(type) {
	case *mcp.ElicitParams:
		var r *mcp.ElicitResult
		if r, err = p.session.Elicit(ctx, q); err == nil {
			answer = elicited(r)
		}
	case *mcp.CreateMessageWithToolsParams:
		answer, err = p.session.CreateMessageWithTools(ctx, q)
	case *mcp.ListRootsParams:
		answer, err = p.session.ListRoots(ctx, q)
	default:
		err = fmt.Errorf("go-sdk has no request %q", method)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
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

// elicited returns an answer to an elicitation. In the SDK's own encoding a form
// that was left empty is missing (v1.8.0 mcp/protocol.go:2190).
func elicited(e *mcp.ElicitResult) any {
	out := map[string]any{"action": e.Action}
	if e.Content != nil {
		out["content"] = e.Content
	}
	if len(e.Meta) > 0 {
		out["_meta"] = e.Meta
	}
	return out
}
