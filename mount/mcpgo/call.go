package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/transport"
)

type requestKey struct{}

type incoming struct {
	request mcp.GetPromptRequest
	url     atomic.Pointer[mcp.URLElicitationRequiredError] // what a handler of the SDK has failed with
}

// Request returns the request of a render function, as read by mcp-go, with its HTTP
// headers. ok is false outside of a prompts/get of a mounted prompt.
func Request(ctx context.Context) (request mcp.GetPromptRequest, ok bool) {
	in, ok := ctx.Value(requestKey{}).(*incoming)
	if !ok {
		return mcp.GetPromptRequest{}, false
	}
	return in.request, true
}

func (m *mount) get(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	ctx = context.WithValue(ctx, requestKey{}, &incoming{request: request})
	return answer(ctx, m, "prompts/get", "prompt", request.Params.Name, request.Params, getResult)
}

// answer answers a request about a prompt or a tool, the kind, of a name. read returns the form
// that mcp-go has for the result.
func answer[R any](ctx context.Context, m *mount, method, kind, name string, params any, read func(json.RawMessage) (*R, error)) (*R, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: params: %w", err)
	}
	raw, err := m.call(ctx, method, text)
	if err != nil {
		return nil, failure(ctx, err)
	}
	result, err := read(raw)
	if err != nil {
		return nil, failure(ctx, m.Unconverted(ctx, kind, name, err))
	}
	return result, nil
}

func (m *mount) call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return m.Server.Call(ctx, method, params, m.client(ctx, params))
}

func (m *mount) client(ctx context.Context, params json.RawMessage) prompts.CallOptions {
	o := prompts.CallOptions{Version: versionOf(ctx)}
	o.ClientInfo, o.ClientCapabilities = declared(ctx, params)
	if request, ok := Request(ctx); ok && len(request.Header) > 0 {
		o.Transport = transport.Info{Network: "tcp", Protocol: "http"}
	}
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return o
	}
	o.SessionID = session.SessionID()
	o.Request = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		result, err := ask(ctx, m.sdk, method, params)
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	}
	o.Notify = func(method string, params json.RawMessage) {
		var fields map[string]any
		if core.Decode(params, &fields) != nil {
			return
		}
		// A client that does not read its notifications misses them.
		_ = m.sdk.SendNotificationToClient(ctx, method, fields)
	}
	return o
}

// versionOf returns the revision that the client in ctx speaks. It is the newest with a handshake
// if that cannot be known, which is so over HTTP without sessions before revision 2026-07-28.
func versionOf(ctx context.Context) string {
	version := server.RequestProtocolVersion(ctx)
	if slices.Contains(mcp.ValidProtocolVersions, version) {
		return version
	}
	// A client of a session may put anything into a request's _meta.
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithProtocolVersion); ok {
		if version = session.ProtocolVersion(); slices.Contains(mcp.ValidProtocolVersions, version) {
			return version
		}
	}
	return mcp.LATEST_LEGACY_PROTOCOL_VERSION
}

// declared returns what the client has declared of itself: with this request, whose capabilities
// are as they came, or in its initialize, as the SDK has read it.
func declared(ctx context.Context, params json.RawMessage) (info, capabilities json.RawMessage) {
	if own := server.RequestProtocolInfoFromContext(ctx); own != nil && own.Modern {
		var request struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if json.Unmarshal(params, &request) == nil && request.Meta[mcp.MetaKeyClientCapabilities] != nil {
			return core.Encode(own.ClientInfo), request.Meta[mcp.MetaKeyClientCapabilities]
		}
		return core.Encode(own.ClientInfo), core.Encode(own.ClientCapabilities)
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return core.Encode(session.GetClientInfo()), core.Encode(session.GetClientCapabilities())
	}
	return nil, nil
}

func ask(ctx context.Context, s *server.MCPServer, method string, params json.RawMessage) (result any, err error) {
	request, err := inputRequest(method, params)
	if err != nil {
		return nil, err
	}
	about := mcp.Request{Method: method}
	switch {
	case request.Elicitation != nil:
		return s.RequestElicitation(ctx, mcp.ElicitationRequest{Request: about, Params: *request.Elicitation})
	case request.Sampling != nil:
		//lint:ignore SA1019 clients of older revisions have it, and an author may ask for it
		return s.RequestSampling(ctx, mcp.CreateMessageRequest{Request: about, CreateMessageParams: *request.Sampling})
	}
	return s.RequestRoots(ctx, mcp.ListRootsRequest{Request: about})
}
