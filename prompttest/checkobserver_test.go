package prompttest

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/observe"
)

// observerFunc is an observer of two functions, each of which may be nil.
type observerFunc struct {
	begin func(ctx context.Context, op observe.Operation) context.Context
	end   func(ctx context.Context, op observe.Operation, out observe.Outcome)
}

func (f observerFunc) Begin(ctx context.Context, op observe.Operation) context.Context {
	if f.begin == nil {
		return ctx
	}
	return f.begin(ctx, op)
}

func (f observerFunc) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	if f.end != nil {
		f.end(ctx, op, out)
	}
}

// TestCheckObserverShowsAll proves that the observer gets operations of all kinds and
// outcomes, each with one Begin and one End.
func TestCheckObserverShowsAll(t *testing.T) {
	t.Parallel()
	type tokenKey struct{}
	var mu sync.Mutex
	open, seen := map[*int]bool{}, map[string]bool{}
	CheckObserver(t, observerFunc{
		func(ctx context.Context, op observe.Operation) context.Context {
			mu.Lock()
			defer mu.Unlock()
			token := new(int)
			open[token], seen[op.Kind.String()] = true, true
			return context.WithValue(ctx, tokenKey{}, token)
		},
		func(ctx context.Context, _ observe.Operation, out observe.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			token, _ := ctx.Value(tokenKey{}).(*int)
			assert.True(t, open[token])
			delete(open, token)
			seen[out.ResultType] = true
			seen["prompt"] = seen["prompt"] || out.Prompt != ""
			seen["code"] = seen["code"] || out.Code != 0
			seen["err"] = seen["err"] || out.Err != nil
			seen["subscribers"] = seen["subscribers"] || out.Subscribers > 0
		},
	})
	assert.Empty(t, open)
	for _, what := range []string{
		"request", "notification", "response", "invalid", "client request", "client notification", "session",
		"complete", "input_required", "prompt", "code", "err", "subscribers",
	} {
		assert.True(t, seen[what], what)
	}
}

// TestCheckObserver proves that faults of an observer are reported.
func TestCheckObserver(t *testing.T) {
	t.Parallel()
	type ctx = context.Context
	type op = observe.Operation
	isSession := func(o op) bool { return o.Kind == observe.KindSession }
	for want, o := range map[string]observerFunc{
		"Begin of a session panics: oops": {begin: func(c ctx, o op) ctx {
			if isSession(o) {
				panic("oops")
			}
			return c
		}},
		"End of a client request panics: oops": {end: func(_ ctx, o op, _ observe.Outcome) {
			if o.Kind == observe.KindClientRequest {
				panic("oops")
			}
		}},
		"Begin of a session ends its goroutine": {begin: func(c ctx, o op) ctx {
			if isSession(o) {
				runtime.Goexit()
			}
			return c
		}},
		"Begin of a request returns nil":                          {begin: func(ctx, op) ctx { return nil }},
		"that Begin of a request returns lacks the values of ctx": {begin: func(ctx, op) ctx { return context.Background() }},
		"that Begin of a request returns does not end with ctx":   {begin: func(c ctx, _ op) ctx { return context.WithoutCancel(c) }},
		"End of a session does not return within 10s": {end: func(_ ctx, o op, _ observe.Outcome) {
			if isSession(o) {
				time.Sleep(time.Hour)
			}
		}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				assert.Contains(t, record(t, func(t testing.TB) { CheckObserver(t, o) }).all(), want)
				time.Sleep(2 * time.Hour) // what blocks returns
			})
		})
	}
}
