package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
)

// maxKeptBytes is the size of the largest buffer that is kept between writes.
const maxKeptBytes = 64 << 10

var (
	errNewline  = errors.New("stdio: message contains a newline")
	errNoReturn = errors.New("stdio: an earlier write has panicked or ended its goroutine")
)

// Write sends msg and a newline in one call of the stream's Write. It does not
// keep msg. A message that contains a newline is refused: nothing of it is
// written, and the Transport stays usable. Nothing is written either if ctx has
// ended, in which case Write returns ctx.Err(). A write that is under way is
// not interrupted by ctx, only by Close, where the medium allows that.
//
// Any error of the stream, a short write or a panic included, is final: the other side may
// have got half a line, so each later Write returns the same error and writes
// nothing. The error wraps the stream's own, and io.ErrClosedPipe as well where
// the other side has gone or the Transport has been closed.
func (t *Transport) Write(ctx context.Context, msg []byte) error {
	return t.WriteBatch(ctx, [][]byte{msg})
}

// Self returns t: see [transport.BatchWriter].
func (t *Transport) Self() any { return t }

// WriteBatch sends each of the messages and a newline, all in one call of the
// stream's Write. The rules are those of Write, for all of them together: if one
// is refused, nothing is written. Nor is the stream's Write called for none.
func (t *Transport) WriteBatch(ctx context.Context, msgs [][]byte) error {
	size := len(msgs)
	for _, msg := range msgs {
		if bytes.IndexByte(msg, '\n') >= 0 {
			return errNewline
		}
		size += len(msg)
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.done() {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.broken != nil || len(msgs) == 0 {
		return t.broken
	}
	buf := slices.Grow(t.buf[:0], size)
	for _, msg := range msgs {
		buf = append(append(buf, msg...), '\n')
	}
	if cap(buf) <= maxKeptBytes {
		t.buf = buf
	}
	t.broken = errNoReturn // unless Write returns
	n, err := t.w.Write(buf)
	if err == nil && n < len(buf) {
		err = io.ErrShortWrite
	}
	t.broken = nil
	if err != nil {
		t.broken = t.describe("write", err)
	}
	return t.broken
}
