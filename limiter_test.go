package prompts

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := newLimiter(2)
		for range 4 {
			assert.True(t, l.enter(ctx, 0))
		}
		assert.False(t, l.enter(ctx, 0))
		assert.EqualValues(t, 4, l.tasks.Load(), "who is refused does not count")

		// With patience, it waits for one to leave.
		began := time.Now()
		time.AfterFunc(10*time.Millisecond, l.leave)
		assert.True(t, l.enter(ctx, 50*time.Millisecond))
		assert.Equal(t, 10*time.Millisecond, time.Since(began))
		// But not for ever, and in vain only once until one leaves.
		began = time.Now()
		assert.False(t, l.enter(ctx, 50*time.Millisecond))
		assert.Equal(t, 50*time.Millisecond, time.Since(began))
		assert.False(t, l.enter(ctx, 50*time.Millisecond))
		assert.Equal(t, 50*time.Millisecond, time.Since(began))
		l.leave()
		assert.True(t, l.enter(ctx, 50*time.Millisecond))
		assert.False(t, l.enter(ctx, 50*time.Millisecond))
		assert.Equal(t, 100*time.Millisecond, time.Since(began))
		// Nor beyond the end of its context.
		l.leave()
		assert.True(t, l.enter(ctx, 0))
		ended, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Millisecond, cancel)
		began = time.Now()
		assert.False(t, l.enter(ended, time.Hour))
		assert.Equal(t, time.Millisecond, time.Since(began))

		// Slots are for those inside.
		require.NoError(t, l.acquire(ctx))
		require.NoError(t, l.acquire(ctx))
		timed, cancel := context.WithTimeoutCause(ctx, time.Second, errDisk)
		defer cancel()
		assert.Equal(t, errDisk, l.acquire(timed))
		l.release()
		assert.Equal(t, errDisk, l.acquire(timed), "not even if there is one")
		require.NoError(t, l.acquire(ctx))
		l.release()
		l.release()
		assert.Empty(t, l.slots)
	})
}

func TestTally(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c tally
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Zero(t, c.wait(ctx))
		c.add()
		c.add()
		assert.Equal(t, 2, c.wait(ctx))
		for range 3 { // any number may wait
			go func() { assert.Zero(t, c.wait(t.Context())) }()
		}
		synctest.Wait()
		c.done()
		assert.Equal(t, 1, c.wait(ctx))
		c.done()
		synctest.Wait()
		// And once more.
		c.add()
		go c.done()
		assert.Zero(t, c.wait(t.Context()))
	})
}

// A burst of short requests is served, although it is more than may wait.
func TestABurstIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, NewServer(registryOf(sleeper("doze", time.Millisecond)), Options{MaxConcurrent: 2})).handshake()
		for i := range 100 {
			c.send(getLine(fmt.Sprint(i), "doze"))
		}
		require.NoError(t, c.end())
		got := c.received()
		assert.Len(t, got, 100)
		assert.NotContains(t, strings.Join(got, "\n"), "busy")
	})
}

// A client that has as many requests in flight as there is room for, and
// sends the next one when it has an answer, is never told that the server is
// busy.
func TestRoomIsFreeWithTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 2
		w := newWire(t)
		var next atomic.Int64
		next.Store(2 * n)
		w.onWrite = func(_ context.Context, msg []byte) error {
			if strings.Contains(string(msg), "hi") {
				if i := next.Add(1); i < 1000 {
					w.in <- []byte(getLine(fmt.Sprint(i), "text"))
				}
			}
			return nil
		}
		c := connectWire(t, NewServer(registryOf(textPrompt("text", "hi")), Options{MaxConcurrent: n}), w).handshake()
		for i := range 2 * n {
			c.send(getLine(fmt.Sprint(i), "text"))
		}
		got := c.received()
		assert.Greater(t, len(got), 900)
		assert.NotContains(t, strings.Join(got, "\n"), "busy")
		assert.NoError(t, c.end())
	})
}
