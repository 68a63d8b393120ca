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

var _ server.PromptCompletionProvider = (*serverState)(nil)

// CompletePromptArgument completes arguments of mounted prompts, and calls the
// application's provider for the others.
func (st *serverState) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	st.mu.RLock()
	mounts, own := st.mounts, st.provider
	st.mu.RUnlock()
	for _, m := range mounts {
		prompt, ok := m.lookup(name)
		isOurs := ok && mountOf(m.sdk.ListPrompts()[name]) == m // and not of the application, which may have added one since
		if !isOurs || m.Options.DisableCompletions || own != nil && !core.Completes(prompt, argument.Name) {
			continue
		}
		if m.Shows(ctx, prompt) {
			return m.complete(ctx, name, argument, others)
		}
		// A Visible that needs what the middleware puts into the context shows a prompt only
		// there. For the client, a hidden prompt is an unknown one.
		if m.Options.Middleware != nil {
			watched, shown := core.Watch(ctx, name)
			if result, err := m.complete(watched, name, argument, others); shown() {
				return result, err
			}
		}
	}
	if own != nil {
		return own.CompletePromptArgument(ctx, name, argument, others)
	}
	// Without an ErrorHandler the client would get an internal error, where it got
	// nothing to choose from before.
	if _, ok := ctx.Value(markersKey{}).(*markers); ok && len(mounts) > 0 {
		there := mounts[0].sdk.ListPrompts()[name]
		if there == nil || mountOf(there) != nil {
			return nil, failure(ctx, &prompts.Error{
				Code: prompts.CodeInvalidParams, Message: fmt.Sprintf("unknown prompt %q", clip(name, 64)),
				Data: map[string]string{"prompt": clip(name, maxEcho)},
			})
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

func (m *mount) complete(ctx context.Context, name string, argument mcp.CompleteArgument, others mcp.CompleteContext) (*mcp.Completion, error) {
	params := mcp.CompleteParams{Ref: mcp.PromptReference{Type: "ref/prompt", Name: name}, Argument: argument, Context: others}
	return answer(ctx, m, "completion/complete", "prompt", name, params, func(raw json.RawMessage) (*mcp.Completion, error) {
		var result mcp.CompleteResult
		err := json.Unmarshal(raw, &result)
		return &result.Completion, err
	})
}

// rawContent is content that the SDK's type would change. It keeps the encoding of our server.
type rawContent struct {
	mcp.Content // nearly the same
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c rawContent) MarshalJSON() ([]byte, error) { return c.raw, nil }

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	var wire struct {
		mcp.GetPromptResult
		Messages []struct {
			Role    mcp.Role        `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	parts, err := core.ReadResult(raw, &wire)
	if err != nil {
		return nil, err
	}
	result := &wire.GetPromptResult
	result.Meta = metaOf(parts.Meta)
	if wire.Messages != nil {
		result.Messages = make([]mcp.PromptMessage, len(wire.Messages))
	}
	for i, m := range wire.Messages {
		content, err := contentOf(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		result.Messages[i] = mcp.PromptMessage{Role: m.Role, Content: content}
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

func contentOf(raw json.RawMessage) (mcp.Content, error) {
	content, err := mcp.UnmarshalContent(raw)
	if err != nil {
		return nil, err
	}
	return exact(content, raw), nil
}

func exact(content mcp.Content, raw json.RawMessage) mcp.Content {
	if core.EncodesTo(content, raw) {
		return content
	}
	return rawContent{content, raw}
}

// inputRequest returns a question in the SDK's type, and fails if that says something else.
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

// callError is what a handler returns of an error that the client is to see.
// mcp-go sends its text, with a code of its own; see [ErrorHandler].
type callError struct {
	seen *prompts.Error
	text string
}

func (e *callError) Error() string { return e.text }

// Unwrap is for hooks and middleware of the application.
func (e *callError) Unwrap() error { return e.seen }

// failure returns what a handler is to return for an error of a call: an
// [*prompts.Error] where there is one, without the code in its text.
func failure(ctx context.Context, err error) error {
	l, _ := ctx.Value(markersKey{}).(*markers)
	in, isGet := ctx.Value(requestKey{}).(*incoming)
	var seen *prompts.Error
	switch {
	case isGet && in.url.Load() != nil:
		return in.url.Load() // it has a code of its own in mcp-go
	case errors.As(err, &seen):
		failed := &callError{seen: seen, text: seen.Message}
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
