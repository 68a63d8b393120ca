package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-prompts/prompts/transport"
)

// describe wraps an error of the stream. If the error only means that the connection has ended, the
// result wraps io.ErrClosedPipe too, by which the server recognizes the end.
func (c *Conn) describe(op string, err error) error {
	if over := c.done() || isClosed(err) || isGone(err); over && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("stdio: %s: %w: %w", op, io.ErrClosedPipe, err)
	}
	if errors.Is(err, transport.ErrTooLarge) {
		// Not wrapped: returned from here, ErrTooLarge would mean that reading continues.
		return fmt.Errorf("stdio: %s: %v", op, err)
	}
	return fmt.Errorf("stdio: %s: %w", op, err)
}

// The text stands for net.ErrClosed. The standard library keeps the text stable for
// programs that search for it (see ErrNetClosing in internal/poll). An import of net
// for this name would link every stdio server to the C library if cgo is enabled.
func isClosed(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) ||
		strings.HasSuffix(err.Error(), "use of closed network connection")
}

// isGone reports whether err is an error of the operating system for a connection
// that the other side has closed.
func isGone(err error) bool {
	for _, errno := range goneErrnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
