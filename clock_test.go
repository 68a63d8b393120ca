package prompts

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// startClock starts a clock of ten seconds and returns when it has expired.
func startClock() (*clock, *time.Duration) {
	c, at, began := new(clock), new(time.Duration), time.Now()
	c.start(10*time.Second, func() { *at = time.Since(began) })
	return c, at
}

func TestClock(t *testing.T) {
	const never = time.Duration(0)
	for name, test := range map[string]struct {
		do   func(c *clock)
		want time.Duration // when it expires
	}{
		"alone":  {func(*clock) {}, 10 * time.Second},
		"paused": {func(c *clock) { time.Sleep(3 * time.Second); c.pause(); time.Sleep(time.Hour); c.resume() }, time.Hour + 10*time.Second},
		"paused twice": {func(c *clock) {
			for range 2 {
				time.Sleep(4 * time.Second)
				c.pause()
				time.Sleep(time.Minute)
				c.resume()
			}
		}, 2*time.Minute + 10*time.Second},
		"paused for no time":     {func(c *clock) { c.pause(); c.resume() }, 10 * time.Second},
		"paused while it stands": {func(c *clock) { c.pause(); time.Sleep(time.Second); c.pause(); c.resume() }, 11 * time.Second},
		"resumed while it runs":  {func(c *clock) { time.Sleep(4 * time.Second); c.resume() }, 10 * time.Second},
		"resumed twice":          {func(c *clock) { c.pause(); time.Sleep(time.Second); c.resume(); time.Sleep(time.Second); c.resume() }, 11 * time.Second},
		"paused for good":        {func(c *clock) { c.pause() }, never},
		"ended":                  {func(c *clock) { c.end() }, never},
		"ended while it stands":  {func(c *clock) { c.pause(); c.end(); c.resume() }, never},
		"ended, then paused":     {func(c *clock) { c.end(); c.pause(); c.resume(); c.end() }, never},
		"too late": {func(c *clock) {
			time.Sleep(11 * time.Second)
			c.pause()
			time.Sleep(time.Second)
			c.resume()
			c.end()
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, at := startClock()
				test.do(c)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				assert.Equal(t, test.want, *at)
			})
		})
	}
}

// A clock that was never started has no limit.
func TestClockWithoutLimit(t *testing.T) {
	t.Parallel()
	var c clock
	c.pause()
	c.resume()
	c.end()
}

// end waits for what expires just then, so that its answer is out.
func TestClockEndWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var c clock
		done := false
		c.start(time.Second, func() { time.Sleep(time.Minute); done = true })
		time.Sleep(2 * time.Second)
		c.end()
		assert.True(t, done)
	})
}
