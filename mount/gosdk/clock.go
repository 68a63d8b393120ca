package gosdk

import (
	"sync"
	"time"
)

// defaultLimit is the time that a request has, as under prompts.Server.Serve.
const defaultLimit = 30 * time.Second

// clock calls a function once a time has passed, in which it does not count
// while somebody waits for the client.
type clock struct {
	mu      sync.Mutex // protects the fields below
	timer   *time.Timer
	left    time.Duration
	since   time.Time // when the timer was started
	waiting int       // for the client
}

// newClock starts a clock; a negative limit is none.
func newClock(limit time.Duration, passed func()) *clock {
	c := &clock{left: limit, since: time.Now()}
	if limit >= 0 {
		c.timer = time.AfterFunc(limit, passed)
	}
	return c
}

// pause stops the clock until the function that it returns is called.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 && c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 && c.timer != nil {
			c.since = time.Now()
			c.timer.Reset(c.left)
		}
	})
}

// stop ends the clock.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}
