package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/mcp-prompts/prompts/transport"
)

// framed is a transport.Conn over a network connection: each message comes
// after its length in bytes, a 32-bit big-endian number. What a message says
// does not concern the transport.
type framed struct {
	conn  net.Conn
	limit uint32 // bytes of the longest message to read
}

var _ transport.Conn = (*framed)(nil)

// Read returns the next message. The error is io.EOF where the other side has
// sent its last one, and only then.
func (f *framed) Read(ctx context.Context) ([]byte, error) {
	// When ctx ends, the deadline lies in the past, which ends a read that
	// waits.
	stop := context.AfterFunc(ctx, func() { _ = f.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	msg, err := f.next()
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return msg, gone(err)
}

func (f *framed) next() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(f.conn, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > f.limit {
		// Do not allocate by a length from a client. The message is skipped, so the
		// next Read begins where the next message does.
		if _, err := io.CopyN(io.Discard, f.conn, int64(size)); err != nil {
			return nil, unfinished(err)
		}
		return nil, fmt.Errorf("%d bytes: %w", size, transport.ErrTooLarge)
	}
	msg := make([]byte, size) // a new one each time, for it belongs to the caller
	if _, err := io.ReadFull(f.conn, msg); err != nil {
		return nil, unfinished(err)
	}
	return msg, nil
}

// Write sends messages. While the other side does not read, it waits, and at the longest
// until Close is called.
func (f *framed) Write(_ context.Context, msgs ...[]byte) error {
	var frames []byte
	for _, msg := range msgs {
		frames = binary.BigEndian.AppendUint32(frames, uint32(len(msg)))
		frames = append(frames, msg...)
	}
	_, err := f.conn.Write(frames)
	return gone(err)
}

// Close ends the connection, and a Read or a Write that waits.
func (f *framed) Close() error { return f.conn.Close() }

// unfinished returns the error of a read inside of a message, where the end
// of the stream is not the clean end that io.EOF stands for.
func unfinished(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// gone adds io.ErrClosedPipe to an error that only says that the other side
// disconnected: the server does not treat a disconnect as a failure.
func gone(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("%w: %w", io.ErrClosedPipe, err)
	}
	return err
}
