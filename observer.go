package prompts

import (
	"context"
	"time"

	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has what Options.Observer sees. The types have twins in internal/rpc,
// which calls the observer.

// Observer is told of everything that a [Server] does: see Options.Observer.
// Module promptotel has an Observer for OpenTelemetry.
//
// The server calls Begin once for each [Operation], and then End once, with the
// context that Begin returned, the same Operation, and its [Outcome]. An operation
// is a message from a client, a message to a client that is not a response, or a
// session. Each message of a batch is an operation.
//
// Begin returns ctx or a context made from ctx. Render functions, completion
// functions, middleware and methods run with that context, and records that
// Options.Logger gets about the request have it. ctx is that of Serve, Handle or
// Call; for a request to the client it is the context of [Ask].
//
// For a request that runs the application's code, Begin runs on the goroutine of
// that code and within its time limit. All other calls come later, one at a time,
// from a queue, so that no client waits for an Observer: use the times in Operation
// and Outcome instead of the clock. [Server.Flush] waits for the queue, and so does
// [Server.Serve] at its end.
//
// An Observer must be safe for concurrent use. It must not keep a client waiting:
// it should hand on what takes long. If a call panics or ends its goroutine, the
// server continues, and logs the first such failure. If the queue is full for a
// second because a call does not return, further operations are left out until the
// call returns.
type Observer interface {
	Begin(ctx context.Context, op Operation) context.Context
	End(ctx context.Context, op Operation, out Outcome)
}

// OperationKind says what an [Operation] is. Its String method returns
// a name such as "client request".
type OperationKind = rpc.Kind // a uint8

// The kinds of operations.
const (
	OperationRequest            = rpc.KindRequest            // a request from the client
	OperationNotification       = rpc.KindNotification       // a notification from the client
	OperationResponse           = rpc.KindResponse           // a response from the client
	OperationInvalid            = rpc.KindInvalid            // a message that is none of these
	OperationClientRequest      = rpc.KindClientRequest      // a request to the client
	OperationClientNotification = rpc.KindClientNotification // a notification to the client
	OperationSession            = rpc.KindSession            // a session, from initialize to its end
)

// Operation is what an [Observer] gets when an operation begins. Nothing in it is
// invented by a client except ID and Meta.
type Operation struct {
	Kind OperationKind
	// Method is the method of a request or a notification. It is empty for a method
	// that the server does not have.
	Method string
	// ID is the JSON-RPC id of a request as JSON, at most 256 bytes of it.
	ID string
	// Version is the protocol version, if it is known by then.
	Version string
	// Session identifies the session. It is not the Mcp-Session-Id of HTTP, which is
	// a secret, but a hash of it with a key of the server's. It is empty for a
	// message of 2026-07-28 over HTTP.
	Session string
	// Meta is the _meta of the params, a JSON object, or empty. It has traceparent,
	// tracestate and baggage. It is left out if it has more than 16 KiB.
	Meta string
	// Size is the size of the message in bytes; 0 if it is unknown.
	Size int
	// Start is when the message was received, or when sending began.
	Start time.Time

	// Network, Protocol, ProtocolVersion, ClientAddress and ServerAddress describe
	// the connection: see [transport.Info].
	Network, Protocol, ProtocolVersion, ClientAddress, ServerAddress string
}

// Transport returns what describes the connection.
func (o Operation) Transport() transport.Info {
	return transport.Info{
		Network: o.Network, Protocol: o.Protocol, ProtocolVersion: o.ProtocolVersion,
		ClientAddress: o.ClientAddress, ServerAddress: o.ServerAddress,
	}
}

// Outcome is how an [Operation] has ended.
type Outcome struct {
	// Duration is the time from Operation.Start until the response was sent, or
	// until it was clear that there is none.
	Duration time.Duration
	// Queued is the part of Duration before the application's code began, and Ran
	// the time that the code took, of a request that runs such code. Ran includes
	// the time of users to answer.
	Queued, Ran time.Duration
	// Delay is the time between a change and its notification to the client, and
	// Subscribers the number of clients that are notified of such a change.
	Delay time.Duration

	// Prompt is the name of the prompt, only if it exists and the client may see it.
	Prompt string
	// ResultType is complete or input_required, of a request with a result.
	ResultType string
	// Code is that of the error response, or of the error for which a message
	// without a response is rejected. It is 0 for no error.
	Code Code
	// Err is why there is no response, or why a message could not be sent: the
	// client canceled the request or disconnected, or the server ends. It wraps
	// context.Canceled or context.DeadlineExceeded accordingly.
	Err error
	// Size is the size of the response in bytes; 0 if there is none.
	Size int

	Subscribers int
}

// observer is an Observer for internal/rpc.
type observer struct{ Observer }

func (o observer) Begin(ctx context.Context, op rpc.Operation) context.Context {
	return o.Observer.Begin(ctx, Operation(op))
}

func (o observer) End(ctx context.Context, op rpc.Operation, out rpc.Outcome) {
	o.Observer.End(ctx, Operation(op), Outcome(out))
}

// describe describes a connection for internal/rpc.
func describe(conn any) rpc.Info {
	switch c := conn.(type) {
	case transport.Informer:
		return rpc.Info(c.TransportInfo())
	case transport.Info: // of CallOptions
		return rpc.Info(c)
	}
	return rpc.Info{}
}

// Flush returns when Options.Observer was called for everything that has ended, or
// with the cause of ctx's end. Without an Observer it returns nil.
func (s *Server) Flush(ctx context.Context) error { return s.rpc.Flush(ctx) }
