package limit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errTest = errors.New("test")

// taken returns how many slots are taken, and inside how many tasks there are.
func (l *Semaphore) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

func (l *Semaphore) inside() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests
}

// occupy takes a slot for nobody.
func (l *Semaphore) occupy(t *testing.T) {
	t.Helper()
	require.NoError(t, l.Acquire(t.Context(), &deadline{}))
}

func TestSemaphore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := NewSemaphore(2)
		enter := func(ctx context.Context, p *Backpressure) bool {
			entered, _ := l.Admit(ctx, p, true)
			return entered
		}
		leave := func() { l.Release(true, false) }
		for range 4 {
			assert.True(t, enter(ctx, nil))
		}
		assert.False(t, enter(ctx, nil))
		assert.Equal(t, 4, l.inside(), "who is refused does not count")
		assert.Equal(t, 2, l.taken(), "the first two have slots")

		// With patience, it waits for one to leave.
		p, began := NewBackpressure(), time.Now()
		time.AfterFunc(10*time.Millisecond, leave)
		assert.True(t, enter(ctx, p))
		assert.Equal(t, 10*time.Millisecond, time.Since(began))
		// But only for so long in all, and then not at all.
		assert.False(t, enter(ctx, p))
		assert.Equal(t, maxBackpressure, time.Since(began))
		assert.False(t, enter(ctx, p))
		leave()
		assert.True(t, enter(ctx, p))
		assert.False(t, enter(ctx, p))
		assert.Equal(t, maxBackpressure, time.Since(began))
		// Until it has come back.
		time.Sleep(recoveryFactor * 2 * time.Millisecond)
		began = time.Now()
		assert.False(t, enter(ctx, p))
		assert.Equal(t, 2*time.Millisecond, time.Since(began))
		// Waiting for short tasks costs nothing.
		p, began = NewBackpressure(), time.Now()
		for range 1000 {
			time.AfterFunc(minBackpressure, leave)
			assert.True(t, enter(ctx, p))
		}
		assert.Equal(t, 1000*minBackpressure, time.Since(began))
		assert.Equal(t, maxBackpressure, p.Budget())
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
func TestSemaphoreSignalsSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := NewSemaphore(2)
		for range 4 {
			require.True(t, l.enterOrNot(nil))
		}
		began := time.Now()
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() { assert.True(t, l.enterOrNot(NewBackpressure())) })
		}
		synctest.Wait()
		l.mu.Lock()
		l.requests -= 3
		l.signalNotFull()
		l.mu.Unlock()
		waiting.Wait()
		assert.Zero(t, time.Since(began))
		assert.Equal(t, 4, l.inside())
		assert.Empty(t, l.notFull, "nobody is told of room that there is not")
	})
}

func (l *Semaphore) enterOrNot(p *Backpressure) bool {
	entered, _ := l.Admit(context.Background(), p, false)
	return entered
}

// A slot goes to the one that has waited longest for it, and to nobody past
// that one.
func TestSemaphoreIsFIFO(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := NewSemaphore(2)
		require.NoError(t, l.Acquire(ctx, &deadline{}))
		require.NoError(t, l.Acquire(ctx, &deadline{}))
		began := time.Now()
		assert.Equal(t, ErrBusy, l.Acquire(ctx, &deadline{time.Minute}))
		assert.Equal(t, time.Minute, time.Since(began))
		timed, cancel := context.WithTimeoutCause(ctx, time.Second, errTest)
		defer cancel()
		assert.Equal(t, errTest, l.Acquire(timed, &deadline{}))
		l.Release(false, true)
		assert.Equal(t, errTest, l.Acquire(timed, &deadline{}), "not even if there is one")
		require.NoError(t, l.Acquire(ctx, &deadline{}))

		var order []int
		for i := range 3 {
			go func() {
				assert.NoError(t, l.Acquire(ctx, &deadline{}))
				order = append(order, i)
			}()
			synctest.Wait()
		}
		l.Release(false, true)
		entered, slot := l.tryAdmit(true)
		assert.True(t, entered)
		assert.False(t, slot, "two wait still")
		for range 2 {
			synctest.Wait()
			l.Release(false, true)
		}
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2}, order)
		l.Release(true, true)
		entered, slot = l.tryAdmit(true)
		assert.True(t, entered)
		assert.True(t, slot)
		l.Release(true, true)
		l.Release(false, true)
		assert.Zero(t, l.taken())
		assert.Zero(t, l.inside())
	})
}

// One whose context ends just when its turn comes gives the slot back.
func TestSlotComesWithTheEnd(t *testing.T) {
	t.Parallel()
	ended := 0
	for range 200 {
		l := NewSemaphore(1)
		require.NoError(t, l.Acquire(t.Context(), &deadline{}))
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error)
		go func() { got <- l.Acquire(ctx, &deadline{}) }()
		time.Sleep(10 * time.Microsecond)
		l.Release(false, true)
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

// A slot that comes just when its task gives up waiting is for the next one, or
// free.
func TestSlotComesTooLate(t *testing.T) {
	t.Parallel()
	l := NewSemaphore(1)
	l.occupy(t)
	late, element := l.enqueue()
	next, _ := l.enqueue()
	l.Release(false, true)
	l.dequeue(late, element)
	assert.Len(t, next, 1)
	l.Release(false, true)
	assert.Zero(t, l.taken())

	l.occupy(t)
	late, element = l.enqueue()
	l.Release(false, true)
	l.dequeue(late, element)
	assert.Zero(t, l.taken())
}

// A time that has been used up is not to be taken for none.
func TestDeadlineThatIsUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, d := NewSemaphore(1), &deadline{time.Second}
		l.occupy(t)
		assert.Equal(t, ErrBusy, l.Acquire(t.Context(), d))
		assert.Positive(t, d.left)
		assert.Equal(t, ErrBusy, l.Acquire(t.Context(), d))
	})
}
