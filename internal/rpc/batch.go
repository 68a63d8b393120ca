package rpc

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// maxBatch is how many messages a batch may have: the responses may be longer
// than the requests, and are sent at once.
const maxBatch = 1000

// batch is an array of messages, which only 2025-03-26 has (GAP-15). Each message is received
// as if it had come alone, with an exchange that collects the responses, and the jobs that are
// left run one after the other, in one place of the limits. One array has all responses.
//
// One goroutine runs the tasks. The timer of a task that runs too long may call finish
// meanwhile, and a cancellation completes a single task. mu is never held while something is
// sent, because a send may wait for the client.
type batch struct {
	server   *Dispatcher
	session  *Session
	exchange *exchange
	parent   context.Context
	ticket   limit.Ticket
	tasks    []*task

	sending sync.Mutex // held to call the exchange's Send, and for the field below
	isOver  bool       // the array is sent

	finished atomic.Bool
	mu       sync.Mutex // protects the fields below
	answers  []byte     // an open array; empty if there are none yet
	held     holding    // for the answers
}

// batchTaskBytes is about what one request of a batch costs until it is answered.
const batchTaskBytes = 2 << 10

var errBatchFull = wire.InternalError("batch response is too large; send fewer requests per batch")

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
	// Counted as one, and before its requests: a drain waits for the array and not for its
	// parts.
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

// receive receives the messages, and returns why one without a response is not accepted.
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

// receiveMessage receives one message. Each message has an operation of its own for the
// observer, and each request is in flight, so that the client can cancel it by its id.
func (b *batch) receiveMessage(e *element) error {
	s, c, m, x := b.server, &e.call, &e.call.Message, b.exchangeOf(e.call.Message.ID)
	x.observed = s.observer.Start(b.parent, observe.KindInvalid, e.size, c.conn)
	c.observed = x.observed
	x.observed.Read(m, e.err != nil, s.methods[m.Method] != nil)
	var r received
	if m.Kind == wire.KindRequest && e.err == nil && b.isFull() {
		r.reject(m.ID, errBatchFull) // no further code runs
	} else {
		s.act(b.parent, c, e.err, x, nil, &r)
	}
	if t, ok := r.job.(*task); ok { // which ends the operation
		b.tasks = append(b.tasks, t)
		return nil
	}
	if r.reply.Msg != nil {
		_ = x.respond(r.reply) // which is add
		r.release(s, c.from)
	}
	x.observed.End(r.err)
	return r.err
}

// release ends the batch for all limits.
func (b *batch) release() {
	for _, t := range b.tasks {
		t.release()
	}
	b.ticket.Release()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server.memory.release(&b.held, b.session.share(), b.exchange.ClientKey)
}

// element is one message of a batch.
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
	// 2025-03-26 defines two kinds of batches: of responses, and of requests and
	// notifications.
	case responses > 0 && responses < len(elements):
		return nil, wire.InvalidRequest("batch must not mix responses with other messages")
	}
	return elements, nil
}

// exchangeOf returns the exchange of one message: it collects the response. Progress goes to
// the client at once, until the array is sent.
func (b *batch) exchangeOf(id string) *exchange {
	x := *b.exchange
	x.batch = b
	x.Send = func(msg []byte, _ transport.Code, last bool) error {
		if last {
			b.add(id, msg)
			return nil
		}
		b.sending.Lock()
		defer b.sending.Unlock()
		if b.isOver {
			return ErrAnswered
		}
		return b.exchange.Send(msg, 0, false)
	}
	return &x
}

// add adds a response, or an error if there are too many already.
func (b *batch) add(id string, msg []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isFullLocked() || !b.growLocked(len(msg)+len(",]")) {
		// An array that is cut off would be unreadable, so that each request past the limit
		// gets a short error.
		msg = wire.ErrorResponse(id, errBatchFull).Msg
	}
	if len(b.answers) == 0 {
		b.answers = append(b.answers, '[')
	} else {
		b.answers = append(b.answers, ',')
	}
	b.answers = append(b.answers, msg...)
}

// growLocked makes room for n bytes of answers, and reports whether they were
// free.
func (b *batch) growLocked(n int) bool {
	room, need := cap(b.answers), len(b.answers)+n
	if need <= room {
		return true
	}
	// Doubling keeps the copies linear, whatever the size of each answer.
	next := max(need, 2*room)
	grown := next
	if room > maxUncounted { // which is held already
		grown -= room
	}
	if !b.server.memory.hold(&b.held, b.session.share(), b.exchange.ClientKey, grown) {
		return false
	}
	b.answers = append(make([]byte, 0, next), b.answers...)
	return true
}

func (b *batch) isFull() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.isFullLocked()
}

func (b *batch) isFullLocked() bool { return len(b.answers) > b.server.limits.MessageBytes }

// run does the work of the tasks, one after the other, and sends the array. If a task
// continues after its time limit, run sends the array at once, with errors for the
// tasks after it.
func (b *batch) run() error {
	defer b.release()
	defer func() { _ = b.finish(errBatchEnded) }() // work that calls runtime.Goexit
	defer b.ticket.Leave()
	if err := b.ticket.Acquire(b.parent, max(b.server.timeouts.Request, 0)); err != nil {
		return b.giveUp(err)
	}
	var errs []error
	for _, t := range b.tasks {
		// A task that runs beyond its limit has ended the batch, and the others have their
		// errors already.
		if b.finished.Load() {
			break
		}
		// Each request has the whole time limit to itself: the requests before have used
		// their own.
		errs = append(errs, t.run())
	}
	return b.end(errs)
}

var errBatchEnded = wire.InternalError("request was not processed, because the batch ended early")

// giveUp ends the tasks of a batch that does not begin.
func (b *batch) giveUp(cause error) error {
	var errs []error
	for _, t := range b.tasks {
		errs = append(errs, t.giveUp(cause))
		t.ctx.cancel(ErrAnswered)
		t.release() // before the array is sent
	}
	return b.end(errs)
}

// end sends the array. Without an array, all requests were canceled, and the caller of Handle
// gets the reasons, which are errs.
func (b *batch) end(errs []error) error {
	b.ticket.Leave() // a client that is slow to read must not keep others waiting
	err := b.finish(errBatchEnded)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && len(b.answers) == 0 {
		return errors.Join(errs...)
	}
	return err
}

// finish completes the tasks that are left with an error, and sends the array.
// Only the first call has an effect.
func (b *batch) finish(left *transport.Error) error {
	// run, a time limit and a panic all end here.
	if !b.finished.CompareAndSwap(false, true) {
		return nil
	}
	defer b.session.batches.Done()
	for _, t := range b.tasks {
		if t.finish() {
			t.ctx.cancel(ErrAnswered)
			_ = t.fail(left, nil)
		}
	}
	b.mu.Lock()
	msg := b.answers
	b.mu.Unlock()
	b.sending.Lock()
	defer b.sending.Unlock()
	// No report of progress may follow the array: exchangeOf checks the field under the same
	// lock.
	b.isOver = true
	if len(msg) == 0 {
		return nil // notifications and canceled requests have no response
	}
	return b.exchange.respond(wire.Response{Msg: append(msg, ']')})
}
