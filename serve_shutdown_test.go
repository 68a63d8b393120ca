package prompts_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// SUB-11, SUB-13, GAP-24: when its context ends, Serve answers subscriptions,
// and nothing else.
func TestServeEndsSubscriptions(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*client){
		"context":      func(c *client) { c.cancel() },
		"end of input": func(c *client) { close(c.wire.in) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWaiter()
				s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Timeouts: prompts.Timeouts{Drain: -1}})
				c := connect(t, s).handshake().listen("1", `"2"`)
				assert.Empty(t, c.ask(getLine("3", "wait"), envelopedGet("4", "wait")))
				began := time.Now()
				end(c)
				require.NoError(t, c.wait())
				assert.Zero(t, time.Since(began))
				got := c.received()
				assert.ElementsMatch(t, []string{listenEndLine("1"), cancelLine("1"), listenEndLine(`"2"`), cancelLine(`"2"`)}, got)
				for _, id := range []string{"1", `"2"`} {
					assert.Less(t, indexOf(got, listenEndLine(id)), indexOf(got, cancelLine(id)))
				}
				<-w.causes
				<-w.causes
				assertNoTrace(t, s)
			})
		})
	}
}

func indexOf(all []string, one string) int {
	for i, s := range all {
		if s == one {
			return i
		}
	}
	return -1
}

// GAP-46, STD-09: at the end of input what has been asked is answered first,
// with progress and changes as before, and then subscriptions are. They alone
// are nothing to wait for.
func TestEndOfInputAnswersSubscriptionsLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := registryOf(rendered("work", func(ctx context.Context) (*prompts.Result, error) {
			time.Sleep(time.Second)
			prompts.Progress(ctx, 1, 0, "")
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("hi")), nil
		}))
		s := prompts.NewServer(reg, prompts.Options{})
		c := connect(t, s).listen("1")
		c.send(withToken(envelopedGet("2", "work"), "7"))
		began := time.Now()
		time.AfterFunc(1500*time.Millisecond, func() { reg.MustAdd(textPrompt("new", "x")) })
		require.NoError(t, c.end())
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Equal(t, []string{
			progressLine("7", `"progress":1`), changedLine("1"), envelopedText("2", "hi"), listenEndLine("1"), cancelLine("1"),
		}, c.received())
		assertNoTrace(t, s)
	})
}

// A render that is cancelled by the end of Serve learns why, and so does
// Transport.Read.
func TestServePassesOnWhyItEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})
		ctx, cancel := context.WithCancelCause(t.Context())
		r := &reader{wire: newWire(t)}
		done := make(chan error)
		go func() { done <- s.Serve(ctx, r) }()
		r.in <- []byte(envelopedGet("1", "wait"))
		synctest.Wait()
		cancel(errDisk)
		assert.NoError(t, <-done, "its context's end is no failure, whatever the cause")
		assert.ErrorIs(t, <-w.causes, errDisk)
		assert.ErrorIs(t, r.cause, errDisk)
		assert.Empty(t, r.out)
		assertNoTrace(t, s)
	})
}

// reader is a transport whose Read heeds its context alone, and keeps its cause.
type reader struct {
	*wire
	cause error
}

func (r *reader) Read(ctx context.Context) ([]byte, error) {
	select {
	case v := <-r.in:
		return v.([]byte), nil
	case <-ctx.Done():
		r.cause = context.Cause(ctx)
		return nil, errors.New("interrupted")
	}
}

// A client that does not take the answers of its subscriptions does not keep
// Serve: it waits for a second, and if the transport cannot be interrupted, for
// another.
func TestServeEndsThoughAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	t.Run("a write that heeds its context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
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
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
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
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
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
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
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
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
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

// What is asked of the client is withdrawn before the end, and nothing waits for
// it (LIF-24, CAN-13).
func TestServeEndsWhileAClientIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("asks", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[struct{ X string }](ctx, "x", "Which?")
			return nil, err
		})), prompts.Options{})
		c := connect(t, s)
		assert.Len(t, c.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`, initializedLine), 1)
		got := c.ask(getLine("1", "asks"))
		require.Len(t, got, 1)
		require.Contains(t, got[0], `"id":"prompts-1","method":"elicitation/create"`)
		began := time.Now()
		c.cancel()
		require.NoError(t, c.wait())
		assert.Zero(t, time.Since(began))
		for _, msg := range c.received() { // if there was time for it
			assert.Contains(t, msg, `"method":"notifications/cancelled","params":{"requestId":"prompts-1"`)
		}
		assertNoTrace(t, s)
	})
}
