package rpc

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mcp-prompts/prompts/internal/limit"
)

// This file logs at a bounded rate.

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
