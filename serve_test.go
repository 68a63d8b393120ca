package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/transport"
)

// waiter is a prompt whose renders go on until their context ends or the
// test lets one go.
type waiter struct {
	running atomic.Int32
	most    atomic.Int32
	started atomic.Int32
	let     chan struct{} // each receive lets one go
	causes  chan error    // why contexts have ended
}

func newWaiter() *waiter {
	return &waiter{let: make(chan struct{}), causes: make(chan error, 1024)}
}

func (w *waiter) prompt(name string) prompts.Prompt {
	return rendered(name, func(ctx context.Context) (*prompts.Result, error) {
		w.started.Add(1)
		w.most.Store(max(w.most.Load(), w.running.Add(1)))
		defer w.running.Add(-1)
		select {
		case <-w.let:
			return prompts.Messages(prompts.User("let go")), nil
		case <-ctx.Done():
			w.causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}
	})
}

// sleeper is a prompt that sleeps and does not look at its context.
func sleeper(name string, d time.Duration) prompts.Prompt {
	return rendered(name, func(context.Context) (*prompts.Result, error) {
		time.Sleep(d)
		return prompts.Messages(prompts.User("slept")), nil
	})
}

func TestServeIsNeverHeldUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		c := connect(t, prompts.NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2}})).handshake()
		assert.Empty(t, c.ask(getLine("1", "wait"), getLine("2", "wait")))
		assert.Empty(t, c.ask(getLine("3", "wait"), getLine("4", "wait")))
		assert.EqualValues(t, 2, w.running.Load())

		assert.Equal(t, []string{pongLine("5")}, c.ask(pingLine("5")))
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":6,"result":{"prompts":[{"name":"text"},{"name":"wait"}]}}`},
			c.ask(`{"jsonrpc":"2.0","id":6,"method":"prompts/list"}`))
		assert.Empty(t, c.ask(cancelLine("1")))
		assert.ErrorIs(t, <-w.causes, prompts.ErrCancelled)
		assert.EqualValues(t, 2, w.running.Load(), "the next one has its place")

		for range 3 {
			w.let <- struct{}{}
		}
		assert.ElementsMatch(t, []string{textLine("2", "let go"), textLine("3", "let go"), textLine("4", "let go")}, c.received())
		assert.NoError(t, c.end())
	})
}

// GAP-46
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	t.Run("within the grace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, prompts.NewServer(registryOf(sleeper("deaf", 4*time.Second)), prompts.Options{})).handshake()
			c.send(getLine("1", "deaf"), pingLine("2"))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, 4*time.Second, time.Since(began))
			assert.Equal(t, []string{pongLine("2"), textLine("1", "slept")}, c.received())
		})
	})
	t.Run("nothing to wait for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, prompts.NewServer(nil, prompts.Options{}))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Zero(t, time.Since(began))
		})
	})
	t.Run("beyond the grace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})).handshake()
			c.send(getLine("1", "wait"))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, defaultGrace, time.Since(began))
			assert.Empty(t, c.received())
			assert.ErrorIs(t, <-w.causes, context.Canceled)
		})
	})
	t.Run("a render that does not stop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var j journal
			c := connect(t, prompts.NewServer(registryOf(sleeper("deaf", time.Hour)), prompts.Options{Timeouts: prompts.Timeouts{Drain: time.Minute, Render: -1}, Logger: j.logger()})).handshake()
			c.send(getLine("1", "deaf"))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, time.Minute+stragglers, time.Since(began))
			assert.Contains(t, j.String(), "goroutines=1")
			time.Sleep(time.Hour)
			assert.Empty(t, c.received())
		})
	})
	t.Run("no grace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Timeouts: prompts.Timeouts{Drain: -1}})).handshake()
			c.send(getLine("1", "wait"), pingLine("2"))
			synctest.Wait()
			began := time.Now()
			require.NoError(t, c.end())
			assert.Zero(t, time.Since(began))
			assert.Equal(t, []string{pongLine("2")}, c.received(), "what does not wait is answered")
			assert.ErrorIs(t, <-w.causes, prompts.ErrSessionClosed)
		})
	})
	t.Run("the context ends in the grace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Timeouts: prompts.Timeouts{Drain: time.Hour, Render: -1}})).handshake()
			c.send(getLine("1", "wait"))
			synctest.Wait()
			began := time.Now()
			time.AfterFunc(time.Minute, c.cancel)
			require.NoError(t, c.end())
			assert.Equal(t, time.Minute, time.Since(began))
			assert.Empty(t, c.received())
		})
	})
	t.Run("a write fails in the grace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wire := newWire(t)
			w := newWaiter()
			c := connectWire(t, prompts.NewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Second)), prompts.Options{Timeouts: prompts.Timeouts{Drain: time.Hour}}), wire).handshake()
			wire.onWrite = func(context.Context, []byte) error { return errDisk }
			c.send(getLine("1", "wait"), getLine("2", "deaf"))
			began := time.Now()
			assert.ErrorIs(t, c.end(), errDisk)
			assert.Equal(t, time.Second, time.Since(began))
		})
	})
}

func TestContextEndsServe(t *testing.T) {
	t.Parallel()
	t.Run("idle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, prompts.NewServer(nil, prompts.Options{}))
			synctest.Wait()
			c.cancel()
			assert.NoError(t, c.wait())
		})
	})
	t.Run("before it began", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			w := newWire(t)
			assert.NoError(t, prompts.NewServer(nil, prompts.Options{}).Serve(ctx, w))
			assert.EqualValues(t, 1, w.closed.Load())
		})
	})
	t.Run("working", func(t *testing.T) {
		for range 1000 { // the render and the end of the session race
			synctest.Test(t, func(t *testing.T) {
				var j journal
				w := newWaiter()
				c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Logger: j.logger()})).handshake()
				assert.Empty(t, c.ask(getLine("1", "wait"), getLine("2", "wait")))
				c.cancel()
				assert.NoError(t, c.wait())
				assert.Empty(t, c.received(), "nobody is there to get it")
				assert.EqualValues(t, 1, w.started.Load(), "the one that waited has run")
				assert.NotContains(t, j.String(), "level=ERROR", "a render that stops with its context is at no fault")
			})
		}
	})
	t.Run("a deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			assert.NoError(t, prompts.NewServer(nil, prompts.Options{}).Serve(ctx, newWire(t)))
			assert.Equal(t, time.Minute, time.Since(began))
		})
	})
}

func TestWriteFailureEndsServe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want error
	}{
		{"broken pipe", io.ErrClosedPipe, nil},
		{"wrapped broken pipe", fmt.Errorf("write: %w", io.ErrClosedPipe), nil},
		{"end of file", fmt.Errorf("write: %w", io.EOF), nil},
		{"other", errDisk, errDisk},
		{"unexpected end of file", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
	} {
		for what, msg := range map[string]string{
			"an answer at once": pingLine("1"), "a late answer": getLine("1", "text"), "a notification": "",
		} {
			t.Run(test.name+" in "+what, func(t *testing.T) {
				t.Parallel()
				for range 50 { // Read fails too, because the context ends
					synctest.Test(t, func(t *testing.T) {
						wire := newWire(t)
						reg := registryOf(sleeper("text", time.Second))
						w := newWaiter()
						reg.MustAdd(w.prompt("wait"))
						c := connectWire(t, prompts.NewServer(reg, prompts.Options{}), wire).handshake()
						c.send(getLine("0", "wait"))
						synctest.Wait()
						wire.onWrite = func(context.Context, []byte) error { return test.err }
						if msg == "" {
							reg.Remove("text")
						} else {
							c.send(msg)
						}
						err := c.wait()
						if test.want == nil {
							assert.NoError(t, err)
						} else {
							assert.ErrorIs(t, err, test.want)
							assert.True(t, strings.HasPrefix(err.Error(), "prompts: write message: "), err.Error())
						}
						assert.Empty(t, c.received())
						<-w.causes // the work is told to stop
					})
				}
			})
		}
	}
}

func TestServeAnswersWhatWasTooLarge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.NewServer(nil, prompts.Options{}))
		c.wire.in <- fmt.Errorf("a line of 5 MiB: %w", transport.ErrTooLarge)
		c.wire.in <- transport.ErrTooLarge
		want := errorLine("", transport.CodeInvalidRequest, "message exceeds the size limit of the transport")
		assert.Equal(t, []string{want, want, pongLine("1")}, c.ask(pingLine("1")))
		assert.NoError(t, c.end())
	})
}

// stubborn is a transport whose Read and Write do not heed their context, nor
// its Close that it is called.
type stubborn struct {
	*wire
	closing error
}

func (s stubborn) Read(context.Context) ([]byte, error) {
	v, ok := <-s.in
	if !ok {
		return nil, io.EOF
	}
	return s.hear(v.([]byte)), nil
}

func (s stubborn) Close() error {
	_ = s.wire.Close()
	return s.closing
}

// A Read that goes on after its context must not get a message answered that
// nobody waits for, and Serve waits no longer than it says.
func TestServeLeavesAStubbornTransport(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		w := stubborn{newWire(t), errDisk}
		s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Logger: j.logger()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx, w) }()
		w.in <- []byte(initializeLine)
		synctest.Wait()
		assert.Len(t, w.out, 1)
		began := time.Now()
		cancel()
		assert.NoError(t, <-done)
		assert.Equal(t, stragglers, time.Since(began))
		assert.Contains(t, j.String(), "transport close failed")
		assert.Contains(t, j.String(), "goroutines=1")
		w.in <- []byte(pingLine("1"))
		synctest.Wait()
		assert.Len(t, w.out, 1, "answered after the end")
	})
}

// Many answers at once are written one by one, and none is lost: see wire.
// Not in a bubble: there, a goroutine that waits for a mutex stops the clock.
func TestAnswersAreWrittenOneByOne(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.onWrite = func(context.Context, []byte) error { time.Sleep(10 * time.Microsecond); return nil }
	c := connectWire(t, prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1000}}), w)
	c.send(initializeLine, initializedLine)
	var want []string
	for i := range 100 {
		id := fmt.Sprint(i)
		c.send(getLine(id, "text"), pingLine(`"p`+id+`"`))
		want = append(want, textLine(id, "hi"), pongLine(`"p`+id+`"`))
	}
	require.NoError(t, c.end())
	assert.ElementsMatch(t, want, w.out[1:])
}

// LCH-01, LCH-02, LIF-15: over a connection, see also the golden sessions.
func TestEachSessionIsNotifiedOfChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		s := prompts.NewServer(reg, prompts.Options{})
		quiet := prompts.NewServer(reg, prompts.Options{DisableListChanged: true})
		a, b, c, d := connect(t, s).handshake(), connect(t, s).handshake(), connect(t, s), connect(t, quiet).handshake()
		reg.MustAdd(textPrompt("one", "1"))
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{listChangedLine}, a.received())
		assert.Equal(t, []string{listChangedLine}, b.received())
		assert.Empty(t, c.received(), "not initialized")
		assert.Empty(t, d.received(), "not advertised")

		// A slow client costs nobody else anything, and gets one for many.
		hold := make(chan struct{})
		b.wire.onWrite = func(context.Context, []byte) error { <-hold; return nil }
		for i := range 10 {
			reg.MustAdd(textPrompt(fmt.Sprint(i), "x"))
			time.Sleep(notify.MinPause)
			assert.Equal(t, []string{listChangedLine}, a.received())
		}
		close(hold)
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{listChangedLine, listChangedLine}, b.received(), "the one in hand and one for the rest")

		// What changes nothing is not told.
		require.Error(t, reg.Add(textPrompt("one", "1")))
		assert.False(t, reg.Remove("none"))
		require.NoError(t, reg.Update(func(*prompts.Tx) error { return nil }))
		require.ErrorIs(t, reg.Update(func(tx *prompts.Tx) error { tx.Remove("one"); return errDisk }), errDisk)
		time.Sleep((200 * time.Millisecond))
		assert.Empty(t, a.received())

		for _, c := range []*client{a, b, c, d} {
			assert.NoError(t, c.end())
		}
		assert.Zero(t, reg.Subscribers(), "a session that is over still listens")
		reg.Remove("one")
		time.Sleep((200 * time.Millisecond))
		assert.Empty(t, a.received())
	})
}

// Concurrent use, for the race detector.
func TestServeInTurmoil(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reg := registryOf(textPrompt("text", "hi"), rendered("doze", func(ctx context.Context) (*prompts.Result, error) {
			select {
			case <-time.After(3 * time.Millisecond):
				return prompts.Messages(prompts.User("dozed")), nil
			case <-ctx.Done():
				return nil, errors.New("woken")
			}
		}))
		s := prompts.NewServer(reg, prompts.Options{Limits: prompts.Limits{MaxConcurrent: 4, MaxConcurrentTotal: 10}, Timeouts: prompts.Timeouts{Render: 5 * time.Millisecond}})
		var wg sync.WaitGroup
		for range 8 {
			c := connect(t, s).handshake()
			wg.Go(func() {
				for i := range 100 {
					id := fmt.Sprint(i % 7)
					c.send(getLine(id, "doze"), cancelLine(fmt.Sprint((i+3)%7)), getLine(`"`+id+`"`, "text"), pingLine("1000"))
					time.Sleep(time.Millisecond)
				}
				assert.NoError(t, c.end())
			})
		}
		wg.Go(func() {
			for range 50 {
				reg.MustAdd(textPrompt("other", "x"))
				time.Sleep(time.Millisecond)
				reg.Remove("other")
			}
		})
		wg.Wait()
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
		assert.Zero(t, reg.Subscribers())
	})
}

// A client that does not take the answers of its subscriptions does not keep
// Serve: it waits for a second, and if the transport cannot be interrupted, for
// another.
func TestServeEndsThoughAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	t.Run("a write that heeds its context", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := newWaiter()
			s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})
			c := connect(t, s).handshake().listen("1")
			assert.Empty(t, c.ask(getLine("2", "wait")))
			c.wire.onWrite = func(ctx context.Context, _ []byte) error { <-ctx.Done(); return ctx.Err() }
			began := time.Now()
			c.cancel()
			<-w.causes
			assert.Zero(t, time.Since(began), "renders are told at once")
			require.NoError(t, c.wait())
			assert.Equal(t, stragglers, time.Since(began))
			assert.Empty(t, c.received())
			assertNoTrace(t, s)
		})
	})
	t.Run("a write that heeds Close", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := prompts.NewServer(nil, prompts.Options{})
			c := connect(t, s).listen("1")
			c.wire.onWrite = func(context.Context, []byte) error { <-c.wire.gone; return io.ErrClosedPipe }
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, stragglers, time.Since(began))
			assertNoTrace(t, s)
		})
	})
	t.Run("a write that heeds nothing", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			var j journal
			s := prompts.NewServer(nil, prompts.Options{Logger: j.logger()})
			c := connect(t, s).listen("1")
			hold := make(chan struct{})
			c.wire.onWrite = func(context.Context, []byte) error { <-hold; return nil }
			began := time.Now()
			c.cancel()
			require.NoError(t, c.wait())
			assert.Equal(t, 2*stragglers, time.Since(began))
			assert.Contains(t, j.String(), "goroutines=1")
			close(hold)
			synctest.Wait()
			assertNoTrace(t, s)
		})
	})
	t.Run("a write that is slow", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := prompts.NewServer(nil, prompts.Options{})
			c := connect(t, s).listen("1")
			c.wire.onWrite = func(context.Context, []byte) error { time.Sleep(stragglers / 3); return nil }
			c.cancel()
			require.NoError(t, c.wait())
			assert.Equal(t, []string{listenEndLine("1"), cancelLine("1")}, c.received())
		})
	})
}

// Nothing that comes in while Serve ends begins anything.
func TestServeTakesNoRequestsWhileItEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})
		wire := stubborn{wire: newWire(t)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx, wire) }()
		wire.in <- []byte(listenLine("1"))
		synctest.Wait()
		hold := make(chan struct{})
		wire.onWrite = func(context.Context, []byte) error { <-hold; return nil }
		cancel()
		synctest.Wait()
		wire.in <- []byte(cancelLine("99")) // ends the Read that goes on, and no more are tried
		wire.in <- []byte(envelopedGet("2", "wait"))
		synctest.Wait()
		close(hold)
		require.NoError(t, <-done)
		assert.Zero(t, w.started.Load())
		assert.Len(t, wire.in, 1, "it reads on")
		assertNoTrace(t, s)
	})
}
