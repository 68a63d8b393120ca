package rpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file asks the client for the application's code, amid the client's own request (GAP-40):
// the time limit is paused, and the first error ends all questions.

// Ask sends requests to the client, all at once, and returns the results, as
// JSON. Meanwhile the time limit is paused, and other requests may run. The
// first error ends all of them: a [NoAnswer], or the cause of a context's end.
// The caller holds the lock of LockAsking.
func (r *Request) Ask(ctx context.Context, requests []ClientRequest) (results []string, err error) {
	t := r.task
	err = t.pause(func() error {
		if limit := t.engine.timeouts.Elicit; limit >= 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit, &NoAnswer{
				Reason: fmt.Sprintf("the client did not answer within %v", limit), timedOut: true,
			})
			defer cancel()
		}
		observed := t.observeAsk(ctx, requests)
		results, err = t.ask(ctx, requests, observed)
		observed.end(err)
		return err
	})
	return results, err
}

// pause runs f while the timer of the task is paused and its slot is free for others. A user
// may take minutes: the slot would keep other requests waiting, and the time limit is for the
// code. The ticket still counts in the session, so that a client cannot have any number of
// questions open.
func (t *task) pause(f func() error) error {
	if t.ctx.Err() != nil {
		return context.Cause(&t.ctx)
	}
	// The ticket was released: the code that asks belongs to a request that has ended.
	if !t.ticket.Yield() {
		return ErrAnswered
	}
	t.timer.Pause()
	err := f()
	t.timer.Resume() // the time limit includes the wait for a slot
	if again := t.ticket.Resume(&t.ctx); err == nil {
		err = again
	}
	return err
}

// ask sends the requests over the session and waits for the results.
func (t *task) ask(ctx context.Context, requests []ClientRequest, observed asked) (results []string, err error) {
	if c := t.exchange.caller; c != nil {
		return c.ask(ctx, t, requests, observed)
	}
	// The question and the result go over one stream, and none is resumed. Once it has
	// ended, an answer has no use (GAP-30).
	if c := t.exchange.Connected; c != nil {
		if c.Err() != nil {
			return nil, errGone
		}
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c, func() { cancel(errGone) })()
	}
	select {
	case <-t.session.ready: // before that only responses may be sent (LIF-15)
	case <-t.session.questions.closed:
		return nil, errGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-t.ctx.Done():
		return nil, context.Cause(&t.ctx)
	}
	// The reader of the connection puts an answer here, and must never block on code that is
	// gone.
	responses := make(chan answer, len(requests))
	var waiting []*question
	defer func() {
		for _, p := range waiting {
			t.cancelRequest(p, err)
		}
	}()
	for i, r := range requests {
		// Registered before the request is sent, because the response may come before emit
		// returns.
		p, err := t.session.questions.register(i, responses)
		if err != nil {
			return nil, err
		}
		if err := t.emit(wire.AppendRequest(nil, p.id, r.Method, r.Params)); err != nil {
			t.session.questions.unregister(p) // the client does not know of it
			return nil, &NoAnswer{Reason: "the request could not be sent to the client", Err: err}
		}
		waiting = append(waiting, p)
	}
	return t.collect(ctx, responses, len(requests), observed)
}

// cancelRequest cancels a request to the client, unless that has responded (LIF-24) or
// disconnected. The client would otherwise show its user a question whose answer nobody
// reads.
func (t *task) cancelRequest(p *question, why error) {
	if !t.session.questions.unregister(p) || errors.Is(why, errGone) {
		return
	}
	reason := "the answer is no longer needed"
	if late := (*NoAnswer)(nil); errors.As(why, &late) && late.timedOut {
		reason = "timed out waiting for an answer"
	}
	// emit would reject the message, because the request may be completed. As long as the
	// response is not sent, the client still reads.
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.isOver {
		return
	}
	const method = "notifications/cancelled"
	msg := wire.AppendNotification(nil, method, fmt.Appendf(nil, `{"requestId":"%s","reason":"%s"}`, p.id, reason))
	o := t.engine.startSent(t.forLog(), observe.KindClientNotification, method, t.session, t.observed.Connection(), len(msg))
	o.End(t.exchange.Send(msg, 0, false))
}

// collect waits for n results or the first error. ctx may outlive the request. The
// application may pass any context to Ask, so the end of the request is checked as well.
func (t *task) collect(ctx context.Context, responses <-chan answer, n int, observed asked) ([]string, error) {
	results := make([]string, n)
	for range n {
		select {
		case r := <-responses:
			observed.respond(r)
			if r.err != nil {
				return nil, r.err
			}
			if !t.hold(len(r.result)) { // until the prompt is done
				return nil, errNoRoom
			}
			results[r.index] = r.result
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-t.ctx.Done():
			return nil, context.Cause(&t.ctx)
		}
	}
	return results, nil
}

// asked are the operations of requests to the client; nil for those that have ended.
type asked []*telemetry.Operation

// observeAsk begins the operations of requests to the client, on the goroutine of the
// application.
func (t *task) observeAsk(ctx context.Context, requests []ClientRequest) asked {
	if t.engine.observer == nil {
		return nil
	}
	all := make(asked, len(requests))
	for i, r := range requests {
		all[i] = t.engine.startSent(ctx, observe.KindClientRequest, r.Method, t.session, t.observed.Connection(), len(r.Params))
		all[i].SetVersion(t.request.Rev)
		requests[i].Params = all[i].Inject(r.Params)
	}
	return all
}

// respond ends the operation of one request. The operation must not be used again, so the
// slice forgets it.
func (a asked) respond(r answer) {
	if a != nil {
		a[r.index].Answer(len(r.result), r.err)
		a[r.index] = nil
	}
}

// end ends what has no response.
func (a asked) end(err error) {
	for _, o := range a {
		o.End(err)
	}
}

// questions are the requests of one session to its client without their response.
//
// A question is in waiting until one of take, unregister and close removes it. Only the
// goroutine that removes a question may send its answer, so each question has at most one.
type questions struct {
	closed chan struct{} // closed by close

	mu      sync.Mutex // protects the fields below
	lastID  int64
	waiting map[string]*question // by id
}

// question is a request to the client without its response.
type question struct {
	id        string
	index     int           // among the requests that were sent together
	responses chan<- answer // has room for all of these
}

// answer is the outcome of a request to the client.
type answer struct {
	index  int
	result string // as JSON
	err    error
}

// NoAnswer is the error of a request that the client does not answer. Package elicit makes an
// Unavailable of it, for the application.
type NoAnswer struct {
	Reason string // for the client
	Err    error  // for the log; may be nil

	timedOut bool
}

func (e *NoAnswer) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *NoAnswer) Unwrap() error { return e.Err }

var (
	errGone   = &NoAnswer{Reason: "the client disconnected"}
	errNoRoom = &NoAnswer{Reason: "the answer exceeds the memory that the server has left"}
)

// register returns a request with an id that no other of the session has
// (JRP-04), unless the client will not respond any more.
func (q *questions) register(index int, responses chan<- answer) (*question, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.closed:
		return nil, errGone
	default:
	}
	// Ids are strings with a prefix, which nobody mistakes for ids of the client's own
	// requests.
	q.lastID++
	p := &question{id: "prompts-" + strconv.FormatInt(q.lastID, 10), index: index, responses: responses}
	if q.waiting == nil {
		q.waiting = map[string]*question{}
	}
	q.waiting[p.id] = p
	return p, nil
}

// unregister ends the wait for a response, and reports whether there was none. If the result
// is true, the client may still show the question, and should be notified that nobody waits.
func (q *questions) unregister(p *question) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waiting := q.waiting[p.id]
	delete(q.waiting, p.id)
	return waiting
}

// close is for a client that has closed its side, and will not respond any more. It is called
// once. Only the drain of a connection calls it. A session that is closed cancels its
// requests instead.
func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.closed)
	// The channels have room, so that no wait happens under the lock.
	for _, p := range q.waiting {
		p.responses <- answer{index: p.index, err: errGone}
	}
	clear(q.waiting)
}

// take returns the request that the message responds to, which then no longer
// waits; nil without one.
func (q *questions) take(m *wire.Message) *question {
	id, isString := m.Key.Text()
	// Any other id is no answer to us, whatever the client means by it.
	if !isString { // ours are
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[id]
	delete(q.waiting, id)
	return p
}

// handleMalformed ends the request that a malformed response is for, which else
// would wait for its time limit.
func (q *questions) handleMalformed(m *wire.Message, err *transport.Error) {
	if m.Method != "" {
		return // not a response
	}
	if p := q.take(m); p != nil {
		p.responses <- answer{index: p.index, err: &NoAnswer{Reason: "the client's response is malformed", Err: err}}
	}
}

// handleResponse passes a response to the goroutine that waits for it. Any other response is
// ignored (CAN-14). handleResponse never blocks the goroutine that reads, because the channel
// has room for all answers.
func (q *questions) handleResponse(m *wire.Message) {
	p := q.take(m)
	if p == nil {
		return
	}
	// An error that is null counts as missing.
	if m.Err.Kind() <= strictjson.Null && m.Result.Kind() != strictjson.Invalid {
		// A copy: the result is read by the render function, long after the message.
		p.responses <- answer{index: p.index, result: strings.Clone(m.Result.Raw())}
		return
	}
	p.responses <- answer{index: p.index, err: &NoAnswer{
		Reason: "the client answered with an error",
		Err: fmt.Errorf("%s (%s)",
			phrase.Clip(m.Err.Get("message").Text(), phrase.MaxEcho), phrase.Clip(m.Err.Get("code").Raw(), 32)),
	}}
}

// count returns how many wait.
func (q *questions) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
