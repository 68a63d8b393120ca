package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// maxKeptBytes is the size of the largest buffer that is kept between writes.
const maxKeptBytes = 64 << 10

// maxLargeBytes is the same for the buffers in largeBuffers.
const maxLargeBytes = 1<<20 + maxKeptBytes

// largeBuffers has buffers above maxKeptBytes, which transports share: pages of lists are
// often so large. The garbage collector empties it.
var largeBuffers sync.Pool

var (
	errNewline  = errors.New("stdio: message contains a newline")
	errNoReturn = errors.New("stdio: an earlier write has panicked or ended its goroutine")
)

// Write sends each message and a newline, all in one call of the stream's Write. It does not keep
// the messages. It returns an error and writes nothing if a message contains a newline, or if ctx
// has ended. The Conn stays usable then. A running Write ends by Close, if the medium allows,
// and not by ctx. Without messages, the stream's Write is not called.
//
// Any error of the stream is final, because the client may have received a part of a
// line. This includes a short write and a panic. Each later Write returns the same
// error and writes nothing. The error wraps the stream's error, and io.ErrClosedPipe
// if the client has disconnected or the Conn is closed.
func (c *Conn) Write(ctx context.Context, msgs ...[]byte) error {
	if !c.isMade() {
		return errNotMade
	}
	size := len(msgs)
	for _, msg := range msgs {
		if bytes.IndexByte(msg, '\n') >= 0 {
			return errNewline
		}
		size += len(msg)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.done() {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.broken != nil || len(msgs) == 0 {
		return c.broken
	}
	buf := c.buf[:0]
	if size > max(cap(buf), maxKeptBytes) {
		if large, ok := largeBuffers.Get().(*[]byte); ok && size <= cap(*large) && cap(*large) <= 2*size {
			buf = *large
		}
	}
	buf = slices.Grow(buf, size)
	for _, msg := range msgs {
		buf = append(append(buf, msg...), '\n')
	}
	if cap(buf) <= maxKeptBytes {
		c.buf = buf
	}
	c.broken = errNoReturn // unless Write returns
	n, err := c.w.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	if cap(buf) > maxKeptBytes && cap(buf) <= maxLargeBytes {
		large := buf[:0] // which is allocated, unlike buf
		largeBuffers.Put(&large)
	}
	c.broken = nil
	if err != nil {
		c.broken = c.describe("write", err)
	}
	return c.broken
}
