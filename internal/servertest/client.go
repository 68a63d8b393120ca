package servertest

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
	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/transport"
)

// Wire is a Transport in memory for tests inside of a synctest bubble. It
// holds the server to the contract of Transport: one reader and one writer at
// a time, and Close once.
type Wire struct {
	T    testing.TB
	In   chan any // []byte, or an error that Read returns; closed for io.EOF
	Said *Transcript

	// onWrite, if not nil, is called by Write first, without a lock.
	OnWrite func(ctx context.Context, msg []byte) error

	reading, writing atomic.Int32
	Closed           atomic.Int32
	ended            atomic.Bool   // set when Serve has returned
	Gone             chan struct{} // closed by Close

	Mu  sync.Mutex // protects the field below
	Out []string
}

func NewWire(t testing.TB) *Wire {
	t.Helper()
	return &Wire{T: t, In: make(chan any, 1024), Said: NewTranscript(t, speccheck.Options{}), Gone: make(chan struct{})}
}

func (w *Wire) Read(ctx context.Context) ([]byte, error) {
	assert.EqualValues(w.T, 1, w.reading.Add(1), "concurrent reads")
	defer w.reading.Add(-1)
	select {
	case v, ok := <-w.In:
		if !ok {
			return nil, io.EOF
		}
		if err, ok := v.(error); ok {
			return nil, err
		}
		return w.Hear(v.([]byte)), nil
	case <-w.Gone:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hear notes what the client has sent, and returns it for the server.
func (w *Wire) Hear(msg []byte) []byte {
	w.Said.Add(false, string(msg))
	return slices.Clone(msg)
}

func (w *Wire) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := w.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (w *Wire) write(ctx context.Context, msg []byte) error {
	assert.EqualValues(w.T, 1, w.writing.Add(1), "concurrent writes")
	defer w.writing.Add(-1)
	// The end of ctx may come between the server's look at it and here.
	assert.False(w.T, w.ended.Load(), "a write after Serve has returned")
	if w.OnWrite != nil {
		if err := w.OnWrite(ctx, msg); err != nil {
			return err
		}
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Out = append(w.Out, string(msg))
	w.Said.Add(true, string(msg))
	clear(msg) // the next one to look at it finds out that it was not kept
	return nil
}

func (w *Wire) Close() error {
	if assert.EqualValues(w.T, 1, w.Closed.Add(1), "closed twice") {
		close(w.Gone)
	}
	return nil
}

// Bubble runs f in a synctest bubble.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// InBubble runs f as a subtest in a synctest bubble.
func InBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { Bubble(t, f) })
}

// Client is the other side of a wire that a server serves.
type Client struct {
	T      testing.TB
	Wire   *Wire
	Cancel context.CancelFunc // of the context of Serve
	served chan error
	waited bool
}

// Connect serves a new wire. It must be called inside of a synctest bubble. At
// the end of the test the client hangs up, unless it has, and Serve must return
// without an error.
func Connect(t testing.TB, s *prompts.Server) *Client {
	w := NewWire(t)
	return ConnectOver(t, s, w, w)
}

// ConnectOver serves a transport that is or embeds the wire.
func ConnectOver(t testing.TB, s *prompts.Server, w *Wire, over transport.Conn) *Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{T: t, Wire: w, Cancel: cancel, served: make(chan error, 1)}
	go func() {
		err := s.Serve(ctx, over)
		c.Wire.ended.Store(true)
		c.served <- err
	}()
	t.Cleanup(func() {
		if !c.waited && !t.Failed() {
			assert.NoError(t, c.End())
		}
		cancel()
	})
	return c
}

// Handshake initializes the session.
func (c *Client) Handshake() *Client { return c.HandshakeIn("2025-11-25") }

func (c *Client) Send(msgs ...string) {
	for _, m := range msgs {
		c.Wire.In <- []byte(m)
	}
}

// Received returns what the server has sent since the last call, once nothing
// moves any more.
func (c *Client) Received() []string {
	out := c.ReceivedRaw()
	for i := range out {
		out[i] = Neutral(out[i])
	}
	return out
}

// ReceivedRaw is received with the error ids.
func (c *Client) ReceivedRaw() []string {
	synctest.Wait()
	c.Wire.Mu.Lock()
	defer c.Wire.Mu.Unlock()
	out := c.Wire.Out
	c.Wire.Out = nil
	return out
}

// Ask sends messages and returns the answers.
func (c *Client) Ask(msgs ...string) []string {
	c.Send(msgs...)
	return c.Received()
}

// End closes the client's side and returns what Serve returns.
func (c *Client) End() error {
	c.T.Helper()
	close(c.Wire.In)
	return c.Wait()
}

// Wait returns what Serve returns, and checks that it has closed the transport.
func (c *Client) Wait() error {
	c.T.Helper()
	c.waited = true
	err := <-c.served
	assert.EqualValues(c.T, 1, c.Wire.Closed.Load(), "calls of Close")
	return err
}

// HandshakeIn initializes the session in a revision.
func (c *Client) HandshakeIn(version string) *Client { return c.HandshakeAs(version, "{}") }

// Listen opens subscriptions.
func (c *Client) Listen(ids ...string) *Client {
	c.T.Helper()
	for _, id := range ids {
		require.Equal(c.T, []string{AckLine(id)}, c.Ask(ListenLine(id)))
	}
	return c
}

// Slowly has each write of a client's wire wait for a value; one of an error is
// what it returns.
func (c *Client) Slowly() chan<- error {
	next := make(chan error)
	c.Wire.OnWrite = func(ctx context.Context, _ []byte) error {
		select {
		case err := <-next:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return next
}
