package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipes is a listener whose connections are in the bubble of a test.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// running is a server that serves until stop is called.
type running struct {
	t      *testing.T
	pipes  *pipes
	stop   context.CancelFunc
	served chan error
}

func run(t *testing.T) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &running{t, &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}, stop, make(chan error, 1)}
	go func() { s.served <- serve(ctx, s.pipes, "", "", slog.New(slog.DiscardHandler)) }()
	return s
}

// send sends the lines of a request's head, and body, on a connection of its own.
func (s *running) send(body string, lines ...string) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	near, far := net.Pipe()
	s.pipes.conns <- far
	s.t.Cleanup(func() { _ = near.Close() })
	_, err := io.WriteString(near, strings.Join(lines, "\r\n")+"\r\nHost: localhost\r\n\r\n"+body)
	require.NoError(s.t, err)
	return near, bufio.NewReader(near)
}

const editor = "Authorization: Bearer editor-token"

// A request that does not get as far as the handler has no more time for its
// body than one that does.
func TestBodyThatNeverComes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		lines  []string
		status int
	}{
		{"no token", []string{"POST /mcp HTTP/1.1", "Content-Type: application/json", "Content-Length: 10"}, 401},
		{"no token, chunked", []string{"POST /mcp HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked"}, 401},
		{"no such path", []string{"POST / HTTP/1.1", editor, "Content-Length: 10"}, 404},
		{"a refused type", []string{"POST /mcp HTTP/1.1", editor, "Content-Length: 10"}, 415},
		{"a request", []string{"POST /mcp HTTP/1.1", editor, "Content-Type: application/json", "Content-Length: 10"}, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := run(t)
				begin := time.Now()
				_, input := s.send("", test.lines...)
				response, err := http.ReadResponse(input, nil)
				require.NoError(t, err)
				assert.Equal(t, test.status, response.StatusCode)
				_, err = io.ReadAll(input)
				require.NoError(t, err)
				assert.LessOrEqual(t, time.Since(begin), 31*time.Second)
				s.stop()
				assert.NoError(t, <-s.served)
			})
		})
	}
}

// A stream stays open for longer than a body has time to come, and ends when the
// server does.
func TestStreamStaysOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := run(t)
		const body = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		_, input := s.send(body, "POST /mcp HTTP/1.1", editor, "Content-Type: application/json", "Connection: close", "Content-Length: 146")
		require.Len(t, body, 146)
		response, err := http.ReadResponse(input, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		begin := time.Now()
		_, input = s.send("", "GET /mcp HTTP/1.1", editor, "Accept: text/event-stream", "Mcp-Session-Id: "+response.Header.Get("Mcp-Session-Id"))
		response, err = http.ReadResponse(input, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		go func() {
			time.Sleep(time.Hour)
			s.stop()
		}()
		_, err = io.Copy(io.Discard, response.Body)
		assert.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(begin))
		assert.NoError(t, <-s.served)
	})
}

// A client that is stuck keeps the server from its end for no longer than the
// patience there is, and the second that the handler gives to the error response.
func TestEndWithStuckClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string
		ends  time.Duration
	}{
		{"in the handler", []string{"POST /mcp HTTP/1.1", editor, "Content-Type: application/json", "Content-Length: 10"}, patience + time.Second},
		{"before it", []string{"POST /mcp HTTP/1.1", "Content-Type: application/json", "Content-Length: 10"}, patience},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := run(t)
				c, _ := s.send("", test.lines...)
				synctest.Wait()
				begin := time.Now()
				s.stop()
				assert.ErrorIs(t, <-s.served, context.DeadlineExceeded)
				assert.Equal(t, test.ends, time.Since(begin))
				_, err := io.ReadAll(c)
				assert.NoError(t, err, "the connection goes on")
				assert.Equal(t, test.ends, time.Since(begin))
				time.Sleep(time.Second) // net/http waits before it closes the connection
			})
		})
	}
}
