package rpc

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file takes a message from the transport as far as it goes without the
// application's code: it finds the session, rejects, answers, or returns the job
// that does the rest, after the checks in the order that the versions ask for. See method.go
// for the methods, task.go, subscription.go and batch.go for the jobs.

// Handle answers a message of no session.
func (s *Dispatcher) Handle(ctx context.Context, msg []byte, x transport.Exchange) error {
	return s.handle(ctx, nil, msg, x)
}

// handle answers a message of a session, or of none. The job runs on the goroutine of the
// caller: a transport over HTTP has one for each message. A connection calls receiveObserved
// itself, and passes the job to a worker.
func (s *Dispatcher) handle(ctx context.Context, session *Session, msg []byte, x transport.Exchange) error {
	j, err := s.receiveObserved(ctx, session, msg, &exchange{Exchange: x}, nil)
	// A message that is answered needs nothing more, not even a second goroutine.
	if j == nil {
		return err
	}
	return j.run()
}

// receiveObserved is receive, with an operation of the observer's. A job ends the
// operation itself.
func (s *Dispatcher) receiveObserved(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure) (j job, err error) {
	if s.observer == nil {
		return s.receive(ctx, session, msg, x, p)
	}
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
	return s.receive(ctx, session, msg, &own, p)
}

// Reject is an operation of a message that the transport rejected. Without Reject, an
// observer would count fewer messages than clients send. The operation has the size 0,
// because the transport may not have read the message.
func (s *Dispatcher) Reject(ctx context.Context, conn transport.Informer, err error) {
	s.observer.Start(ctx, observe.KindInvalid, 0, conn).End(err)
}

// receive answers a message as far as that needs no application code, and
// returns the job that does the rest. It waits for capacity within the
// backpressure. Of the message it keeps what the job needs, and no more by the
// time that it sends anything: a client may be slow to read.
func (s *Dispatcher) receive(ctx context.Context, session *Session, msg []byte, x *exchange, p *limit.Backpressure) (job, error) {
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

// received is what is left to do for a message that was read: to run the job, to
// call finish, to send the reply, or nothing.
type received struct {
	job     job
	finish  func() error
	reply   wire.Response
	buf     *[]byte // of the reply, from the pool; may be nil
	held    holding // for the reply
	session *Session
	err     error // why a message without a response is not accepted
}

// reject sets the error response to a request.
func (r *received) reject(id string, err *transport.Error) { r.reply = wire.ErrorResponse(id, err) }

// release returns what the reply takes. It must follow after the reply is sent: the bytes of
// the reply count for as long as a slow client holds them.
func (r *received) release(s *Dispatcher, client string) {
	if r.buf != nil {
		wire.PutBuffer(r.buf)
		r.buf = nil
	}
	s.memory.release(&r.held, r.session.share(), client)
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
		// The copy below, the copies of what is kept, and the parsed form. Waiting is safe
		// here, because no goroutine waits for a client while it holds these bytes.
		n, account := int64(2*len(msg)+strictjson.MaxMemory(msg)), session.account(x.ClientKey)
		if err := s.memory.parsing.Acquire(ctx, account, n, time.Time{}); err != nil {
			x.release()
			left.err = err
			return
		}
		defer s.memory.parsing.Release(account, n)
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
		var rejected *transport.Error
		var found transport.Session
		found, rejected = x.find(m)
		session, _ = found.(*Session)
		if rejected != nil && !isMalformed { // else the message has an error already
			if m.Kind != wire.KindRequest && !isBatch {
				left.err = &wire.Unaccepted{Err: rejected}
			} else {
				left.reject(m.ID, rejected)
			}
			return
		}
		// A transport over HTTP learns the session from the headers of this message, after the
		// call was made.
		c.session = session
	}
	// Only one version has batches, so the array is accepted by what was negotiated and not by
	// what it looks like.
	if isBatch && session.revision().Batches() {
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

// act acts on a message that was read with its session, alone or in a batch. err is the error
// of the message, or nil.
func (s *Dispatcher) act(ctx context.Context, c *Call, err *transport.Error, x *exchange, p *limit.Backpressure, left *received) {
	c.observeSession()
	if c.Message.Kind == wire.KindRequest && err == nil {
		s.receiveRequest(ctx, c, x, p, left)
	} else {
		s.handleNonRequest(c.session, &c.Message, err, left)
	}
}

// rejectLarge rejects a message over the limit.
func (s *Dispatcher) rejectLarge(session *Session, x *exchange, left *received) {
	// Nothing of the message is used below, and a transport may need its memory for the
	// next one.
	x.release()
	if x.caller != nil {
		left.reject(x.caller.options.ID, wire.InvalidParams("params exceed the limit of %d bytes", s.limits.MessageBytes))
	} else {
		left.reply = session.errorResponse(&wire.Message{}, tooLarge(s.limits.MessageBytes))
	}
}

// tooLarge returns the error for a message over the limit.
func tooLarge(limit int) *transport.Error {
	return wire.InvalidRequest("message exceeds the limit of %d bytes", limit)
}

var (
	errNoBatch  = wire.InvalidRequest("JSON-RPC batches are only supported in protocol version 2025-03-26")
	errNotAsked = wire.InvalidRequest("response does not match any pending request")
)

// handleNonRequest handles a message that is no request, or that has an error. A notification
// or a response gets no response, not even an error: JSON-RPC forbids that, and two peers
// could answer each other forever.
func (s *Dispatcher) handleNonRequest(session *Session, m *wire.Message, err *transport.Error, left *received) {
	// Without a session, the server has asked the client nothing.
	if m.Kind == wire.KindResponse && err == nil && (session == nil || session.isDetached) {
		err = errNotAsked
	}
	if err != nil && session != nil && !session.isDetached {
		// A render function may wait for this response. It fails now, and not at its time
		// limit.
		session.questions.handleMalformed(m, err)
	}
	switch isSilent := m.Kind == wire.KindNotification || m.Kind == wire.KindResponse; {
	case !isSilent:
		left.reply = session.errorResponse(m, err)
	case err != nil:
		left.err = &wire.Unaccepted{Err: err}
	// Notifications have no response in any case, so an unknown one costs nothing.
	case session == nil: // no stateless notification means anything
	case m.Kind == wire.KindNotification:
		session.handleNotification(m)
	default:
		session.questions.handleResponse(m)
	}
}

// receiveRequest is read for a valid request.
func (s *Dispatcher) receiveRequest(ctx context.Context, c *Call, x *exchange, p *limit.Backpressure, left *received) {
	if s.answer(c, x, left) {
		return
	}
	var rejected *transport.Error
	// A subscription is no task: a time limit would end what is meant to last, and a slot
	// would keep requests waiting.
	if c.subscribe != nil {
		left.job, rejected = s.newSubscription(ctx, c, x)
	} else {
		left.job, rejected = newTask(ctx, c, x).start(ctx, c.keptBytes(), p)
	}
	if rejected != nil {
		left.reject(c.Message.ID, rejected)
	}
}

// answer sets the reply to a request that needs no application code, and reports
// whether there is one. Otherwise, the work is in c.
func (s *Dispatcher) answer(c *Call, x *exchange, left *received) bool {
	// Head first: dispatch appends the result where it stays.
	buf := wire.GetBuffer()
	left.buf, left.session = buf, c.session
	*buf = wire.AppendResultHead(*buf, c.Message.ID)
	result, rejected := s.dispatch(c, x, *buf)
	if result != nil {
		*buf = append(result, '}')
		if s.memory.hold(&left.held, c.session.share(), c.from, cap(*buf)) {
			left.reply.Msg = *buf
			return true
		}
		// A page of a list can be large, and a buffer that does not fit the limit must not go
		// back into the pool.
		*buf = nil
		rejected = wire.Busy()
	}
	// The buffer goes back before the work waits for a slot. The work takes another one when
	// it runs.
	left.release(s, c.from)
	if rejected != nil {
		left.reject(c.Message.ID, rejected)
	}
	return rejected != nil
}

// dispatch passes a request to its method. It appends the result to dst, or
// returns nil and sets the work that makes the result. The order of the checks is
// that of GAP-10.
func (s *Dispatcher) dispatch(c *Call, x *exchange, dst []byte) ([]byte, *transport.Error) {
	session, m := c.session, &c.Message
	// The message alone decides whether it is stateless, even inside a session (GAP-01): one
	// connection may carry messages of both kinds.
	version := m.Version()
	stateless := version.Kind() != strictjson.Invalid
	if x.caller != nil && (!stateless || x.caller.hasVersion()) {
		stateless, c.Rev, c.Client = false, x.caller.rev, x.caller.declared
	}
	var name string
	if stateless {
		if version.Kind() != strictjson.String {
			return nil, wire.WrongKind("_meta", fmt.Sprintf("params._meta[%q]", wire.VersionKey), "a string", version)
		}
		name = version.Text()
	}
	// A header that differs from the body is reported before a version that nobody knows: the
	// client fixes the header first (GAP-10).
	if err := x.check(x.CheckVersion, m, name); err != nil {
		return nil, err
	}
	if stateless {
		if err := c.readVersion(name); err != nil {
			return nil, err
		}
	}
	// Before the method is looked up: a request that was routed by another method must not be
	// answered as if it were only unknown (GAP-10).
	if err := x.check(x.CheckRouting, m, name); err != nil {
		return nil, err
	}
	// Stateless requests share the ids of a connection, because a cancellation over a stream
	// names nothing but an id.
	if session != nil {
		rev, client, err := session.checkID(m.Key)
		if err != nil {
			return nil, err
		}
		if !stateless {
			c.Rev, c.Client = rev, client
		}
	}
	c.observed.SetVersion(c.Rev)
	// An unknown method is reported as such even before initialize, which would not help.
	row := s.methods[m.Method]
	switch {
	case row.isMissing(c):
		return nil, c.notFound(row)
	case c.Rev == 0 && (session == nil || !row.beforeInit):
		return nil, errNotInitialized
	}
	// Params come last: only now is it clear which method, and which version, defines them.
	if err := m.CheckParams(); err != nil {
		return nil, err
	}
	if stateless {
		if err := m.CheckMetadata(); err != nil {
			return nil, err
		}
	}
	return row.admitAndCall(c, dst)
}

// readVersion sets the version and the capabilities of a stateless request.
func (c *Call) readVersion(name string) *transport.Error {
	rev, ok := revision.Parse(name)
	if !ok || !rev.Stateless() {
		return wire.UnsupportedVersion(name)
	}
	// Every stateless request declares the capabilities again: any replica may get the
	// next one.
	declared := c.Message.Meta.Get(wire.CapabilitiesKey)
	if declared.Kind() != strictjson.Object {
		return wire.WrongKind("_meta", fmt.Sprintf("params._meta[%q]", wire.CapabilitiesKey), "an object", declared)
	}
	c.Rev, c.Client = rev, wire.ReadCapabilities(rev, declared)
	return nil
}

// notFound returns the error for a method that is unknown, or not in the version of the request.
func (c *Call) notFound(row *method) *transport.Error {
	err := wire.MethodNotFound(c.Message.Method)
	if row != nil && c.Rev != 0 && !row.versions[c.Rev] {
		err.Message += fmt.Sprintf(" (not in protocol version %s)", c.Rev)
	}
	return err
}

// errNotInitialized answers a request that belongs to neither era (GAP-07).
var errNotInitialized = wire.InvalidParams("session not initialized: send initialize first, or include %q and %q in params._meta (2026-07-28)",
	wire.VersionKey, wire.CapabilitiesKey)
