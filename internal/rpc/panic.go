package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcp-prompts/prompts/internal/redact"
)

// This file catches panics: of the application's code in a request, and of all other code on
// the goroutines of the server. listenTo, the queue of the observer and the middleware of the
// root catch their own.

// catch is deferred where the application's code runs. A panic becomes the failure of the
// request: it must not end the server, and its text must not reach a client.
func catch(r *Request, f **Failure) {
	if v := recover(); v != nil {
		*f = r.Withhold(Panic(r.Subject(), v))
	}
}

// Panic returns the failure of a panic that was just recovered. The deferred function that
// has recovered calls Panic, because the stack is that of the panic only there.
func Panic(subject string, v any) *Failure {
	f := InternalFailure(subject, redact.NewPanic(v))
	f.stack = debug.Stack()
	return f
}

// spawn runs f on a goroutine of its own. The caller must know how the goroutine ends:
// nothing here waits for it.
func (l *logger) spawn(f func()) {
	go func() {
		defer l.recoverPanic()
		f()
	}()
}

// recoverPanic is deferred on each goroutine that the server starts, the
// goroutines of timers included: a panic of the application's code, be it a
// transport's, must not end the process. What the code leaves undone is cleaned
// up by deferred functions on the way here.
func (l *logger) recoverPanic() {
	if v := recover(); v != nil {
		l.Log(context.Background(), slog.LevelError, "panic recovered",
			slog.Any("error", fmt.Errorf("panic: %v", v)), slog.String("stack", string(debug.Stack())))
	}
}

// logObserver logs the first failure of the observer. An observer that fails once usually
// fails for every message.
func (l *logger) logObserver(err error, stack []byte) {
	attrs := []slog.Attr{slog.Any("error", err)}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	l.spawn(func() { // a logger may block
		l.Log(context.Background(), slog.LevelError, "observer failed; further failures are not logged", attrs...)
	})
}
