package rpc

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has the ways into the dispatcher: Handle for the messages of a transport, with a
// session or without, and Call for another JSON-RPC layer, which is Handle with an exchange that
// keeps the response.

// Handle answers a message of no session.
func (s *Dispatcher) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return s.handle(ctx, nil, msg, x)
}

func (s *Session) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return s.server.handle(ctx, s, msg, x)
}

// handle answers a message of a session, or of none. The job runs on the goroutine of the
// caller: a transport over HTTP has one for each message. A connection calls receive
// itself, and passes the job to a worker.
func (s *Dispatcher) handle(ctx context.Context, session *Session, msg []byte, x transport.Exchange) error {
	own := &exchange{Exchange: x}
	if x.Send == nil {
		own.release()
		return errors.New("prompts: Handle: Exchange.Send must be a function, got nil; set Send")
	}
	j, err := s.receive(ctx, session, msg, own, nil)
	// A message that is answered needs nothing more, not even a second goroutine.
	if j == nil {
		return err
	}
	return j.run()
}

// Call answers one request for another JSON-RPC layer, without a session. It returns the
// result, or a [*transport.Error] for the client. If ctx ends first, which cancels the request,
// it returns the cause. Any other error is about the options, and is for the author of the
// layer. The application's code runs on a goroutine of its own: Call returns at the time limit
// and at the end of ctx, even if the code continues.
func (s *Dispatcher) Call(ctx context.Context, method string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	c := &caller{options: &o, method: method, overdue: make(chan struct{})}
	if err := c.readOptions(s); err != nil {
		return nil, err
	}
	x := &exchange{caller: c}
	x.Send, x.Overdue, x.ClientKey = c.send, c.setOverdue, o.ClientKey
	if o.ClientKey == "" && o.Session != "" {
		x.ClientKey = secretKey + o.Session // see Call.Sender
	}
	if o.Conn != (transport.Info{}) {
		x.Informer = fixed(o.Conn)
	}
	j, err := s.receive(ctx, nil, params, x, nil)
	if j == nil {
		return c.outcome(err)
	}
	// The channel has room, so the goroutine ends even if Call has returned at the end of ctx.
	handled := make(chan error, 1)
	s.spawn(func() { // ends with the application's code
		err := ErrNoReturn
		defer func() {
			c.cancel(err) // run has panicked, for example in Notify
			handled <- err
		}()
		err = j.run()
	})
	ended := ctx.Done()
	for {
		select {
		case err = <-handled:
			return c.outcome(err)
		case <-c.overdue: // the code continues, but the response is about to come
			c.unanswered.Wait(context.WithoutCancel(ctx))
			return c.outcome(ErrNoReturn)
		case <-ended:
			if c.cancel(context.Cause(ctx)) {
				return c.outcome(context.Cause(ctx))
			}
			ended = nil // the request was faster
		}
	}
}

// receive answers a message as far as that needs no application code, and returns the job that does
// the rest. It waits for capacity within the backpressure. Of the message it keeps what the job
// needs, and no more by the time that it sends anything: a client may be slow to read.
func (s *Dispatcher) receive(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure) (job, error) {
	if s.observer != nil {
		return s.receiveObserved(ctx, session, msg, x, p)
	}
	return s.readAndReply(ctx, session, msg, x, p)
}

// A job ends the operation itself.
func (s *Dispatcher) receiveObserved(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure) (j job, err error) {
	// A copy, because a connection uses the same exchange for all of its messages.
	own := *x
	own.observed = s.observer.Start(ctx, observe.KindInvalid, len(msg), x.Informer)
	// A function of the transport may panic, and the operation must end all the same.
	err = ErrNoReturn // unless receive returns
	defer func() {
		if j == nil {
			own.observed.End(err)
		}
	}()
	return s.readAndReply(ctx, session, msg, &own, p)
}

// Reject is an operation of a message that the transport rejected. Without Reject, an
// observer would count fewer messages than clients send. The operation has the size 0,
// because the transport may not have read the message.
func (s *Dispatcher) Reject(ctx context.Context, conn transport.Informer, err error) {
	s.observer.Start(ctx, observe.KindInvalid, 0, conn).End(err)
}

func (s *Dispatcher) readAndReply(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure) (job, error) {
	var r received
	s.read(ctx, session, msg, x, p, &r)
	switch {
	case r.finish != nil:
		return nil, r.finish()
	case r.reply.Msg == nil:
		return r.job, r.err
	}
	defer r.release(s, x.ClientKey)
	return nil, x.respond(r.reply)
}

// read reads a message and acts on it, except for what may wait for the client: that is left
// to do. By the time that read returns, the message is no longer counted and its parsed form
// is back in the pool.
func (s *Dispatcher) read(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure, left *received) {
	if len(msg) > s.limits.MessageBytes {
		s.rejectLarge(session, x, left)
		return
	}
	// Small messages are not counted one by one: the limits of requests bound them, and
	// counting would slow every get.
	isLarge := wire.IsLarge(len(msg))
	if isLarge {
		// The copy below, the copies of what is kept, and the parsed form.
		release, err := s.memory.parse(ctx, session.account(x.ClientKey), 2*len(msg)+strictjson.MaxMemory(msg))
		if err != nil {
			x.release()
			left.err = err
			return
		}
		defer release()
	}
	r := getReading()
	defer putReading(r)
	// The one copy of the message: everything that is read is a substring of it.
	src := string(msg)
	x.release()
	c := &r.call
	c.engine, c.session, c.from, c.conn, c.observed, c.caller = s.engine, session, x.ClientKey, x.Informer, x.observed, x.caller
	m := &c.Message
	var root strictjson.Value
	var broken, err *transport.Error
	if x.caller != nil {
		broken = x.caller.read(m, &r.doc, src)
	} else {
		root, broken = wire.Parse(&r.doc, src)
		err = m.Read(root)
	}
	if m.Large = isLarge; isLarge {
		// What is kept of a large message is copied, or one short name would hold megabytes.
		m.Detach()
	}
	if x.observed != nil {
		x.observed.Read(m, err != nil || broken != nil, s.methods[m.Method] != nil)
	}
	isBatch := root.Kind() == strictjson.Array
	isWellFormed := broken == nil && (err == nil || isBatch)
	// A malformed response may still be for a question of the session, whose render function
	// must not wait for its time limit. The session of a malformed batch decides whether each
	// message gets an error with its id.
	isMalformed := !isWellFormed && (m.Kind == wire.KindResponse || isBatch)
	// The transport looks up a session only for a message that could be handled: a lookup
	// counts as use of the session, and hostile bytes must not keep a session alive.
	if x.Session != nil && (isWellFormed || isMalformed) && !m.IsStateless() {
		rejected := c.findSession(x)
		if rejected != nil && !isMalformed { // else the message has an error already
			left.rejectSession(m, isBatch, rejected)
			return
		}
	}
	if left.err = c.session.check(s); left.err != nil {
		return
	}
	// Only one version has batches, so the array is accepted by what was negotiated and not by
	// what it looks like.
	if isBatch && c.session.revision().Batches() {
		s.receiveBatch(ctx, c, root, broken, x, p, left)
		return
	}
	if isBatch {
		err = errNoBatch
	}
	// JSON that is broken has no version and no kind, so its error wins.
	if broken != nil {
		err = broken
	}
	s.act(ctx, c, err, x, p, left)
}

// findSession sets the session of the call: a transport over HTTP learns it from the headers of
// the message, after the call was made.
func (c *Call) findSession(x *exchange) *transport.Error {
	m := &c.Message
	found, err := x.Session(transport.RequestInfo{Method: m.Method, ID: m.ID, Request: m.Kind == wire.KindRequest})
	if found != nil {
		c.session, _ = found.Made(call.Seal{}).(*Session)
	}
	return rejection(err)
}

func (r *received) rejectSession(m *wire.Message, isBatch bool, err *transport.Error) {
	if m.Kind == wire.KindRequest || isBatch {
		r.reject(m.ID, err)
		return
	}
	r.err = &wire.Unaccepted{Err: err}
}

func (s *Dispatcher) rejectLarge(session *Session, x *exchange, left *received) {
	// Nothing of the message is used below, and a transport may need its memory for the next one.
	x.release()
	if x.caller != nil {
		left.reject(x.caller.options.ID, wire.InvalidParams("params exceed the limit of %d bytes", s.limits.MessageBytes))
	} else {
		left.reply = session.errorResponse(&wire.Message{}, tooLarge(s.limits.MessageBytes))
	}
}

func tooLarge(limit int) *transport.Error {
	return wire.InvalidRequest("message exceeds the limit of %d bytes", limit)
}
