package prompts

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// logger is the author's logger, which does not get more records than the author
// wants: clients can cause them.
type logger struct {
	handler *slog.Logger
	rate    *rates // nil for no limit

	mu      sync.Mutex // protects the fields below
	pace    pace
	leftOut int // records since the last one
}

func newLogger(l *slog.Logger, perSecond int) *logger {
	return &logger{handler: l, rate: newRates(logRecords, float64(perSecond))}
}

// admit reports whether a record may be written, and how many were left out
// before it.
func (l *logger) admit() (leftOut int, ok bool) {
	if l.rate == nil {
		return 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rate.step(&l.pace, time.Since(l.rate.began), 1) > 0 {
		l.leftOut++
		return 0, false
	}
	leftOut, l.leftOut = l.leftOut, 0
	return leftOut, true
}

// log writes to the author's logger. Its handler is an author's code too: it
// may block, so nobody who has something to send or to read calls log first;
// and it may panic, which is no reason to end the process.
func (s *Server) log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	if !s.logger.handler.Enabled(ctx, level) {
		return
	}
	leftOut, ok := s.logger.admit()
	if !ok {
		return
	}
	if leftOut > 0 {
		attrs = append(attrs, slog.Int("left_out", leftOut))
	}
	s.logger.handler.LogAttrs(ctx, level, message, attrs...)
}
