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
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/transport"
)

// Request returns the SDK's request in progress, if any. ctx is the context of a render function or
// of another function in the options or prompts, or a context made from it. Under a [Mount], the
// request is a *mcp.GetPromptRequest, a *mcp.CompleteRequest or a *mcp.ListPromptsRequest.
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

// call has the library's server answer a request. The params have only members that the SDK knows.
// The error is one of the SDK's, for the client.
func (c *caller) call(ctx context.Context, method string, r mcp.Request, params mcp.Params) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	options := c.client(r, params.GetMeta())
	ctx = context.WithValue(ctx, requestKey{}, r)
	if session, _ := r.GetSession().(*mcp.ServerSession); session != nil {
		sending, cancel := context.WithCancel(ctx) // of the request, by which the SDK finds its stream
		defer cancel()
		options.Overdue = cancel // progress that is being sent ends with the time limit
		options.Notify = func(method string, params json.RawMessage) {
			progress := new(mcp.ProgressNotificationParams)
			if method == "notifications/progress" && core.Decode(params, progress) == nil { // the only one of a call
				_ = session.NotifyProgress(sending, progress) // a client that does not get it gets no response either
			}
		}
		options.Request = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			return ask(ctx, session, method, params)
		}
	}
	result, err := c.Server.Call(ctx, method, raw, options)
	if err != nil {
		return nil, c.failure(ctx, method, err)
	}
	return result, nil
}

// callInto is call for a list or a completion, and decodes the result.
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
		capabilities, _ := meta[mcp.MetaKeyClientCapabilities].(map[string]any) // else the server rejects the _meta
		o.ClientCapabilities = core.Encode(capabilities)
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

// clientKey returns the client for the rates: the user of the SDK's bearer token, or else the
// session, or else the connection, but for an HTTP request, which has a session of its own.
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

func ask(ctx context.Context, session *mcp.ServerSession, method string, params json.RawMessage) (json.RawMessage, error) {
	question, err := inputRequest(method, params)
	if err != nil {
		return nil, err
	}
	var response any
	switch q := question.(type) {
	case *mcp.ElicitParams:
		response, err = session.Elicit(ctx, q)
	case *mcp.CreateMessageWithToolsParams:
		response, err = session.CreateMessageWithTools(ctx, q)
	case *mcp.ListRootsParams:
		response, err = session.ListRoots(ctx, q)
	default:
		err = fmt.Errorf("go-sdk has no request %q", method)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(exactResponse(response))
}

func inputRequest(method string, params json.RawMessage) (mcp.InputRequest, error) {
	var all mcp.InputRequestMap
	raw := core.Encode(map[string]any{"q": map[string]any{"method": method, "params": params}})
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("go-sdk cannot read the request %s: %w", method, err)
	}
	if e, ok := all["q"].(*mcp.ElicitParams); ok && e.RequestedSchema != nil {
		var members struct{ RequestedSchema json.RawMessage } // in its own order, with its own numbers
		if err := json.Unmarshal(params, &members); err != nil {
			return nil, err
		}
		e.RequestedSchema = members.RequestedSchema
	}
	return all["q"], nil
}

// exactResponse returns a client's response to a question with the content of an empty form, which
// the SDK's encoding leaves out (v1.8.0 mcp/protocol.go:2190).
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

// wireError returns the only form of an error that the SDK sends with its code and data.
func wireError(e *prompts.Error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: int64(e.Code), Message: e.Message, Data: core.Encode(e.Data)}
}

// ownError returns this library's form of an error of an SDK's handler. An error with a code keeps
// the code, the message and the data.
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

// isNoMethod reports whether an error is the SDK's for a server without a CompletionHandler (v1.8.0
// mcp/server.go:726). A middleware that rejects the request may use the same code.
func isNoMethod(err error) bool {
	return isOfSDK(err, jsonrpc.CodeMethodNotFound, "method not found")
}

func isOfSDK(err error, code int64, message string) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == code && len(e.Data) == 0 && e.Message == message
}

// isMissing reports whether an error is our server's for an unknown or hidden prompt or tool.
func isMissing(err error, kind string) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		return false
	}
	var data map[string]json.RawMessage
	return json.Unmarshal(e.Data, &data) == nil && data[kind] != nil && data["problems"] == nil
}

// nullsKey is the member of _meta in which Handler and Transport name the arguments that are null:
// the SDK reads null as an empty string, before any middleware (v1.8.0 mcp/protocol.go:949).
const nullsKey = "io.github.mcp-prompts/null-arguments"

const maxReadBody = 4 << 20 // bytes of a request that Handler reads, as the SDK by default

// Handler returns a handler that wraps next, such as a [mcp.StreamableHTTPHandler], and lets the
// mount read null as a missing argument. The SDK alone turns null into an empty string. Handler
// holds a request's body in memory, up to 4 MiB, and passes longer ones to next unchanged.
func Handler(next http.Handler) http.Handler {
	option.Must("gosdk: Handler", struct{}{}, "handler", next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Body != nil {
			body := r.Body
			raw, err := io.ReadAll(io.LimitReader(body, maxReadBody+1))
			if err == nil && len(raw) <= maxReadBody {
				raw = markNullsIn(raw)
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

// Transport returns a transport that wraps t, such as a [mcp.StdioTransport], and lets the mount
// read null as a missing argument, as [Handler] does. With Transport, the SDK accepts batches over
// standard input in all versions (v1.8.0 mcp/transport.go:705).
func Transport(t mcp.Transport) mcp.Transport {
	option.Must("gosdk: Transport", struct{}{}, "transport", t)
	return strictTransport{t}
}

type strictTransport struct{ mcp.Transport }

func (t strictTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return strictConn{conn}, err
}

type strictConn struct{ mcp.Connection }

func (c strictConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	markNulls(msg)
	return msg, err
}

func markNullsIn(message []byte) []byte {
	if !bytes.Contains(message, []byte("null")) || !bytes.Contains(message, []byte(methodGet)) {
		return message
	}
	decoded, err := jsonrpc.DecodeMessage(message)
	if err != nil || !markNulls(decoded) {
		return message
	}
	if changed, err := jsonrpc.EncodeMessage(decoded); err == nil {
		return changed
	}
	return message
}

// markNulls puts the names of the arguments of a prompts/get that are null into its _meta, and
// reports whether some are.
func markNulls(message jsonrpc.Message) bool {
	request, ok := message.(*jsonrpc.Request)
	var members, arguments, meta map[string]json.RawMessage
	if !ok || request.Method != methodGet || json.Unmarshal(request.Params, &members) != nil || json.Unmarshal(members["arguments"], &arguments) != nil {
		return false // the SDK answers
	}
	var names []string
	for name, value := range arguments {
		if string(value) == "null" {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the SDK's errors repeat the params
	if names == nil || members["_meta"] != nil && json.Unmarshal(members["_meta"], &meta) != nil {
		return false
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta[nullsKey] = core.Encode(names)
	members["_meta"] = core.Encode(meta)
	request.Params = core.Encode(members)
	return true
}

// argumentsOf returns the arguments of a request as the client has sent them, and its _meta without
// nullsKey.
func argumentsOf(p *mcp.GetPromptParams) (arguments map[string]any, meta mcp.Meta) {
	if p.Arguments == nil {
		return nil, p.Meta
	}
	arguments = make(map[string]any, len(p.Arguments))
	for name, value := range p.Arguments {
		arguments[name] = value
	}
	names, ok := p.Meta[nullsKey].([]any)
	if !ok {
		return arguments, p.Meta
	}
	for _, name := range names {
		if name, ok := name.(string); ok && arguments[name] == "" {
			arguments[name] = nil
		}
	}
	meta = maps.Clone(p.Meta)
	delete(meta, nullsKey)
	return arguments, meta
}
