package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// What a hasty middleware may do without breaking anything.

// outcomeOf is what a Handler has returned.
type outcomeOf struct {
	response *prompts.Response
	err      error
}

// atOnce calls next n times, each on a goroutine of its own, and returns all the
// outcomes.
func atOnce(ctx context.Context, n int, r *prompts.Request, next prompts.Handler) []outcomeOf {
	all := make([]outcomeOf, n)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i].response, all[i].err = next(ctx, r) })
	}
	wg.Wait()
	return all
}

// A panic on a goroutine of the middleware's is one in the request: nothing
// crashes, and the author gets to know where it was.
func TestNextPanicsOnAnotherGoroutine(t *testing.T) {
	t.Parallel()
	panics := func(context.Context, string, map[string]string) ([]string, error) { panic("a secret") }
	for line, message := range map[string]string{
		plainList:                            "the prompts could not be listed",
		getLine("1", "panics"):               "the prompt could not be rendered",
		completeLine("1", "panics", "a", ""): "the argument could not be completed",
	} {
		for text, wrap := range map[string]func(error) error{
			"panic: a secret":                func(err error) error { return err },
			"of the tenant: panic: a secret": func(err error) error { return fmt.Errorf("of the tenant: %w", err) },
		} {
			var j journal
			p := completing("panics", panics)
			p.Render = func(context.Context, map[string]string) (*prompts.Result, error) { panic("a secret") }
			s := prompts.NewServer(registryOf(p), prompts.Options{
				Logger: j.logger(),
				Visible: func(context.Context, prompts.Prompt) bool {
					if line == plainList {
						panic("a secret")
					}
					return true
				},
				Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					o := atOnce(ctx, 1, r, next)[0]
					assert.Nil(t, o.response)
					assert.ErrorContains(t, o.err, "a secret", "the middleware is the author's")
					var e *prompts.Error
					if assert.ErrorAs(t, o.err, &e) {
						assert.Equal(t, &prompts.Error{Code: prompts.CodeInternalError, Message: message}, e)
					}
					return nil, wrap(o.err)
				}),
			})
			got, err := handle(t, s, newSession(t, s), line)
			require.NoError(t, err)
			assert.Equal(t, errorLine("1", prompts.CodeInternalError, message), got, text)
			assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"), text)
			assert.Contains(t, j.String(), `error="`+text+`"`)
			assert.Contains(t, j.String(), "TestNextPanicsOnAnotherGoroutine", "%s: the stack is that of the panic", text)
		}
	}
}

// Calls of next at the same time know nothing of each other.
func TestNextAtOnce(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(traveller(), prompts.Options{Visible: exceptHidden, PageSize: 2, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		all := atOnce(ctx, 4, r, next)
		for _, o := range all[1:] {
			assert.Equal(t, all[0].response, o.response)
			if all[0].err != nil && assert.Error(t, o.err) {
				assert.Equal(t, all[0].err.Error(), o.err.Error())
			}
		}
		return all[2].response, all[2].err
	})})
	plain := prompts.NewServer(traveller(), prompts.Options{Visible: exceptHidden, PageSize: 2})
	for _, line := range []string{
		plainList, getLine("1", "text"), getLine("1", "trip"), getLine("1", "faulty"), getLine("1", "refusing"),
		completeLine("1", "trip", "to", "Ro"), completeLine("1", "trip", "x", ""),
	} {
		got, err := handle(t, s, newSession(t, s), line)
		require.NoError(t, err)
		want, err := handle(t, plain, newSession(t, plain), line)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// One that takes the first of several answers does not wait for the others, and
// their contexts end with the request.
func TestNextGoesOnAfterTheMiddleware(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			slow := *r
			slow.Prompt = "wait"
			go func() { _, _ = next(ctx, &slow) }()
			time.Sleep(time.Second) // on the clock of the bubble
			return next(ctx, r)
		})})
		c := connect(t, s).handshake()
		c.send(getLine("1", "text"))
		time.Sleep(time.Second)
		assert.Equal(t, []string{textLine("1", "hi")}, c.received())
		assert.ErrorIs(t, <-w.causes, prompts.ErrAnswered)
		assert.NoError(t, c.end())
		assert.Zero(t, s.Tasks())
	})
}

// What is over is not gone on with: nothing is looked up or rendered.
func TestNextAfterTheRequest(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		var runs, looks int
		var late func() (*prompts.Response, error)
		s := prompts.NewServer(registryOf(
			rendered("p", func(context.Context) (*prompts.Result, error) { runs++; return prompts.Messages(), nil }),
			completing("c", func(context.Context, string, map[string]string) ([]string, error) { runs++; return nil, nil }),
		), prompts.Options{
			Visible: func(context.Context, prompts.Prompt) bool { looks++; return true },
			Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				late = func() (*prompts.Response, error) { return next(context.WithoutCancel(ctx), r) }
				if fails {
					return nil, errDisk
				}
				return next(ctx, r)
			}),
		})
		for _, line := range []string{plainList, getLine("1", "p"), completeLine("1", "c", "a", "")} {
			_, err := handle(t, s, newSession(t, s), line)
			require.NoError(t, err)
			before := [2]int{runs, looks}
			response, err := late()
			assert.Nil(t, response)
			assert.EqualError(t, err, "the request is over")
			assert.Equal(t, before, [2]int{runs, looks})
		}
	}
}

// As singleflight has it: several requests get the one error that next has
// returned for the first of them. Each has its own answer and its own line in
// the log.
func TestRequestsShareAnErrorOfNext(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"refusing", "faulty", "trip", "none"} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			var j journal
			var once sync.Once
			var shared error
			var n atomic.Int32
			var here sync.WaitGroup
			here.Add(8)
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				once.Do(func() { _, shared = next(ctx, r) })
				err := fmt.Errorf("request %d: %w", n.Add(1), shared)
				here.Done()
				here.Wait() // all of them go on at once
				return nil, err
			})})
			plain := prompts.NewServer(traveller(), prompts.Options{})
			session, other := newSession(t, s), newSession(t, plain)
			want, err := handle(t, plain, other, getLine("1", prompt))
			require.NoError(t, err)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					got, err := handle(t, s, session, getLine(fmt.Sprint(100+i), prompt))
					assert.NoError(t, err)
					assert.Equal(t, strings.Replace(want, `"id":1,`, fmt.Sprintf(`"id":%d,`, 100+i), 1), got)
				})
			}
			wg.Wait()
			for i := range 8 {
				assert.Equal(t, 1, strings.Count(j.String(), fmt.Sprintf("request %d: ", i+1)))
			}
		})
	}
}

// What one request wraps around the error is not in the log of another.
func TestSharedErrorIsNotChanged(t *testing.T) {
	t.Parallel()
	var j journal
	var shared error
	s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if shared == nil {
			_, shared = next(ctx, r)
			return nil, fmt.Errorf("of the first: %w", shared)
		}
		return nil, shared
	})})
	session := newSession(t, s)
	first, err := handle(t, s, session, getLine("1", "trip"))
	require.NoError(t, err)
	before := j.String()
	assert.Contains(t, before, "of the first")
	second, err := handle(t, s, session, getLine("1", "trip"))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.Equal(t, before, j.String())
}
