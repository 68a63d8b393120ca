package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/transport"
)

// testLimit keeps the check fast.
const testLimit = 4 << 10

// dial connects to a server.
func dial(t testing.TB, url string) *webSocket {
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{"mcp"}})
	require.NoError(t, err)
	return newWebSocket(conn, testLimit)
}

// connection returns a function for CheckTransport. The server's end is what wrap makes of it.
func connection(wrap func(*webSocket) transport.Conn) func(t testing.TB) (client, server transport.Conn) {
	return func(t testing.TB) (client, server transport.Conn) {
		accepted := make(chan *websocket.Conn, 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			assert.NoError(t, err)
			accepted <- conn
		}))
		t.Cleanup(s.Close)
		client = dial(t, s.URL)
		return client, wrap(newWebSocket(<-accepted, testLimit))
	}
}

func TestTransport(t *testing.T) {
	t.Parallel()
	prompttest.CheckTransport(t, connection(func(w *webSocket) transport.Conn { return w }), prompttest.TransportOptions{MaxMessageBytes: testLimit})
}

// recorder is a test that notes errors, in place of failing.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// The types below are webSockets with one bug each.

type noClose struct{ *webSocket }

func (noClose) Close() error { return nil }

// deaf waits for another message after the end, whatever ends.
type deaf struct{ *webSocket }

func (d deaf) Read(context.Context) ([]byte, error) {
	msg, err := d.webSocket.Read(context.Background())
	if err != nil && !errors.Is(err, transport.ErrTooLarge) {
		select {}
	}
	return msg, err
}

// plainErrors returns errors that do not wrap io.EOF.
type plainErrors struct{ *webSocket }

func (p plainErrors) Read(ctx context.Context) ([]byte, error) {
	msg, err := p.webSocket.Read(ctx)
	if errors.Is(err, io.EOF) {
		err = errors.New(err.Error())
	}
	return msg, err
}

// late writes a message with the next one.
type late struct {
	*webSocket
	waiting []byte
}

func (l *late) Write(ctx context.Context, msgs ...[]byte) error {
	all := msgs
	if l.waiting != nil {
		all = append([][]byte{l.waiting}, msgs...)
	}
	l.waiting = all[len(all)-1]
	return l.webSocket.Write(ctx, all[:len(all)-1]...)
}

// silent returns no errors of Write.
type silent struct{ *webSocket }

func (s silent) Write(ctx context.Context, msgs ...[]byte) error {
	_ = s.webSocket.Write(ctx, msgs...)
	return nil
}

// dropping has a queue, and drops what the queue does not hold.
type dropping struct {
	*webSocket
	queue chan []byte
	ended chan struct{}
}

func newDropping(w *webSocket) transport.Conn {
	d := dropping{w, make(chan []byte, 16), make(chan struct{})}
	go func() {
		defer close(d.ended)
		for msg := range d.queue {
			if w.Write(context.Background(), msg) != nil {
				return
			}
		}
	}()
	return d
}

func (d dropping) Write(_ context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		select {
		case <-d.ended:
			return io.ErrClosedPipe
		case d.queue <- slices.Clone(msg):
		default:
		}
	}
	return nil
}

// CheckTransport finds each of seven bugs, and nothing else.
func TestBugs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the time limits of CheckTransport")
	}
	for name, test := range map[string]struct {
		wrap func(*webSocket) transport.Conn
		want string
	}{
		"Close does nothing": {
			func(w *webSocket) transport.Conn { return noClose{w} },
			"after Close of the server's end, Read of the client's end does not return within 10s; Close must end the connection, and Read of the other end must then return io.EOF",
		},
		"Read ignores its context and Close": {
			func(w *webSocket) transport.Conn { return deaf{w} },
			"a waiting Read does not return within 10s of the end of its context and of Close; let one of both end it",
		},
		"Read returns the end as another error": {
			func(w *webSocket) transport.Conn { return plainErrors{w} },
			"; return the messages that arrived before the client's Close, and then io.EOF",
		},
		"Write keeps a message": {
			func(w *webSocket) transport.Conn { return &late{webSocket: w} },
			"Write must not keep msgs or a message: copy what is sent later",
		},
		"Write returns no error": {
			func(w *webSocket) transport.Conn { return silent{w} },
			"Write succeeds for 10s after the client's Close; return an error that wraps io.ErrClosedPipe if the client disconnected",
		},
		"Read has no limit": {
			func(w *webSocket) transport.Conn { return newWebSocket(w.conn, math.MaxInt64-1) },
			"Read of a message of 4097 bytes, 1 above MaxMessageBytes, must return transport.ErrTooLarge",
		},
		"Write drops messages": {
			newDropping,
			"Write must send all messages in order, and wait while the other end does not read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			prompttest.CheckTransport(r, connection(test.wrap), prompttest.TransportOptions{MaxMessageBytes: testLimit})
			require.Len(t, r.errors, 1, "%s", strings.Join(r.errors, "\n"))
			assert.Contains(t, r.errors[0], test.want)
		})
	}
}

// Clients of every protocol version, and the end of the server.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- serve(ctx, l) }()
	for _, version := range prompttest.Versions() {
		c := prompttest.NewClient(t, dial(t, "ws://"+l.Addr().String()), prompttest.ClientOptions{Version: version})
		got := c.Get("greet", map[string]string{"name": "Ada"})
		assert.Equal(t, "Please greet Ada warmly.", got.Messages[0].Content.(*prompts.Text).Text)
		c.Close()
	}
	_, r, err := websocket.Dial(t.Context(), "ws://"+l.Addr().String(), &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://attacker.example"}}})
	assert.Error(t, err)
	assert.Equal(t, http.StatusForbidden, r.StatusCode)

	open := dial(t, "ws://"+l.Addr().String())
	cancel()
	_, err = open.Read(t.Context())
	assert.ErrorIs(t, err, io.EOF)
	assert.NoError(t, <-served)
}
