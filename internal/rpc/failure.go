package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// Failure is why a request has no result. It is the error of a [call.Runner].
//
// For an internal error, the client gets a neutral message and an error id, by which an operator
// finds the record in the log. Config.Failure makes a Failure of an error of the application.
type Failure struct {
	Client *transport.Error // what the client gets

	// What only the log gets. If Log is nil, there is nothing to log.
	Event   string
	Level   slog.Level
	Log     error
	stack   []byte // of a panic
	errorID string // of an internal error, in its data too

	// Cause is the error of the application's code, if there is one.
	Cause error
	// IsAnswer says that the application has answered the request with Client.
	IsAnswer bool

	canceled bool // because the request's context has ended
}

func (f *Failure) Error() string { return f.Client.Error() }

// InternalFailure returns the failure of a request that ended with err. The
// client gets the subject and an error id. The log gets err and the same id.
func InternalFailure(subject string, err error) *Failure {
	return newFailure("request failed", "internal error: "+subject+" failed", err)
}

// InvalidResult returns the failure of a request whose result has the error err. It is
// otherwise like [InternalFailure]. The two have events of their own, because a wrong result
// is a bug in the application, and no condition of the moment.
func InvalidResult(subject string, err error) *Failure {
	return newFailure("invalid result", "internal error: "+subject+" returned an invalid result", err)
}

func newFailure(event, message string, err error) *Failure {
	client, id := withErrorID(message)
	return &Failure{Client: client, Event: event, Level: slog.LevelError, Log: err, errorID: id, Cause: err}
}

func withErrorID(message string) (e *transport.Error, id string) {
	message, id = errorid.New(message)
	e = wire.InternalError(message)
	e.Data = errorid.Data{ID: id}
	return e, id
}

// finish finds out whether the failure is only the end of ctx, and encodes the
// data for the client. Both may run the application's methods.
func (f *Failure) finish(ctx context.Context) {
	// An error that has nothing to do with the end of ctx is reported even if ctx has ended.
	f.canceled = ctx.Err() != nil && (errors.Is(f.Log, ctx.Err()) || errors.Is(f.Log, context.Cause(ctx)))
	if f.Client.Data == nil {
		return
	}
	data, err := jsonenc.Append(nil, f.Client.Data)
	// A copy, because the application may return the same error for other requests at this moment.
	encoded := *f.Client
	encoded.Data = json.RawMessage(data)
	if err != nil {
		encoded.Data = nil
		f.Event, f.Level = cannotEncodeData, slog.LevelError
		f.Log = errors.Join(err, f.Log)
	}
	f.Client = &encoded
}

const cannotEncodeData = "cannot encode error data"

// ErrGoexit is the error of application code that has called runtime.Goexit. For example, a
// test calls t.FailNow in a render function.
var ErrGoexit = errors.New("goroutine ended by runtime.Goexit")

// ErrNoReturn is the error of a transport or a callback that has panicked or ended its goroutine.
var ErrNoReturn = notify.ErrNoReturn

var (
	ErrCanceled      = fmt.Errorf("request cancelled by the client: %w", context.Canceled)
	ErrSessionClosed = fmt.Errorf("session is closed: %w", context.Canceled)
	ErrTimeout       = fmt.Errorf("request timed out: %w", context.DeadlineExceeded)
	ErrAnswered      = fmt.Errorf("request is already answered: %w", context.Canceled)
)

type cancellation struct{ reason string }

func (c *cancellation) Error() string {
	if c.reason == "" {
		return ErrCanceled.Error()
	}
	return ErrCanceled.Error() + " (" + c.reason + ")"
}

func (c *cancellation) Unwrap() error { return ErrCanceled }

// Panic returns the failure of a panic that was just recovered. The deferred function that
// has recovered calls Panic, because the stack is that of the panic only there.
func Panic(subject string, v any) *Failure {
	f := InternalFailure(subject, redact.NewPanic(v))
	f.stack = debug.Stack()
	return f
}
