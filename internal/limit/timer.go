package limit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// This file uses timers of the runtime again: with a timer of its own for each request, a get
// over stdio costs 10 % more processor time with 64 in flight.

// Timer is the time limit of a request. It is paused while the user is asked.
// The zero value has no limit.
type Timer struct {
	request Expirer
	spare   *Spare
	alarm   *alarm // nil without a limit

	// The mutex of the alarm protects the fields below.
	left    time.Duration // while it is paused
	paused  bool
	stopped bool
	expired bool          // Expire has returned
	done    chan struct{} // closed then; nil unless Stop waits for it
}

// Expirer is a request with a time limit.
type Expirer interface {
	// Expire is called after the limit, on a goroutine of its own.
	Expire()
}

// alarm calls the fire of its owner. Its timer of the runtime keeps running without an
// owner, because to stop it and to start it again for each short request would take
// longer than most requests. It is set again only for a time that is earlier.
type alarm struct {
	timer *time.Timer
	made  time.Time // the times below are since then

	mu    sync.Mutex // protects the fields below
	owner *Timer     // nil for none
	due   time.Duration
	rings time.Duration // when the timer ends; 0 if it does not run
}

// set makes a Timer the owner, which is to fire after a time. The caller holds a.mu.
func (a *alarm) set(owner *Timer, left time.Duration) {
	a.owner, a.due = owner, time.Since(a.made)+left
	switch {
	case a.timer == nil:
		a.timer = time.AfterFunc(left, a.ring)
	case a.rings == 0 || a.due < a.rings:
		a.timer.Reset(left)
	default:
		return
	}
	a.rings = a.due
}

// unset reports whether the owner will not fire. The caller holds a.mu.
func (a *alarm) unset(owner *Timer) bool {
	if a.owner != owner {
		return false
	}
	a.owner = nil
	return true
}

func (a *alarm) ring() {
	if owner := a.take(); owner != nil {
		owner.fire()
	}
}

func (a *alarm) take() *Timer {
	a.mu.Lock()
	defer a.mu.Unlock()
	owner := a.owner
	a.rings = 0
	if owner == nil {
		return nil
	}
	if left := a.due - time.Since(a.made); left > 0 {
		a.rings = a.due
		a.timer.Reset(left)
		return nil
	}
	a.owner = nil
	return owner
}

// Spare keeps the alarm of the last Timer that was stopped for the next one. Each
// session has a Spare of its own: in a test, a timer belongs to the bubble of package
// synctest that made it. A nil Spare keeps nothing.
type Spare struct{ alarm atomic.Pointer[alarm] }

func (s *Spare) take() *alarm {
	if s != nil {
		if a := s.alarm.Swap(nil); a != nil {
			return a
		}
	}
	return &alarm{made: time.Now()}
}

// keep keeps an alarm without an owner; nil for none. The timers of those that are not
// kept are stopped.
func (s *Spare) keep(a *alarm) {
	if s != nil {
		a = s.alarm.Swap(a)
	}
	if a != nil {
		a.timer.Stop()
	}
}

func (s *Spare) Stop() { s.keep(nil) }

// Start calls the request's Expire after the limit, which must be positive. No
// other goroutine may have the timer yet.
func (t *Timer) Start(limit time.Duration, request Expirer, spare *Spare) {
	limit = min(limit, math.MaxInt64/2) // so that alarm.due does not overflow
	t.request, t.spare, t.alarm = request, spare, spare.take()
	t.alarm.mu.Lock()
	t.alarm.set(t, limit)
	t.alarm.mu.Unlock()
}

func (t *Timer) fire() {
	defer func() { // even if Expire panics
		t.alarm.mu.Lock()
		defer t.alarm.mu.Unlock()
		t.expired = true
		if t.done != nil {
			close(t.done)
		}
	}()
	t.request.Expire()
}

func (t *Timer) Pause() {
	a := t.alarm
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if t.paused || !a.unset(t) {
		return
	}
	t.paused, t.left = true, a.due-time.Since(a.made)
}

func (t *Timer) Resume() {
	a := t.alarm
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !t.paused || t.stopped {
		return
	}
	t.paused = false
	a.set(t, t.left)
}

// Stop ends the countdown. If Expire was called, Stop returns after it has
// returned. Stop may be called more than once.
func (t *Timer) Stop() {
	a := t.alarm
	if a == nil {
		return
	}
	a.mu.Lock()
	if t.stopped || t.expired {
		a.mu.Unlock()
		return
	}
	t.stopped = true
	if t.paused || a.unset(t) {
		a.mu.Unlock() // before another Timer takes the alarm
		t.spare.keep(a)
		return
	}
	done := make(chan struct{})
	t.done = done
	a.mu.Unlock()
	<-done
}
