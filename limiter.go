package prompts

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// limiter bounds how many tasks run at a time. As many again may wait.
type limiter struct {
	slots chan struct{}
	tasks atomic.Int64  // running and waiting
	room  chan struct{} // signalled when a task leaves
}

func newLimiter(n int) *limiter {
	return &limiter{slots: make(chan struct{}, n), room: make(chan struct{}, 1)}
}

// enter counts a task in and reports whether there is room for it, waiting for
// some as far as the patience goes; nil is none. If there is, leave must
// follow.
func (l *limiter) enter(ctx context.Context, p *patience) bool {
	if l.tryEnter() {
		return true
	}
	if p == nil {
		return false
	}
	allowance := p.allowance()
	if allowance == 0 {
		return false
	}
	timer := time.NewTimer(allowance)
	defer timer.Stop()
	entered, over := false, false
	for !entered && !over {
		select {
		case <-l.room:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			return false
		}
		entered = l.tryEnter()
	}
	p.spend(!entered)
	return entered
}

func (l *limiter) tryEnter() bool {
	n := int64(cap(l.slots))
	if l.tasks.Add(1)-n <= n { // 2*n may be more than an int64 holds
		return true
	}
	l.tasks.Add(-1)
	return false
}

// enterAgain counts a task in that has left for a while, whether there is room
// for it or not.
func (l *limiter) enterAgain() { l.tasks.Add(1) }

func (l *limiter) leave() {
	l.tasks.Add(-1)
	select {
	case l.room <- struct{}{}:
	default:
	}
}

// errNoTurn is why a task has waited for its slot in vain.
var errNoTurn = errors.New("the tasks before it have taken too long")

// deadline is what is left of the time for several waits; none if it is not
// above 0.
type deadline struct{ left time.Duration }

// acquire waits for a slot, or until ctx ends or there is no time left, and takes
// the wait from that. If it returns nil, release must follow.
func (l *limiter) acquire(ctx context.Context, d *deadline) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	var passed <-chan time.Time
	if d.left > 0 {
		timer := time.NewTimer(d.left)
		defer timer.Stop()
		passed = timer.C
		began := time.Now()
		defer func() { d.left = max(1, d.left-time.Since(began)) }()
	}
	select {
	case l.slots <- struct{}{}:
		if ctx.Err() == nil {
			return nil
		}
		l.release() // both were ready
	case <-ctx.Done():
	case <-passed:
		return errNoTurn
	}
	return context.Cause(ctx)
}

func (l *limiter) release() { <-l.slots }
