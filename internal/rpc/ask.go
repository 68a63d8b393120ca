package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
)

// This file asks the client for the application's code, amid the client's own request (GAP-40):
// the time limit is paused, and the first error ends all questions.

// Ask sends requests to the client, all at once, and returns the results, as JSON. Meanwhile the
// time limit is paused, and other requests may run. The first error ends all of them: a [NoAnswer],
// or the cause of a context's end. The caller holds the lock of LockAsking.
func (r *Running) Ask(ctx context.Context, requests []ClientRequest) (results []string, err error) {
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

// pause runs f while the timer of the task is paused and its slot is free for others. A user may
// take minutes: the slot would keep other requests waiting, and the time limit is for the code. The
// ticket still counts in the session, so that a client cannot have any number of questions open.
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
	// The reader of the connection puts an answer here, and must never block on code that has
	// ended.
	responses := make(chan answer, len(requests))
	var waiting []*question
	defer func() {
		for _, p := range waiting {
			t.cancelRequest(p, err)
		}
	}()
	for i, r := range requests {
		// Registered before the request is sent, because the response may come before emit returns.
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
// disconnected. The client would otherwise show its user a question whose answer nobody reads.
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

// observeAsk begins the operations of requests to the client, on the goroutine of the application.
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

func (a asked) end(err error) {
	for _, o := range a {
		o.End(err)
	}
}

// ask calls the Request of the options, concurrently for all requests. The other SDK assigns
// ids and cancels its requests, so no question is registered here.
func (c *caller) ask(ctx context.Context, t *task, requests []ClientRequest, observed asked) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The channel has room for all: a goroutine whose answer nobody waits for any more must
	// end too.
	responses := make(chan answer, len(requests))
	for i, r := range requests {
		// The goroutine ends with Request, whose context ends now at the latest.
		t.engine.spawn(func() {
			response := answer{index: i, err: &NoAnswer{Reason: askFailed, Err: ErrNoReturn}}
			defer func() { responses <- response }()
			raw, err := c.options.Request(ctx, r.Method, r.Params)
			switch {
			case err == nil:
				response.result, response.err = string(raw), nil
			case ctx.Err() != nil && errors.Is(err, ctx.Err()):
				response.err = context.Cause(ctx)
			default:
				response.err = &NoAnswer{Reason: askFailed, Err: err}
			}
		})
	}
	return t.collect(ctx, responses, len(requests), observed)
}

const askFailed = "the request to the client failed"
