package prompts

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// maxBatch is how many messages a batch may have: an answer may be longer than
// what it answers, and a batch is answered at once.
const maxBatch = 1000

// batch is the answer to an array of messages, which revision 2025-03-26 has
// (GAP-15): the array of their answers.
type batch struct {
	session  *Session
	exchange Exchange
	tasks    []*task
	settled  chan struct{} // closed when no task waits for its answer

	sending sync.Mutex // held to call the exchange's Send

	mu      sync.Mutex // protects the fields below
	open    int        // tasks that wait for their answer
	answers []byte     // begun array; empty if there are none yet
}

// receiveBatch is receive for a batch.
func (s *Server) receiveBatch(ctx context.Context, session *Session, root strictjson.Value, large bool, x Exchange, p *patience) (job, error) {
	type element struct {
		call call
		err  *Error
	}
	var elements []element
	responses := 0
	for v := range root.Elements() {
		if len(elements) == maxBatch {
			return nil, x.answer(session.errorAnswer(&message{}, invalidRequest("a batch must not have more than %d messages", maxBatch)))
		}
		e := element{call: call{server: s, session: session}}
		e.call.message, e.err = readMessage(v)
		e.call.message.large = large
		if e.call.message.class == response {
			responses++
		}
		if e.call.message.isStateless() {
			return nil, x.answer(session.errorAnswer(&message{}, invalidRequest("a message with its own protocol version cannot be part of a batch")))
		}
		elements = append(elements, e)
	}
	switch {
	case len(elements) == 0:
		return nil, x.answer(session.errorAnswer(&message{}, invalidRequest("a batch must not be empty")))
	case responses > 0 && responses < len(elements):
		return nil, x.answer(session.errorAnswer(&message{}, invalidRequest("a batch must not mix responses with other messages")))
	}
	b := &batch{session: session, exchange: x}
	own := Exchange{Check: x.Check, Send: b.send, Closing: x.Closing, emit: x.emit}
	for i := range elements {
		e := &elements[i]
		m := &e.call.message
		if m.class == request && m.method == "initialize" && e.err == nil {
			e.err = invalidRequest("initialize cannot be part of a batch")
		}
		if m.class != request || e.err != nil {
			_ = s.pass(session, m, e.err, own) // b.send does not fail for an answer
			continue
		}
		if t, _ := s.take(ctx, &e.call, own, p); t != nil {
			b.tasks = append(b.tasks, t)
		}
	}
	b.settled, b.open = make(chan struct{}), len(b.tasks)
	for _, t := range b.tasks {
		t.batch = b
	}
	if len(b.tasks) == 0 {
		return nil, b.finish()
	}
	session.answers.add() // that of the batch is out later than those in it
	return b, nil
}

// send is the Send of the batch's messages: it collects their answers.
func (b *batch) send(msg []byte, _ Code, last bool) error {
	if !last {
		b.sending.Lock()
		defer b.sending.Unlock()
		return b.exchange.Send(msg, 0, false)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answers == nil {
		b.answers = append(b.answers, '[')
	} else {
		b.answers = append(b.answers, ',')
	}
	b.answers = append(b.answers, msg...)
	return nil
}

// run does the work of the batch's tasks concurrently, and answers once each of
// them has been answered or cancelled. The work may go on after that.
func (b *batch) run(limit time.Duration) error {
	var running sync.WaitGroup
	for _, t := range b.tasks {
		running.Go(func() { _ = t.run(limit) })
	}
	<-b.settled
	err := b.finish()
	b.session.answers.done()
	running.Wait()
	return err
}

// taskSettled is called once for each task that has its answer, or needs none.
func (b *batch) taskSettled() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	if b.open == 0 {
		close(b.settled)
	}
}

// finish sends the answers, if there are any: notifications and cancelled
// requests have none.
func (b *batch) finish() error {
	b.mu.Lock()
	msg := b.answers
	b.mu.Unlock()
	if msg == nil {
		return nil
	}
	b.sending.Lock()
	defer b.sending.Unlock()
	return b.exchange.answer(answer{msg: append(msg, ']')})
}
