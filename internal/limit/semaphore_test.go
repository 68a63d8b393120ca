package limit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errTest = errors.New("test")

// Neither all together nor one key hold more than they may, and nothing is lost.
func TestSemaphore(t *testing.T) {
	t.Parallel()
	s := NewSemaphore(10, 4)
	require.True(t, s.TryAcquire("a", 4))
	assert.False(t, s.TryAcquire("a", 1), "its share is used up")
	require.True(t, s.TryAcquire("b", 3))
	require.True(t, s.TryAcquire("", 3), "no key has no share")
	assert.False(t, s.TryAcquire("c", 1), "everything is used up")
	assert.Equal(t, 10, s.Used())
	assert.Equal(t, 2, s.Keys())
	s.Add("a", 5)
	assert.Equal(t, 15, s.Used())
	s.Release("a", 9)
	s.Release("b", 3)
	s.Release("", 3)
	assert.Zero(t, s.Used())
	assert.Zero(t, s.Keys())
}

// A claim above the size or the share is granted alone.
func TestClaimAboveTheSize(t *testing.T) {
	t.Parallel()
	s := NewSemaphore(10, 4)
	require.True(t, s.TryAcquire("a", 6))
	assert.False(t, s.TryAcquire("a", 1))
	assert.True(t, s.TryAcquire("b", 4))
	s.Release("a", 6)
	s.Release("b", 4)
	require.True(t, s.TryAcquire("a", math.MaxInt64))
	assert.False(t, s.TryAcquire("b", 1))
	s.Release("a", math.MaxInt64)
	assert.Zero(t, s.Used())
}

// Units go to those who wait in order of arrival; one whose own share is used up
// holds up nobody, and one who asks for much is not overtaken for ever.
func TestSemaphoreOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSemaphore(10, 6)
		var got []string
		acquire := func(name, key string, n int64) {
			go func() {
				assert.NoError(t, s.Acquire(t.Context(), key, n, time.Time{}))
				got = append(got, name)
			}()
			synctest.Wait()
		}
		require.True(t, s.TryAcquire("a", 6))
		acquire("a waits for its share", "a", 2)
		acquire("b", "b", 3)
		acquire("c is large", "c", 5)
		acquire("d comes later", "d", 1)
		assert.False(t, s.TryAcquire("d", 1), "c has waited for longer")
		assert.Equal(t, []string{"b"}, got)
		s.Release("b", 3)
		synctest.Wait()
		assert.Equal(t, []string{"b"}, got)
		s.Release("a", 1)
		synctest.Wait()
		assert.Equal(t, []string{"b", "c is large"}, got)
		s.Release("a", 2)
		synctest.Wait()
		assert.Equal(t, []string{"b", "c is large", "a waits for its share"}, got)
		s.Release("c", 5)
		synctest.Wait()
		assert.Equal(t, []string{"b", "c is large", "a waits for its share", "d comes later"}, got)
	})
}

// A wait ends with its context or its time, and leaves nothing behind.
func TestSemaphoreWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewSemaphore(2, 2)
		require.True(t, s.TryAcquire("a", 1))
		began := time.Now()
		next := make(chan error, 1)
		first := make(chan error, 1)
		go func() { first <- s.Acquire(t.Context(), "b", 2, began.Add(time.Minute)) }()
		synctest.Wait()
		go func() { next <- s.Acquire(t.Context(), "c", 1, time.Time{}) }()
		synctest.Wait()
		assert.Empty(t, next)
		assert.Equal(t, ErrBusy, <-first)
		assert.Equal(t, time.Minute, time.Since(began))
		assert.NoError(t, <-next, "who has waited behind it goes on")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errTest)
		defer cancel()
		assert.Equal(t, errTest, s.Acquire(ctx, "b", 1, time.Time{}))
		s.Release("a", 1)
		assert.Equal(t, errTest, s.Acquire(ctx, "b", 1, time.Time{}), "not even if it is free")
		s.Release("c", 1)
		assert.Zero(t, s.Used())
	})
}

// Units that come just when their waiter gives up are for the next one, or free.
func TestGrantComesTooLate(t *testing.T) {
	t.Parallel()
	s := NewSemaphore(1, 1)
	require.True(t, s.TryAcquire("a", 1))
	late, element := s.enqueue("b", 1)
	next, _ := s.enqueue("c", 1)
	s.Release("a", 1)
	assert.Empty(t, next.granted)
	s.dequeue(late, element)
	assert.Len(t, next.granted, 1)
	s.Release("c", 1)
	assert.Zero(t, s.Used())
}

// Units that come just when the context ends are given back.
func TestGrantAtTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	for range 100 { // whether the waiter runs between the two
		synctest.Test(t, func(t *testing.T) {
			s := NewSemaphore(1, 1)
			require.True(t, s.TryAcquire("a", 1))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- s.Acquire(ctx, "b", 1, time.Time{}) }()
			synctest.Wait()
			s.Release("a", 1)
			cancel()
			if <-done == nil {
				s.Release("b", 1)
			}
			assert.Zero(t, s.Used())
		})
	}
}

// Whatever is claimed and in whatever order, no bound is passed, and all waiters
// get their units in the end.
func TestSemaphoreModel(t *testing.T) {
	t.Parallel()
	s := NewSemaphore(100, 40)
	var mu sync.Mutex
	held, all := map[string]int64{}, int64(0)
	var workers sync.WaitGroup
	for i := range 8 {
		random := rand.New(rand.NewPCG(19, uint64(i)))
		workers.Go(func() {
			for range 500 {
				key, n := string(rune('a'+random.IntN(4))), 1+random.Int64N(40)
				if random.IntN(2) == 0 {
					if !s.TryAcquire(key, n) {
						continue
					}
				} else if !assert.NoError(t, s.Acquire(t.Context(), key, n, time.Time{})) {
					return
				}
				mu.Lock()
				held[key] += n
				all += n
				assert.LessOrEqual(t, held[key], int64(40))
				assert.LessOrEqual(t, all, int64(100))
				held[key] -= n
				all -= n
				mu.Unlock()
				s.Release(key, n)
			}
		})
	}
	workers.Wait()
	assert.Zero(t, s.Used())
	assert.Zero(t, s.Keys())
}
