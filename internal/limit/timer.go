package limit

import (
	"sync"
	"time"
)

// Timer is the time limit of a request. It is paused while the user is asked.
// The zero value has no limit.
type Timer struct {
	request Expirer

	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	left    time.Duration // at the last start
	started time.Time
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

// Start calls the request's Expire after the limit, which must be positive.
func (t *Timer) Start(limit time.Duration, request Expirer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.request, t.left, t.started = request, limit, time.Now()
	t.timer = time.AfterFunc(limit, t.fire)
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
	if t.timer == nil || t.paused || t.stopped || !t.timer.Stop() {
		return
	}
	t.paused = true
	t.left -= time.Since(t.started)
}

// Resume continues the countdown.
func (t *Timer) Resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.paused || t.stopped {
		return
	}
	t.paused = false
	t.started = time.Now()
	t.timer.Reset(t.left)
}

// Stop ends the countdown. If Expire was called, Stop returns after it has
// returned. Stop may be called more than once.
func (t *Timer) Stop() {
	t.mu.Lock()
	if t.timer == nil || t.stopped {
		t.mu.Unlock()
		return
	}
	t.stopped = true
	if t.paused || t.timer.Stop() || t.expired {
		t.mu.Unlock()
		return
	}
	t.done = make(chan struct{})
	t.mu.Unlock()
	<-t.done
}
