package rpc

import (
	"context"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/logwait"
)

// This file logs at a bounded rate.

// maxLogRate is how many records per second the logger gets, because clients can cause
// records. Twice as many may come at once. The rate holds for all records together, so a
// flood of one kind may hide another. The attribute dropped says how many are missing.
const maxLogRate = 100

// logger is the application's logger, with a bound on its records, and on the wait for its
// handler.
type logger struct {
	slog    *slog.Logger
	handler *logwait.Handler // of slog
	rate    *limit.RateLimiter
	bucket  limit.Bucket
}

func newLogger(l *slog.Logger) *logger {
	h := logwait.New(l.Handler())
	return &logger{slog: slog.New(h), handler: h, rate: limit.NewRateLimiter(maxLogRate)}
}

// Log writes a record. The logger's handler is the application's code, so Log waits for it
// only for a second, and comes after everything that a client waits for. It may panic,
// and that must not end the process either: Log is what a recovered panic ends
// in, see recoverPanic.
func (l *logger) Log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	switch {
	case !l.slog.Enabled(ctx, level):
	case !l.rate.Allow(&l.bucket):
		l.handler.Drop()
	default:
		l.slog.LogAttrs(ctx, level, message, attrs...)
	}
}
