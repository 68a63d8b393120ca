package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// openStream is the stream until Close is called: then it has ended, whatever more it would return.
type openStream struct{ c *Conn }

func (s openStream) Read(p []byte) (int, error) {
	if s.c.done() {
		return 0, errClosed
	}
	return s.c.r.Read(p)
}

const readBufferBytes = 16 << 10

type line struct {
	msg []byte
	err error
}

// arrival is what the pump hands over: a line, and those that were read with it.
type arrival struct {
	line
	more []line
}

// Read returns the next line that is not blank, without its line end (LF or CRLF). The slice
// belongs to the caller. The last line may lack a line end. Read does not check the JSON.
//
// It returns an error that wraps [transport.ErrTooLarge] for a line above the limit, after skipping
// the line. The next Read returns the next line. Any other error of the stream is final, and each
// later Read returns the same error:
//
//   - io.EOF after the last line;
//   - an error that wraps io.ErrClosedPipe if the client has reset the connection or
//     the Conn is closed;
//   - the wrapped error of the stream. A line cut short by an error is dropped.
//
// When ctx ends, Read returns ctx.Err(), even if the stream is blocked. No message
// is lost: the next Read returns the message.
func (c *Conn) Read(ctx context.Context) ([]byte, error) {
	if !c.isMade() {
		return nil, errNotMade
	}
	if c.done() {
		return nil, errClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.pumping.Do(func() {
		c.LimitMessages(defaultMaxMessageBytes)
		go c.pump()
	})
	var unread []line
	select {
	case unread = <-c.unread:
	case <-c.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { c.unread <- unread }()
	if len(unread) > 0 {
		next := unread[0]
		unread[0] = line{} // it is the caller's
		unread = unread[1:]
		return next.msg, next.err
	}
	select {
	case next, ok := <-c.lines:
		switch {
		case ok:
			unread = next.more
			return next.msg, next.err
		case c.done():
			return nil, errClosed // end is nothing but Close's doing
		default:
			return nil, c.end
		}
	case <-c.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var errGoexit = errors.New("stdio: its goroutine was ended by runtime.Goexit")

// pump reads lines and hands them to Read. Lines that arrive together are handed over together: to
// hand over a line alone would cost more than to read it. pump runs in a goroutine of its own
// because a read of a terminal or a blocking pipe cannot be interrupted. Read can stop waiting for
// pump, and a line that arrives meanwhile waits here for the next Read. pump ends with the stream,
// on any error of the stream, and after Close as soon as the stream's Read returns. A panic of the
// stream is treated as an error of the stream, because in this goroutine it would end the process.
func (c *Conn) pump() {
	c.end = errGoexit // unless it comes to its end
	defer close(c.lines)
	defer func() {
		if v := recover(); v != nil {
			c.end = fmt.Errorf("stdio: read: panic: %v", v) // bufio panics at a count below 0
		}
	}()
	in := newLineReader(openStream{c}, int(c.limit.Load()), readBufferBytes)
	for {
		msg, err := in.next()
		if err != nil && err != in.tooLarge {
			if c.end = err; err != io.EOF {
				c.end = c.describe("read", err)
			}
			return
		}
		select {
		case c.lines <- arrival{line{msg, err}, in.buffered()}:
		case <-c.closed:
			return
		}
	}
}
