package prompts

import (
	"context"
	"sync/atomic"
	"time"
)

// limiter bounds how many tasks run at a time. As many again may wait.
type limiter struct {
	slots   chan struct{}
	tasks   atomic.Int64  // running and waiting
	room    chan struct{} // signalled when a task leaves
	stalled atomic.Bool   // nothing has left since somebody last waited for room in vain
}

func newLimiter(n int) *limiter {
	return &limiter{slots: make(chan struct{}, n), room: make(chan struct{}, 1)}
}

// enter counts a task in and reports whether there is room for it. If it
// does, leave must follow.
//
// If there is none, enter waits for the patience: many short tasks arrive
// faster than they can be started, and are not to be refused for that. It
// waits in vain only once, until a task leaves.
func (l *limiter) enter(ctx context.Context, patience time.Duration) bool {
	if l.tryEnter() {
		return true
	}
	if patience <= 0 || l.stalled.Load() {
		return false
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-l.room:
			if l.tryEnter() {
				return true
			}
		case <-timer.C:
			if l.tryEnter() {
				return true
			}
			l.stalled.Store(true)
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (l *limiter) tryEnter() bool {
	n := int64(cap(l.slots))
	if l.tasks.Add(1)-n <= n { // 2*n may be more than an int64 holds
		return true
	}
	l.tasks.Add(-1)
	return false
}

func (l *limiter) leave() {
	l.tasks.Add(-1)
	l.stalled.Store(false)
	select {
	case l.room <- struct{}{}:
	default:
	}
}

// acquire waits for a slot, or until ctx ends. If it returns nil, release
// must follow.
func (l *limiter) acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case l.slots <- struct{}{}:
		if ctx.Err() == nil {
			return nil
		}
		l.release() // both were ready
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

func (l *limiter) release() { <-l.slots }
