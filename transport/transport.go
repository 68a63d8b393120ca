// Package transport has the types that a server of package prompts shares with its transports.
//
// A connection that carries whole messages in both directions implements [Conn], for
// the Serve method of the server. A request/response transport, such as HTTP, passes
// an [Exchange] with each message:
//
//	x := transport.Exchange{
//		ClientKey: r.RemoteAddr,
//		Send: func(msg []byte, code transport.Code, last bool) error {
//			_, err := w.Write(msg)
//			return err
//		},
//	}
//	err := srv.Handle(ctx, body, x)
//
// Package streamablehttp is built on this package and the server's methods alone.
package transport

import (
	"context"
	"errors"

	"github.com/mcp-prompts/prompts/internal/call"
)

// Conn is a connection that carries whole JSON-RPC messages in both directions. A Conn
// handles the framing, and the server handles the messages. Package stdio has the Conn
// for standard input and output. To test a Conn, use prompttest.CheckTransport.
//
// One goroutine calls Read, and one goroutine at a time calls Write, at the same time
// as Read. Close may be called during both.
//
// A Conn may be an [Informer] and a [Limiter].
type Conn interface {
	// Read returns the next message without framing. The slice belongs to the caller. Read returns
	//
	//   - io.EOF after the last message of the client;
	//   - an error that wraps [ErrTooLarge] if a message exceeds the transport's limit. The
	//     transport skips the message, and the server responds with an error and continues to read;
	//   - an error that wraps io.ErrClosedPipe if the client disconnected. The
	//     server treats a disconnect as a normal end;
	//   - any other error if the connection fails.
	//
	// Read must return soon after ctx ends or Close is called. The server does both,
	// so checking either is enough.
	Read(ctx context.Context) ([]byte, error)

	// Write sends the messages in order, at least one. It must not keep or change msgs or a
	// message. An error ends the connection. An error that wraps io.ErrClosedPipe or io.EOF means
	// that the client disconnected, and is a normal end.
	Write(ctx context.Context, msgs ...[]byte) error

	// Close ends the connection, and unblocks Read and Write if the medium allows.
	// The server calls Close once.
	Close() error
}

// ErrTooLarge reports a skipped message above the size limit. The Read method of a
// [Conn] returns ErrTooLarge, wrapped or not.
var ErrTooLarge = errors.New("message too large")

// RequestInfo describes a message, for a transport that compares the message with a
// layer of its own, such as HTTP headers.
type RequestInfo struct {
	// Version is the protocol version in the request's own _meta. It is empty for a
	// session-based request (2024-11-05 to 2025-11-25).
	Version string
	// Method is the method of a request or notification.
	Method string
	// ID is the id of a request or a response, as JSON of at most 256 bytes.
	ID string
	// Request is false for a notification, a response or a batch.
	Request bool
	// Name is params.name, or params.uri of resources/read, if a string.
	Name string
	// HasName reports whether the request has a Name, which may be empty.
	HasName bool
}

// Exchange receives the responses to one message.
//
// The functions CheckVersion, CheckRouting and Session return errors. The client gets an error that
// is, or wraps, an [*Error]. For any other error the client gets an internal error (-32603).
type Exchange struct {
	// CheckVersion, if not nil, is called for each valid request before the server
	// checks its protocol version. An error is the response.
	CheckVersion func(RequestInfo) error
	// CheckRouting, if not nil, is called after CheckVersion, before the server
	// looks up the method and the name. An error is the response.
	CheckRouting func(RequestInfo) error
	// Session, if not nil, returns the session of a session-based message, for the server's Handle.
	// It is called once for each valid message, with an empty Method for a response or a batch. An
	// error is the response to a request, and Handle's own error for any other message. A nil Session
	// without an error is no session: a request of any method gets an error response. A struct that
	// embeds a Session stands for that Session: the server does not call methods of the struct.
	Session func(RequestInfo) (Session, error)
	// ClientKey, if not empty, identifies the client across its sessions, for
	// example by its principal or network address. Limits.MaxConcurrentPerClient
	// counts by ClientKey, and so do the rates without a principal and a session.
	ClientKey string
	// Informer, if not nil, describes the connection, for Options.Observer and the
	// middleware. Without both, the server does not call Informer.
	Informer Informer
	// Send sends a message to the client. code is the code of an error response, and
	// 0 for any other message. last marks the response, the last message. Progress,
	// requests to the client and notifications of the request come before the
	// response. Send is never called concurrently, nor after Handle has returned. It
	// must not retain msg. Required: Handle returns an error without Send.
	Send func(msg []byte, code Code, last bool) error
	// Release, if not nil, is called once, before the first call of Send and before Handle returns.
	// From then on the server does not use msg, and the transport may reuse the memory.
	Release func()
	// Overdue, if not nil, is called before a response after which Handle does not return soon,
	// because the application's code continues after its time limit. A transport over HTTP/1 must
	// not reuse the connection then. Overdue must return at once, and may be called more than once.
	Overdue func()
	// Connected, if not nil, ends when the client receives nothing of Send any more, because it has
	// disconnected. A request to the client that waits for its response then fails, and so does the
	// next one. The application's code continues: to cancel it, the transport ends the context of
	// Handle. Default: only the end of the session ends the wait.
	Connected context.Context
	// Done, if not nil, is closed to end subscriptions/listen requests with a response.
	Done <-chan struct{}
}

// Info describes the connection of a message, for traces, metrics and logs. A field
// that does not apply is empty. Info may get fields: write literals with keys.
type Info struct {
	// Network is pipe, tcp, unix or quic.
	Network string
	// Protocol is the protocol that carries the messages, in lower case, such as
	// http, and ProtocolVersion its version, such as 1.1 or 2.
	Protocol, ProtocolVersion string
	// ClientAddress is the client's IP address or socket. Behind a proxy, ClientAddress is the
	// proxy's address.
	ClientAddress string
}

// Limiter is an optional interface of a [Conn]. The server calls LimitMessages once, before the
// first Read, with the size in bytes of the largest message that it accepts.
type Limiter interface{ LimitMessages(bytes int) }

// Informer is an optional interface of a [Conn] and a field of an
// [Exchange]. TransportInfo describes the connection. It must return at once. It may
// be called concurrently, and after the end of the connection.
type Informer interface{ TransportInfo() Info }

// Rejection is the error of a message that a transport rejected before it reached the
// server: see the Reject method of prompts.Server.
type Rejection struct {
	// Type is a word or a code for the reason, of a small number of them, such as
	// an HTTP status code. It becomes the error type in metrics.
	Type string
	// Reason is the reason in words. It must not quote the client.
	Reason string
}

// Error returns the reason and the type.
func (r *Rejection) Error() string { return r.Reason + " (" + r.Type + ")" }

// SessionOptions configures a [Session]. The zero value is its default.
type SessionOptions struct {
	// Version, if not empty, is the protocol version (2024-11-05 to 2025-11-25) that
	// the client has already negotiated. The session then starts initialized. For any
	// other version, Handle of the session and of the server, and Notifications, return an error.
	Version string
	// ID is the name of the session, such as the Mcp-Session-Id of HTTP. It may be
	// secret: observers and the middleware get a keyed hash. Default: a random name.
	ID string
	// NoServerMessages declares that only responses reach the client. The session
	// offers no list_changed notifications and does not support elicitation.
	NoServerMessages bool
}

// Session is one client's session of the protocol versions 2024-11-05 to 2025-11-25,
// from initialize to Close. A Session handles messages of 2026-07-28 too. Only a
// server creates sessions: see the NewSession method of prompts.Server. A later version may
// add methods. Safe for concurrent use.
type Session interface {
	// Handle handles one message of the session's client, like the server's Handle. If the client
	// canceled the request, there is no response and the error wraps context.Canceled. The requests
	// of a batch (2025-03-26) are handled one after the other and answered together.
	//
	// A response to a request of the server is a message too. The call of Handle
	// that sent the request continues.
	Handle(ctx context.Context, msg []byte, x Exchange) error
	// Notifications sends the notifications of the session, such as list_changed. It returns nil
	// when ctx ends or the session is closed, or the error of send. Unsent notifications remain for
	// the next call. At most one call runs at a time. Any goroutine may call send, one at a time
	// and not after Notifications has returned. send must not retain msg.
	Notifications(ctx context.Context, send func(msg []byte) error) error
	// Close ends the session and cancels its requests without a response. It may be
	// called more than once.
	Close()

	sealed
}

type sealed interface {
	Made(call.Seal) any // the session that a server made, inside of a struct that embeds it
}
