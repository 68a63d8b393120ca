package prompts

import (
	"cmp"
	"context"
	"errors"
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
	most     int // bytes of answers after which there are errors
	tasks    []*task
	settled  chan struct{} // closed when nobody waits for an answer any more

	sending sync.Mutex // held to call the exchange's Send, and for the field below
	isOver  bool       // the answers are out

	mu      sync.Mutex // protects the fields below
	open    int        // tasks that wait for their answer; one more while they are made
	answers []byte     // begun array; empty if there are none yet
}

var errBatchFull = internalError("the answers to this batch are too large; send fewer messages together")

// receiveBatch is receive for a batch.
func (s *Server) receiveBatch(ctx context.Context, session *Session, root strictjson.Value, large bool, x Exchange, p *patience) (job, error) {
	elements, err := s.readBatch(session, root, large)
	if err != nil {
		return nil, x.answer(session.errorAnswer(&message{}, err))
	}
	b := &batch{session: session, exchange: x, most: s.options.MaxMessageBytes, settled: make(chan struct{}), open: 1}
	session.batches.add()
	own := Exchange{Client: x.Client, Check: x.Check, Overdue: x.Overdue, Send: b.send, Closing: x.Closing, emit: x.emit}
	isRead := false
	defer func() {
		if !isRead { // the transport's Check has panicked
			b.undo()
		}
	}()
	var ignored error
	for i := range elements {
		e := &elements[i]
		e.call.from = x.Client
		if e.call.message.class != request || e.err != nil {
			// b.send does not fail for an answer.
			ignored = cmp.Or(ignored, s.pass(session, &e.call.message, e.err, own))
			continue
		}
		if t, _ := s.take(ctx, &e.call, own, p, b); t != nil {
			b.tasks = append(b.tasks, t)
		}
	}
	isRead = true
	b.taskSettled()
	if len(b.tasks) == 0 {
		defer session.batches.done()
		if b.answers == nil {
			return nil, ignored
		}
		return nil, b.finish()
	}
	return b, nil
}

// element is one message of a batch.
type element struct {
	call call
	err  *Error
}

// readBatch takes a batch apart.
func (s *Server) readBatch(session *Session, root strictjson.Value, large bool) ([]element, *Error) {
	var elements []element
	responses := 0
	for v := range root.Elements() {
		if len(elements) == maxBatch {
			return nil, invalidRequest("a batch must not have more than %d messages", maxBatch)
		}
		e := element{call: call{server: s, session: session}}
		m := &e.call.message
		e.err = m.read(v)
		m.large = large
		switch {
		case m.isStateless():
			return nil, invalidRequest("a message with its own protocol version cannot be part of a batch")
		case m.class == response:
			responses++
		case m.class == request && m.method == "initialize" && e.err == nil:
			e.err = invalidRequest("initialize cannot be part of a batch")
		}
		elements = append(elements, e)
	}
	switch {
	case len(elements) == 0:
		return nil, invalidRequest("a batch must not be empty")
	case responses > 0 && responses < len(elements):
		return nil, invalidRequest("a batch must not mix responses with other messages")
	}
	return elements, nil
}

// send is the Send of the batch's messages: it collects their answers.
func (b *batch) send(msg []byte, _ Code, last bool) error {
	if !last {
		b.sending.Lock()
		defer b.sending.Unlock()
		if b.isOver {
			return errAnswered
		}
		return b.exchange.Send(msg, 0, false)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(msg)
	return nil
}

// take collects the answer of a task, or an error in its place if there are too
// many answers already.
func (b *batch) take(id string, a answer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.answers) > b.most {
		a = errorAnswer(id, errBatchFull)
	}
	b.add(a.msg)
	return nil
}

// add adds an answer. The caller holds b.mu.
func (b *batch) add(msg []byte) {
	if b.answers == nil {
		b.answers = append(b.answers, '[')
	} else {
		b.answers = append(b.answers, ',')
	}
	b.answers = append(b.answers, msg...)
}

// isFull reports whether there are so many answers that no more are made.
func (b *batch) isFull() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.answers) > b.most
}

// run does the work of the batch's tasks concurrently, and answers once each of
// them has been answered or cancelled. The work may go on after that.
func (b *batch) run(limit time.Duration) (err error) {
	errs := make([]error, len(b.tasks))
	var running sync.WaitGroup
	for i, t := range b.tasks {
		running.Go(func() { errs[i] = t.run(limit) })
	}
	<-b.settled
	isSilent := b.answers == nil // nobody adds to them any more
	defer func() {               // also if the transport's code panics
		b.session.batches.done()
		running.Wait()
		for _, t := range b.tasks {
			t.place.leave()
		}
		if isSilent {
			err = errors.Join(errs...)
		}
	}()
	return b.finish()
}

// undo gives back what has been taken for a batch that will not be run.
func (b *batch) undo() {
	for _, t := range b.tasks {
		if t.abandon(errSessionClosed) {
			b.session.finish(t)
		}
		t.place.leave()
	}
	b.session.batches.done()
}

// addTask counts a task that is to be answered.
func (b *batch) addTask() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
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
	b.sending.Lock()
	defer b.sending.Unlock()
	b.isOver = true
	if msg == nil {
		return nil
	}
	return b.exchange.answer(answer{msg: append(msg, ']')})
}
