// Package observe has what a server of package prompts reports to an [Observer], for
// traces, metrics and logs.
package observe

import (
	"context"
	"time"

	"github.com/mcp-prompts/prompts/transport"
)

// Observer receives every operation of a server of package prompts: see
// prompts.Options.Observer. Module promptotel has an Observer for OpenTelemetry, and the
// CheckObserver of package prompttest tests an Observer.
//
// For each [Operation], the server calls Begin once and then End once, with the context from Begin,
// the same Operation, and its [Outcome]. An operation is a message from a client, a message to a
// client except a response, or a session. In a batch, each message is an operation.
//
// Begin returns ctx or a context made from ctx. Render functions, completion
// functions, middleware and methods run with the returned context. Records about the
// request go to Options.Logger with the same context. ctx comes from Serve, Handle
// or Call. For a request to the client, ctx is the context of prompts.Ask.
//
// If a request runs the application's code, Begin runs on the same goroutine, within the time
// limit of the code. All other calls run later, one at a time, from a queue. No client waits
// for an Observer. Use the times in Operation and Outcome instead of the clock. The server's
// Flush waits for the queue, and Serve waits at its end.
//
// An Observer must be safe for concurrent use, and must return quickly. If a call
// panics or ends its goroutine, the server continues, and logs the first such
// failure. If the queue is full for a second because a call does not return, the
// server drops further operations until the call returns.
type Observer interface {
	Begin(ctx context.Context, op Operation) context.Context
	End(ctx context.Context, op Operation, out Outcome)
}

// Injector is an optional interface of an [Observer]. For each request to the client,
// the server calls Inject with the context that Begin returned, and adds the members to
// the _meta of the request, such as traceparent. A request with a _meta of the
// application is not changed. Inject must return at once.
type Injector interface {
	Inject(ctx context.Context) map[string]string
}

// Linker is an optional interface of an [Observer]. The function of a cached prompt runs
// for several requests, with a context without values. The server calls Link with this
// context and the context of the first request, and runs the function with the returned
// context. Link adds only what relates spans and log records to the request, such as its
// span context: the result may be sent to other clients. Link must return at once.
type Linker interface {
	Link(ctx, first context.Context) context.Context
}

// Kind is the kind of an [Operation].
type Kind uint8

// The kinds of operations.
const (
	KindRequest            Kind = iota + 1 // a request from the client
	KindNotification                       // a notification from the client
	KindResponse                           // a response from the client
	KindInvalid                            // an invalid message
	KindClientRequest                      // a request to the client
	KindClientNotification                 // a notification to the client
	KindSession                            // a session, from initialize to its end
)

// String returns the kind's name, such as "client request".
func (k Kind) String() string {
	names := [...]string{"unknown", "request", "notification", "response", "invalid", "client request", "client notification", "session"}
	if int(k) >= len(names) {
		k = 0
	}
	return names[k]
}

// Operation describes an operation for an [Observer]. Clients choose only ID and Meta.
type Operation struct {
	Kind Kind
	// Method is the method of a request or a notification. It is empty if the server
	// does not have the method.
	Method string
	// ID is the JSON-RPC id of a request as JSON, cut to 256 bytes.
	ID string
	// Version is the protocol version, if already known.
	Version string
	// SessionID identifies the session. It is a keyed hash of the Mcp-Session-Id of
	// HTTP, which is a secret. It is empty for a message of 2026-07-28 over HTTP.
	SessionID string
	// Meta is the _meta of the params, a JSON object, or empty. It contains
	// traceparent, tracestate and baggage. Above 16 KiB, Meta is left out. It is a string
	// so that Begin and End read the same part of the message without a copy.
	Meta string
	// Size is the size of the message in bytes, or 0 if unknown.
	Size int
	// Start is the time of receipt of the message, or the time when sending began.
	Start time.Time

	// Transport describes the connection.
	Transport transport.Info
}

// Outcome is the outcome of an [Operation].
type Outcome struct {
	// Duration is the time from Operation.Start until the response was sent, or
	// until the operation ended without a response.
	Duration time.Duration
	// Queued is the part of Duration before the application's code started, and Ran the running
	// time of the code, if the request runs such code. Ran includes the time of users to answer.
	Queued, Ran time.Duration
	// Delay is the time between a change and its notification to the client.
	Delay time.Duration
	// Subscribers is the number of clients that got the notification.
	Subscribers int

	// Prompt is the name of the prompt, if the prompt exists and is visible to the client.
	Prompt string
	// Digest identifies the content of the prompt, and Release and Label name the release
	// that the prompt is of, as far as they are known: see prompts.Release.
	Digest, Release, Label string
	// Tool is the name of the tool that the request calls, if the tool exists and is visible to
	// the client. The Prompt of such a request is the prompt that the tool renders, if any.
	Tool string
	// ResultType is complete or input_required, for a request with a result.
	ResultType string
	// IsError reports that the result of a tool of package prompttools is an error for
	// the model (isError).
	IsError bool
	// Code is the code of the error response, or of the error of a rejected message
	// without a response. It is 0 for no error.
	Code transport.Code
	// Err is the reason for a missing response or a failed send: the client canceled
	// the request or disconnected, or the server ends. It wraps context.Canceled or
	// context.DeadlineExceeded accordingly.
	Err error
	// Size is the size of the response in bytes, or 0 without a response.
	Size int
}
