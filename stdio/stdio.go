// Package stdio carries MCP messages as lines of JSON over standard input and output:
//
//	err := stdio.Run(ctx, srv)
//
// MCP clients start local servers in this way. [NewStream] uses any other pair of
// byte streams, such as a net.Conn.
//
// One line is one message. Read accepts CRLF, blank lines, and a last line without a
// line end. Each call of the stream's Write gets one or several whole lines.
//
// Standard output carries the protocol, so the program must not print anything else
// there, by fmt.Println or a logger. Standard error is free for other text, and is
// the default of package log and of slog. A client may close standard error or never read
// it: [Run] is prepared for both, and [LogWriter] is for other programs.
package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/transport"
)

var (
	_ transport.Conn    = (*Conn)(nil)
	_ transport.Limiter = (*Conn)(nil)
)

var errNotMade = errors.New("stdio: Conn is not made by New or NewStream")

func (c *Conn) isMade() bool { return c != nil && c.closed != nil }

// errClosed is the error of Read and Write after Close. In the contract of
// transport.Conn, io.ErrClosedPipe means that the client has disconnected. A
// transport that the server itself has closed is not a failure either.
var errClosed = fmt.Errorf("stdio: the transport has been closed: %w", io.ErrClosedPipe)

// Conn is a [transport.Conn] over a pair of byte streams. [New] and [NewStream] create one:
// the methods of a zero Conn return an error. Safe for concurrent use.
type Conn struct {
	r     io.Reader
	limit atomic.Int64 // the longest message to read, in bytes; 0 until LimitMessages or the first Read

	pumping sync.Once    // starts pump
	lines   chan arrival // from pump to Read
	end     error        // what Read returns for ever; set before lines is closed
	// unread has what has come and has not been returned. The Read that has taken it
	// is the one that reads.
	unread chan []line

	closing  sync.Once
	closed   chan struct{} // closed by Close
	closers  []io.Closer   // what Close closes, in this order
	closeErr error

	writing sync.Mutex // protects the fields below
	w       io.Writer
	buf     []byte // for the next message and its newline
	broken  error  // what ended writing for good
}

// New returns a Conn over the process's standard input and output, with default
// [Options]. It uses the values of os.Stdin and os.Stdout at the time of the call.
//
// A client ends such a server by closing its input: Read then returns io.EOF. If the client closes
// the output first, Write returns an error, and SIGPIPE does not kill the process.
//
// A server on New without [Run] has no protection of standard error: if the client closes
// standard error, the next record on os.Stderr ends the process by SIGPIPE, and if the
// client never reads it, a record blocks. Give the loggers of such a server a [LogWriter].
func New() *Conn {
	return NewStream(os.Stdin, os.Stdout, Options{})
}

// NewStream returns a Conn that reads messages from r and writes them to w. For a connection,
// pass the same value twice. The Conn reads ahead, so no other code may use r or w afterwards.
//
// [Conn.Close] closes r and w if they have a Close method, except the process's
// standard files. Their Close must tolerate a concurrent Read or Write, like the
// Close of an *os.File or a net.Conn.
//
// If w is standard output or standard error itself, the Conn writes to a duplicate of the
// descriptor, because the Go runtime kills the process after a failed write to descriptor 1 or 2.
// This protection does not cover writers that wrap one of the two. NewStream panics if r or w is
// nil, or an option is negative.
func NewStream(r io.Reader, w io.Writer, o Options) *Conn {
	option.Must("stdio: NewStream", o, "reader", r, "writer", w)
	c := &Conn{
		r:      r,
		lines:  make(chan arrival),
		unread: make(chan []line, 1),
		closed: make(chan struct{}),
	}
	c.unread <- nil
	c.LimitMessages(o.MaxMessageBytes)
	c.w, c.closers = own(r, w)
	return c
}

// Close ends the connection. A running Read returns, and so does a running Write if
// the medium allows. Each later Read or Write returns an error that wraps
// io.ErrClosedPipe. Received but unread messages are lost.
//
// Close closes each stream once, except the process's standard files, and returns their errors. A
// stream that is already closed is not an error. Further calls return the same result.
//
// If a pending Read of r does not return, one goroutine outlives Close: the reader
// of standard input ends with the next line or with the process.
func (c *Conn) Close() error {
	if !c.isMade() {
		return errNotMade
	}
	c.closing.Do(func() {
		// Before the streams are closed, so that a Read or Write that fails
		// for that reason can recognize it.
		close(c.closed)
		var errs []error
		for _, closer := range c.closers {
			if err := closer.Close(); err != nil && !isClosed(err) {
				errs = append(errs, fmt.Errorf("stdio: close: %w", err))
			}
		}
		c.closeErr = errors.Join(errs...)
	})
	return c.closeErr
}

// LimitMessages sets the maximum size in bytes of a message for Read, unless
// [Options].MaxMessageBytes did. [prompts.Server.Serve] calls it with the limit of the
// server. After the first Read, it has no effect.
func (c *Conn) LimitMessages(n int) {
	if c.isMade() {
		c.limit.CompareAndSwap(0, int64(max(n, 0)))
	}
}

// TransportInfo describes the connection as a pipe.
func (c *Conn) TransportInfo() transport.Info { return transport.Info{Network: "pipe"} }

func (c *Conn) done() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}
