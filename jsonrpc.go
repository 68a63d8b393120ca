package prompts

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is the face of internal/rpc, which answers messages: transports
// call Serve or Handle, other JSON-RPC layers call Call. The types are twins of
// those in rpc and convert to them, so that their documentation is here.

// Transport is a connection that carries whole JSON-RPC messages both ways:
// framing is its business, meaning is the server's. Package stdio has the one
// for standard input and output; anything with these three methods will do.
//
// One goroutine calls Read and one at a time calls Write or WriteBatch, the two
// concurrently. Close may be called while either is running.
type Transport interface {
	// Read returns the next message, without its framing. The slice belongs
	// to the caller from then on. io.EOF says that the client has sent its
	// last message. An error that wraps [transport.ErrTooLarge] says that one message
	// was over the transport's bound and has been passed over: the server
	// answers it with an error and reads on. Any other error ends the
	// connection; one that wraps io.ErrClosedPipe says that the client has
	// gone without a word, which is no failure. Read returns soon after ctx
	// has ended or Close was called; the server sees to both, so a Read that
	// heeds one of them will do.
	Read(ctx context.Context) ([]byte, error)

	// Write sends one message and must not keep msg. An error ends the
	// connection; one that wraps io.ErrClosedPipe or io.EOF says that the
	// client has gone, which is no failure.
	Write(ctx context.Context, msg []byte) error

	// Close ends the connection. The server calls it once; it unblocks Read
	// and Write where the medium allows that.
	Close() error
}

// Serve answers the messages of one connection until the client has gone or
// ctx ends. Then it returns nil; it returns an error if the transport fails
// otherwise. It closes the transport before it returns. A connection may carry
// messages of both eras: those of a session that begins with initialize, and
// those of revision 2026-07-28, which belong to none.
//
// Requests run concurrently, each under Options.Timeouts.Render: a render
// function has a goroutine to itself while it runs, and an answer to something
// else never waits for it. The goroutine may run others after it, so it must not
// be left locked to its thread, for example. When the client has closed its
// side, what has been read is still answered, within Options.Timeouts.Drain. When ctx
// ends, render functions are cancelled and not answered. In both cases
// subscriptions get their answer, if the client takes it within a second.
//
// When Serve returns, so have all its goroutines, but for render functions
// and transports that go on after their context has ended: it waits for them
// for a second, and leaves a line in Options.Logger if that is not enough.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	if err := s.rpc.Serve(ctx, t); err != nil {
		return fmt.Errorf("prompts: %w", err)
	}
	return nil
}

// exchange converts an exchange. The closures are made only for callbacks that
// are set.
func exchange(x *transport.Exchange) rpc.Exchange {
	r := rpc.Exchange{Client: x.ClientKey, Send: x.Send, Release: x.Release, Done: x.Done, Conn: x.Informer}
	if x.CheckVersion != nil || x.CheckRouting != nil {
		version, routing := x.CheckVersion, x.CheckRouting
		r.Check = func(e rpc.Envelope) *wire.Error {
			check := version
			if e.Routing {
				check = routing
			}
			if check == nil {
				return nil
			}
			return transportError(check(transport.RequestInfo{Version: e.Version, Method: e.Method, ID: e.ID, Request: e.Request, Name: e.Name, HasName: e.HasName}))
		}
	}
	if find := x.Session; find != nil {
		r.Session = func(e rpc.Envelope) (*rpc.Session, *wire.Error) {
			found, err := find(transport.RequestInfo{Method: e.Method, ID: e.ID, Request: e.Request})
			if s, ok := found.(session); ok {
				return s.Session, transportError(err)
			}
			return nil, transportError(err)
		}
	}
	return r
}

// Log writes a record of a transport to Options.Logger, within the same bound: 100
// records a second, and twice as many at once. A panic of the logger is dropped. Safe
// for concurrent use.
func (s *Server) Log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	s.rpc.Log(ctx, level, message, attrs...)
}

// transportError returns what the client gets for an error of a transport.
func transportError(err error) *wire.Error {
	if err == nil {
		return nil
	}
	if e := visibleError(err); e != nil {
		return e
	}
	return wire.InternalError("the transport rejected the message")
}

// Handle answers one message of no session: a stateless message of revision
// 2026-07-28, which names its version itself. The response to any other is an
// error. Handle calls Send for each message to the client before it returns. It
// runs the application's code on the caller's goroutine, under
// Options.Timeouts.Render, and returns when that does: after the time limit, the
// client has its error response earlier. For subscriptions/listen, Handle
// returns when x.Done is closed, ctx ends, or the client cancels the
// subscription; if no list changes, at once.
//
// The error is that of Send, or says why there is no response: ctx has ended, or
// the time limit has passed. A request that is rejected is no error: its client
// has an error response. A notification or a response that cannot be accepted
// has none; the error then wraps an [*Error], for which a transport may have a
// status.
func (s *Server) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return public(s.rpc.Handle(ctx, msg, exchange(&x)))
}

// public returns an error of internal/rpc with the error types of this package.
func public(err error) error {
	switch e := err.(type) {
	case *wire.Error:
		return (*Error)(e)
	case *rpc.OptionsError:
		return fmt.Errorf("prompts: %w", e)
	case *rpc.Unaccepted:
		return fmt.Errorf("the message cannot be accepted: %w", (*Error)(e.Err))
	}
	return err
}

// session is the transport's view of a session.
type session struct{ *rpc.Session }

// NewSession returns a session that waits for initialize. The caller must close
// it.
func (s *Server) NewSession(o transport.SessionOptions) transport.Session {
	return session{s.rpc.NewSession(rpc.SessionOptions{Version: o.Version, Detached: o.NoServerMessages, ID: o.ID})}
}

func (s session) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return public(s.Session.Handle(ctx, msg, exchange(&x)))
}

// CallOptions say whom a [Server.Call] is for. The zero value is a client of
// revision 2025-11-25 with no capabilities.
type CallOptions struct {
	// Version is the protocol revision that the client speaks, such as
	// "2025-06-18". Default: 2025-11-25.
	Version string
	// ClientCapabilities is the JSON object that the client has declared, in
	// initialize or with its request. Default: none.
	ClientCapabilities json.RawMessage
	// Client is what the client has said of itself in initialize, for
	// Request.Client: of it the Name, Version and Title are kept, the first 256
	// bytes of each. A request of revision 2026-07-28 says so itself, in its
	// _meta, and this is not looked at. Default: nothing.
	Client Implementation
	// Request, if not nil, sends the client a request and returns the result
	// that it answers with. It is how an [Ask] reaches a client of revision
	// 2025-06-18 or 2025-11-25: concurrently for each question, on goroutines
	// of its own. It must return when ctx ends: with the first failure, after
	// Options.Timeouts.Elicit, and with the Call. An error means that the client
	// cannot be asked.
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify, if not nil, sends the client a notification: the progress of
	// the request, if it has a token. Call calls it on a goroutine of its own
	// or on the caller's, one call at a time, and not once it has returned.
	// Notify must not keep params.
	Notify func(method string, params json.RawMessage)
	// ID is the JSON-RPC id of the request as JSON, SessionID a name of the
	// session that is no secret, and Transport describes the connection. They are
	// for Options.Observer and the middleware. Default: empty.
	ID, SessionID string
	Transport     transport.Info
}

// Call answers one request of the methods in [Server.Methods] for somebody
// else's JSON-RPC layer, which has read the envelope and found out to whom it
// talks. params is the JSON text of the request's params, or nil; it is read
// as strictly as a whole message, but for what belongs to the envelope. Call
// returns the JSON text of the result, or an [*Error], which is what the
// client is to get. If there is no answer because ctx has ended, the error is
// the cause of that; it is another one if an option is at fault.
//
// The application's code runs on a goroutine of its own, within
// Options.Limits.MaxConcurrentTotal and under Options.Timeouts.Render. Call returns when
// ctx ends or the time limit passes, even if the code goes on; its context has
// ended then.
func (s *Server) Call(ctx context.Context, name string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	var conn any
	if o.Transport != (transport.Info{}) {
		conn = o.Transport
	}
	result, err := s.rpc.Call(ctx, name, params, rpc.CallOptions{
		Version: o.Version, Capabilities: o.ClientCapabilities,
		Info:    wire.ClientInfo{Name: o.Client.Name, Version: o.Client.Version, Title: o.Client.Title},
		Request: o.Request, Notify: o.Notify,
		ID: o.ID, Session: o.SessionID, Conn: conn,
	})
	return result, public(err)
}

// Progress tells the client how far its request has come, if it has asked to
// be told; ctx is that of a [RenderFunc], a [CompleteFunc] or a [Method], or
// comes from it. total is how much there is to do, 0 if that is not known;
// message is for people, from revision 2025-03-26, and may be empty.
//
// done must be greater than in all calls before, as the protocol wants it; a
// call with another value, or one that is no number, does nothing. Progress
// does not wait for the client: while that is slow to read, newer progress
// takes the place of what has not been sent. Nothing is sent once the function
// has returned, but for what was reported last.
func Progress(ctx context.Context, done, total float64, message string) {
	rpc.Progress(ctx, done, total, message)
}
