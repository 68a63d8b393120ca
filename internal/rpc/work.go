package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file runs the application's code that makes a result, and has the failure of
// that code.

// work makes the result of a request.
type work struct {
	feature.Work
	isRaw     bool    // the result is on one line
	tail      *string // see method; nil for none
	ready     int     // bytes of a result that the Handler has already
	subscribe *filter // of subscriptions/listen, which has no Handler
}

// rejectMethod returns a Handler that fails with err.
func rejectMethod(c *Call, err error) feature.Handler {
	return feature.HandlerFunc(methodAttr(c), func(context.Context, []byte) ([]byte, error) { return nil, err })
}

// returnResult returns a Handler with a result.
func returnResult(c *Call, result []byte) feature.Handler {
	return feature.HandlerFunc(methodAttr(c), func(_ context.Context, dst []byte) ([]byte, error) { return append(dst, result...), nil })
}

func methodAttr(c *Call) slog.Attr { return slog.String("method", strings.Clone(c.Message.Method)) }

// isObject reports whether what follows the first n bytes of result begins and ends as
// a JSON object: anything else would make the response invalid JSON.
func isObject(result []byte, n int) bool {
	return len(result) >= n+len("{}") && result[n] == '{' && result[len(result)-1] == '}'
}

var errNotAnObject = errors.New("result is not a JSON object")

// putOnOneLine replaces the line breaks after the first n bytes by spaces, and cuts off
// white space at the end, such as the line break of a json.Encoder. JSON has line breaks
// between values only. They would end a message of stdio, and a line of an event stream.
func putOnOneLine(result []byte, n int) []byte {
	if len(result) < n { // isObject rejects it
		return result
	}
	line := bytes.TrimRight(result[n:], " \t\r\n")
	for _, c := range []byte("\r\n") {
		rest := line
		for i := bytes.IndexByte(rest, c); i >= 0; i = bytes.IndexByte(rest, c) {
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
	return result[:n+len(line)]
}

// subject names the request to the client, such as prompt "code_review".
func (w *work) subject() string { return subjectOf(w.Handler) }

// subjectOf returns the subject of a Handler that has one, or else what the log says
// of the request.
func subjectOf(h feature.Handler) string {
	if s, ok := h.(interface{ Subject() string }); ok {
		return s.Subject()
	}
	switch a := attrOf(h); {
	case a.Value.Kind() != slog.KindString:
		return "request"
	case a.Key == "method":
		return a.Value.String()
	default:
		return a.Key + " " + strconv.Quote(phrase.Clip(a.Value.String(), 64))
	}
}

// logAttr describes the request in the log.
func (w *work) logAttr() slog.Attr { return attrOf(w.Handler) }

// attrOf returns the LogAttr of a Handler, which may panic.
func attrOf(h feature.Handler) (a slog.Attr) {
	defer func() {
		if v := recover(); v != nil {
			a = slog.Any("request", fmt.Errorf("panic of LogAttr: %v", v))
		}
	}()
	return h.LogAttr()
}

// do runs the handler, and the methods of the errors and data that it returns.
// A panic in any of them is a failure.
func (w *work) do(ctx context.Context, r *Request, dst []byte) (result []byte, f *Failure) {
	defer func() {
		if v := recover(); v != nil {
			result, f = nil, r.Withhold(Panic(w.subject(), v))
		}
	}()
	result, err := w.Handler.Run(ctx, dst)
	if err == nil && !w.isRaw {
		result = putOnOneLine(result, len(dst))
	}
	if err == nil && !isObject(result, len(dst)) {
		err = InvalidResult(w.subject(), errNotAnObject)
	}
	if err == nil {
		if w.tail != nil {
			result = appendTail(result, *w.tail)
		}
		return result, nil
	}
	f, ok := err.(*Failure)
	if !ok {
		f = r.task.server.config.Failure(ctx, w.subject(), err)
	}
	f = r.Withhold(f)
	f.finish(ctx)
	return nil, f
}

// Failure is why a request has no result. It is the error of a [feature.Handler].
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

// Error returns what the client reads.
func (f *Failure) Error() string { return f.Client.Error() }

// InternalFailure returns the failure of a request that ended with err. The
// client gets the subject and an error id. The log gets err and the same id.
func InternalFailure(subject string, err error) *Failure {
	return newFailure("request failed", "internal error: "+subject+" failed", err)
}

// InvalidResult returns the failure of a request whose result has the error err.
// It is otherwise like [InternalFailure].
func InvalidResult(subject string, err error) *Failure {
	return newFailure("invalid result", "internal error: "+subject+" returned an invalid result", err)
}

func newFailure(event, message string, err error) *Failure {
	client, id := withErrorID(message)
	return &Failure{Client: client, Event: event, Level: slog.LevelError, Log: err, errorID: id, Cause: err}
}

// withErrorID returns an internal error with a new error id in its message and data.
func withErrorID(message string) (e *transport.Error, id string) {
	message, id = errorid.New(message)
	e = wire.InternalError(message)
	e.Data = errorid.Data{ID: id}
	return e, id
}

// Panic returns the failure of a panic that was just recovered.
func Panic(subject string, v any) *Failure {
	f := InternalFailure(subject, redact.NewPanic(v))
	f.stack = debug.Stack()
	return f
}

// finish finds out whether the failure is only the end of ctx, and encodes the
// data for the client. Both may run the application's methods.
func (f *Failure) finish(ctx context.Context) {
	f.canceled = ctx.Err() != nil && (errors.Is(f.Log, ctx.Err()) || errors.Is(f.Log, context.Cause(ctx)))
	if f.Client.Data == nil {
		return
	}
	data, err := jsonenc.Append(nil, f.Client.Data)
	encoded := *f.Client
	encoded.Data = json.RawMessage(data)
	if err != nil {
		encoded.Data = nil
		f.Event, f.Level = cannotEncodeData, slog.LevelError
		f.Log = errors.Join(err, f.Log)
	}
	f.Client = &encoded
}

// cannotEncodeData is the event of an error whose data is not JSON.
const cannotEncodeData = "cannot encode error data"

// logFailure logs what the client did not get to see.
func (s *Server) logFailure(ctx context.Context, w *work, f *Failure) {
	if f.Log == nil {
		return
	}
	attrs := []slog.Attr{w.logAttr(), slog.Any("error", f.Log)}
	if f.errorID != "" {
		attrs = append(attrs, slog.String(errorid.Attr, f.errorID))
	}
	if f.stack != nil {
		attrs = append(attrs, slog.String("stack", string(f.stack)))
	}
	s.Log(ctx, f.Level, f.Event, attrs...)
}
