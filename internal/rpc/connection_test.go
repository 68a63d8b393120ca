package rpc_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// GAP-46: at the end of the input, Serve waits for the requests in flight, but no longer
// than the drain timeout.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		o     prompts.Timeouts
		send  []string
		then  func(c *servertest.Client) // before the end of the input
		took  time.Duration              // by Serve from then on
		err   error                      // of Serve
		want  []string
		cause error // of the context of the prompt wait, if that runs
		log   string
	}{
		{name: "nothing to wait for"},
		{name: "within the grace", send: []string{servertest.GetLine("1", "doze"), servertest.PingLine("2")}, took: 4 * time.Second, want: []string{servertest.PongLine("2"), servertest.TextLine("1", "slept")}},
		{name: "beyond the grace", send: []string{servertest.GetLine("1", "wait")}, took: servertest.DefaultGrace, cause: context.Canceled, log: "pending=1"},
		{name: "a render that does not stop", o: prompts.Timeouts{Drain: time.Minute, Render: -1}, send: []string{servertest.GetLine("1", "deaf")},
			took: time.Minute + servertest.Stragglers, log: "goroutines=1"},
		{name: "no grace", o: prompts.Timeouts{Drain: -1}, send: []string{servertest.GetLine("1", "wait"), servertest.PingLine("2")},
			want: []string{servertest.PongLine("2")}, cause: rpc.ErrSessionClosed},
		{name: "the context ends in the grace", o: prompts.Timeouts{Drain: time.Hour, Render: -1}, send: []string{servertest.GetLine("1", "wait")},
			then: func(c *servertest.Client) { time.AfterFunc(time.Minute, c.Cancel) }, took: time.Minute, cause: context.Canceled},
		{name: "a write fails in the grace", o: prompts.Timeouts{Drain: time.Hour}, send: []string{servertest.GetLine("1", "wait"), servertest.GetLine("2", "doze")},
			then: func(c *servertest.Client) {
				c.Wire.OnWrite = func(context.Context, []byte) error { return servertest.ErrDisk }
			},
			took: 4 * time.Second, err: servertest.ErrDisk, cause: servertest.ErrDisk},
		{name: "the answer of a subscription is not taken", send: []string{servertest.ListenLine("1")}, then: func(c *servertest.Client) {
			c.Wire.OnWrite = func(context.Context, []byte) error { <-c.Wire.Gone; return io.ErrClosedPipe }
		}, took: servertest.Stragglers, want: []string{servertest.AckLine("1")}},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			var j servertest.Journal
			w := servertest.NewWaiter()
			reg := servertest.RegistryOf(w.Prompt("wait"), servertest.Sleeper("doze", 4*time.Second), servertest.Sleeper("deaf", time.Hour))
			c := servertest.Connect(t, prompts.MustNewServer(reg, prompts.Options{Timeouts: test.o, Logger: j.Logger()})).Handshake()
			c.Send(test.send...)
			synctest.Wait()
			if test.then != nil {
				test.then(c)
			}
			began := time.Now()
			assert.ErrorIs(t, c.End(), test.err)
			assert.Equal(t, test.took, time.Since(began))
			assert.Equal(t, test.want, c.Received())
			if test.cause != nil {
				assert.ErrorIs(t, <-w.Causes, test.cause)
			}
			assert.Contains(t, j.String(), test.log)
			assert.LessOrEqual(t, strings.Count(j.String(), "with pending requests"), 1)
			time.Sleep(time.Hour)
			assert.Empty(t, c.Received())
		})
	}
}

func TestServeAnswersWhatWasTooLarge(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		c := servertest.Connect(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}))
		c.Wire.In <- fmt.Errorf("a line of 5 MiB: %w", transport.ErrTooLarge)
		c.Wire.In <- transport.ErrTooLarge
		want := servertest.ErrorLine("", transport.CodeInvalidRequest, "message exceeds the size limit of the transport")
		assert.Equal(t, []string{want, want, servertest.PongLine("1")}, c.Ask(servertest.PingLine("1")))
	})
}

// stubborn is a transport whose Read and Write do not heed their context, nor
// its Close that it is called.
type stubborn struct {
	*servertest.Wire
	closing error
}

func (s stubborn) Read(context.Context) ([]byte, error) {
	v, ok := <-s.In
	if !ok {
		return nil, io.EOF
	}
	return s.Hear(v.([]byte)), nil
}

func (s stubborn) Close() error {
	_ = s.Wire.Close()
	return s.closing
}

// A Read that goes on after its context must not get a message answered that
// nobody waits for, and Serve waits no longer than it says.
func TestServeLeavesAStubbornTransport(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		w := stubborn{servertest.NewWire(t), servertest.ErrDisk}
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{Logger: j.Logger()})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx, w) }()
		w.In <- []byte(servertest.InitializeLine)
		synctest.Wait()
		assert.Len(t, w.Out, 1)
		began := time.Now()
		cancel()
		assert.NoError(t, <-done)
		assert.Equal(t, servertest.Stragglers, time.Since(began))
		assert.Contains(t, j.String(), "transport close failed")
		assert.Contains(t, j.String(), "goroutines=1")
		w.In <- []byte(servertest.PingLine("1"))
		synctest.Wait()
		assert.Len(t, w.Out, 1, "answered after the end")
	})
}

// Many answers at once are written one by one, and none is lost: see wire.
// Not in a bubble: there, a goroutine that waits for a mutex stops the clock.
func TestAnswersAreWrittenOneByOne(t *testing.T) {
	t.Parallel()
	w := servertest.NewWire(t)
	w.OnWrite = func(context.Context, []byte) error { time.Sleep(10 * time.Microsecond); return nil }
	c := servertest.ConnectOver(t, prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1000}}), w, w)
	c.Send(servertest.InitializeLine, servertest.InitializedLine)
	var want []string
	for i := range 100 {
		id := fmt.Sprint(i)
		c.Send(servertest.GetLine(id, "text"), servertest.PingLine(`"p`+id+`"`))
		want = append(want, servertest.TextLine(id, "hi"), servertest.PongLine(`"p`+id+`"`))
	}
	require.NoError(t, c.End())
	assert.ElementsMatch(t, want, w.Out[1:])
}

// A client that does not take the answers of its subscriptions does not keep
// Serve: it waits for a second, and if the transport cannot be interrupted, for
// another.
func TestServeEndsThoughAnswersAreNotTaken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		write func(ctx context.Context, c *servertest.Client, hold chan struct{}) error
		took  time.Duration
		want  []string
		log   string
	}{
		{name: "a write that heeds its context", took: servertest.Stragglers, write: func(ctx context.Context, _ *servertest.Client, _ chan struct{}) error {
			<-ctx.Done()
			return ctx.Err()
		}},
		{name: "a write that heeds Close", took: servertest.Stragglers, write: func(_ context.Context, c *servertest.Client, _ chan struct{}) error {
			<-c.Wire.Gone
			return io.ErrClosedPipe
		}},
		{name: "a write that heeds nothing", took: 2 * servertest.Stragglers, log: "goroutines=1", write: func(_ context.Context, _ *servertest.Client, hold chan struct{}) error {
			<-hold
			return nil
		}},
		{name: "a write that is slow", took: 2 * (servertest.Stragglers / 3), want: []string{servertest.ListenEndLine("1"), servertest.CancelLine("1")}, write: func(context.Context, *servertest.Client, chan struct{}) error {
			time.Sleep(servertest.Stragglers / 3)
			return nil
		}},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			var j servertest.Journal
			w, hold := servertest.NewWaiter(), make(chan struct{})
			s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{Logger: j.Logger()})
			c := servertest.Connect(t, s).Handshake().Listen("1")
			assert.Empty(t, c.Ask(servertest.GetLine("2", "wait")))
			c.Wire.OnWrite = func(ctx context.Context, _ []byte) error { return test.write(ctx, c, hold) }
			began := time.Now()
			c.Cancel()
			<-w.Causes
			assert.Zero(t, time.Since(began), "renders are canceled at once")
			require.NoError(t, c.Wait())
			assert.Equal(t, test.took, time.Since(began))
			assert.Contains(t, j.String(), test.log)
			if test.log == "" {
				assert.Equal(t, test.want, c.Received())
			}
			close(hold)
			synctest.Wait()
			servertest.AssertNoTrace(t, s)
		})
	}
}

// Nothing that comes in while Serve ends begins anything.
func TestServeTakesNoRequestsWhileItEnds(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{})
		wire := stubborn{Wire: servertest.NewWire(t)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx, wire) }()
		wire.In <- []byte(servertest.ListenLine("1"))
		synctest.Wait()
		hold := make(chan struct{})
		wire.OnWrite = func(context.Context, []byte) error { <-hold; return nil }
		cancel()
		synctest.Wait()
		wire.In <- []byte(servertest.CancelLine("99")) // ends the Read that goes on, and no more are tried
		wire.In <- []byte(servertest.EnvelopedGet("2", "wait"))
		synctest.Wait()
		close(hold)
		require.NoError(t, <-done)
		assert.Zero(t, w.Started.Load())
		assert.Len(t, wire.In, 1, "it reads on")
		servertest.AssertNoTrace(t, s)
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
