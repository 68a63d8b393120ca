package prompts

import (
	"sync"
	"time"
)

// clock is the time limit of a task, if it has one. It does not run while the
// client is asked. The zero value has no limit.
type clock struct {
	mu     sync.Mutex // protects the field below
	timing *timing    // nil before the start and after the end
}

// timing is what there is of a clock while it is running.
type timing struct {
	timer   *time.Timer
	expire  func()
	left    time.Duration // when the clock was started
	started time.Time
	stopped bool

	mu       sync.Mutex    // protects the fields below
	hasFired bool          // expire has returned
	fired    chan struct{} // closed then; nil while nobody waits
}

// start calls expire once the limit has passed, which must be above 0.
func (c *clock) start(limit time.Duration, expire func()) {
	t := &timing{expire: expire, left: limit, started: time.Now()}
	c.timing = t
	t.timer = time.AfterFunc(limit, t.fire)
}

func (t *timing) fire() {
	defer func() { // whatever expire does
		t.mu.Lock()
		defer t.mu.Unlock()
		t.hasFired = true
		if t.fired != nil {
			close(t.fired)
		}
	}()
	t.expire()
}

// wait returns when expire has.
func (t *timing) wait() {
	t.mu.Lock()
	if t.hasFired {
		t.mu.Unlock()
		return
	}
	t.fired = make(chan struct{}) // nobody else waits
	t.mu.Unlock()
	<-t.fired
}

// pause stops the clock until resume.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.timing
	if t == nil || t.stopped || !t.timer.Stop() {
		return
	}
	t.stopped = true
	t.left -= time.Since(t.started)
}

// resume goes on with what was left.
func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.timing
	if t == nil || !t.stopped {
		return
	}
	t.stopped = false
	t.started = time.Now()
	t.timer.Reset(t.left)
}

// end stops the clock for good, and waits for expire to return if that has
// been called. It may be called more than once.
func (c *clock) end() {
	c.mu.Lock()
	t := c.timing
	c.timing = nil
	c.mu.Unlock()
	if t != nil && !t.stopped && !t.timer.Stop() {
		t.wait()
	}
}
