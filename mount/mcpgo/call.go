package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
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

// Request returns the request of a render function, as read by mcp-go, with its HTTP headers. ok is
// false outside of a prompts/get of a mounted prompt.
func Request(ctx context.Context) (request mcp.GetPromptRequest, ok bool) {
	if in, ok := ctx.Value(requestKey{}).(*incoming); ok {
		return in.request, true
	}
	return request, false
}

func (m *mount) get(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	ctx = context.WithValue(ctx, requestKey{}, &incoming{request: request})
	return answer(ctx, m, "prompts/get", "prompt", request.Params.Name, request.Params, getResult)
}

// answer answers a request about a prompt or a tool, the kind. read returns mcp-go's form of the
// result.
func answer[R any](ctx context.Context, m *mount, method, kind, name string, params any, read func(json.RawMessage) (*R, error)) (*R, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: params: %w", err)
	}
	raw, err := m.Server.Call(ctx, method, text, m.client(ctx, text))
	if err != nil {
		return nil, failure(ctx, err)
	}
	result, err := read(raw)
	if err != nil {
		return nil, failure(ctx, m.Unconverted(ctx, kind, name, err))
	}
	return result, nil
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
		return ask(ctx, m.sdk, method, params)
	}
	o.Notify = func(method string, params json.RawMessage) {
		var fields map[string]any
		if core.Decode(params, &fields) == nil {
			_ = m.sdk.SendNotificationToClient(ctx, method, fields) // fails if the client does not read
		}
	}
	return o
}

// versionOf returns the protocol version of the client in ctx, or the newest with sessions if the
// SDK does not know it: over HTTP without sessions before 2026-07-28.
func versionOf(ctx context.Context) string {
	versions := []string{server.RequestProtocolVersion(ctx)} // of a request's _meta, which may have anything
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithProtocolVersion); ok {
		versions = append(versions, session.ProtocolVersion())
	}
	for _, version := range versions {
		if slices.Contains(mcp.ValidProtocolVersions, version) {
			return version
		}
	}
	return mcp.LATEST_LEGACY_PROTOCOL_VERSION
}

// declared returns what the client has declared of itself: in this request, with the capabilities
// verbatim, or in its initialize, as the SDK has read it.
func declared(ctx context.Context, params json.RawMessage) (info, capabilities json.RawMessage) {
	if own := server.RequestProtocolInfoFromContext(ctx); own != nil && own.Modern {
		var request struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		_ = json.Unmarshal(params, &request) // a list has no params here
		if capabilities = request.Meta[mcp.MetaKeyClientCapabilities]; len(capabilities) == 0 || capabilities[0] != '{' {
			capabilities = core.Encode(own.ClientCapabilities)
		}
		return core.Encode(own.ClientInfo), capabilities
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return core.Encode(session.GetClientInfo()), core.Encode(session.GetClientCapabilities())
	}
	return nil, nil
}

func ask(ctx context.Context, s *server.MCPServer, method string, params json.RawMessage) (json.RawMessage, error) {
	request, err := inputRequest(method, params)
	if err != nil {
		return nil, err
	}
	var response any
	about := mcp.Request{Method: method}
	switch {
	case request.Elicitation != nil:
		response, err = s.RequestElicitation(ctx, mcp.ElicitationRequest{Request: about, Params: *request.Elicitation})
	case request.Sampling != nil:
		//lint:ignore SA1019 clients of older versions have it, and the application may ask for it
		response, err = s.RequestSampling(ctx, mcp.CreateMessageRequest{Request: about, CreateMessageParams: *request.Sampling})
	default:
		response, err = s.RequestRoots(ctx, mcp.ListRootsRequest{Request: about})
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(response)
}

// rawContent is content that the SDK's type would change, with the encoding of our server.
type rawContent struct {
	mcp.Content // nearly the same
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c rawContent) MarshalJSON() ([]byte, error) { return c.raw, nil }

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	var wire struct {
		mcp.GetPromptResult
		Messages json.RawMessage `json:"messages"` // see below: the SDK cannot read them
	}
	parts, err := core.ReadResult(raw, &wire)
	if err != nil {
		return nil, err
	}
	result := &wire.GetPromptResult
	result.Meta = metaOf(parts.Meta)
	if parts.Messages != nil {
		result.Messages = make([]mcp.PromptMessage, len(parts.Messages))
	}
	for i, m := range parts.Messages {
		content, err := mcp.UnmarshalContent(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		result.Messages[i] = mcp.PromptMessage{Role: mcp.Role(m.Role), Content: exact(content, m.Content)}
	}
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func toolResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	result := new(mcp.CallToolResult)
	parts, err := core.ReadResult(raw, result)
	if err != nil {
		return nil, err
	}
	for i, content := range result.Content {
		result.Content[i] = exact(content, parts.Content[i])
	}
	if parts.StructuredContent != nil { // not RawStructuredContent, which would hide changes by a middleware
		result.StructuredContent, result.RawStructuredContent = parts.StructuredContent, nil
	}
	result.Meta = metaOf(parts.Meta)
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func exact(content mcp.Content, raw json.RawMessage) mcp.Content {
	if core.EncodesTo(content, raw) {
		return content
	}
	return rawContent{content, raw}
}

// inputRequest returns a question in the SDK's type.
func inputRequest(method string, params json.RawMessage) (mcp.InputRequest, error) {
	request := mcp.InputRequest{Method: mcp.MCPMethod(method)}
	switch request.Method {
	case mcp.MethodElicitationCreate:
		request.Elicitation = &mcp.ElicitationParams{}
		return request, core.Decode(params, request.Elicitation)
	case mcp.MethodSamplingCreateMessage:
		request.Sampling = &mcp.CreateMessageParams{}
		return request, core.Decode(params, request.Sampling)
	case mcp.MethodListRoots:
		request.Roots = &mcp.ListRootsParams{}
		return request, nil
	}
	return request, fmt.Errorf("mcpgo: mcp-go has no request %q", method)
}

func metaOf(meta map[string]any) *mcp.Meta {
	if meta == nil {
		return nil
	}
	return &mcp.Meta{AdditionalFields: meta}
}

// callError is an error for the client: mcp-go sends only its text, with a code of its own. See
// [ErrorHandler].
type callError struct {
	text   string
	causes []error
}

func (e *callError) Error() string { return e.text }

// Unwrap is for hooks and middleware of the application, and for the prompts server.
func (e *callError) Unwrap() []error { return e.causes }

// failure returns what a handler is to return for an error of a call.
func failure(ctx context.Context, err error) error {
	l, _ := ctx.Value(markersKey{}).(*markers)
	in, isGet := ctx.Value(requestKey{}).(*incoming)
	var seen *prompts.Error
	switch {
	case isGet && in.url.Load() != nil:
		return in.url.Load() // it has a code of its own in mcp-go
	case errors.As(err, &seen):
		failed := &callError{seen.Message, []error{seen}}
		if l != nil {
			failed.text += " " + l.add(pendingError{error: seen})
		}
		return failed
	case errors.Is(ctx.Err(), context.Canceled) && l != nil:
		// A deadline is not the client's, but of the application's middleware.
		return fmt.Errorf("%w %s", ctx.Err(), l.add(pendingError{cancelled: true}))
	case ctx.Err() != nil:
		return ctx.Err() // without the cause, which the application has not written for clients
	}
	return err // an option is invalid
}
