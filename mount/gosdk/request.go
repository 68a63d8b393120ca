package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"cmp"
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

type requestKey struct{}

// caller calls the library's server for requests to a server of the SDK.
type caller struct {
	*core.Mount
	state *serverState
}

// call has the library's server answer a request. The SDK has read the params, so members
// that are unknown to the SDK are missing. The error is one of the SDK's, for the client.
func (c *caller) call(ctx context.Context, method string, r mcp.Request, params mcp.Params) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	options := c.client(r, params.GetMeta())
	ctx = context.WithValue(ctx, requestKey{}, r)
	if session, _ := r.GetSession().(*mcp.ServerSession); session != nil {
		// Progress that is being sent ends with the time limit.
		sending, cancel := context.WithCancel(ctx)
		defer cancel()
		p := &peer{ctx: sending, session: session}
		options.Notify, options.Overdue, options.Request = p.notify, cancel, p.request
	}
	result, err := c.Server.Call(ctx, method, raw, options)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	return result, nil
}

// callInto is call for a list or a completion, and decodes the result, with the digits of numbers
// unchanged.
func (c *caller) callInto(ctx context.Context, method string, r mcp.Request, params mcp.Params, result mcp.Result) error {
	raw, err := c.call(ctx, method, r, params)
	if err != nil {
		return err
	}
	if err := core.Decode(raw, result); err != nil {
		return c.failure(ctx, method, err)
	}
	delete(result.GetMeta(), mcp.MetaKeyServerInfo) // which the SDK adds
	return nil
}

func (c *caller) client(r mcp.Request, meta map[string]any) prompts.CallOptions {
	session, _ := r.GetSession().(*mcp.ServerSession) // nil in a test without a session
	extra := r.GetExtra()
	o := prompts.CallOptions{Version: c.state.version(session, meta), ClientKey: clientKey(session, extra)}
	if extra != nil && extra.Header != nil {
		o.Transport = transport.Info{Network: "tcp", Protocol: "http"}
	}
	if session != nil {
		o.SessionID = session.ID()
	}
	if core.IsStateless(o.Version) {
		o.ClientCapabilities = core.Encode(meta[mcp.MetaKeyClientCapabilities])
	} else if session != nil && session.InitializeParams() != nil {
		p := session.InitializeParams()
		o.ClientInfo, o.ClientCapabilities = core.Encode(p.ClientInfo), capabilitiesOf(p)
	}
	return o
}

// capabilitiesOf returns the capabilities that a client has declared in initialize. The SDK's own
// encoding always has roots (v1.8.0 mcp/protocol.go:477).
func capabilitiesOf(p *mcp.InitializeParams) json.RawMessage {
	declared := cmp.Or(p.Capabilities, new(mcp.ClientCapabilities))
	return core.Encode(struct {
		*mcp.ClientCapabilities
		Roots *mcp.RootCapabilities `json:"roots,omitempty"`
	}{declared, declared.RootsV2})
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
	return wireError(core.InternalError(ctx, c.Server, "request failed", method, slog.String("method", method), err))
}
