package limit

import (
	"sync"
	"sync/atomic"
	"time"
)

// Timer is the time limit of a request. It is paused while the user is asked.
// The zero value has no limit.
type Timer struct {
	request Expirer
	spare   *Spare

	mu      sync.Mutex    // protects the fields below
	alarm   *alarm        // nil before Start and after Stop
	left    time.Duration // at the last start
	started time.Time
	paused  bool
	expired bool          // Expire has returned
	done    chan struct{} // closed then; nil unless Stop waits for it
}

// Expirer is a request with a time limit.
type Expirer interface {
	// Expire is called after the limit, on a goroutine of its own.
	Expire()
}

// alarm is a timer of the runtime that calls the fire of its owner.
type alarm struct {
	timer *time.Timer
	owner *Timer
}

func (a *alarm) ring() { a.owner.fire() }

// Spare keeps the alarm of the last Timer that was stopped for the next one. To
// make an alarm takes a tenth of the time of a short request. Each session has a
// Spare of its own: in a test, a timer belongs to the bubble of package synctest
// that made it. A nil Spare keeps nothing.
type Spare struct{ alarm atomic.Pointer[alarm] }

func (s *Spare) take() *alarm {
	if s == nil {
		return nil
	}
	return s.alarm.Swap(nil)
}

func (s *Spare) keep(a *alarm) {
	if a.owner = nil; s != nil {
		s.alarm.Store(a)
	}
}

// Start calls the request's Expire after the limit, which must be positive. No
// other goroutine may have the timer yet.
func (t *Timer) Start(limit time.Duration, request Expirer, spare *Spare) {
	t.request, t.spare, t.left, t.started = request, spare, limit, time.Now()
	if t.alarm = spare.take(); t.alarm != nil {
		t.alarm.owner = t
		t.alarm.timer.Reset(limit)
		return
	}
	t.alarm = &alarm{owner: t}
	t.alarm.timer = time.AfterFunc(limit, t.alarm.ring)
}

func (t *Timer) fire() {
	defer func() { // even if Expire panics
		t.mu.Lock()
		defer t.mu.Unlock()
		t.expired = true
		if t.done != nil {
			close(t.done)
		}
	}()
	t.request.Expire()
}

// Pause stops the countdown until Resume.
func (t *Timer) Pause() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alarm == nil || t.paused || !t.alarm.timer.Stop() {
		return
	}
	t.paused = true
	t.left -= time.Since(t.started)
}

// Resume continues the countdown.
func (t *Timer) Resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alarm == nil || !t.paused {
		return
	}
	t.paused = false
	t.started = time.Now()
	t.alarm.timer.Reset(t.left)
}

// Stop ends the countdown. If Expire was called, Stop returns after it has
// returned. Stop may be called more than once.
func (t *Timer) Stop() {
	if done := t.stop(); done != nil {
		<-done
	}
}

// stop returns what is closed when Expire has returned, if it runs.
func (t *Timer) stop() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.alarm
	t.alarm = nil
	switch {
	case a == nil || t.expired:
		return nil
	case t.paused || a.timer.Stop():
		t.spare.keep(a)
		return nil
	}
	t.done = make(chan struct{})
	return t.done
}
