package prompts

import (
	"context"
	"sync/atomic"
)

// limiter bounds how many tasks run at a time. As many again may wait.
type limiter struct {
	slots chan struct{}
	tasks atomic.Int64 // running and waiting
}

func newLimiter(n int) *limiter { return &limiter{slots: make(chan struct{}, n)} }

// enter counts a task in and reports whether there is room for it. If it
// does, leave must follow.
func (l *limiter) enter() bool {
	if l.tasks.Add(1) <= 2*int64(cap(l.slots)) {
		return true
	}
	l.tasks.Add(-1)
	return false
}

func (l *limiter) leave() { l.tasks.Add(-1) }

// acquire waits for a slot, or until ctx ends. If it returns nil, release
// must follow.
func (l *limiter) acquire(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *limiter) release() { <-l.slots }
