// Package stdio carries MCP messages as newline-delimited JSON: over the
// standard input and output of the process, which is how a host runs a local
// server, or over any other pair of byte streams, a net.Conn for example.
//
// One line is one message. Reading is tolerant where the meaning is clear
// (CRLF, blank lines, a last line without its newline), writing is not: each
// message is one line, and lines are never parted by a Write call: each has one or
// several, whole.
//
// With standard output as the wire, nothing else may be printed there: no
// fmt.Println, no logger. Standard error is free for text of any kind, and
// is where package log and the default slog.Logger write.
package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

var (
	_ prompts.Transport     = (*Transport)(nil)
	_ transport.BatchWriter = (*Transport)(nil)
)

// errClosed is what Read and Write return after Close. The contract of
// prompts.Transport takes io.ErrClosedPipe for a client that has gone, and a
// transport that the server itself has closed is no more of a failure.
var errClosed = fmt.Errorf("stdio: the transport has been closed: %w", io.ErrClosedPipe)

// Transport is a [prompts.Transport] over a pair of byte streams. [New] and
// [NewStream] make one; the zero value does not work. Its methods may be
// called from any number of goroutines.
type Transport struct {
	r     io.Reader
	limit int // the longest message to read, in bytes

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

// New returns a Transport over the process's standard input and output, with
// default [Options]. It takes os.Stdin and os.Stdout as they are at the time
// of the call.
//
// The host ends such a server by closing its input: Read then returns io.EOF.
// Where the host closes the output first, Write returns an error; the process
// is not killed by SIGPIPE.
func New() *Transport {
	return NewStream(os.Stdin, os.Stdout, Options{})
}

// NewStream returns a Transport that reads messages from r and writes them to
// w. A connection is passed for both. Neither may be used by anyone else from
// then on, for reading ahead takes more from r than one message.
//
// If r or w has a Close method, Close calls it, unless it is one of the
// process's standard files; it has to tolerate being called during a Read or
// a Write, as that of an *os.File or a net.Conn does.
//
// Where w is standard output or standard error itself, the Transport writes to
// a duplicate of its descriptor, because a failed write to descriptor 1 or 2
// makes the Go runtime kill the process. A writer that wraps one of them does
// not get this care.
func NewStream(r io.Reader, w io.Writer, o Options) *Transport {
	t := &Transport{
		r:      r,
		limit:  o.maxMessageBytes(),
		lines:  make(chan arrival),
		unread: make(chan []line, 1),
		closed: make(chan struct{}),
	}
	t.unread <- nil
	t.w, t.closers = own(r, w)
	return t
}

// Close ends the connection: a Read or Write that is under way returns where
// the medium allows it (a Read always does), every later one returns an error
// that wraps io.ErrClosedPipe. Messages that have arrived and have not been
// read are lost.
//
// Close closes the two streams where they have a Close method, a stream that
// serves both ways once, and leaves the process's standard files open. It
// returns what went wrong with that; that a stream was closed already is no
// error. Further calls do nothing and return the same.
//
// One goroutine outlives Close if r's pending Read does not return: the one
// that reads standard input ends with the next line or with the process.
func (t *Transport) Close() error {
	t.closing.Do(func() {
		// First of all, so that whoever fails because its stream is closed
		// can tell why.
		close(t.closed)
		var errs []error
		for _, c := range t.closers {
			if err := c.Close(); err != nil && !isClosed(err) {
				errs = append(errs, fmt.Errorf("stdio: close: %w", err))
			}
		}
		t.closeErr = errors.Join(errs...)
	})
	return t.closeErr
}

// TransportInfo says that the connection is a pipe.
func (t *Transport) TransportInfo() transport.Info { return transport.Info{Network: "pipe"} }

// done tells whether Close has been called.
func (t *Transport) done() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}
