package limit

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestCounter(t *testing.T) {
	t.Parallel()
	var q Counter
	assert.True(t, q.TryAdd(2))
	assert.True(t, q.TryAdd(2))
	for range 3 {
		assert.False(t, q.TryAdd(2), "and leaves nothing behind")
	}
	q.Done()
	assert.True(t, q.TryAdd(2))
	assert.False(t, q.TryAdd(2))
	q.Done()
	q.Done()
	assert.Zero(t, q.n.Load())
	assert.True(t, q.TryAdd(int(^uint(0)>>1)))
}

func TestCounterInParallel(t *testing.T) {
	t.Parallel()
	const most = 3
	var q Counter
	var inside, entered atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				if q.TryAdd(most) {
					entered.Add(1)
					assert.LessOrEqual(t, inside.Add(1), int64(most))
					inside.Add(-1)
					q.Done()
				}
			}
		})
	}
	wg.Wait()
	assert.NotZero(t, entered.Load())
	assert.Zero(t, q.n.Load())
}

func TestWaitGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Zero(t, c.Wait(ctx))
		c.Add()
		c.Add()
		assert.Equal(t, 2, c.Wait(ctx))
		for range 3 { // any number may wait
			go func() { assert.Zero(t, c.Wait(t.Context())) }()
		}
		synctest.Wait()
		c.Done()
		assert.Equal(t, 1, c.Wait(ctx))
		c.Done()
		synctest.Wait()
		// And once more.
		c.Add()
		go c.Done()
		assert.Zero(t, c.Wait(t.Context()))
	})
}
