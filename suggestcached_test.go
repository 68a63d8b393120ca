package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type whoKey struct{}

// source is the function of a SuggestCached, which takes as long as it is told.
type source struct {
	takes time.Duration
	calls atomic.Int32
	ended atomic.Int32 // calls whose context has ended before they were done
	err   error
}

func (s *source) get(ctx context.Context, key string) ([]string, error) {
	n := s.calls.Add(1)
	select {
	case <-time.After(s.takes):
		return []string{fmt.Sprintf("%s %d", key, n)}, s.err
	case <-ctx.Done():
		s.ended.Add(1)
		return nil, context.Cause(ctx)
	}
}

func (s *source) cached(ttl time.Duration) prompts.CompleteFunc {
	return prompts.SuggestCached(ttl, func(_ context.Context, args map[string]string) string { return args["b"] }, s.get)
}

// suggested returns what the function answers for a key.
func suggested(t *testing.T, f prompts.CompleteFunc, key string) string {
	t.Helper()
	values, err := f(t.Context(), "", map[string]string{"b": key})
	assert.NoError(t, err)
	return strings.Join(values, ", ")
}

func TestSuggestCachedKeeps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var s source
		f := s.cached(time.Minute)
		assert.Equal(t, "x 1", suggested(t, f, "x"))
		assert.Equal(t, "y 2", suggested(t, f, "y"))
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, "x 1", suggested(t, f, "x"))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "x 3", suggested(t, f, "x"))
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, "x 3", suggested(t, f, "x"), "its time runs from when it was fetched")
	})
}

// The time runs from when the list is there.
func TestSuggestCachedExpires(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := source{takes: time.Hour}
		f := s.cached(time.Minute)
		assert.Equal(t, "x 1", suggested(t, f, "x"))
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, "x 1", suggested(t, f, "x"))
	})
}

func TestSuggestCachedKeepsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, ttl := range []time.Duration{0, -1} {
			var s source
			f := s.cached(ttl)
			assert.Equal(t, "x 1", suggested(t, f, "x"))
			assert.Equal(t, "x 2", suggested(t, f, "x"))
		}
		var s source
		f := s.cached(time.Minute)
		long := strings.Repeat("x", maxCachedKey)
		assert.Equal(t, long+" 1", suggested(t, f, long))
		assert.Equal(t, long+" 1", suggested(t, f, long))
		assert.Equal(t, long+"x 2", suggested(t, f, long+"x"))
		assert.Equal(t, long+"x 3", suggested(t, f, long+"x"), "a key that is too long")
	})
}

// The oldest lists make room for new ones.
func TestSuggestCachedIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var s source
		f := s.cached(time.Minute)
		for i := range maxCached {
			suggested(t, f, fmt.Sprint(i))
		}
		assert.Equal(t, "0 1", suggested(t, f, "0"))
		suggested(t, f, "one more")
		assert.Equal(t, "1 2", suggested(t, f, "1"))
		assert.NotEqual(t, "0 1", suggested(t, f, "0"))
		assert.EqualValues(t, maxCached+2, s.calls.Load())
	})
}

func TestSuggestCachedKeepsNoErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := source{err: errors.New("down")}
		f := s.cached(time.Minute)
		_, err := f(t.Context(), "", nil)
		assert.EqualError(t, err, "down")
		s.err = nil
		assert.Equal(t, " 2", suggested(t, f, ""))
	})
}

// CMP-11: what the function returns can depend on nothing but the key.
func TestSuggestCachedSeesTheKeyAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := prompts.SuggestCached(time.Minute, func(ctx context.Context, _ map[string]string) string {
			return ctx.Value(whoKey{}).(string)
		}, func(ctx context.Context, who string) ([]string, error) {
			return []string{fmt.Sprint(who, ctx.Value(whoKey{}))}, nil
		})
		for _, who := range []string{"Ann", "Bob", "Ann"} {
			values, err := f(context.WithValue(t.Context(), whoKey{}, who), "", nil)
			require.NoError(t, err)
			assert.Equal(t, []string{who + "<nil>"}, values)
		}
	})
}

// Requests for one key share a call, even if only one of them is left.
func TestSuggestCachedIsCalledOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := source{takes: time.Minute}
		f := s.cached(0)
		first, leave := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		left, stayed := make(chan error, 1), make(chan string, 2)
		go func() {
			_, err := f(first, "", map[string]string{"b": "x"})
			left <- err
		}()
		synctest.Wait()
		for range 2 {
			go func() { stayed <- suggested(t, f, "x") }()
		}
		go suggested(t, f, "y")
		time.Sleep(time.Second)
		leave(gone)
		synctest.Wait()
		assert.Equal(t, gone, <-left)
		assert.Equal(t, "x 1", <-stayed)
		assert.Equal(t, "x 1", <-stayed)
		synctest.Wait()
		assert.EqualValues(t, 2, s.calls.Load(), "x and y")
		assert.Zero(t, s.ended.Load())
	})
}

// A call for which nobody waits any more ends, and counts no more.
func TestSuggestCachedIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := source{takes: time.Minute}
		f := s.cached(time.Hour)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := f(ctx, "", nil)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
		}
		synctest.Wait()
		assert.EqualValues(t, 2, s.ended.Load())
		assert.Equal(t, " 3", suggested(t, f, ""))
	})
}

// One that does not heed its context holds up nobody, and what it returns at
// last replaces nothing.
func TestSuggestCachedIsDeaf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var calls atomic.Int32
		f := prompts.SuggestCached(time.Hour, noKey, func(context.Context, string) ([]string, error) {
			if calls.Add(1) == 1 {
				time.Sleep(time.Minute)
				return []string{"late"}, nil
			}
			return []string{"fresh"}, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := f(ctx, "", nil)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, "fresh", suggested(t, f, ""))
		time.Sleep(time.Hour / 2)
		assert.Equal(t, "fresh", suggested(t, f, ""))
	})
}

// However a call ends, those who wait get an answer, and the next call is free.
func TestSuggestCachedFails(t *testing.T) {
	for name, test := range map[string]struct {
		fail func()
		want string
	}{
		"a panic":                  {func() { panic("oops") }, "panic: oops\n"},
		"the end of the goroutine": {runtime.Goexit, "runtime.Goexit"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var calls atomic.Int32
				f := prompts.SuggestCached(time.Hour, noKey, func(context.Context, string) ([]string, error) {
					if calls.Add(1) == 1 {
						test.fail()
					}
					return []string{"x"}, nil
				})
				_, err := f(t.Context(), "", nil)
				assert.ErrorContains(t, err, test.want)
				assert.Equal(t, "x", suggested(t, f, ""))
			})
		})
	}
}

// A key that is not equal to itself would fill the memory.
func TestSuggestCachedOfNoKey(t *testing.T) {
	t.Parallel()
	f := prompts.SuggestCached(time.Hour, func(context.Context, map[string]string) float64 { return math.NaN() },
		func(context.Context, float64) ([]string, error) { return nil, nil })
	_, err := f(t.Context(), "", nil)
	assert.ErrorContains(t, err, "does not equal itself")
}

// CMP-10: the time limit of a request is that of its wait.
func TestSuggestCachedHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := source{takes: time.Hour}
		server := prompts.NewServer(registryOf(completing("p", s.cached(time.Hour))), prompts.Options{})
		c := connect(t, server).handshake()
		assert.Empty(t, c.ask(completeLine("1", "p", "a", "")))
		time.Sleep(defaultRenderTimeout)
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, "the request took too long")}, c.received())
		assert.EqualValues(t, 1, s.ended.Load())
		require.NoError(t, c.end())
		assertNoTrace(t, server)
	})
}
