package prompts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Serve answers the messages of one connection until the client has gone or
// ctx ends. Then it returns nil; it returns an error if the transport fails
// otherwise. It closes the transport before it returns. A connection may carry
// messages of both eras: those of a session that begins with initialize, and
// those of revision 2026-07-28, which belong to none.
//
// Requests run concurrently, each under Options.RenderTimeout: a render
// function has a goroutine to itself while it runs, and an answer to something
// else never waits for it. The goroutine may run others after it, so it must not
// be left locked to its thread, for example. When the client has closed its
// side, what has been read is still answered, within Options.Grace. When ctx
// ends, render functions are cancelled and not answered. In both cases
// subscriptions get their answer, if the client takes it within a second.
//
// When Serve returns, so have all its goroutines, but for render functions
// and transports that go on after their context has ended: it waits for them
// for a second, and leaves a line in Options.Logger if that is not enough.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	c := &connection{server: s, session: s.NewSession(SessionOptions{}), transport: t, patience: newPatience(), waiting: make(chan job),
		writing: make(chan struct{}, 1), closing: make(chan struct{})}
	c.session.isStream = true
	c.exchange = Exchange{
		Send:    c.send,
		Closing: c.closing,
		emit:    c.emit,
	}
	return c.serve(ctx)
}

// stragglers is how long Serve waits for what should have ended.
const stragglers = time.Second

// connection is one call of Serve.
type connection struct {
	server    *Server
	session   *Session
	transport Transport
	ctx       context.Context // ends with the connection
	cancel    context.CancelCauseFunc
	exchange  Exchange
	closing   chan struct{} // closed to end subscriptions
	patience  *patience     // of the goroutine that reads
	waiting   chan job      // for a worker that rests
	writing   chan struct{} // has room for who may call the transport's Write
	outbox    outbox
	running   tally // goroutines of this connection
}

func (c *connection) serve(parent context.Context) error {
	// The end of parent is the beginning of ours: there are answers to give.
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	defer c.cancel(nil)
	reading, stopReading := context.WithCancelCause(c.ctx)

	// Both goroutines end soon after c.ctx, which ends before serve does.
	read := make(chan error, 1)
	c.spawn(func() {
		err := fmt.Errorf("reading: %w", errGoexit) // unless readAll returns
		defer func() { read <- err }()
		err = c.readAll(reading)
	})
	c.spawn(func() { _ = c.session.Notifications(c.ctx, c.write) })

	var err error
	dropped := 0
	select {
	case err = <-read:
		if errors.Is(err, io.EOF) {
			err = nil
			dropped = c.drain(parent)
		}
	case <-c.ctx.Done():
	case <-parent.Done():
	}
	isEnd := parent.Err() != nil || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.EOF)
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx) // not what Read made of it
		isEnd = isEnd || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.EOF)
	}
	cause := errSessionClosed
	if parent.Err() != nil {
		cause = context.Cause(parent)
	}
	stopReading(cause)
	c.session.end(cause)
	c.endSubscriptions()
	c.session.Close()
	c.cancel(nil)
	c.spawn(func() {
		if err := c.close(); err != nil {
			c.server.log(parent, slog.LevelDebug, "closing the transport", slog.Any("error", err))
		}
	})
	c.await(stragglers)
	if dropped > 0 {
		c.server.log(parent, slog.LevelWarn, "the client has gone before its requests were answered", slog.Int("requests", dropped))
	}
	if isEnd || err == nil {
		return nil
	}
	return fmt.Errorf("prompts: %w", err)
}

// spawn runs f on a goroutine that serve waits for.
func (c *connection) spawn(f func()) {
	c.running.add()
	go func() {
		defer c.running.done()
		f()
	}()
}

// drain lets what has been read be answered (GAP-46), until parent ends at the
// latest, and returns how many requests are not.
func (c *connection) drain(parent context.Context) int {
	c.session.hangUp()
	if c.server.options.Grace < 0 {
		return 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.server.options.Grace)
	defer cancel()
	defer context.AfterFunc(parent, cancel)()
	dropped := c.session.answers.wait(ctx)
	c.session.batches.wait(ctx)
	return dropped + c.outbox.unsent.wait(ctx)
}

// endSubscriptions answers the subscriptions, and has what is in the outbox
// written, unless that takes too long.
func (c *connection) endSubscriptions() {
	close(c.closing)
	ctx, cancel := context.WithTimeout(c.ctx, stragglers)
	defer cancel()
	c.session.subscriptions.wait(ctx)
	c.outbox.unsent.wait(ctx)
}

// await waits for the connection's goroutines, and tells if some go on.
func (c *connection) await(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if n := c.running.wait(ctx); n > 0 {
		c.server.log(ctx, slog.LevelWarn,
			"the connection has ended, but render functions or its transport go on", slog.Int("goroutines", n))
	}
}

// readAll reads and answers messages until there are no more or ctx ends, and
// returns why. It waits for no author's code.
func (c *connection) readAll(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		msg, err := c.read(ctx)
		switch {
		case errors.Is(err, ErrTooLarge):
			err = c.exchange.answer(c.session.errorAnswer(&message{}, errTooLarge))
		case err != nil:
			return fmt.Errorf("reading: %w", err)
		default:
			err = c.handle(msg)
		}
		if err != nil {
			return err
		}
	}
}

// read calls the transport's Read.
func (c *connection) read(ctx context.Context) (msg []byte, err error) {
	defer c.server.guard(c.ctx, &err)
	return c.transport.Read(ctx)
}

func (c *connection) handle(msg []byte) error {
	j, err := c.server.receive(c.ctx, c.session, msg, c.exchange, c.patience)
	if _, ignored := err.(*unaccepted); ignored {
		return nil // there is no way to say so on a stream
	}
	if j == nil {
		return err
	}
	c.start(j)
	return nil
}

// close calls the transport's Close.
func (c *connection) close() (err error) {
	defer c.server.guard(c.ctx, &err)
	return c.transport.Close()
}
