package prompts_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
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

// GAP-46: at the end of the input, Serve waits for the requests in flight, but no longer
// than the drain timeout.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		o     prompts.Timeouts
		send  []string
		then  func(c *client) // before the end of the input
		took  time.Duration   // by Serve from then on
		err   error           // of Serve
		want  []string
		cause error // of the context of the prompt wait, if that runs
		log   string
	}{
		{name: "nothing to wait for"},
		{name: "within the grace", send: []string{getLine("1", "doze"), pingLine("2")}, took: 4 * time.Second, want: []string{pongLine("2"), textLine("1", "slept")}},
		{name: "beyond the grace", send: []string{getLine("1", "wait")}, took: defaultGrace, cause: context.Canceled, log: "pending=1"},
		{name: "a render that does not stop", o: prompts.Timeouts{Drain: time.Minute, Render: -1}, send: []string{getLine("1", "deaf")},
			took: time.Minute + stragglers, log: "goroutines=1"},
		{name: "no grace", o: prompts.Timeouts{Drain: -1}, send: []string{getLine("1", "wait"), pingLine("2")},
			want: []string{pongLine("2")}, cause: prompts.ErrSessionClosed},
		{name: "the context ends in the grace", o: prompts.Timeouts{Drain: time.Hour, Render: -1}, send: []string{getLine("1", "wait")},
			then: func(c *client) { time.AfterFunc(time.Minute, c.cancel) }, took: time.Minute, cause: context.Canceled},
		{name: "a write fails in the grace", o: prompts.Timeouts{Drain: time.Hour}, send: []string{getLine("1", "wait"), getLine("2", "doze")},
			then: func(c *client) { c.wire.onWrite = func(context.Context, []byte) error { return errDisk } },
			took: 4 * time.Second, err: errDisk, cause: errDisk},
		{name: "the answer of a subscription is not taken", send: []string{listenLine("1")}, then: func(c *client) {
			c.wire.onWrite = func(context.Context, []byte) error { <-c.wire.gone; return io.ErrClosedPipe }
		}, took: stragglers, want: []string{ackLine("1")}},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			var j journal
			w := newWaiter()
			reg := registryOf(w.prompt("wait"), sleeper("doze", 4*time.Second), sleeper("deaf", time.Hour))
			c := connect(t, prompts.MustNewServer(reg, prompts.Options{Timeouts: test.o, Logger: j.logger()})).handshake()
			c.send(test.send...)
			synctest.Wait()
			if test.then != nil {
				test.then(c)
			}
			began := time.Now()
			assert.ErrorIs(t, c.end(), test.err)
			assert.Equal(t, test.took, time.Since(began))
			assert.Equal(t, test.want, c.received())
			if test.cause != nil {
				assert.ErrorIs(t, <-w.causes, test.cause)
			}
			assert.Contains(t, j.String(), test.log)
			assert.LessOrEqual(t, strings.Count(j.String(), "with pending requests"), 1)
			time.Sleep(time.Hour)
			assert.Empty(t, c.received())
		})
	}
}

func TestServeAnswersWhatWasTooLarge(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}))
		c.wire.in <- fmt.Errorf("a line of 5 MiB: %w", transport.ErrTooLarge)
		c.wire.in <- transport.ErrTooLarge
		want := errorLine("", transport.CodeInvalidRequest, "message exceeds the size limit of the transport")
		assert.Equal(t, []string{want, want, pongLine("1")}, c.ask(pingLine("1")))
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
		s := prompts.MustNewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Logger: j.logger()})
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
	c := connectOver(t, prompts.MustNewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1000}}), w, w)
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

// A client that does not take the answers of its subscriptions does not keep
// Serve: it waits for a second, and if the transport cannot be interrupted, for
// another.
func TestServeEndsThoughAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		write func(ctx context.Context, c *client, hold chan struct{}) error
		took  time.Duration
		want  []string
		log   string
	}{
		{name: "a write that heeds its context", took: stragglers, write: func(ctx context.Context, _ *client, _ chan struct{}) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{name: "a write that heeds Close", took: stragglers, write: func(_ context.Context, c *client, _ chan struct{}) error {
			<-c.wire.gone
			return io.ErrClosedPipe
		}},
		{name: "a write that heeds nothing", took: 2 * stragglers, log: "goroutines=1", write: func(_ context.Context, _ *client, hold chan struct{}) error {
			<-hold
			return nil
		}},
		{name: "a write that is slow", took: 2 * (stragglers / 3), want: []string{listenEndLine("1"), cancelLine("1")}, write: func(context.Context, *client, chan struct{}) error {
			time.Sleep(stragglers / 3)
			return nil
		}},
	} {
		inBubble(t, test.name, func(t *testing.T) {
			var j journal
			w, hold := newWaiter(), make(chan struct{})
			s := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{Logger: j.logger()})
			c := connect(t, s).handshake().listen("1")
			assert.Empty(t, c.ask(getLine("2", "wait")))
			c.wire.onWrite = func(ctx context.Context, _ []byte) error { return test.write(ctx, c, hold) }
			began := time.Now()
			c.cancel()
			<-w.causes
			assert.Zero(t, time.Since(began), "renders are canceled at once")
			require.NoError(t, c.wait())
			assert.Equal(t, test.took, time.Since(began))
			assert.Contains(t, j.String(), test.log)
			if test.log == "" {
				assert.Equal(t, test.want, c.received())
			}
			close(hold)
			synctest.Wait()
			assertNoTrace(t, s)
		})
	}
}

// Nothing that comes in while Serve ends begins anything.
func TestServeTakesNoRequestsWhileItEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{})
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

// What is missing is named.
func TestNilRegistryAndConn(t *testing.T) {
	t.Parallel()
	_, err := prompts.NewServer(nil, prompts.Options{})
	assert.ErrorContains(t, err, "registry is nil")
	assert.Panics(t, func() { prompts.MustNewServer(nil, prompts.Options{}) })
	assert.ErrorContains(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}).Serve(t.Context(), nil), "connection is nil")
}
