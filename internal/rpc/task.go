package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// task is a pending request whose result the application's code makes.
// start admits a task and puts it in flight. run waits for a slot, runs the application's
// code and responds. Meanwhile the timer (Expire), a cancellation and the end of the session
// may complete the task on their goroutines. run then continues until the code returns,
// because the code uses the task, and releases the limits only after that.
type task struct {
	pending
	work    work
	request Running
	ticket  limit.Ticket
	timer   limit.Timer
	held    holding
}

// newObservedTask makes a task with an operation of the observer's. Both are one allocation:
// allocations are most of what a short get costs.
func newObservedTask(x *exchange) *task {
	both := new(struct {
		task
		operation telemetry.Request
	})
	both.observed = &both.operation
	both.observed.Start(x.observed, x.Informer)
	return &both.task
}

// newTask makes the task of a request whose method returned work. The task does not keep c,
// which is used again for the next message.
func newTask(ctx context.Context, c *Call, x *exchange) *task {
	m := &c.Message
	var t *task
	if x.observed == nil {
		t = new(task)
	} else {
		t = newObservedTask(x)
	}
	t.work, t.engine, t.session, t.id, t.key, t.exchange = c.work, c.engine, c.session, m.ID, m.Key, x.recipient()
	if c.session != nil {
		t.unanswered = &c.session.answers
	}
	t.request = Running{Rev: c.Rev, Client: c.Client, Host: c.Host(), task: t}
	if c.engine.keepsInfo {
		t.request.rareFields().info = c.ClientInfo()
	}
	// A client without a session has no open request of ours to respond to, and the stateless
	// versions ask with the result instead.
	t.request.CanAsk = c.session != nil && !c.session.isDetached && !c.Rev.Stateless()
	if c.caller != nil {
		t.request.CanAsk = c.caller.options.Request != nil && !c.Rev.Stateless()
	}
	// Without a token, reports of progress cost nothing.
	if c.caller == nil || c.caller.options.Notify != nil {
		t.request.progress.token = m.ProgressToken()
	}
	// The context is part of the task, so that a get allocates none of its own.
	t.ctx.parent, t.ctx.request = ctx, &t.request
	return t
}

func (t *task) start(ctx context.Context, kept int, p *limit.Backpressure) (job, *transport.Error) {
	rejected := t.admit(ctx, kept, p)
	if rejected == nil {
		// The tickets come first: a request in flight that is rejected for want of a slot would
		// hide its id from the next request for a moment.
		if rejected = t.begin(t); rejected == nil {
			return t, nil
		}
		t.release()
	}
	// Nobody else cancels a task that never ran, and its context may have a child of the parent.
	t.ctx.cancel(nil)
	return nil, rejected
}

// admit counts the task for the limits, and the bytes that it keeps, or returns why it
// is rejected. If it is admitted, release must follow.
func (t *task) admit(ctx context.Context, kept int, p *limit.Backpressure) *transport.Error {
	if t.exchange.batch != nil {
		// The batch is in the limits, and runs one request after the other. Meanwhile it keeps
		// all, so that even small ones count.
		if !t.engine.memory.count(&t.held, t.session.share(), t.exchange.Client, batchTaskBytes+kept) {
			return wire.Busy()
		}
		return nil
	}
	if !t.engine.admit(ctx, &t.ticket, t.session, t.exchange.Client, p) {
		return wire.Busy()
	}
	// Bytes are counted after the slot, because most requests are below the size that counts.
	if !t.hold(kept) {
		t.release()
		return wire.Busy()
	}
	return nil
}

// release ends the task for all limits. The bytes come first: with the ticket, the next
// request may be admitted, and needs bytes.
func (t *task) release() {
	t.engine.memory.release(&t.held, t.session.share(), t.exchange.Client)
	t.ticket.Release()
}

func (t *task) hold(n int) bool {
	return t.engine.memory.hold(&t.held, t.session.share(), t.exchange.Client, n)
}

func (e *engine) admit(ctx context.Context, ticket *limit.Ticket, session *Session, client string, p *limit.Backpressure) bool {
	// The ticket takes all three places or none: a client at its own limit must not use up the
	// places of the server.
	ticket.Server = e.running
	if session != nil {
		ticket.Session = session.running
	}
	ticket.Client = client
	if ticket.Admit(ctx, p) {
		return true
	}
	e.reachLimit(limitConcurrency, client)
	return false
}

func (t *task) timeout() time.Duration {
	limit := max(t.engine.timeouts.Request, 0)
	// A method can only shorten the limit: the operator sets the longest time for the code of
	// any feature.
	if own := t.work.timeout; own > 0 && (limit == 0 || own < limit) {
		return own
	}
	return limit
}

// run waits for a slot, does the work of the task and sends the response, unless the
// request is completed meanwhile. At the time limit, the client gets an error response
// while the work continues. The wait has the same limit, counted by itself.
func (t *task) run() error {
	timeout := t.timeout()
	defer t.release()
	defer t.ctx.cancel(ErrAnswered)
	// Waiting for a slot has a limit of its own, or a server at capacity would answer with the
	// time that a render function did not have.
	if t.exchange.batch == nil { // which has a slot for all of its requests
		if err := t.ticket.Acquire(&t.ctx, timeout); err != nil {
			return t.giveUp(err)
		}
	}
	// A canceled request must not run: its author would see the code start after the client left.
	if t.completed.Load() { // while it waited
		return t.giveUp(ErrAnswered)
	}
	// The slot may be that of another task that has ended with the same context.
	if t.ctx.parent.Err() != nil {
		return t.giveUp(context.Cause(t.ctx.parent))
	}
	// A session keeps one timer for its next request, because a runtime timer is an allocation.
	if timeout > 0 {
		var spare *limit.Spare
		if t.session != nil {
			spare = &t.session.spare
		}
		t.timer.Start(timeout, t, spare)
	}
	// From here on nothing may be sent after Handle returns, whatever goroutines the
	// application left behind.
	defer t.close()
	// The result is appended to the head of the response, so that it is never copied into place.
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	*buf = wire.AppendResultHead(*buf, t.id)
	t.request.Head = len(*buf)
	// Goexit runs deferred functions without a panic value, and this variable distinguishes it
	// from a return.
	hasReturned := false
	defer func() {
		if !hasReturned {
			defer t.stop(false)
			t.goexit()
		}
	}()
	ctx := context.Context(&t.ctx)
	if t.observed != nil {
		// Here and not at admission: an observer measures the wait for a slot as such.
		ctx = t.observed.Begin(ctx)
	}
	result, failure := t.do(ctx, *buf)
	hasReturned = true
	if t.observed != nil {
		// What follows is the time of the client and of the encoder, not of the code.
		t.observed.Returned()
	}
	t.ticket.Leave() // a client that is slow to read must not keep others waiting
	t.stopAsking()   // while the time limit still applies
	t.stop(true)
	if failure == nil {
		*buf = append(result, '}')
	}
	// The client does not read what it has. A batch counts its array.
	if failure == nil && t.exchange.batch == nil && !t.hold(cap(*buf)) {
		// The buffer is given up rather than pooled, because its size is what there is no room for.
		*buf, failure = nil, &Failure{Client: wire.Busy()}
	}
	return t.end(*buf, failure)
}

// stop ends the time limit and the reports of progress. With flush, the last report is sent.
// After that, Expire is not running and will not run, and no goroutine of ours sends reports.
func (t *task) stop(flush bool) {
	t.timer.Stop()
	if t.request.progress.token != "" {
		t.request.progress.finish(&t.request, flush)
	}
}

// end sends the response of a task whose work is done. end is the last step of run, on the
// same goroutine.
func (t *task) end(result []byte, f *Failure) error {
	switch {
	case !t.finish():
		t.release() // before a record
		return t.whyCompleted(t.work.runner.LogAttr)
	case f == nil:
		return t.respond(wire.Response{Msg: result})
	// An application whose context ended returns an error of that end, which no client waits for.
	case f.canceled:
		t.done()
		return context.Cause(&t.ctx) // the caller's context has ended
	}
	return t.fail(f.Client, func() { t.logFailure(f) })
}

// logFailure logs the failure of a task whose code has returned. A logger may block, and
// must not hold what other requests wait for.
func (t *task) logFailure(f *Failure) {
	t.release()
	t.work.logFailure(t.forLog(), t.engine, f)
}

// fail sends the error response of a task that is completed, and calls log, if
// that is not nil. A logger may block, so a client does not wait for it; a Call
// does, so that its caller finds everything logged.
func (t *task) fail(e *transport.Error, log func()) error {
	if log != nil && t.exchange.caller != nil {
		log()
	} else if log != nil {
		defer log()
	}
	// The data of an error may quote every invalid argument, so an error counts toward the
	// memory like a result.
	r := wire.ErrorResponse(t.id, e)
	if !t.hold(len(r.Msg)) {
		r = wire.ErrorResponse(t.id, wire.Busy())
	}
	return t.respond(r)
}

// giveUp ends a task whose work has not begun. The task has waited too long for a slot, was
// completed while it waited, or its context has ended.
func (t *task) giveUp(cause error) error {
	t.ticket.Leave()
	if !t.finish() {
		t.release() // before a record
		return t.whyCompleted(t.work.runner.LogAttr)
	}
	// Only a full server is an error for the client. Any other cause means that nobody waits
	// for a response.
	if errors.Is(cause, limit.ErrBusy) {
		t.engine.reachLimit(limitConcurrency, t.exchange.Client)
		return t.fail(wire.Busy(), nil)
	}
	t.done()
	return cause
}

// goexit ends a task whose work has called runtime.Goexit. Only here does the server
// survive Goexit: the goroutine that has called Handle ends.
func (t *task) goexit() {
	t.ticket.Leave()
	t.stopAsking()
	if !t.finish() {
		return
	}
	// The goroutine that called Handle is lost to its transport, which must not reuse the
	// connection.
	t.exchange.overdue()
	f := InternalFailure(t.work.runner.Subject(), ErrGoexit)
	_ = t.fail(f.Client, func() { t.logFailure(f) })
}

// Expire responds for work that exceeds its time limit, on the goroutine of the
// timer. The work keeps its slot until it returns.
func (t *task) Expire() {
	// The timer runs on a goroutine of its own, where a panic of a logger or a transport would
	// end the process.
	defer t.engine.recoverPanic()
	// The task may be completed already, by a cancellation, while its code continues. The
	// observer still has to know that the code has exceeded the limit.
	expired := t.finish()
	t.observed.Expire()
	// A batch waits for the work even after the request is answered or canceled, so the batch
	// is let go separately.
	waiting := t.exchange.batch
	if !expired && waiting == nil {
		return
	}
	t.exchange.overdue()
	e, id := withErrorID(fmt.Sprintf("%s timed out after %v", t.work.runner.Subject(), t.timeout()))
	log := func() {
		t.engine.Log(t.forLog(), slog.LevelError, "request timed out",
			t.work.runner.LogAttr(), slog.Duration("timeout", t.timeout()), slog.String(errorid.Attr, id))
	}
	if expired {
		// The context ends before the response is sent, so that code which heeds its context
		// stops as early as possible.
		t.ctx.cancel(ErrTimeout)
		_ = t.fail(e, log)
	}
	if waiting != nil { // for the work, even if the client has canceled it
		_ = waiting.finish(e)
		if !expired {
			log()
		}
	}
}

// notify sends a notification that belongs to the request. Any goroutine may call notify,
// even after the response. It then returns an error.
func (t *task) notify(method string, params []byte) error {
	o := t.engine.startSent(t.forLog(), observe.KindClientNotification, method, t.session, t.observed.Connection(), len(params))
	o.SetVersion(t.request.Rev)
	err := t.emit(wire.AppendNotification(nil, method, params))
	o.End(err)
	return err
}

// do runs the runner, and the methods of the errors and data that it returns. A panic in any
// of them is a failure. The code of a runner runs nowhere else.
func (t *task) do(ctx context.Context, dst []byte) (result []byte, f *Failure) {
	w := &t.work
	defer catch(&t.request, &f)
	result, err := w.runner.Run(ctx, dst)
	if failed := t.request.Failed(); failed != nil {
		own := *failed // which a middleware may have
		err = &own
	}
	if err == nil && w.method != nil {
		if result, err = w.method.finish(t.request.Rev, result, len(dst), w.isFinished); err != nil {
			err = InvalidResult(w.runner.Subject(), err)
		}
	}
	if err != nil {
		return nil, t.failure(ctx, err)
	}
	return result, nil
}

// failure returns the failure of the work. Only do calls failure, because encoding the data may
// run the application's code, and do recovers its panics.
func (t *task) failure(ctx context.Context, err error) *Failure {
	// The root knows which of its errors a client may see. A failure that it already made
	// passes unchanged.
	f, ok := err.(*Failure)
	if !ok {
		f = t.engine.failure(ctx, t.work.runner.Subject(), err)
	}
	f = t.request.Withhold(f)
	f.finish(ctx)
	return f
}

// stopAsking ends requests to the client that goroutines of the application
// still wait for when the work is done. The client is notified before the response.
func (t *task) stopAsking() {
	// Most requests never ask, and need neither a lock nor a canceled context at their end.
	if t.request.asking.WasLocked() {
		t.ctx.cancel(ErrAnswered)
		t.request.asking.Close()
	}
}
