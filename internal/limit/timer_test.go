package limit

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

type expireFunc func()

func (f expireFunc) Expire() { f() }

// startTimer starts a clock of ten seconds and returns when it has expired.
func startTimer() (*Timer, *time.Duration) {
	c, at, began := new(Timer), new(time.Duration), time.Now()
	c.Start(10*time.Second, expireFunc(func() { *at = time.Since(began) }), nil)
	return c, at
}

func TestTimer(t *testing.T) {
	const never = time.Duration(0)
	for name, test := range map[string]struct {
		do   func(c *Timer)
		want time.Duration // when it expires
	}{
		"alone":  {func(*Timer) {}, 10 * time.Second},
		"paused": {func(c *Timer) { time.Sleep(3 * time.Second); c.Pause(); time.Sleep(time.Hour); c.Resume() }, time.Hour + 10*time.Second},
		"paused twice": {func(c *Timer) {
			for range 2 {
				time.Sleep(4 * time.Second)
				c.Pause()
				time.Sleep(time.Minute)
				c.Resume()
			}
		}, 2*time.Minute + 10*time.Second},
		"paused for no time":     {func(c *Timer) { c.Pause(); c.Resume() }, 10 * time.Second},
		"paused while it stands": {func(c *Timer) { c.Pause(); time.Sleep(time.Second); c.Pause(); c.Resume() }, 11 * time.Second},
		"resumed while it runs":  {func(c *Timer) { time.Sleep(4 * time.Second); c.Resume() }, 10 * time.Second},
		"resumed twice":          {func(c *Timer) { c.Pause(); time.Sleep(time.Second); c.Resume(); time.Sleep(time.Second); c.Resume() }, 11 * time.Second},
		"paused for good":        {func(c *Timer) { c.Pause() }, never},
		"ended":                  {func(c *Timer) { c.Stop() }, never},
		"ended while it stands":  {func(c *Timer) { c.Pause(); c.Stop(); c.Resume() }, never},
		"ended, then paused":     {func(c *Timer) { c.Stop(); c.Pause(); c.Resume(); c.Stop() }, never},
		"too late": {func(c *Timer) {
			time.Sleep(11 * time.Second)
			c.Pause()
			time.Sleep(time.Second)
			c.Resume()
			c.Stop()
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, at := startTimer()
				test.do(c)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				assert.Equal(t, test.want, *at)
			})
		})
	}
}

// A clock that was never started has no limit.
func TestTimerWithoutLimit(t *testing.T) {
	t.Parallel()
	var c Timer
	c.Pause()
	c.Resume()
	c.Stop()
}

// end waits for what expires just then, so that its answer is out.
func TestTimerStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Timer
		done := false
		c.Start(time.Second, expireFunc(func() { time.Sleep(time.Minute); done = true }), nil)
		time.Sleep(2 * time.Second)
		c.Stop()
		assert.True(t, done)
	})
}

// A timer takes the alarm of the one before it, whose request it leaves alone.
func TestTimersShareAnAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spare Spare
		expired := make([]time.Duration, 3)
		began := time.Now()
		for i := range expired {
			var c Timer
			c.Start(10*time.Second, expireFunc(func() { expired[i] = time.Since(began) }), &spare)
			time.Sleep(9 * time.Second)
			if i < 2 {
				c.Stop()
				c.Stop()
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{0, 0, 28 * time.Second}, expired)
	})
	var spare Spare
	request := expireFunc(func() {})
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		var c Timer
		c.Start(time.Hour, request, &spare)
		c.Pause()
		c.Stop()
	}), 1.0, "only the Timer")
}

// The time limit of a request does not depend on those of the requests before it, whose
// alarm it takes while that runs on.
func TestAlarmOfEarlierTimers(t *testing.T) {
	for name, test := range map[string]struct {
		first, wait, limit time.Duration
	}{
		"shorter":             {time.Hour, time.Second, 10 * time.Second},
		"longer":              {10 * time.Second, time.Second, time.Hour},
		"the same":            {10 * time.Second, time.Second, 10 * time.Second},
		"after it has rung":   {10 * time.Second, time.Minute, 10 * time.Second},
		"when it rings":       {10 * time.Second, 10 * time.Second, 10 * time.Second},
		"just before it ends": {10 * time.Second, 10*time.Second - 1, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var spare Spare
				var first, second, third Timer
				never := expireFunc(func() { t.Error("a timer that was stopped has expired") })
				first.Start(test.first, never, &spare)
				third.Start(test.first, never, &spare) // which has an alarm of its own
				first.Stop()
				third.Stop()
				time.Sleep(test.wait)
				began, expired := time.Now(), time.Duration(0)
				second.Start(test.limit, expireFunc(func() { expired = time.Since(began) }), &spare)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				assert.Equal(t, test.limit, expired)
				second.Stop()
				spare.Stop()
			})
		})
	}
}

// The longest limit leaves the limits of later requests, which take its alarm, as they are.
func TestAlarmOfTheLongestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spare Spare
		never := expireFunc(func() { t.Error("a timer that was stopped has expired") })
		for _, limit := range []time.Duration{time.Second, math.MaxInt64} {
			var c Timer
			c.Start(limit, never, &spare)
			time.Sleep(time.Millisecond)
			c.Stop()
			time.Sleep(time.Minute)
		}
		var c Timer
		began, expired := time.Now(), time.Duration(0)
		c.Start(time.Second, expireFunc(func() { expired = time.Since(began) }), &spare)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, time.Second, expired)
		c.Stop()
		spare.Stop()
	})
}
