package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// A deadline of the middleware's is one for the author's code. Once it has
// passed, the request has not ended: the middleware may do something else.
func TestMiddlewareDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		var j journal
		hasty := func(fallback bool) *prompts.Server {
			return prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				response, err := next(short, r)
				if fallback && errors.Is(err, context.DeadlineExceeded) {
					assert.NoError(t, ctx.Err())
					return &prompts.Response{Result: prompts.Messages(prompts.User("later"))}, nil
				}
				return response, err
			})})
		}
		for fallback, want := range map[bool]string{
			true:  textLine("1", "later"),
			false: errorLine("1", prompts.CodeInternalError, renderFailed),
		} {
			c := connect(t, hasty(fallback)).handshake()
			assert.Empty(t, c.ask(getLine("1", "wait")))
			time.Sleep(time.Second)
			assert.Equal(t, []string{want}, c.received())
			<-w.causes
			assert.NoError(t, c.end())
		}
		assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
	})
}

// The time limit is that of the middleware and what it calls together, and so
// is the end of the request.
func TestMiddlewareAndTheEndOfItsRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		causes := make(chan error, 1)
		s := prompts.NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{Timeouts: prompts.Timeouts{Render: 2 * time.Second}, Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			if r.Prompt == "text" { // it does not wait for the middleware to look at its context
				time.Sleep(time.Minute)
			}
			response, err := next(ctx, r)
			if r.Prompt == "wait" {
				causes <- context.Cause(ctx)
			}
			return response, err
		})})
		c := connect(t, s).handshake()
		tooLong := func(id string) []string {
			return []string{errorLine(id, prompts.CodeInternalError, requestTimeout)}
		}
		c.ask(getLine("1", "wait"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, tooLong("1"), c.received())
		assert.ErrorIs(t, <-causes, prompts.ErrTimeLimit)
		<-w.causes
		c.ask(getLine("2", "text"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, tooLong("2"), c.received())
		assert.Empty(t, c.ask(getLine("3", "wait")))
		assert.Empty(t, c.ask(cancelLine("3")))
		assert.ErrorIs(t, <-causes, prompts.ErrCancelled)
		<-w.causes
		time.Sleep(time.Hour)
		assert.Empty(t, c.received(), "what comes too late")
		assert.NoError(t, c.end())
		assert.Zero(t, s.Tasks())
	})
}

// Whatever a middleware calls next with, the request is one of the method that
// has come, in the context that it has come in. The client does not get to know
// of what is not, and may go on.
func TestMiddlewareCallsNextAmiss(t *testing.T) {
	t.Parallel()
	var theirs prompts.Handler
	prompts.NewServer(traveller(), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler { theirs = next; return next }})
	for name, test := range map[string]struct {
		call func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error)
		log  string
	}{
		"a nil request": {func(ctx context.Context, _ *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(ctx, nil)
		}, "the request must keep the method prompts/get"},
		"no method": {func(ctx context.Context, _ *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(ctx, &prompts.Request{Prompt: "text"})
		}, "the request must keep the method prompts/get"},
		"another method": {func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			r.Method = "prompts/list"
			return next(ctx, r)
		}, "the request must keep the method prompts/get"},
		"a context from elsewhere": {func(_ context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(context.Background(), r)
		}, "ctx does not come from"},
		"a context of another server": {func(ctx context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
			return theirs(ctx, r)
		}, "ctx does not come from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(test.call)})
			session := newSession(t, s)
			for range 2 {
				got := answerTo(t, s, session, getLine("1", "text"))
				assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
			}
			assert.Equal(t, 2, strings.Count(j.String(), test.log))
		})
	}
}

// A middleware may call next again, with the same request or with another one.
func TestMiddlewareCallsNextAgain(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	s := prompts.NewServer(registryOf(
		rendered("flaky", func(context.Context) (*prompts.Result, error) {
			if runs.Add(1)%2 == 1 {
				return nil, errDisk
			}
			return prompts.Messages(prompts.User("at last")), nil
		}),
		rendered("never", func(context.Context) (*prompts.Result, error) { return nil, errDisk }),
		textPrompt("otherwise", "otherwise"),
		completing("c", func(context.Context, string, map[string]string) ([]string, error) {
			if runs.Add(1)%2 == 1 {
				return nil, errDisk
			}
			return []string{"v"}, nil
		}),
	), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		response, err := next(ctx, r)
		switch {
		case r.Method == "prompts/list":
			return next(ctx, r)
		case err == nil:
			return response, nil
		case r.Prompt == "never":
			r.Prompt = "otherwise"
		}
		return next(ctx, r)
	})})
	session := newSession(t, s)
	for line, want := range map[string]string{
		getLine("1", "flaky"):           textLine("1", "at last"),
		getLine("1", "never"):           textLine("1", "otherwise"),
		getLine("1", "none"):            `unknown prompt \"none\"`,
		completeLine("1", "c", "a", ""): completionLine("1", `"v"`, 1, false),
		plainList:                       `"name":"otherwise"`,
	} {
		got := answerTo(t, s, session, line)
		assert.Contains(t, got, want)
	}
}

// One response may be that of several requests at a time.
func TestMiddlewareSharesAResponse(t *testing.T) {
	t.Parallel()
	shared := map[string]*prompts.Response{
		"prompts/get":         {Result: prompts.Messages(prompts.User("shared"))},
		"completion/complete": {Values: []string{"shared"}},
	}
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
		return shared[r.Method], nil
	})})
	session := newSession(t, s)
	answers := make(chan string)
	for i := range 8 {
		for method, params := range map[string]string{"prompts/get": `"name":"x"`, "completion/complete": completeParamsOf("x", "y", "")} {
			go func() {
				at, line := session, `{"jsonrpc":"2.0","id":"`+method+fmt.Sprint(i)+`","method":"`+method+`","params":{`+params+`}}`
				if i%2 == 1 {
					at, line = nil, envelopedLine("1", method, params)
				}
				got := answerTo(t, s, at, line)
				answers <- got
			}()
		}
	}
	for range 2 * 8 {
		assert.Contains(t, <-answers, "shared")
	}
}

// A panic in the middleware, before next or after it, is like one in a render
// function; and so is the end of its goroutine.
func TestMiddlewarePanics(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("in the middleware") }, "goexit": runtime.Goexit} {
		for _, after := range []bool{false, true} {
			inBubble(t, fmt.Sprintf("%s/after=%t", name, after), func(t *testing.T) {
				var j journal
				s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					if after {
						_, _ = next(ctx, r)
					}
					end()
					return nil, nil
				})})
				c := connect(t, s).handshake()
				for line, message := range map[string]string{
					plainList:                           listFailed,
					getLine("1", "text"):                renderFailed,
					completeLine("1", "trip", "to", ""): completeFailed,
				} {
					assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, message)}, c.ask(line))
				}
				assert.Equal(t, []string{pongLine("2")}, c.ask(pingLine("2")))
				assert.NoError(t, c.end())
				assert.Equal(t, 3, strings.Count(j.String(), "level=ERROR"))
				assert.Zero(t, s.Tasks())
				assert.Zero(t, s.Slots())
			})
		}
	}
}

// A panic in what says who the client is, too.
func TestPrincipalPanicsBeforeTheMiddleware(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: passing, Principal: func(context.Context) string { panic("a secret") }})
	got := answerTo(t, s, newSession(t, s), plainList)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, listFailed), got)
}

// It is called once, when the server is made. One that returns nothing is a
// fault of the options, and it has nothing to call next for yet.
func TestMiddlewareIsMadeOnce(t *testing.T) {
	t.Parallel()
	made := 0
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		made++
		_, err := next(context.Background(), &prompts.Request{Method: "prompts/list"})
		assert.ErrorContains(t, err, "ctx does not come from")
		return next
	}})
	for range 3 {
		answerTo(t, s, newSession(t, s), plainList)
	}
	assert.Equal(t, 1, made)
	none := func(prompts.Handler) prompts.Handler { return nil }
	err := optionsError(prompts.Options{PageSize: -1, Middleware: none})
	assert.ErrorContains(t, err, "PageSize is negative")
	assert.ErrorContains(t, err, "Middleware returned nil")
}

// The error of a middleware is a secret, for which each method has its own word. The log
// has it, and says what the client has asked for, whatever the middleware has made of
// that, and no value of an argument.
func TestMiddlewareSecrets(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
		r.Method, r.Prompt, r.Argument = "changed", "changed", "changed"
		return nil, errDisk
	})})
	session := newSession(t, s)
	for line, message := range map[string]string{
		plainList: listFailed,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome"}}}`: renderFailed,
		completeLine("1", "trip", "to", "Rome"): completeFailed,
	} {
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, message), answerTo(t, s, session, line))
	}
	for _, want := range []string{
		"request.method=prompts/list error", "request.method=prompts/get request.prompt=trip error",
		"request.method=completion/complete request.prompt=trip request.argument=to error",
	} {
		assert.Contains(t, j.String(), want)
	}
	assert.NotContains(t, j.String(), "Rome")
	assert.NotContains(t, j.String(), "changed")
}

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
		plainList:                            listFailed,
		getLine("1", "panics"):               renderFailed,
		completeLine("1", "panics", "a", ""): completeFailed,
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
						assert.Equal(t, &prompts.Error{Code: prompts.CodeInternalError, Message: message}, neutralError(e))
					}
					return nil, wrap(o.err)
				}),
			})
			got := answerTo(t, s, newSession(t, s), line)
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
		got := answerTo(t, s, newSession(t, s), line)
		want := answerTo(t, plain, newSession(t, plain), line)
		assert.Equal(t, want, got)
	}
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
			answerTo(t, s, newSession(t, s), line)
			before := [2]int{runs, looks}
			response, err := late()
			assert.Nil(t, response)
			assert.EqualError(t, err, "next: request is already answered")
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
			want := answerTo(t, plain, other, getLine("1", prompt))
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					got := answerTo(t, s, session, getLine(fmt.Sprint(100+i), prompt))
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
