package prompts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire is a Transport in memory for tests inside of a synctest bubble. It
// holds the server to the contract of Transport: one reader and one writer at
// a time, and Close once.
type wire struct {
	t  testing.TB
	in chan any // []byte, or an error that Read returns; closed for io.EOF

	// onWrite, if not nil, is called by Write first, without a lock.
	onWrite func(ctx context.Context, msg []byte) error

	reading, writing atomic.Int32
	closed           atomic.Int32
	gone             chan struct{} // closed by Close

	mu  sync.Mutex // protects the field below
	out []string
}

var _ Transport = (*wire)(nil)

func newWire(t testing.TB) *wire {
	return &wire{t: t, in: make(chan any, 1024), gone: make(chan struct{})}
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
		return slices.Clone(v.([]byte)), nil
	case <-w.gone:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Write(ctx context.Context, msg []byte) error {
	assert.EqualValues(w.t, 1, w.writing.Add(1), "concurrent writes")
	defer w.writing.Add(-1)
	assert.NoError(w.t, ctx.Err(), "a write after the end of the connection")
	if w.onWrite != nil {
		if err := w.onWrite(ctx, msg); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, string(msg))
	clear(msg) // the next one to look at it finds out that it was not kept
	return nil
}

func (w *wire) Close() error {
	if assert.EqualValues(w.t, 1, w.closed.Add(1), "closed twice") {
		close(w.gone)
	}
	return nil
}

// client is the other side of a wire that a server serves.
type client struct {
	t      testing.TB
	wire   *wire
	cancel context.CancelFunc // of the context of Serve
	served chan error
}

// connect serves a new wire. It must be called inside of a synctest bubble.
func connect(t testing.TB, s *Server) *client {
	return connectWire(t, s, newWire(t))
}

func connectWire(t testing.TB, s *Server, w *wire) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{t: t, wire: w, cancel: cancel, served: make(chan error, 1)}
	go func() { c.served <- s.Serve(ctx, c.wire) }()
	t.Cleanup(cancel)
	return c
}

const (
	initializeLine  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listChangedLine = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// handshake initializes the session.
func (c *client) handshake() *client {
	c.t.Helper()
	c.send(initializeLine, initializedLine)
	require.Len(c.t, c.received(), 1, "the answer to initialize")
	return c
}

func (c *client) send(msgs ...string) {
	for _, m := range msgs {
		c.wire.in <- []byte(m)
	}
}

// received returns what the server has sent since the last call, once nothing
// moves any more.
func (c *client) received() []string {
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
	err := <-c.served
	assert.EqualValues(c.t, 1, c.wire.closed.Load(), "calls of Close")
	return err
}

// journal is a logger's memory.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// sent is one message that an Exchange has sent.
type sent struct {
	msg  string
	code Code
	last bool
}

// recorder is an Exchange that keeps what is sent, and notices what is sent
// after it was closed.
type recorder struct {
	t        testing.TB
	mu       sync.Mutex
	messages []sent
	over     bool
	fail     error
}

func (r *recorder) send(msg []byte, code Code, last bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.False(r.t, r.over, "sent after Handle has returned: %s", msg)
	if r.fail != nil {
		return r.fail
	}
	r.messages = append(r.messages, sent{string(msg), code, last})
	clear(msg)
	return nil
}

// handle passes one message to the session, or to the server if that is nil,
// and returns the answer, which is empty if there was none.
func handle(t testing.TB, s *Server, session *Session, msg string) (string, error) {
	t.Helper()
	r := &recorder{t: t}
	x := Exchange{Send: r.send}
	var err error
	if session != nil {
		err = session.Handle(context.Background(), []byte(msg), x)
	} else {
		err = s.Handle(context.Background(), []byte(msg), x)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if !assert.LessOrEqual(t, len(r.messages), 1, "answers to %s", msg) || len(r.messages) == 0 {
		return "", err
	}
	assert.True(t, r.messages[0].last)
	return r.messages[0].msg, err
}

// newSession returns an initialized session of the server.
func newSession(t testing.TB, s *Server) *Session {
	t.Helper()
	session := s.NewSession(SessionOptions{})
	t.Cleanup(session.Close)
	for _, msg := range []string{initializeLine, initializedLine} {
		_, err := handle(t, s, session, msg)
		require.NoError(t, err)
	}
	return session
}

// registryOf returns a registry of the prompts.
func registryOf(ps ...Prompt) *Registry {
	r := new(Registry)
	r.MustAdd(ps...)
	return r
}

// rendered declares a prompt without arguments.
func rendered(name string, f func(context.Context) (*Result, error)) Prompt {
	return Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*Result, error) { return f(ctx) }}
}

func textPrompt(name, text string) Prompt {
	return rendered(name, func(context.Context) (*Result, error) { return Messages(User(text)), nil })
}

func getLine(id, prompt string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"` + prompt + `"}}`
}

func cancelLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func textLine(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}]}}`
}

func pongLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func pingLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func errorLine(id string, code Code, message string) string {
	return string(errorAnswer(id, &Error{Code: code, Message: message}).msg)
}

var errDisk = errors.New("the disk is on fire")
