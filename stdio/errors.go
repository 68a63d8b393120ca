package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-prompts/prompts/transport"
)

// describe wraps an error of the stream. Where it means no more than that the
// connection is over, the result wraps io.ErrClosedPipe too, by which the
// server knows that.
func (t *Transport) describe(op string, err error) error {
	if over := t.done() || isClosed(err) || isGone(err); over && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("stdio: %s: %w: %w", op, io.ErrClosedPipe, err)
	}
	if errors.Is(err, transport.ErrTooLarge) {
		// Not wrapped: from here it would say that reading goes on.
		return fmt.Errorf("stdio: %s: %v", op, err)
	}
	return fmt.Errorf("stdio: %s: %w", op, err)
}

// isClosed tells whether err is about a stream that this side has closed.
//
// The text stands for net.ErrClosed, and the standard library keeps it for the
// sake of those who look for it (see ErrNetClosing in internal/poll). To
// import net for that one name would link every stdio server to the C library
// where cgo is on.
func isClosed(err error) bool {
	return errors.Is(err, os.ErrClosed) || errors.Is(err, io.ErrClosedPipe) ||
		strings.HasSuffix(err.Error(), "use of closed network connection")
}

// isGone tells whether err is how the operating system says that the other
// side has gone.
func isGone(err error) bool {
	for _, errno := range goneErrnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
