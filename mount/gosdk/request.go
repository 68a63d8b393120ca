package gosdk

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"

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
	if core.Revision(o.Version).Stateless() {
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

// wireError returns the SDK's form of an error that the client is to get. The
// SDK sends no other error with a code and data as they are.
func wireError(e *prompts.Error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: int64(e.Code), Message: e.Message, Data: core.Encode(e.Data)}
}

// ownError returns this library's form of an error of an SDK's handler: one with a code keeps that,
// with its message and data; of any other the client does not get the text.
func ownError(err error) error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	out := &prompts.Error{Code: transport.Code(e.Code), Message: e.Message}
	if len(e.Data) > 0 {
		out.Data = e.Data
	}
	if err == error(e) {
		return out
	}
	return fmt.Errorf("%w: %w", out, err) // what is around it is for the log
}

// isUnknown reports whether an error is the SDK's error for an unknown prompt or tool
// (v1.8.0 mcp/server.go:908, mcp/server.go:1010).
func isUnknown(err error, kind, name string) bool {
	return isOfSDK(err, jsonrpc.CodeInvalidParams, unknown(kind, name))
}

func unknown(kind, name string) string { return fmt.Sprintf("unknown %s %q", kind, name) }

// isNoMethod reports whether an error is the one that the SDK has for a server
// without a CompletionHandler (v1.8.0 mcp/server.go:726). A middleware that rejects
// the request may use the same code.
func isNoMethod(err error) bool {
	return isOfSDK(err, jsonrpc.CodeMethodNotFound, "method not found")
}

func isOfSDK(err error, code int64, message string) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == code && len(e.Data) == 0 && e.Message == message
}

// isMissing reports whether an error is our server's error for a prompt or a tool that is
// unknown or hidden.
func isMissing(err error, kind string) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		return false
	}
	var data map[string]json.RawMessage
	return json.Unmarshal(e.Data, &data) == nil && data[kind] != nil && data["problems"] == nil
}

// The SDK reads an argument that is null as an empty string, before any
// middleware (v1.8.0 mcp/protocol.go:949). Handler and Transport read the message before
// the SDK, and remove such arguments.

// maxReadBody is the maximum number of bytes of a request that Handler reads, as
// many as the SDK reads by default.
const maxReadBody = 4 << 20

// Handler returns a handler that wraps next, such as a [mcp.StreamableHTTPHandler],
// and removes null arguments from requests for prompts, also for those of the server's own. Without
// Handler, the SDK turns null into an empty string. It holds a request's body in memory, up to 4
// MiB, and passes longer ones to next unchanged.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Body != nil {
			body := r.Body
			raw, err := io.ReadAll(io.LimitReader(body, maxReadBody+1))
			if err == nil && len(raw) <= maxReadBody {
				raw = withoutNullsIn(raw)
			}
			r = r.WithContext(r.Context()) // a copy, since the caller's is not to be changed
			r.ContentLength = -1
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(raw), body), body}
		}
		next.ServeHTTP(w, r)
	})
}

// Transport returns a transport that wraps t, such as a [mcp.StdioTransport], and
// removes null arguments from requests for prompts, also for those of the server's own. Without
// Transport, the SDK turns null into an empty string. With Transport, the SDK accepts batches over
// standard input in all versions (v1.8.0 mcp/transport.go:705).
func Transport(t mcp.Transport) mcp.Transport { return strictTransport{t} }

type strictTransport struct{ mcp.Transport }

func (t strictTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return strictConn{conn}, err
}

type strictConn struct{ mcp.Connection }

func (c strictConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if request, ok := msg.(*jsonrpc.Request); ok && err == nil && request.Method == methodGet {
		request.Params = withoutNulls(request.Params)
	}
	return msg, err
}

func withoutNullsIn(message []byte) []byte {
	if !bytes.Contains(message, []byte("null")) || !bytes.Contains(message, []byte(methodGet)) {
		return message
	}
	decoded, err := jsonrpc.DecodeMessage(message)
	request, ok := decoded.(*jsonrpc.Request)
	if err != nil || !ok || request.Method != methodGet {
		return message
	}
	request.Params = withoutNulls(request.Params)
	if changed, err := jsonrpc.EncodeMessage(request); err == nil {
		return changed
	}
	return message
}

// withoutNulls returns the params of a prompts/get without the arguments that are null.
func withoutNulls(params json.RawMessage) json.RawMessage {
	var members, arguments map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["arguments"], &arguments) != nil {
		return params // the SDK answers
	}
	given := len(arguments)
	maps.DeleteFunc(arguments, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if len(arguments) == given {
		return params
	}
	members["arguments"], _ = json.Marshal(arguments) // JSON already, so that it never fails
	changed, _ := json.Marshal(members)
	return changed
}
