package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

type tenantKey struct{}

// What a middleware puts into the context, the author's code finds there.
func TestMiddlewareContext(t *testing.T) {
	t.Parallel()
	tenant := func(ctx context.Context) string { s, _ := ctx.Value(tenantKey{}).(string); return s }
	s := prompts.NewServer(registryOf(
		rendered("whose", func(ctx context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(tenant(ctx))), nil
		}),
		rendered("others", nil),
		completing("c", func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			return []string{tenant(ctx)}, nil
		}),
	), prompts.Options{
		Visible: func(ctx context.Context, p prompts.Prompt) bool { return p.Name != "others" || tenant(ctx) == "root" },
		Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(context.WithValue(ctx, tenantKey{}, r.Client.Name), r)
		}),
	})
	session := newSession(t, s)
	for line, want := range map[string]string{
		getLine("1", "whose"):           textLine("1", "tester"),
		completeLine("1", "c", "a", ""): completionLine("1", `"tester"`, 1, false),
		getLine("1", "others"):          `there is no prompt \"others\"`,
	} {
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
	got, err := handle(t, s, session, plainList)
	require.NoError(t, err)
	assert.NotContains(t, got, "others")
}

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
			false: errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered"),
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
			return []string{errorLine(id, prompts.CodeInternalError, "the request took too long")}
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

// A middleware runs where a render function does: also for a list, and for a
// prompt that there is not, it takes a turn.
func TestMiddlewareTakesATurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Middleware: passing})
		c := connect(t, s).handshake()
		assert.Empty(t, c.ask(getLine("2", "wait")))
		assert.Empty(t, c.ask(plainList), "the list waits")
		assert.Equal(t, []string{pongLine("3")}, c.ask(pingLine("3")))
		assert.Empty(t, c.ask(getLine("4", "none")))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{errorLine("4", prompts.CodeInternalError, busy().Message)}, c.received())
		w.let <- struct{}{}
		got := c.received()
		require.Len(t, got, 2)
		assert.Contains(t, got[1], `"prompts":[{"name":"wait"}]`)
		assert.NoError(t, c.end())
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
		}, "must be one of prompts/get"},
		"no method": {func(ctx context.Context, _ *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(ctx, &prompts.Request{Prompt: "text"})
		}, "must be one of prompts/get"},
		"another method": {func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			r.Method = "prompts/list"
			return next(ctx, r)
		}, "must be one of prompts/get"},
		"a context from elsewhere": {func(_ context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			return next(context.Background(), r)
		}, "not the context"},
		"a context of another server": {func(ctx context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
			return theirs(ctx, r)
		}, "not the context"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(test.call)})
			session := newSession(t, s)
			for range 2 {
				got, err := handle(t, s, session, getLine("1", "text"))
				require.NoError(t, err)
				assert.Equal(t, errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered"), got)
			}
			assert.Equal(t, 2, strings.Count(j.String(), test.log))
		})
	}
}

// One server's middleware may call another server: each has its own.
func TestMiddlewareCallsAnotherServer(t *testing.T) {
	t.Parallel()
	var requests []prompts.Request
	var errs []error
	inner := prompts.NewServer(registryOf(textPrompt("theirs", "from there")), prompts.Options{Middleware: seeing(&requests, &errs)})
	s := prompts.NewServer(registryOf(textPrompt("ours", "from here")), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		if response, err := next(ctx, r); err == nil {
			return response, nil
		}
		raw, err := inner.Call(ctx, r.Method, json.RawMessage(`{"name":"`+r.Prompt+`"}`), prompts.CallOptions{Version: r.Version})
		if err != nil {
			return nil, err
		}
		assert.Contains(t, string(raw), "from there")
		return &prompts.Response{Result: prompts.Messages(prompts.User("relayed"))}, nil
	})})
	session := newSession(t, s)
	for prompt, want := range map[string]string{"ours": textLine("1", "from here"), "theirs": textLine("1", "relayed"), "none": `there is no prompt \"none\"`} {
		got, err := handle(t, s, session, getLine("1", prompt))
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
	assert.Len(t, requests, 2)
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
		getLine("1", "none"):            `there is no prompt \"none\"`,
		completeLine("1", "c", "a", ""): completionLine("1", `"v"`, 1, false),
		plainList:                       `"name":"otherwise"`,
	} {
		got, err := handle(t, s, session, line)
		require.NoError(t, err)
		assert.Contains(t, got, want)
	}
}

// The first result may be the answer after all, and a list that the middleware
// has kept is one like its own.
func TestMiddlewareKeepsWhatNextReturned(t *testing.T) {
	t.Parallel()
	kept := map[string]*prompts.Response{}
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
		key := r.Method + r.Prompt
		response, err := next(ctx, r)
		if kept[key] == nil {
			kept[key] = response
		}
		return kept[key], err
	})})
	session := newSession(t, s)
	for _, line := range []string{plainList, getLine("1", "text"), completeLine("1", "trip", "to", "Ro")} {
		first, err := handle(t, s, session, line)
		require.NoError(t, err)
		for range 2 {
			again, err := handle(t, s, session, line)
			require.NoError(t, err)
			assert.Equal(t, first, again)
		}
		assert.Contains(t, first, `"result"`)
	}
	// A result has the form of the revision that it is sent in, whatever it was
	// made for.
	got, err := handle(t, s, nil, envelopedGet("1", "text"))
	require.NoError(t, err)
	assert.Equal(t, envelopedText("1", "hi"), got)
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
				got, err := handle(t, s, at, line)
				assert.NoError(t, err)
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
			t.Run(fmt.Sprintf("%s/after=%t", name, after), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
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
						plainList:                           "the prompts could not be listed",
						getLine("1", "text"):                "the prompt could not be rendered",
						completeLine("1", "trip", "to", ""): "the argument could not be completed",
					} {
						assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, message)}, c.ask(line))
					}
					assert.Equal(t, []string{pongLine("2")}, c.ask(pingLine("2")))
					assert.NoError(t, c.end())
					assert.Equal(t, 3, strings.Count(j.String(), "level=ERROR"))
					assert.Zero(t, s.Tasks())
					assert.Zero(t, s.Slots())
				})
			})
		}
	}
}

// A panic in what says who the client is, too.
func TestPrincipalPanicsBeforeTheMiddleware(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: passing, Principal: func(context.Context) string { panic("a secret") }})
	got, err := handle(t, s, newSession(t, s), plainList)
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, "the prompts could not be listed"), got)
}

// Several are composed by calling one with what another returns: the outermost
// sees what the inner ones have made of it.
func TestMiddlewareComposition(t *testing.T) {
	t.Parallel()
	var order []string
	named := func(name string) func(prompts.Handler) prompts.Handler {
		return around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			order = append(order, name+" "+r.Prompt)
			r.Prompt += name
			response, err := next(ctx, r)
			order = append(order, fmt.Sprint(name, " ", err))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return response, nil
		})
	}
	s := prompts.NewServer(registryOf(textPrompt("text12", "hi")), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler { return named("1")(named("2")(next)) }})
	session := newSession(t, s)
	got, err := handle(t, s, session, getLine("1", "text"))
	require.NoError(t, err)
	assert.Equal(t, textLine("1", "hi"), got)
	assert.Equal(t, []string{"1 text", "2 text1", "2 <nil>", "1 <nil>"}, order)
	order = nil
	got, err = handle(t, s, session, getLine("1", "none"))
	require.NoError(t, err)
	readOutcome(t, got).fails(t, prompts.CodeInvalidParams, `there is no prompt "none12"`)
	assert.Equal(t, []string{"1 none", "2 none1", `2 there is no prompt "none12" (-32602)`, `1 2: there is no prompt "none12" (-32602)`}, order)
}

// It is called once, when the server is made. One that returns nothing is a
// fault of the options, and it has nothing to call next for yet.
func TestMiddlewareIsMadeOnce(t *testing.T) {
	t.Parallel()
	made := 0
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		made++
		_, err := next(context.Background(), &prompts.Request{Method: "prompts/list"})
		assert.ErrorContains(t, err, "not the context")
		return next
	}})
	for range 3 {
		_, err := handle(t, s, newSession(t, s), plainList)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, made)
	none := func(prompts.Handler) prompts.Handler { return nil }
	err := optionsError(prompts.Options{PageSize: -1, Middleware: none})
	assert.ErrorContains(t, err, "PageSize is negative")
	assert.ErrorContains(t, err, "what Middleware has returned is nil")
}

// What is not well formed is answered before it gets to the middleware.
func TestMiddlewareSeesWhatIsWellFormed(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
		t.Errorf("it was called for %v", r)
		return nil, errDisk
	})})
	session := newSession(t, s)
	for _, request := range []string{
		`"prompts/list","params":{"cursor":7}`,
		`"prompts/list","params":{"Cursor":null}`,
		`"prompts/list","params":[]`,
		`"prompts/get"`,
		`"prompts/get","params":{}`,
		`"prompts/get","params":{"name":7}`,
		`"prompts/get","params":{"name":"text","arguments":[]}`,
		`"prompts/get","params":{"name":"text","Arguments":{}}`,
		`"completion/complete","params":{}`,
		`"completion/complete","params":{"ref":{"type":"ref/resource","uri":"x:y"},"argument":{"name":"a","value":""}}`,
		`"completion/complete","params":{"ref":{"type":"ref/prompt","name":"trip"},"argument":{"name":"a"}}`,
		`"completion/complete","params":{` + completeParamsOf("trip", "to", "") + `,"context":{"arguments":{"from":7}}}`,
	} {
		got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":`+request+`}`)
		require.NoError(t, err)
		assert.Contains(t, got, `"error":{"code":-32602`, request)
	}
	for _, params := range []string{`"inputResponses":[]`, `"requestState":""`, `"requestState":7`} {
		got, err := handle(t, s, nil, envelopedLine("1", "prompts/get", `"name":"text",`+params))
		require.NoError(t, err)
		assert.Contains(t, got, `"error":{"code":-32602`, params)
	}
}

// The message belongs to the caller of Handle: what a middleware keeps is its
// own.
func TestMiddlewareKeepsTheRequest(t *testing.T) {
	t.Parallel()
	var requests []prompts.Request
	var errs []error
	s := prompts.NewServer(traveller(), prompts.Options{Middleware: seeing(&requests, &errs)})
	msg := []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome"},"_meta":{"a":"b"}}}`)
	require.NoError(t, newSession(t, s).Handle(t.Context(), msg, transport.Exchange{Send: func([]byte, prompts.Code, bool) error { return nil }}))
	clear(msg)
	require.Len(t, requests, 1)
	assert.Equal(t, "trip", requests[0].Prompt)
	assert.Equal(t, map[string]string{"to": "Rome"}, requests[0].Arguments)
	assert.Equal(t, `{"a":"b"}`, string(requests[0].Meta))
}

// The log says of a failure what the client has asked for, whatever the
// middleware has made of it, and no value of an argument.
func TestMiddlewareInTheLog(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(traveller(), prompts.Options{Logger: j.logger(), Middleware: around(func(_ context.Context, r *prompts.Request, _ prompts.Handler) (*prompts.Response, error) {
		r.Method, r.Prompt, r.Argument = "changed", "changed", "changed"
		return nil, errDisk
	})})
	session := newSession(t, s)
	for _, line := range []string{plainList, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"trip","arguments":{"to":"Rome"}}}`, completeLine("1", "trip", "to", "Rome")} {
		_, err := handle(t, s, session, line)
		require.NoError(t, err)
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
