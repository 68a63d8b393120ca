package prompts

import (
	"sync"
	"time"
)

// clock is the time limit of a task. It does not run while the client is
// asked.
type clock struct {
	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	fired   chan struct{} // closed when the timer's function has returned
	left    time.Duration // when the clock was started
	started time.Time
	stopped bool
}

// start calls expire once the limit has passed, which must be above 0.
func (c *clock) start(limit time.Duration, expire func()) {
	fired := make(chan struct{})
	c.fired, c.left, c.started = fired, limit, time.Now()
	c.timer = time.AfterFunc(limit, func() {
		defer close(fired)
		expire()
	})
}

// pause stops the clock until resume.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil || c.stopped || !c.timer.Stop() {
		return
	}
	c.stopped = true
	c.left -= time.Since(c.started)
}

// resume goes on with what was left.
func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil || !c.stopped {
		return
	}
	c.stopped = false
	c.started = time.Now()
	c.timer.Reset(c.left)
}

// end stops the clock for good, and waits for expire to return if that has
// been called. It may be called more than once.
func (c *clock) end() {
	c.mu.Lock()
	timer, stopped := c.timer, c.stopped
	c.timer = nil
	c.mu.Unlock()
	if timer != nil && !stopped && !timer.Stop() {
		<-c.fired
	}
}
