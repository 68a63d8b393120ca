package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// endTimeout is how long Serve waits for what should have ended.
const endTimeout = time.Second

// Serve answers the messages of a connection until the client disconnects or ctx ends.
//
// One goroutine reads, and each request that needs application code has one while it runs (see
// submit). Notifications of changes have none of their own. Responses that become ready while a
// message is being written are queued and written together (see writeQueue). At the end the session
// is drained: within Timeouts.Drain after the client has closed its side, and for a second if ctx
// has ended, for the responses of subscriptions.
func (s *Dispatcher) Serve(ctx context.Context, t transport.Conn) error {
	c := &connection{
		server: s, session: s.NewSession(transport.SessionOptions{}), conn: t, backpressure: limit.NewBackpressure(),
		jobs: make(chan job), writeLock: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	c.session.isStream = true
	c.exchange = exchange{Exchange: transport.Exchange{Send: c.send, Done: c.closing}, emit: c.emit}
	c.exchange.Informer, _ = t.(transport.Informer)
	return c.serve(ctx)
}

// connection is one call of Serve. writeLock is a channel and not a mutex, because a wait for
// it must end with the connection. queue has a lock of its own. All other fields are set
// before the first goroutine starts.
type connection struct {
	server       *Dispatcher
	session      *Session
	conn         transport.Conn
	ctx          context.Context // ends with the connection
	cancel       context.CancelCauseFunc
	exchange     exchange
	closing      chan struct{}       // closed to end subscriptions
	backpressure *limit.Backpressure // of the goroutine that reads
	jobs         chan job            // for an idle worker
	writeLock    chan struct{}       // has room for one: who may write
	queue        writeQueue
	running      limit.WaitGroup // goroutines of this connection
}

func (c *connection) serve(parent context.Context) error {
	// When parent ends, there are still responses to send.
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	defer c.cancel(nil)
	// Reading has a context of its own, because it ends first: what was read is still answered.
	reading, stopReading := context.WithCancelCause(c.ctx)

	c.session.startNotifications(c.ctx, c.write, func(error) {}) // c.write has ended the connection
	// The channel has room: at a shutdown, nobody receives from it any more.
	read := make(chan error, 1)
	c.spawn(func() {
		err := fmt.Errorf("read message: %w", ErrNoReturn) // unless readAll returns
		defer func() { read <- err }()
		err = c.readAll(reading)
	})

	var err error
	dropped := 0
	select {
	case err = <-read:
		if errors.Is(err, io.EOF) {
			err = nil
			// io.EOF says that the client has sent all. It may still read, as a script does
			// that pipes its requests.
			dropped = c.drain(parent)
		}
	// A write has failed: see writeMessages.
	case <-c.ctx.Done():
	case <-parent.Done():
	}
	// A disconnect and a shutdown are how connections end. Serve reports neither as a failure.
	isEnd := parent.Err() != nil || isDisconnect(err)
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx) // and not what Read made of it
		isEnd = isEnd || isDisconnect(err)
	}
	cause := ErrSessionClosed
	if parent.Err() != nil {
		cause = context.Cause(parent)
	}
	// The order matters: no new requests, then no requests, then the last responses, and the
	// transport at the end.
	stopReading(cause)
	c.session.end(cause)
	c.endSubscriptions()
	c.session.Close()
	c.cancel(nil)
	// stopNotifications waits for a notification that is being written, and a client that
	// does not read may block the write.
	c.spawn(c.session.stopNotifications)
	// Close of a transport may block on a client that reads nothing, and Serve must return.
	c.spawn(func() {
		if err := c.conn.Close(); err != nil {
			c.server.Log(parent, slog.LevelDebug, "transport close failed", slog.Any("error", err))
		}
	})
	c.await(endTimeout)
	// Spans of the last requests would be lost if the process ends with Serve.
	c.server.flushFor(endTimeout)
	if dropped > 0 {
		c.server.Log(parent, slog.LevelWarn, "client disconnected with pending requests", slog.Int("pending", dropped))
	}
	if isEnd || err == nil {
		return nil
	}
	return err
}

// flushFor is Flush with a time limit. The context of Serve may have ended already, so the
// time limit is all that ends the wait.
func (s *Dispatcher) flushFor(limit time.Duration) {
	if s.observer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_ = s.observer.Flush(ctx)
}

// isDisconnect reports whether the client has disconnected. io.EOF comes from a write here: a
// read that ends with it has been drained.
func isDisconnect(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.EOF)
}

// spawn runs f on a goroutine that serve waits for. Serve counts them all: a goroutine that
// runs longer than endTimeout after the end is reported in the log.
func (c *connection) spawn(f func()) {
	c.running.Add()
	go func() {
		defer c.running.Done() // when a panic is logged
		// A transport is the code of a user, and its panic must not end other connections.
		defer c.server.recoverPanic()
		f()
	}()
}

// drain waits for the responses to what was read (GAP-46), until parent ends at
// the latest, and returns how many requests are left.
func (c *connection) drain(parent context.Context) int {
	// A client that sends nothing any more cannot answer, so render functions that wait for an
	// answer continue without.
	c.session.questions.close()
	limit := c.server.timeouts.Drain
	if limit < 0 {
		return 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	defer context.AfterFunc(parent, cancel)()
	// The queue comes last, because answered requests put their responses there.
	dropped := c.session.answers.Wait(ctx)
	c.session.batches.Wait(ctx)
	return dropped + c.queue.unsent.Wait(ctx)
}

// endSubscriptions responds to the subscriptions and writes what is queued, unless that takes
// too long. Closing the channel is what Exchange.Done is for: each subscription sends its
// last changes and its result (SUB-11).
func (c *connection) endSubscriptions() {
	close(c.closing)
	ctx, cancel := context.WithTimeout(c.ctx, endTimeout)
	defer cancel()
	c.session.subscriptions.Wait(ctx)
	c.queue.unsent.Wait(ctx)
}

// await waits for the connection's goroutines, and logs if some still run. Such a goroutine
// runs code of the application or of the transport that ignores its context. Serve cannot end
// it, and must return all the same.
func (c *connection) await(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if n := c.running.Wait(ctx); n > 0 {
		c.server.Log(ctx, slog.LevelWarn,
			"connection closed with running goroutines", slog.Int("goroutines", n))
	}
}

// tooLargeForTransport returns the error for a message that the transport has
// skipped. err names the limit if it has a method MaxBytes.
func tooLargeForTransport(err error) *transport.Error {
	if limit := (interface{ MaxBytes() int })(nil); errors.As(err, &limit) {
		return tooLarge(limit.MaxBytes())
	}
	return wire.InvalidRequest("message exceeds the size limit of the transport")
}

// readAll reads and answers messages until there are no more or ctx ends, and returns why. It
// waits for no application code. A request that needs no application code is answered on this
// goroutine. If the client does not read its responses, reading stops as soon as the queue is
// full, and nothing piles up.
func (c *connection) readAll(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		msg, err := c.conn.Read(ctx)
		switch {
		case errors.Is(err, transport.ErrTooLarge):
			x := c.exchange
			// The message was never read, but an operator wants to see that it was rejected.
			x.observed = c.server.observer.Start(c.ctx, observe.KindInvalid, 0, x.Informer)
			err = x.respond(c.session.errorResponse(&wire.Message{}, tooLargeForTransport(err)))
			x.observed.End(err)
		case err != nil:
			return fmt.Errorf("read message: %w", err)
		default:
			err = c.handle(msg)
		}
		if err != nil {
			return err
		}
	}
}

// handle receives a message, and leaves the rest to a worker. An error ends the connection:
// for example, a response could not be sent.
func (c *connection) handle(msg []byte) error {
	j, err := c.server.receive(c.ctx, c.session, msg, &c.exchange, c.backpressure)
	if _, ignored := err.(*wire.Unaccepted); ignored {
		// HTTP answers such a message with a status code.
		return nil // a stream has no way to say so
	}
	if j == nil {
		return err
	}
	c.submit(j)
	return nil
}
