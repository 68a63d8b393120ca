package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
)

// secretive is an error whose methods are worse than its text.
type secretive struct{ do func() }

func (s secretive) Error() string { s.do(); return secretError }

// Whatever a render function does to its goroutine, its client gets one answer
// with no secret in it, the author finds out, and the next request of any
// client is answered.
func TestEveryEndOfARender(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		render func(ctx context.Context) (*prompts.Result, error)
		log    string
	}{
		"panics with an error": {func(context.Context) (*prompts.Result, error) { panic(errors.New(secretPanic)) }, "panic: " + secretPanic},
		"panics with nil":      {func(context.Context) (*prompts.Result, error) { panic(error(nil)) }, "panic called with nil"},
		"panics by the runtime": {func(context.Context) (*prompts.Result, error) {
			var r *prompts.Result
			return &prompts.Result{Meta: r.Meta}, nil
		}, "nil pointer"},
		"panics with what panics": {func(context.Context) (*prompts.Result, error) { panic(secretive{func() { panic("x") }}) }, "PANIC=Error method: x"},
		"panics with what it is":  {func(context.Context) (*prompts.Result, error) { panic(map[string]any{"x": secretPanic}) }, secretPanic},
		"panics while it panics":  {func(context.Context) (*prompts.Result, error) { defer panic(secretPanic); panic("first") }, secretPanic},
		"panics while it exits": {func(context.Context) (*prompts.Result, error) {
			defer panic(secretPanic)
			runtime.Goexit()
			return nil, nil
		}, "level=ERROR"},
		"exits while it panics": {func(context.Context) (*prompts.Result, error) { defer runtime.Goexit(); panic(secretPanic) }, "Goexit"},
		"fails":                 {func(context.Context) (*prompts.Result, error) { return nil, errors.New(secretError) }, secretError},
		"fails with a result": {func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(secretPanic)), errors.New(secretError)
		}, secretError},
		"fails with what panics": {func(context.Context) (*prompts.Result, error) { return nil, secretive{func() { panic("x") }} }, ""},
		"fails with what exits":  {func(context.Context) (*prompts.Result, error) { return nil, secretive{runtime.Goexit} }, ""},
		"fails with many": {func(context.Context) (*prompts.Result, error) {
			return nil, errors.Join(errors.New(secretError), io.EOF)
		}, secretError},
		"returns nothing": {func(context.Context) (*prompts.Result, error) { return nil, nil }, "level=ERROR"},
		"returns what is no text": {func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("\xff" + secretError)), nil
		}, "UTF-8"},
		"returns data that panics": {func(context.Context) (*prompts.Result, error) {
			return &prompts.Result{Meta: prompts.Meta{"x": data(func() { panic(secretPanic) })}}, nil
		}, secretPanic},
		"claims to be cancelled": {func(context.Context) (*prompts.Result, error) { return nil, context.Canceled }, "context canceled"},
		"claims to be late":      {func(context.Context) (*prompts.Result, error) { return nil, context.DeadlineExceeded }, "deadline exceeded"},
		"ignores its context":    {func(context.Context) (*prompts.Result, error) { time.Sleep(time.Hour); panic(secretPanic) }, "time limit"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var j journal
				s := prompts.NewServer(registryOf(rendered("bad", test.render), textPrompt("text", "hi")), prompts.Options{Logger: j.logger(), Limits: prompts.Limits{MaxConcurrent: 2}})
				other, c := connect(t, s).handshake(), connect(t, s).handshake()
				c.send(getLine("1", "bad"), envelopedGet("2", "bad"))
				time.Sleep(defaultRenderTimeout)
				got := c.received()
				require.Len(t, got, 2)
				for _, msg := range got {
					var m struct{ Error struct{ Code prompts.Code } }
					require.NoError(t, json.Unmarshal([]byte(msg), &m))
					assert.Equal(t, prompts.CodeInternalError, m.Error.Code, msg)
					assert.NotContains(t, msg, "secret")
				}
				assert.Contains(t, j.String(), test.log)
				assert.Equal(t, []string{textLine("3", "hi")}, other.ask(getLine("3", "text")))
				time.Sleep(time.Hour)
				assert.Equal(t, []string{textLine("4", "hi")}, c.ask(getLine("4", "text")))
				assert.NoError(t, c.end())
				assert.NoError(t, other.end())
				assertNoTrace(t, s)
			})
		})
	}
}

// A render that changes the registry and does not come back holds up other
// changes, and nothing else.
func TestRenderInsideOfAnUpdate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reg := registryOf(textPrompt("text", "hi"))
		reg.MustAdd(rendered("stuck", func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(), reg.Update(func(tx *prompts.Tx) error {
				time.Sleep(time.Hour)
				return tx.Add(textPrompt("new", "hi"))
			})
		}))
		s := prompts.NewServer(reg, prompts.Options{})
		c, other := connect(t, s).handshake(), connect(t, s).handshake()
		c.send(getLine("1", "stuck"))
		time.Sleep(defaultRenderTimeout)
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, "the request took too long")}, c.received())
		assert.Equal(t, []string{textLine("2", "hi")}, other.ask(getLine("2", "text")))
		assert.Len(t, other.ask(`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`), 1)
		assert.NoError(t, c.end())
		time.Sleep(time.Hour)
		assert.Equal(t, []string{listChangedLine}, other.received())
		assert.NoError(t, other.end())
		assertNoTrace(t, s)
	})
}

// Goroutines that a render leaves behind reach nobody any more: what they
// report and ask comes to nothing, and Serve does not wait for them.
func TestGoroutinesThatARenderLeavesBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const left = 20
		asked := make(chan error, left)
		s := prompts.NewServer(registryOf(rendered("leaks", func(ctx context.Context) (*prompts.Result, error) {
			for i := range left {
				go func() {
					time.Sleep(time.Duration(i) * time.Minute)
					prompts.Progress(ctx, float64(i+1), 0, secretError)
					_, err := prompts.Elicit[colour](ctx, "colour", secretError)
					asked <- err
				}()
			}
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", `{}`)
		c.send(getLine("1", "leaks"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, []string{textLine("1", "done")}, c.received())
		began := time.Now()
		assert.NoError(t, c.end())
		assert.Zero(t, time.Since(began))
		time.Sleep(left * time.Minute)
		assert.Empty(t, c.received())
		for range left {
			assert.Error(t, <-asked)
		}
		assertNoTrace(t, s)
	})
}

// unheard is a Transport that reads what it is given and forgets what is
// written, but for its size. It has no transcript: what is written is large.
type unheard struct {
	in   chan string
	size chan int
	hold chan struct{} // Write waits for it
}

func (u *unheard) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg, ok := <-u.in:
		if !ok {
			return nil, io.EOF
		}
		return []byte(msg), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (u *unheard) Write(_ context.Context, msg []byte) error {
	if len(msg) > 1<<20 {
		<-u.hold
	}
	u.size <- len(msg)
	return nil
}

func (u *unheard) Close() error { return nil }

// A result of 64 MiB is its author's choice. Its client gets all of it, others
// do not wait, and its memory is not kept.
func TestHugeResult(t *testing.T) {
	const size = 64 << 20
	heap := func() uint64 {
		runtime.GC() // which what is in a pool survives
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(textPrompt("text", "hi"), rendered("huge", func(context.Context) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(strings.Repeat("x", size))), nil
		})), prompts.Options{Limits: prompts.Limits{MaxResultBytes: 2 * size}})
		other := connect(t, s).handshake()
		u := &unheard{in: make(chan string, 8), size: make(chan int, 8), hold: make(chan struct{})}
		served := make(chan error)
		go func() { served <- s.Serve(t.Context(), u) }()
		u.in <- envelopedGet("1", "huge")
		assert.Equal(t, []string{textLine("2", "hi")}, other.ask(getLine("2", "text")))
		close(u.hold)
		got := <-u.size
		assert.Greater(t, got, size)
		assert.Less(t, got, size+1000)
		u.in <- envelopedGet("3", "text")
		assert.Less(t, <-u.size, 1000)
		close(u.in)
		assert.NoError(t, <-served)
		assert.NoError(t, other.end())
		assertNoTrace(t, s)
	})
	assert.Less(t, heap(), before+size/2)
}

// A clock that jumps, by an hour or by a century, ends
// what has a time limit, and nothing else.
func TestClockThatJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, 100 * 365 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				reg := registryOf(textPrompt("text", "hi"), asking("paint"))
				s := prompts.NewServer(reg, prompts.Options{PageSize: 1, Limits: prompts.Limits{GetsPerSecond: 2}, Timeouts: prompts.Timeouts{Elicit: -1}})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability).listen("9")
				list := c.ask(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
				require.Len(t, list, 1)
				r := newRounds(t, s, "paint")
				o := r.get("")
				o.wants(t, "colour")
				r.state = o.Result.State
				c.send(getLine("2", "paint"))
				q := c.question()

				time.Sleep(jump)
				synctest.Wait()
				assert.Empty(t, c.received())
				assert.Equal(t, []string{textLine("2", "red")}, c.ask(q.reply(red)), "a question without a limit")
				for _, id := range []string{"3", "4"} {
					assert.Equal(t, []string{textLine(id, "hi")}, c.ask(getLine(id, "text")))
				}
				r.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
				reg.MustAdd(textPrompt("new", "x"))
				time.Sleep(notify.MinPause)
				assert.ElementsMatch(t, []string{listChangedLine, changedLine("9")}, c.received())
				assert.NoError(t, c.end())
				assertNoTrace(t, s)
			})
		})
	}
}
