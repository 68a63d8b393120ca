package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/coder/websocket"

	"github.com/mcp-prompts/prompts/transport"
)

// webSocket is a transport.Conn over a WebSocket: each message is a text message.
type webSocket struct {
	conn  *websocket.Conn
	limit int64 // bytes of the largest message to read
}

func newWebSocket(conn *websocket.Conn, limit int64) *webSocket {
	conn.SetReadLimit(-1) // which would end the connection; Read skips the message instead
	return &webSocket{conn, limit}
}

// Read returns the next message, in memory of its own. When ctx ends, so does the
// connection.
func (w *webSocket) Read(ctx context.Context) ([]byte, error) {
	_, r, err := w.conn.Reader(ctx)
	if err != nil {
		return nil, gone(err)
	}
	msg, err := io.ReadAll(io.LimitReader(r, w.limit+1))
	if err == nil && int64(len(msg)) > w.limit {
		if _, err = io.Copy(io.Discard, r); err == nil {
			return nil, fmt.Errorf("more than %d bytes: %w", w.limit, transport.ErrTooLarge)
		}
	}
	return msg, gone(err)
}

// Write sends the messages, and waits while the client does not read.
func (w *webSocket) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := w.conn.Write(ctx, websocket.MessageText, msg); err != nil {
			return gone(err)
		}
	}
	return nil
}

// Close sends a close frame, waits up to 5 seconds for its reply, and ends the connection.
func (w *webSocket) Close() error { return w.conn.Close(websocket.StatusNormalClosure, "") }

// gone adds io.EOF or io.ErrClosedPipe to an error that only says that the client
// disconnected. The server does not treat a disconnect as a failure.
func gone(err error) error {
	switch {
	case websocket.CloseStatus(err) != -1:
		return fmt.Errorf("%w: %w", io.EOF, err)
	case errors.Is(err, net.ErrClosed), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%w: %w", io.ErrClosedPipe, err)
	}
	return err
}
