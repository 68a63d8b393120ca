package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is the face of internal/rpc, which answers messages: transports
// call Serve or Handle, other JSON-RPC layers call Call. The types are twins of
// those in rpc and convert to them, so that their documentation is here.

// Serve answers the messages of one connection until the client disconnects or ctx ends, and
// then returns nil. It returns an error if the transport fails, and for a nil t. Serve closes t
// before returning. A connection may carry messages of a session, which begins with initialize, and
// messages of protocol version 2026-07-28.
//
// Requests run concurrently, each within Options.Timeouts.Render. A render function has a goroutine
// to itself while running, and never delays the responses to other requests. The server reuses the
// goroutine, so the function must not leave the goroutine locked to its thread.
//
// When the client closes its input, Serve answers the requests received so far, within
// Options.Timeouts.Drain. When ctx ends, Serve cancels running requests without a response. In
// both cases subscriptions get a response, if the client reads the response within a second.
//
// Before returning, Serve waits up to a second for its goroutines. If a render
// function or the transport continues after the end of its context, Serve returns
// without waiting longer and logs the fact to Options.Logger.
func (s *Server) Serve(ctx context.Context, t transport.Conn) error {
	d := s.dispatcher()
	if t == nil {
		return errors.New("prompts: Serve: connection is nil")
	}
	if l, ok := t.(transport.Limiter); ok {
		l.LimitMessages(s.MaxMessageBytes())
	}
	if err := d.Serve(ctx, t); err != nil {
		return fmt.Errorf("prompts: %w", err)
	}
	return nil
}

// Reject reports a message to Options.Observer that a transport rejected without
// passing it to Handle, such as a body that is too large. The operation has the kind
// observe.KindInvalid, a Duration of 0 and r as its Err. from describes the connection and
// may be nil. Without an Observer, Reject does nothing. Safe for concurrent use.
func (s *Server) Reject(ctx context.Context, from transport.Informer, r *transport.Rejection) {
	d := s.dispatcher()
	option.Must("prompts: Server.Reject", struct{}{}, "rejection", r)
	d.Reject(ctx, from, r)
}

// Flush waits until Options.Observer has received all ended operations. If ctx ends
// first, Flush returns the cause. Without an Observer, Flush returns nil.
func (s *Server) Flush(ctx context.Context) error { return s.dispatcher().Flush(ctx) }

// Log writes a record of a transport to Options.Logger, within the server's rate
// limit of 100 records a second and a burst of 200. A panic of the logger is
// dropped. Log waits for the handler of the logger for at most a second: while the
// handler blocks, records are dropped. Safe for concurrent use.
func (s *Server) Log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	s.dispatcher().Log(ctx, level, message, attrs...)
}

// Handle answers one message outside of a session: a message of protocol version
// 2026-07-28, which names its version in _meta. Any other message gets an error
// response. Handle calls Send for each message to the client before returning.
//
// The application's code runs on the caller's goroutine, within Options.Timeouts.Render. If the
// code exceeds the limit, the client gets an error response at once, and Handle returns when
// the code does. For subscriptions/listen, Handle returns when x.Done is closed, ctx ends, or
// the client cancels the subscription. If the list never changes, Handle returns at once.
//
// Handle returns the error of Send, or the reason for a missing response: ctx has ended or the
// time limit has passed. A rejected request has an error response, and Handle returns nil. For
// a rejected notification or response, which has no response, the error wraps an [*Error], for
// which a transport may have a status code.
func (s *Server) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return s.dispatcher().Handle(ctx, msg, x)
}

// NewSession returns a session that waits for initialize. The caller must close the session.
func (s *Server) NewSession(o transport.SessionOptions) transport.Session {
	return s.dispatcher().NewSession(o)
}

// CallOptions describe the client of a [Server.Call]. The zero value is for a request of
// protocol version 2026-07-28, which describes its client in _meta.
type CallOptions struct {
	// Version is the protocol version that initialize has negotiated, such as
	// "2025-06-18". Version wins over a version in the _meta of params. Default: the
	// version in _meta, with the client's description there, as for [Server.Handle].
	// Without either, Call answers initialize and ping only.
	Version string
	// ClientCapabilities and ClientInfo are the JSON objects capabilities and clientInfo
	// from the params of initialize. Without a Version, both are ignored. For Version
	// 2026-07-28, the clientInfo in _meta replaces ClientInfo. Default: none.
	ClientCapabilities, ClientInfo json.RawMessage
	// Request, if not nil, sends a request to the client and returns the client's result. [Ask]
	// calls Request for clients of 2025-06-18 and 2025-11-25: concurrently for each question,
	// each on its own goroutine. Request must return when ctx ends, which happens at the first
	// failure, after Options.Timeouts.Elicit, and at the end of the Call. An error means that
	// the client cannot be asked.
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify, if not nil, sends a notification to the client: the progress of the request, if
	// the request has a token, and the changes of a subscription. Call makes one call at a
	// time, on its own goroutine or on the caller's, and none after returning. Notify must not
	// keep params, and must not block: Call waits for it, even if ctx has ended.
	Notify func(method string, params json.RawMessage)
	// Overdue, if not nil, is called when the application's code continues after its time
	// limit, before Call returns. It must return at once.
	Overdue func()
	// ID is the JSON-RPC id of the request as JSON, a string or an integer, for Options.Observer,
	// the middleware and the notifications of a subscription. Default: empty, and 0 in the
	// notifications.
	ID string
	// SessionID is the name of the session. The name may be secret: observers and
	// the middleware get a hash with a key of the server. Default: empty.
	SessionID string
	// ClientKey identifies the client for the limits of one client and for the rates, as
	// the ClientKey of package transport's Exchange. Default: the SessionID. Without
	// either, only a client with a principal has a rate.
	ClientKey string
	// Transport describes the connection, for observers and the middleware. Default: empty.
	Transport transport.Info
}

// Call answers one request for an existing JSON-RPC server, which has read the
// JSON-RPC members. [Server.Methods] lists the methods to register. params is the JSON text
// of the request's params, or nil. Call validates params as strictly as a whole message.
//
// Call keeps nothing between two requests. After initialize, the existing server keeps
// protocolVersion of the result, and capabilities and clientInfo of the params, for the
// CallOptions of the session's later requests. The result promises notifications of changes
// if Notify is set. To get the changes, call subscriptions/listen with Version 2026-07-28 when
// initialize is answered, and send them after notifications/initialized. For
// subscriptions/listen, Call returns when ctx ends, and the changes go to Notify until then.
//
// Call returns the JSON text of the result, or an [*Error] for the client, whose Data is
// JSON. If ctx ends, Call returns the cause. If an option is invalid, Call returns another error.
//
// The application's code runs on its own goroutine, within
// Options.Limits.MaxConcurrentTotal and Options.Timeouts.Render. Call returns when
// ctx ends or the time limit passes, even if the code continues.
func (s *Server) Call(ctx context.Context, method string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	return s.dispatcher().Call(ctx, method, params, rpc.CallOptions{
		Version: o.Version, Capabilities: o.ClientCapabilities, Info: o.ClientInfo,
		Request: o.Request, Notify: o.Notify, Overdue: o.Overdue,
		ID: o.ID, Session: o.SessionID, Conn: o.Transport, ClientKey: o.ClientKey,
	})
}

// Progress reports the progress of the request to the client, if the client requested progress.
// ctx is the context of a [RenderFunc], a [CompleteFunc] or a method of a feature, or a context
// made from it. total is the whole amount of work, or 0 if unknown. message is for people, since protocol
// version 2025-03-26, and may be empty.
//
// done must increase with each call. A call with a lower or equal value, or with NaN, does nothing.
// Progress does not wait for the client: if the client reads slowly, the newest progress replaces
// unsent progress. After the function returns, only the last unsent progress is sent.
func Progress(ctx context.Context, done, total float64, message string) {
	rpc.Progress(ctx, done, total, message)
}
