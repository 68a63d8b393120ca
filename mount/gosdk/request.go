package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/transport"
)

// Request returns the SDK's request in progress, and reports whether one exists. ctx
// is the context of a render function or of another function in the options or
// prompts, or a context made from it. Under a [Mount], the request is a
// *mcp.GetPromptRequest, a *mcp.CompleteRequest or a *mcp.ListPromptsRequest.
// GetSession returns its session, and GetExtra the bearer token and the HTTP header.
func Request(ctx context.Context) (mcp.Request, bool) {
	r, ok := ctx.Value(requestKey{}).(mcp.Request)
	return r, ok
}

type callParams struct {
	mcp.ParamsBase
	Name           string         `json:"name"`
	Arguments      any            `json:"arguments,omitempty"`
	InputResponses map[string]any `json:"inputResponses,omitzero"`
	RequestState   string         `json:"requestState,omitempty"`
}

// call has the library's server answer a request. The SDK has read the params, so members
// that are unknown to the SDK are missing. The error is one of the SDK's, for the client.
func (c *caller) call(ctx context.Context, method string, r mcp.Request, params mcp.Params) (json.RawMessage, error) {
	options, err := c.client(r, params.GetMeta())
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	ctx = context.WithValue(ctx, requestKey{}, r)
	if session, _ := r.GetSession().(*mcp.ServerSession); session != nil {
		// Progress that is being sent ends with the time limit.
		sending, cancel := context.WithCancel(ctx)
		defer cancel()
		p := &peer{ctx: sending, session: session}
		options.Notify, options.Overdue, options.Request = p.notify, cancel, p.request
	}
	result, err := c.server.Call(ctx, method, raw, options)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	return result, nil
}

func (c *caller) client(r mcp.Request, meta map[string]any) (o prompts.CallOptions, err error) {
	session, _ := r.GetSession().(*mcp.ServerSession) // nil in a test without a session
	extra := r.GetExtra()
	o.Version, o.ClientKey = c.state.version(session, meta), clientKey(session, extra)
	if session != nil {
		o.SessionID = session.ID()
	}
	if extra != nil && extra.Header != nil {
		o.Transport = transport.Info{Network: "tcp", Protocol: "http"}
	}
	var capabilities any
	if core.IsStateless(o.Version) {
		capabilities = meta[mcp.MetaKeyClientCapabilities]
	} else if session != nil && session.InitializeParams() != nil {
		p := session.InitializeParams()
		if p.ClientInfo != nil {
			if o.ClientInfo, err = json.Marshal(p.ClientInfo); err != nil {
				return o, err
			}
		}
		capabilities = declared(p.Capabilities)
	}
	if capabilities != nil {
		o.ClientCapabilities, err = json.Marshal(capabilities)
	}
	return o, err
}

// clientKey returns the client for the rates: the user of the SDK's bearer token, or else
// the session. A session without an id is a connection, unless the SDK makes one for each
// HTTP request: then the client is unknown.
func clientKey(session *mcp.ServerSession, extra *mcp.RequestExtra) string {
	switch {
	case extra != nil && extra.TokenInfo != nil && extra.TokenInfo.UserID != "":
		return "user " + extra.TokenInfo.UserID
	case session == nil || session.ID() != "" || extra != nil && extra.Header != nil:
		return "" // the SessionID, if any
	}
	return fmt.Sprintf("connection %p", session)
}

// failure returns what the client gets to see of an error.
func (c *caller) failure(ctx context.Context, method string, err error) error {
	var e *prompts.Error
	switch {
	case errors.As(err, &e):
		return wireError(e)
	case ctx.Err() != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "request canceled"}
	}
	return wireError(core.InternalError(ctx, c.server, "request failed", method, slog.String("method", method), err))
}

// unconverted returns what the client gets to see of a result that the types of the SDK
// cannot express. kind is prompt or tool.
func (c *caller) unconverted(ctx context.Context, kind, name string, err error) error {
	return wireError(core.InternalError(ctx, c.server, "cannot convert result for go-sdk", fmt.Sprintf("%s %q", kind, name), slog.String(kind, name), err))
}

// declared returns what a client has declared in initialize. The SDK's own
// encoding of it always has roots (v1.8.0 mcp/protocol.go:477).
func declared(c *mcp.ClientCapabilities) map[string]any {
	out := map[string]any{}
	if c == nil {
		return out
	}
	if c.RootsV2 != nil {
		out["roots"] = c.RootsV2
	}
	if c.Sampling != nil {
		out["sampling"] = c.Sampling
	}
	if c.Elicitation != nil {
		out["elicitation"] = c.Elicitation
	}
	return out
}

// answers returns the answers of a client to what it was asked, in the form in
// which the SDK has read them.
func answers(all mcp.InputResponseMap) map[string]any {
	if all == nil {
		return nil
	}
	out := make(map[string]any, len(all))
	for key, a := range all {
		if e, ok := a.(*mcp.ElicitResult); ok {
			out[key] = elicited(e)
			continue
		}
		out[key] = a
	}
	return out
}
