package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

type requestKey struct{}

// Request returns the SDK's request in progress, and reports whether one exists. ctx
// is the context of a render function or of another function in the options or
// prompts, or a context made from it. Under a [Mount], the request is a
// *mcp.GetPromptRequest, a *mcp.CompleteRequest or a *mcp.ListPromptsRequest.
// GetSession returns its session, and GetExtra the bearer token and the HTTP header.
func Request(ctx context.Context) (mcp.Request, bool) {
	r, ok := ctx.Value(requestKey{}).(mcp.Request)
	return r, ok
}

// call has the library's server answer a request. Its error is one of the
// SDK's, which the client is to get.
func (m *mount) call(ctx context.Context, method string, r request) (json.RawMessage, error) {
	ctx = context.WithValue(ctx, requestKey{}, r.sdk)
	// Progress that is being sent ends with the time limit.
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &peer{ctx: sending, session: r.session}
	options := prompts.CallOptions{Version: r.version, ClientCapabilities: r.capabilities, Client: r.client, Notify: p.notify, Overdue: cancel}
	if r.session != nil {
		options.SessionID = r.session.ID()
	}
	extra := r.sdk.GetExtra()
	if extra != nil && extra.Header != nil {
		options.Transport = transport.Info{Network: "tcp", Protocol: "http"}
	}
	options.ClientKey = clientKey(r.session, extra)
	if r.version < stateless && r.session != nil {
		options.Request = p.request
	}
	result, err := m.server.Call(ctx, method, r.params, options)
	if err != nil {
		return nil, m.failure(ctx, method, err)
	}
	return result, nil
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
func (m *mount) failure(ctx context.Context, method string, err error) error {
	var e *prompts.Error
	switch {
	case errors.As(err, &e):
		return wireError(e)
	case ctx.Err() != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "request canceled"}
	}
	return internalError(ctx, m.server, "request failed", method, slog.String("method", method), err)
}
