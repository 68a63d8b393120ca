package prompts_test

import (
	"context"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/speccheck"
	"github.com/mcp-prompts/prompts/transport"
)

// wire is a Transport in memory for tests inside of a synctest bubble. It
// holds the server to the contract of Transport: one reader and one writer at
// a time, and Close once.
type wire struct {
	t    testing.TB
	in   chan any // []byte, or an error that Read returns; closed for io.EOF
	said *transcript

	// onWrite, if not nil, is called by Write first, without a lock.
	onWrite func(ctx context.Context, msg []byte) error

	reading, writing atomic.Int32
	closed           atomic.Int32
	ended            atomic.Bool   // set when Serve has returned
	gone             chan struct{} // closed by Close

	mu  sync.Mutex // protects the field below
	out []string
}

func newWire(t testing.TB) *wire {
	t.Helper()
	return &wire{t: t, in: make(chan any, 1024), said: newTranscript(t, speccheck.Options{}), gone: make(chan struct{})}
}

func (w *wire) Read(ctx context.Context) ([]byte, error) {
	assert.EqualValues(w.t, 1, w.reading.Add(1), "concurrent reads")
	defer w.reading.Add(-1)
	select {
	case v, ok := <-w.in:
		if !ok {
			return nil, io.EOF
		}
		if err, ok := v.(error); ok {
			return nil, err
		}
		return w.hear(v.([]byte)), nil
	case <-w.gone:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hear notes what the client has sent, and returns it for the server.
func (w *wire) hear(msg []byte) []byte {
	w.said.add(false, string(msg))
	return slices.Clone(msg)
}

func (w *wire) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := w.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) write(ctx context.Context, msg []byte) error {
	assert.EqualValues(w.t, 1, w.writing.Add(1), "concurrent writes")
	defer w.writing.Add(-1)
	// The end of ctx may come between the server's look at it and here.
	assert.False(w.t, w.ended.Load(), "a write after Serve has returned")
	if w.onWrite != nil {
		if err := w.onWrite(ctx, msg); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, string(msg))
	w.said.add(true, string(msg))
	clear(msg) // the next one to look at it finds out that it was not kept
	return nil
}

func (w *wire) Close() error {
	if assert.EqualValues(w.t, 1, w.closed.Add(1), "closed twice") {
		close(w.gone)
	}
	return nil
}

// bubble runs f in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// inBubble runs f as a subtest in a synctest bubble.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { bubble(t, f) })
}

// client is the other side of a wire that a server serves.
type client struct {
	t      testing.TB
	wire   *wire
	cancel context.CancelFunc // of the context of Serve
	served chan error
	waited bool
}

// connect serves a new wire. It must be called inside of a synctest bubble. At
// the end of the test the client hangs up, unless it has, and Serve must return
// without an error.
func connect(t testing.TB, s *prompts.Server) *client {
	w := newWire(t)
	return connectOver(t, s, w, w)
}

// connectOver serves a transport that is or embeds the wire.
func connectOver(t testing.TB, s *prompts.Server, w *wire, over transport.Conn) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{t: t, wire: w, cancel: cancel, served: make(chan error, 1)}
	go func() {
		err := s.Serve(ctx, over)
		c.wire.ended.Store(true)
		c.served <- err
	}()
	t.Cleanup(func() {
		if !c.waited && !t.Failed() {
			assert.NoError(t, c.end())
		}
		cancel()
	})
	return c
}

// handshake initializes the session.
func (c *client) handshake() *client { return c.handshakeIn("2025-11-25") }

func (c *client) send(msgs ...string) {
	for _, m := range msgs {
		c.wire.in <- []byte(m)
	}
}

// received returns what the server has sent since the last call, once nothing
// moves any more.
func (c *client) received() []string {
	out := c.receivedRaw()
	for i := range out {
		out[i] = neutral(out[i])
	}
	return out
}

// receivedRaw is received with the error ids.
func (c *client) receivedRaw() []string {
	synctest.Wait()
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	out := c.wire.out
	c.wire.out = nil
	return out
}

// ask sends messages and returns the answers.
func (c *client) ask(msgs ...string) []string {
	c.send(msgs...)
	return c.received()
}

// end closes the client's side and returns what Serve returns.
func (c *client) end() error {
	c.t.Helper()
	close(c.wire.in)
	return c.wait()
}

// wait returns what Serve returns, and checks that it has closed the transport.
func (c *client) wait() error {
	c.t.Helper()
	c.waited = true
	err := <-c.served
	assert.EqualValues(c.t, 1, c.wire.closed.Load(), "calls of Close")
	return err
}

// handshakeIn initializes the session in a revision.
func (c *client) handshakeIn(version string) *client { return c.handshakeAs(version, "{}") }

// listen opens subscriptions.
func (c *client) listen(ids ...string) *client {
	c.t.Helper()
	for _, id := range ids {
		require.Equal(c.t, []string{ackLine(id)}, c.ask(listenLine(id)))
	}
	return c
}
