package prompts

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// taken returns how many slots are taken, and inside how many tasks there are.
func (l *limiter) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

func (l *limiter) inside() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tasks
}

// occupy takes a slot for nobody.
func (l *limiter) occupy(t *testing.T) {
	t.Helper()
	require.NoError(t, l.acquire(t.Context(), &deadline{}))
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := newLimiter(2)
		enter := func(ctx context.Context, p *patience) bool {
			entered, _ := l.enter(ctx, p, true)
			return entered
		}
		leave := func() { l.give(true, false) }
		for range 4 {
			assert.True(t, enter(ctx, nil))
		}
		assert.False(t, enter(ctx, nil))
		assert.Equal(t, 4, l.inside(), "who is refused does not count")
		assert.Equal(t, 2, l.taken(), "the first two have slots")

		// With patience, it waits for one to leave.
		p, began := newPatience(), time.Now()
		time.AfterFunc(10*time.Millisecond, leave)
		assert.True(t, enter(ctx, p))
		assert.Equal(t, 10*time.Millisecond, time.Since(began))
		// But only for so long in all, and then not at all.
		assert.False(t, enter(ctx, p))
		assert.Equal(t, mostPatience, time.Since(began))
		assert.False(t, enter(ctx, p))
		leave()
		assert.True(t, enter(ctx, p))
		assert.False(t, enter(ctx, p))
		assert.Equal(t, mostPatience, time.Since(began))
		// Until it has come back.
		time.Sleep(patienceGrowth * 2 * time.Millisecond)
		began = time.Now()
		assert.False(t, enter(ctx, p))
		assert.Equal(t, 2*time.Millisecond, time.Since(began))
		// Waiting for short tasks costs nothing.
		p, began = newPatience(), time.Now()
		for range 1000 {
			time.AfterFunc(leastPatience, leave)
			assert.True(t, enter(ctx, p))
		}
		assert.Equal(t, 1000*leastPatience, time.Since(began))
		assert.Equal(t, mostPatience, p.allowance())
		// Nor does anybody wait beyond the end of the context.
		ended, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Millisecond, cancel)
		began = time.Now()
		assert.False(t, enter(ended, p))
		assert.Equal(t, time.Millisecond, time.Since(began))
	})
}

// Room for several is told of once, if they leave before anybody wakes up. All
// who wait for it have it at once.
func TestRoomForSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(2)
		for range 4 {
			require.True(t, l.enterOrNot(nil))
		}
		began := time.Now()
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() { assert.True(t, l.enterOrNot(newPatience())) })
		}
		synctest.Wait()
		l.mu.Lock()
		l.tasks -= 3
		l.tellOfRoom()
		l.mu.Unlock()
		waiting.Wait()
		assert.Zero(t, time.Since(began))
		assert.Equal(t, 4, l.inside())
		assert.Empty(t, l.room, "nobody is told of room that there is not")
	})
}

func (l *limiter) enterOrNot(p *patience) bool {
	entered, _ := l.enter(context.Background(), p, false)
	return entered
}

// A slot goes to the one that has waited longest for it, and to nobody past
// that one.
func TestSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := newLimiter(2)
		require.NoError(t, l.acquire(ctx, &deadline{}))
		require.NoError(t, l.acquire(ctx, &deadline{}))
		began := time.Now()
		assert.Equal(t, errNoTurn, l.acquire(ctx, &deadline{time.Minute}))
		assert.Equal(t, time.Minute, time.Since(began))
		timed, cancel := context.WithTimeoutCause(ctx, time.Second, errDisk)
		defer cancel()
		assert.Equal(t, errDisk, l.acquire(timed, &deadline{}))
		l.give(false, true)
		assert.Equal(t, errDisk, l.acquire(timed, &deadline{}), "not even if there is one")
		require.NoError(t, l.acquire(ctx, &deadline{}))

		var order []int
		for i := range 3 {
			go func() {
				assert.NoError(t, l.acquire(ctx, &deadline{}))
				order = append(order, i)
			}()
			synctest.Wait()
		}
		l.give(false, true)
		entered, slot := l.tryEnter(true)
		assert.True(t, entered)
		assert.False(t, slot, "two wait still")
		for range 2 {
			synctest.Wait()
			l.give(false, true)
		}
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2}, order)
		l.give(true, true)
		entered, slot = l.tryEnter(true)
		assert.True(t, entered)
		assert.True(t, slot)
		l.give(true, true)
		l.give(false, true)
		assert.Zero(t, l.taken())
		assert.Zero(t, l.inside())
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

// One whose context ends just when its turn comes gives the slot back.
func TestTurnComesWithTheEnd(t *testing.T) {
	t.Parallel()
	ended := 0
	for range 200 {
		l := newLimiter(1)
		require.NoError(t, l.acquire(t.Context(), &deadline{}))
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error)
		go func() { got <- l.acquire(ctx, &deadline{}) }()
		time.Sleep(10 * time.Microsecond)
		l.give(false, true)
		cancel()
		if err := <-got; err != nil {
			ended++
			assert.Zero(t, l.taken())
		} else {
			assert.Equal(t, 1, l.taken())
		}
	}
	assert.Positive(t, ended)
}

// Who is refused by the bound for all sessions does not count for its own.
func TestRefusedByTheTotalBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), Options{MaxConcurrent: 2, MaxConcurrentTotal: 1})
		a, b := newSession(t, s), newSession(t, s)
		done := make(chan struct{})
		for i := range 2 {
			go func() {
				_, err := handle(t, s, a, getLine(fmt.Sprint(i), "wait"))
				assert.NoError(t, err)
				done <- struct{}{}
			}()
		}
		synctest.Wait()
		for range 10 {
			got, err := handle(t, s, b, getLine("1", "text"))
			require.NoError(t, err)
			assert.Contains(t, got, "busy")
		}
		for range 2 {
			w.let <- struct{}{}
			<-done
		}
		got, err := handle(t, s, b, getLine("1", "text"))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "hi"), got)
	})
}

// A slot that comes just when its task gives up waiting is for the next one, or
// free.
func TestSlotComesTooLate(t *testing.T) {
	t.Parallel()
	l := newLimiter(1)
	l.occupy(t)
	late, place := l.queue()
	next, _ := l.queue()
	l.give(false, true)
	l.unqueue(late, place)
	assert.Len(t, next, 1)
	l.give(false, true)
	assert.Zero(t, l.taken())

	l.occupy(t)
	late, place = l.queue()
	l.give(false, true)
	l.unqueue(late, place)
	assert.Zero(t, l.taken())
}

// A time that has been used up is not to be taken for none.
func TestDeadlineThatIsUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, d := newLimiter(1), &deadline{time.Second}
		l.occupy(t)
		assert.Equal(t, errNoTurn, l.acquire(t.Context(), d))
		assert.Positive(t, d.left)
		assert.Equal(t, errNoTurn, l.acquire(t.Context(), d))
	})
}
