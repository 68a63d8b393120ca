package rpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

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

func (b *batch) release() {
	for _, t := range b.tasks {
		t.release()
	}
	b.ticket.Release()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.server.memory.release(&b.held, b.session.share(), b.exchange.ClientKey)
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

// run does the work of the tasks, one after the other, and sends the array. If a task continues
// after its time limit, run sends the array at once, with errors for the tasks after it.
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
		// Each request has the whole time limit to itself: the requests before have used their own.
		errs = append(errs, t.run())
	}
	return b.end(errs)
}

var errBatchEnded = wire.InternalError("request was not processed, because the batch ended early")

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
	// No report of progress may follow the array: exchangeOf checks the field under the same lock.
	b.isOver = true
	if len(msg) == 0 {
		return nil // notifications and canceled requests have no response
	}
	return b.exchange.respond(wire.Response{Msg: append(msg, ']')})
}
