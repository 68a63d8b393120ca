package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has what operators see of the requests: Options.Observer and the audit
// log. The types of the observer have twins in internal/rpc, which calls it.

// Observer receives every operation of a [Server], for traces, metrics and logs: see
// Options.Observer. Module promptotel has an Observer for OpenTelemetry, and the
// CheckObserver of package prompttest tests an Observer.
//
// For each [Operation], the server calls Begin once and then End once, with the
// context from Begin, the same Operation, and its [Outcome]. An operation is a
// message from a client, a message to a client except a response, or a session. In a
// batch, each message is an operation.
//
// Begin returns ctx or a context made from ctx. Render functions, completion
// functions, middleware and methods run with the returned context. Records about the
// request go to Options.Logger with the same context. ctx comes from Serve, Handle
// or Call. For a request to the client, ctx is the context of [Ask].
//
// If a request runs the application's code, Begin runs on the same goroutine, within
// the time limit of the code. All other calls run later, one at a time, from a
// queue. No client waits for an Observer. Use the times in Operation and Outcome
// instead of the clock. [Server.Flush] waits for the queue, and [Server.Serve] waits
// at its end.
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

// OperationKind is the kind of an [Operation]. Its String method returns a name such
// as "client request".
type OperationKind = rpc.Kind // a uint8

// The kinds of operations.
const (
	OperationRequest            = rpc.KindRequest            // a request from the client
	OperationNotification       = rpc.KindNotification       // a notification from the client
	OperationResponse           = rpc.KindResponse           // a response from the client
	OperationInvalid            = rpc.KindInvalid            // an invalid message
	OperationClientRequest      = rpc.KindClientRequest      // a request to the client
	OperationClientNotification = rpc.KindClientNotification // a notification to the client
	OperationSession            = rpc.KindSession            // a session, from initialize to its end
)

// Operation describes an operation for an [Observer]. Clients choose only ID and
// Meta.
type Operation struct {
	Kind OperationKind
	// Method is the method of a request or a notification. It is empty if the server
	// does not have the method.
	Method string
	// ID is the JSON-RPC id of a request as JSON, cut to 256 bytes.
	ID string
	// Version is the protocol version, if already known.
	Version string
	// Session identifies the session. It is a keyed hash of the Mcp-Session-Id of
	// HTTP, which is a secret. It is empty for a message of 2026-07-28 over HTTP.
	Session string
	// Meta is the _meta of the params, a JSON object, or empty. It contains
	// traceparent, tracestate and baggage. Above 16 KiB, Meta is left out.
	Meta string
	// Size is the size of the message in bytes, or 0 if unknown.
	Size int
	// Start is the time of receipt of the message, or the time when sending began.
	Start time.Time

	// Network, Protocol, ProtocolVersion, ClientAddress and ServerAddress describe
	// the connection: see [transport.Info].
	Network, Protocol, ProtocolVersion, ClientAddress, ServerAddress string
}

// Transport returns the description of the connection.
func (o Operation) Transport() transport.Info {
	return transport.Info{
		Network: o.Network, Protocol: o.Protocol, ProtocolVersion: o.ProtocolVersion,
		ClientAddress: o.ClientAddress, ServerAddress: o.ServerAddress,
	}
}

// Outcome is the outcome of an [Operation].
type Outcome struct {
	// Duration is the time from Operation.Start until the response was sent, or
	// until the operation ended without a response.
	Duration time.Duration
	// Queued is the part of Duration before the application's code started, and Ran
	// the running time of the code, if the request runs such code. Ran includes the
	// time of users to answer.
	Queued, Ran time.Duration
	// Delay is the time between a change and its notification to the client, and
	// Subscribers the number of notified clients.
	Delay time.Duration

	// Prompt is the name of the prompt, if the prompt exists and is visible to the
	// client.
	Prompt string
	// Tool is the name of the tool that the request calls, if the tool exists and is
	// visible to the client: see feature.Call and [Rendering]. The Prompt of such a
	// request is the prompt that the tool renders, if any.
	Tool string
	// ResultType is complete or input_required, for a request with a result.
	ResultType string
	// IsError reports that the result of a tool of package prompttools is an error for
	// the model (isError).
	IsError bool
	// Code is the code of the error response, or of the error of a rejected message
	// without a response. It is 0 for no error.
	Code Code
	// Err is the reason for a missing response or a failed send: the client canceled
	// the request or disconnected, or the server ends. It wraps context.Canceled or
	// context.DeadlineExceeded accordingly.
	Err error
	// Size is the size of the response in bytes, or 0 without a response.
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

func (o observer) Inject(ctx context.Context) map[string]string {
	if i, ok := o.Observer.(Injector); ok {
		return i.Inject(ctx)
	}
	return nil
}

// AuditLog returns a middleware that logs each prompts/get:
//
//	prompts.Options{Middleware: prompts.AuditLog(logger)}
//
// The record has the level Info, the message "prompt requested" and these
// attributes:
//
//   - principal: the result of Options.Principal;
//   - prompt: the name in the request, cut to 256 bytes. The prompt may not exist;
//   - outcome: complete if the inner handler returned a result, input_required, the code
//     of its error, or canceled or timeout if the request ended without a response. If
//     the server rejects the result, Options.Logger gets the record "invalid result";
//   - duration: the time of the inner middlewares and the render function.
//
// The record never contains values of arguments, messages or error texts. It is
// written before the client gets the response, with the request's context, so that a
// handler such as the one of package promptotel can add the trace. Requests that are
// malformed or rejected by a limit do not reach the middleware. An [Observer]
// receives them. To combine AuditLog with other middlewares, call
// AuditLog(logger)(other(next)). Default of logger: slog.Default() at the time of
// the call.
func AuditLog(logger *slog.Logger) func(next Handler) Handler {
	logger = cmp.Or(logger, slog.Default())
	return func(next Handler) Handler {
		return func(ctx context.Context, r *Request) (response *Response, err error) {
			if r.Method != methodGet {
				return next(ctx, r)
			}
			principal, prompt, start := r.Principal, r.Prompt, time.Now()
			err = &Error{Code: CodeInternalError} // unless next returns
			defer func() {
				logger.LogAttrs(ctx, slog.LevelInfo, "prompt requested", slog.String("principal", principal),
					slog.String("prompt", strings.ToValidUTF8(phrase.Clip(prompt, phrase.MaxEcho), "\ufffd")),
					slog.String("outcome", outcomeOf(ctx, err)), slog.Duration("duration", time.Since(start)))
			}()
			return next(ctx, r)
		}
	}
}

// outcomeOf returns the outcome of a request of the middleware, in one word.
func outcomeOf(ctx context.Context, err error) string {
	switch e := wire.ClientError(err); {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "timeout"
	case ctx.Err() != nil:
		return "canceled"
	case err == nil:
		return "complete"
	case errors.Is(err, ErrInputRequired):
		return "input_required"
	case e != nil:
		return strconv.Itoa(int(e.Code))
	}
	return strconv.Itoa(int(CodeInternalError))
}
