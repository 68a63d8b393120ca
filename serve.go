package prompts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Serve answers the messages of one connection until the client has gone or
// ctx ends. Then it returns nil; it returns an error if the transport fails
// otherwise. It closes the transport before it returns.
//
// Requests run concurrently, each under Options.RenderTimeout: a render
// function runs on a goroutine of its own, and an answer to something else
// never waits for it. When the client has closed its side, what has been read
// is still answered, within Options.Grace.
//
// When Serve returns, so have all its goroutines, but for render functions
// and transports that go on after their context has ended: it waits for them
// for a second, and leaves a line in Options.Logger if that is not enough.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	c := &connection{server: s, session: s.NewSession(SessionOptions{}), transport: t, patience: newPatience()}
	c.exchange.Send = func(msg []byte, _ Code, _ bool) error { return c.write(msg) }
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
	patience  *patience  // of the goroutine that reads
	writing   sync.Mutex // held to call the transport's Write
	running   tally      // goroutines of this connection
}

func (c *connection) serve(parent context.Context) error {
	c.ctx, c.cancel = context.WithCancelCause(parent)
	defer c.cancel(nil)

	// Both goroutines end soon after c.ctx, which ends before serve does.
	read := make(chan error, 1)
	c.spawn(func() {
		err := errReadEnded
		defer func() { read <- err }()
		err = c.readAll()
	})
	c.spawn(func() { _ = c.session.Notifications(c.ctx, c.write) })

	var err error
	dropped := 0
	select {
	case err = <-read:
		if errors.Is(err, io.EOF) {
			err = nil
			dropped = c.drain()
		}
	case <-c.ctx.Done():
	}
	if c.ctx.Err() != nil {
		err = context.Cause(c.ctx) // not what Read made of it
	}
	isEnd := parent.Err() != nil || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, io.EOF)
	c.session.Close()
	c.cancel(nil)
	c.spawn(func() {
		if err := c.transport.Close(); err != nil {
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

var errReadEnded = errors.New("reading: the transport has ended the goroutine")

// spawn runs f on a goroutine that serve waits for.
func (c *connection) spawn(f func()) {
	c.running.add()
	go func() {
		defer c.running.done()
		f()
	}()
}

// drain lets what has been read be answered (GAP-46), and returns how many
// requests are not.
func (c *connection) drain() int {
	if c.server.options.Grace < 0 {
		return 0
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.server.options.Grace)
	defer cancel()
	return c.session.answers.wait(ctx)
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

// readAll reads and answers messages until there are no more, and returns
// why. It waits for no author's code.
func (c *connection) readAll() error {
	for {
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
		msg, err := c.transport.Read(c.ctx)
		switch {
		case errors.Is(err, ErrTooLarge):
			err = c.exchange.answer(errorAnswer("", errTooLarge))
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

func (c *connection) handle(msg []byte) error {
	t, err := c.server.receive(c.ctx, c.session, msg, c.exchange, c.patience)
	if t == nil {
		return err
	}
	// The goroutine ends with the render function, whose context ends with
	// the answer, the time limit or the connection.
	c.spawn(func() { _ = t.run(c.server.options.RenderTimeout, c.exchange) })
	return nil
}

// write sends a message. If that fails, the connection is over.
func (c *connection) write(msg []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	err := c.transport.Write(c.ctx, msg)
	if err != nil {
		err = fmt.Errorf("writing: %w", err)
		c.cancel(err)
	}
	return err
}
