package rpc

import (
	"cmp"
	"context"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// maxBatch is how many messages a batch may have: the responses may be longer
// than the requests, and are sent at once.
const maxBatch = 1000

// receiveBatch is read for a batch. c is the call that has the whole array as its message.
// broken is the rule of JSON that the array breaks, or nil. A batch without requests for the
// application's code is answered at once.
func (s *Dispatcher) receiveBatch(ctx context.Context, c *Call, root strictjson.Value, broken *transport.Error, x *exchange, p *limit.Backpressure, left *received) {
	if broken != nil { // which may be the error of another message
		broken = wire.InvalidRequest("batch rejected: %s", broken.Message)
	}
	elements, invalid := readBatch(c, root, broken)
	if invalid != nil {
		c.observeSession()
		left.reply = c.session.errorResponse(&wire.Message{}, invalid)
		return
	}
	// A batch has no id and no method, and an observer asks for those of its messages.
	x.observed.Release() // its messages are the operations
	x.observed = nil
	own := *x // which outlives the caller's
	b := &batch{server: s, session: c.session, exchange: &own, parent: ctx}
	// Counted as one, and before its requests: a drain waits for the array and not for its parts.
	b.session.batches.Add()
	ignored := b.receive(elements)
	switch {
	case len(b.tasks) > 0 && s.admit(ctx, &b.ticket, b.session, x.ClientKey, p):
		left.job = b
	// The server is at capacity: the requests that were answered already keep their results,
	// and the others get an error.
	case len(b.tasks) > 0:
		// Sending may wait for the client, which the goroutine that reads must not do.
		left.finish = func() error {
			defer b.release()
			return b.giveUp(limit.ErrBusy)
		}
	case len(b.answers) == 0:
		b.session.batches.Done()
		left.err = ignored
	default:
		left.finish = func() error {
			defer b.release()
			return b.finish(nil)
		}
	}
}

func (b *batch) receive(elements []element) (ignored error) {
	hasReturned := false
	defer func() {
		if !hasReturned { // a function of the exchange panicked
			_ = b.finish(errBatchEnded)
			b.release()
		}
	}()
	for i := range elements {
		ignored = cmp.Or(ignored, b.receiveMessage(&elements[i]))
	}
	hasReturned = true
	return ignored
}

// Each message has an operation of its own for the observer, and each request is in flight, so that
// the client can cancel it by its id.
func (b *batch) receiveMessage(e *element) (ignored error) {
	s, c, m, x := b.server, &e.call, &e.call.Message, b.exchangeOf(e.call.Message.ID)
	x.observed = s.observer.Start(b.parent, observe.KindInvalid, e.size, c.conn)
	var r received
	ignored = ErrNoReturn // unless act returns
	defer func() {
		if r.job == nil { // which ends the operation itself
			x.observed.End(ignored)
		}
	}()
	c.observed = x.observed
	x.observed.Read(m, e.err != nil, s.methods[m.Method] != nil)
	if m.Kind == wire.KindRequest && e.err == nil && b.isFull() {
		r.reject(m.ID, errBatchFull) // no further code runs
	} else {
		s.act(b.parent, c, e.err, x, nil, &r)
	}
	if t, ok := r.job.(*task); ok {
		b.tasks = append(b.tasks, t)
		return nil
	}
	if r.reply.Msg != nil {
		_ = x.respond(r.reply) // which is add
		r.release(s, c.from)
	}
	return r.err
}

type element struct {
	call Call
	size int
	err  *transport.Error
}

// readBatch takes a batch apart. c and broken are those of receiveBatch. An error in one
// message is the error of that message. The batch as a whole is rejected only for its shape or
// its version (GAP-15). If the array breaks a rule of JSON, no message is served, and each
// request gets the error with its own id.
func readBatch(c *Call, root strictjson.Value, broken *transport.Error) ([]element, *transport.Error) {
	var elements []element
	responses := 0
	for v := range root.Elements() {
		if len(elements) == maxBatch {
			return nil, wire.InvalidRequest("batch has too many messages (limit %d)", maxBatch)
		}
		e := element{call: Call{engine: c.engine, session: c.session, from: c.from, conn: c.conn}, size: len(v.Raw())}
		m := &e.call.Message
		e.err = m.Read(v)
		if broken != nil {
			e.err = broken
		}
		// The messages are substrings of the array: the size of the array decides what a
		// string keeps in memory.
		if m.Large = c.Message.Large; m.Large {
			m.Detach()
		}
		switch {
		// A batch has the version of its session, which a stateless message contradicts.
		case m.IsStateless():
			return nil, wire.InvalidRequest("2026-07-28 requests (with a protocol version in params._meta) cannot be sent in a batch")
		case m.Kind == wire.KindResponse:
			responses++
		case m.Kind == wire.KindRequest && m.Method == "initialize" && e.err == nil:
			e.err = wire.InvalidRequest("initialize cannot be sent in a batch")
		}
		elements = append(elements, e)
	}
	switch {
	case len(elements) == 0:
		return nil, wire.InvalidRequest("batch must not be empty")
	// 2025-03-26 defines two kinds of batches: of responses, and of requests and notifications.
	case responses > 0 && responses < len(elements):
		return nil, wire.InvalidRequest("batch must not mix responses with other messages")
	}
	return elements, nil
}
