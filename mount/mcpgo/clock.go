package mcpgo

import (
	"sync"
	"time"
)

// clock is a time limit that can stand still.
type clock struct {
	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	left    time.Duration // when it last stood still
	since   time.Time     // when it last began to run
	waiting int           // how many want it to stand still
	over    bool
}

// newClock returns a clock that calls expire when the limit has passed, on a
// goroutine of its own. A negative limit never passes.
func newClock(limit time.Duration, expire func()) *clock {
	c := &clock{left: limit, since: time.Now()}
	if limit >= 0 {
		c.timer = time.AfterFunc(limit, expire)
	}
	return c
}

// pause lets the clock stand still until resume is called, and everything else
// that it was paused for has resumed as well.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	if c.waiting == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return c.resume
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting--
	if c.waiting == 0 && c.timer != nil && !c.over {
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// stop ends the clock.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
