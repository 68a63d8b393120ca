package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/mcp-prompts/prompts/internal/limit"
)

// This file logs at a bounded rate, and recovers panics of the server's goroutines.

// maxLogRate is how many records per second the logger gets, because clients can cause
// records. Twice as many may come at once. The rate holds for all records together, so a
// flood of one kind may hide another. The attribute dropped says how many are missing.
const maxLogRate = 100

// logger is the application's logger, with a bound on its records.
type logger struct {
	slog *slog.Logger
	rate *limit.RateLimiter

	mu      sync.Mutex // protects the fields below
	bucket  limit.Bucket
	dropped int // records since the last one that was written
}

func newLogger(l *slog.Logger) *logger {
	return &logger{slog: l, rate: limit.NewRateLimiter(maxLogRate)}
}

// admit reports whether a record may be written, and how many were dropped before it.
func (l *logger) admit() (dropped int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.rate.Allow(&l.bucket) {
		l.dropped++
		return 0, false
	}
	dropped, l.dropped = l.dropped, 0
	return dropped, true
}

// Log writes a record. The logger's handler is the application's code: it may
// block, so Log comes after everything that a client waits for. It may panic,
// and that must not end the process either: Log is what a recovered panic ends
// in, see recoverPanic.
func (l *logger) Log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	if !l.slog.Enabled(ctx, level) {
		return
	}
	dropped, ok := l.admit()
	if !ok {
		return
	}
	if dropped > 0 {
		attrs = append(attrs, slog.Int("dropped", dropped))
	}
	l.slog.LogAttrs(ctx, level, message, attrs...)
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
