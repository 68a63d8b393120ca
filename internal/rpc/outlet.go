package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is the way of a task to its client: the exchange of its message. See batch.go
// for the other way.

// outlet is the way of a task to its client. If it has a method abandon, it waits for the
// task, and the method is called at the time limit of the task.
//
// direct has an exchange to itself, and batch collects the responses of an array.
type outlet interface {
	// respond sends the response of a completed task: its result, or an error.
	respond(t *task, result []byte, e *transport.Error) error
	// notify sends a notification, unless the task is completed.
	notify(t *task, method string, params []byte) error
	// ask sends requests to the client and waits for the results.
	ask(ctx context.Context, t *task, requests []ClientRequest, observed asked) ([]string, error)
	// hold counts n bytes more until the task, or its batch, is released, and reports
	// whether they were free.
	hold(t *task, n int) bool
	// holdResult is hold for a result that waits until the client reads it.
	holdResult(t *task, n int) bool
}

// direct is the outlet of a task that has an exchange to itself.
type direct struct{}

// respond sends the response over the exchange. The data of an error may quote every invalid
// argument, so an error counts toward the memory like a result, which holdResult has counted.
func (direct) respond(t *task, result []byte, e *transport.Error) error {
	r := wire.Response{Msg: result}
	if e != nil {
		if r = wire.ErrorResponse(t.id, e); !t.hold(len(r.Msg)) {
			r = wire.ErrorResponse(t.id, wire.Busy())
		}
	}
	return t.respond(r)
}

func (direct) notify(t *task, method string, params []byte) error {
	return t.emit(wire.AppendNotification(nil, method, params))
}

func (direct) hold(t *task, n int) bool {
	return t.engine.memory.hold(&t.held, t.session.share(), t.exchange.Client, n)
}

func (d direct) holdResult(t *task, n int) bool { return d.hold(t, n) }

// ask sends the requests over the session and waits for the results.
func (direct) ask(ctx context.Context, t *task, requests []ClientRequest, observed asked) (results []string, err error) {
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
