package prompts

import (
	"context"
	"errors"
)

// Transport is a connection that carries whole JSON-RPC messages both ways:
// framing is its business, meaning is the server's. Package stdio has the one
// for standard input and output; anything with these three methods will do.
//
// One goroutine calls Read and one at a time calls Write or WriteAll, the two
// concurrently. Close may be called while either is running.
type Transport interface {
	// Read returns the next message, without its framing. The slice belongs
	// to the caller from then on. io.EOF says that the client has sent its
	// last message. An error that wraps [ErrTooLarge] says that one message
	// was over the transport's bound and has been passed over: the server
	// answers it with an error and reads on. Any other error ends the
	// connection; one that wraps io.ErrClosedPipe says that the client has
	// gone without a word, which is no failure. Read returns soon after ctx
	// has ended or Close was called; the server sees to both, so a Read that
	// heeds one of them will do.
	Read(ctx context.Context) ([]byte, error)

	// Write sends one message and must not keep msg. An error ends the
	// connection; one that wraps io.ErrClosedPipe or io.EOF says that the
	// client has gone, which is no failure.
	Write(ctx context.Context, msg []byte) error

	// Close ends the connection. The server calls it once; it unblocks Read
	// and Write where the medium allows that.
	Close() error
}

// AllWriter is what a [Transport] may be as well, if it can send several messages
// for less than each of them: with one system call, for example.
type AllWriter interface {
	// WriteAll sends the messages, in order, as so many calls of Write would, and
	// with the same errors. The server calls it instead of Write for answers that
	// have become ready while something else was being written, 64 KiB of them at
	// most and one message more. It must not keep msgs.
	//
	// A transport that embeds one with this method has it too: if its Write
	// does more than that one's, so must a WriteAll of its own.
	WriteAll(ctx context.Context, msgs [][]byte) error
}

// ErrTooLarge is what a [Transport]'s Read returns, possibly wrapped, for a
// message over its size bound that it has passed over.
var ErrTooLarge = errors.New("message too large")
