// Package logwait bounds how long a program waits for a [slog.Handler] of the
// application, which may block forever.
//
// The modules that import the package have versions of their own: the package only gets additions.
package logwait

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// limit is the longest time for which a caller waits for a handler.
const limit = time.Second

// Handler passes records to another handler, each on a goroutine of its own, and waits for at most
// a second. While a call of the handler takes longer, all other records are dropped, and nobody
// waits. The next record counts them in the attribute dropped. So a handler that blocks delays each
// caller at most once, and holds a bounded number of goroutines. A panic of the handler is dropped.
type Handler struct {
	next  slog.Handler
	calls *calls // of all handlers that were made from one
}

type calls struct {
	late    atomic.Int64 // calls for which nobody waits any more
	dropped atomic.Int64 // records since the last one
}

func New(next slog.Handler) *Handler { return &Handler{next, new(calls)} }

// Drop counts a record that the caller has dropped.
func (h *Handler) Drop() { h.calls.dropped.Add(1) }

// Enabled is that of the handler, which must return at once.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// WithAttrs returns a Handler that shares the calls.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{h.next.WithAttrs(attrs), h.calls}
}

// WithGroup returns a Handler that shares the calls.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{h.next.WithGroup(name), h.calls}
}

// Handle passes a record on. The error is always nil: the handler's may come later.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	if h.calls.late.Load() > 0 {
		h.Drop()
		return nil
	}
	r = r.Clone() // the caller may use its own again
	if n := h.calls.dropped.Swap(0); n > 0 {
		r.AddAttrs(slog.Int64("dropped", n))
	}
	var isSettled atomic.Bool // set first by the end of the call, or by the end of the wait
	ended := make(chan struct{})
	go func() { // ends with the handler
		defer func() {
			_ = recover()
			if !isSettled.CompareAndSwap(false, true) {
				h.calls.late.Add(-1)
			}
			close(ended)
		}()
		_ = h.next.Handle(ctx, r)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		h.calls.late.Add(1)
		if !isSettled.CompareAndSwap(false, true) { // it has just ended
			h.calls.late.Add(-1)
		}
	}
	return nil
}
