package memo

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counter returns a function that returns how often it has been called.
func counter() func(context.Context) (int, error) {
	n := 0
	return func(context.Context) (int, error) { n++; return n, nil }
}

func always(int) (int, bool) { return 1, true }

// The values that are kept have no more bytes together than the cache may have:
// the oldest make room, and one that is larger than all of it is not kept.
func TestKeepsBytes(t *testing.T) {
	t.Parallel()
	c := New[string, int](time.Minute, 10, 100)
	get := func(key string, bytes int) {
		_, err := c.Get(t.Context(), key, func(int) (int, bool) { return bytes, true }, counter())
		require.NoError(t, err)
	}
	isKept := func(keys ...string) {
		t.Helper()
		for _, key := range []string{"a", "b", "c", "large"} {
			_, ok := c.Kept(key)
			assert.Equal(t, slices.Contains(keys, key), ok, key)
		}
	}
	get("a", 40)
	get("b", 60)
	isKept("a", "b")
	get("large", 101)
	isKept("a", "b")
	get("c", 41)
	isKept("c")
	get("a", 59)
	isKept("a", "c")
}

func TestKeeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := New[string, int](time.Minute, 2, 100)
		f := counter()
		get := func(key string, keep bool) int {
			v, err := c.Get(t.Context(), key, func(int) (int, bool) { return 1, keep }, f)
			require.NoError(t, err)
			return v
		}
		assert.Equal(t, 1, get("a", true))
		assert.Equal(t, 1, get("a", true))
		assert.Equal(t, 2, get("b", false))
		assert.Equal(t, 3, get("b", true), "it was not to be kept")
		assert.Equal(t, 4, get("c", true))
		assert.Equal(t, 3, get("b", true))
		assert.Equal(t, 5, get("a", true), "the oldest one has made room")
		time.Sleep(time.Minute - 1)
		assert.Equal(t, 5, get("a", true))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, 6, get("a", true))
		v, ok := c.Kept("a")
		assert.True(t, ok)
		assert.Equal(t, 6, v)
		_, ok = c.Kept("b")
		assert.False(t, ok)
		assert.Len(t, c.kept, 1)
		assert.Len(t, c.order, 1)
		assert.Empty(t, c.calls)
	})
	none := New[string, int](0, 2, 100)
	f := counter()
	for want := 1; want <= 2; want++ {
		v, err := none.Get(t.Context(), "a", always, f)
		require.NoError(t, err)
		assert.Equal(t, want, v)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	errDown := errors.New("it is down")
	for want, f := range map[string]func(context.Context) (int, error){
		"it is down":      func(context.Context) (int, error) { return 1, errDown },
		"panic: no\ngoro": func(context.Context) (int, error) { panic("no") },
		"runtime.Goexit":  func(context.Context) (int, error) { runtime.Goexit(); return 1, nil },
	} {
		c := New[string, int](time.Minute, 2, 100)
		for range 2 {
			v, err := c.Get(t.Context(), "a", always, f)
			assert.ErrorContains(t, err, want)
			assert.True(t, v == 0 || strings.Contains(want, "down"))
		}
		assert.Empty(t, c.kept)
	}
	_, err := New[float64, int](time.Minute, 2, 100).Get(t.Context(), math.NaN(), always, counter())
	assert.ErrorIs(t, err, errKey)
}

// One call serves all who wait, as long as one of them does.
func TestWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := New[string, int](time.Minute, 2, 100)
		type value struct{}
		base := context.WithValue(t.Context(), value{}, 1)
		calls, causes := 0, []error{}
		slow := func(ctx context.Context) (int, error) {
			calls++
			assert.Nil(t, ctx.Value(value{}))
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			time.Sleep(time.Second) // it takes its time to end
			return 0, context.Cause(ctx)
		}
		errGone := errors.New("gone")
		var all sync.WaitGroup
		var leave []context.CancelCauseFunc
		wait := func() {
			ctx, cancel := context.WithCancelCause(base)
			leave = append(leave, cancel)
			all.Go(func() {
				_, err := c.Get(ctx, "a", always, slow)
				assert.ErrorIs(t, err, errGone)
			})
			synctest.Wait()
		}
		wait()
		wait()
		leave[0](errGone)
		synctest.Wait()
		assert.Empty(t, causes)
		wait()
		assert.Equal(t, 1, calls)
		leave[1](errGone)
		leave[2](errGone)
		synctest.Wait()
		require.Len(t, causes, 1)
		assert.ErrorIs(t, causes[0], errNobodyWaits)
		wait() // before the first one has returned
		assert.Equal(t, 2, calls)
		time.Sleep(10 * time.Second)
		assert.Len(t, c.calls, 1, "the end of the first call is not the second one's")
		leave[3](errGone)
		begin := time.Now()
		all.Wait()
		assert.Equal(t, time.Second, time.Since(begin), "the last one returns when the function does")
		time.Sleep(time.Minute)
		assert.Empty(t, c.calls)
		assert.Empty(t, c.kept)
	})
}
