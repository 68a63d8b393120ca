package rpc

import (
	"context"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file acts on a message that was read, alone or in a batch, after the checks in the order
// that the versions ask for.

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

func (s *Dispatcher) act(ctx context.Context, c *Call, err *transport.Error, x *exchange, p *limit.Backpressure, left *received) {
	c.observeSession()
	if c.Message.Kind == wire.KindRequest && err == nil {
		s.receiveRequest(ctx, c, x, p, left)
	} else {
		s.handleNonRequest(c.session, &c.Message, err, left)
	}
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
		// A render function may wait for this response. It fails now, and not at its time limit.
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

// answer reports whether there is a reply. Otherwise, the work is in c.
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

// dispatch passes a request to its method. It appends the result to dst, or returns nil and sets
// the work that makes the result. The order of the checks is that of GAP-10.
func (s *Dispatcher) dispatch(c *Call, x *exchange, dst []byte) ([]byte, *transport.Error) {
	session, m := c.session, &c.Message
	// The message alone decides whether it is stateless, even inside a session (GAP-01): one
	// connection may carry messages of both kinds.
	version := m.Version()
	stateless := version.Kind() != strictjson.Invalid
	// The other layer has negotiated a version, and its client may have sent any other.
	if x.caller != nil && x.caller.rev != 0 {
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
	case c.Rev == 0 && (session == nil && x.caller == nil || !row.beforeInit):
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

func (c *Call) readVersion(name string) *transport.Error {
	rev, ok := revision.Parse(name)
	if !ok || !rev.Stateless() {
		return wire.UnsupportedVersion(name)
	}
	// Every stateless request declares the capabilities again: any replica may get the next one.
	declared := c.Message.Meta.Get(wire.CapabilitiesKey)
	if declared.Kind() != strictjson.Object {
		return wire.WrongKind("_meta", fmt.Sprintf("params._meta[%q]", wire.CapabilitiesKey), "an object", declared)
	}
	c.Rev, c.Client = rev, wire.ReadCapabilities(rev, declared)
	return nil
}

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
