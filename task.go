package prompts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Why a task's context has ended.
var (
	errCancelled     = fmt.Errorf("the client has cancelled the request: %w", context.Canceled)
	errSessionClosed = fmt.Errorf("the session is closed: %w", context.Canceled)
	errTimeLimit     = fmt.Errorf("the time limit has passed: %w", context.DeadlineExceeded)
	errAnswered      = fmt.Errorf("the request is answered: %w", context.Canceled)
)

// cancellation is errCancelled with the reason that the client has given.
type cancellation struct{ reason string }

func (c *cancellation) Error() string {
	if c.reason == "" {
		return errCancelled.Error()
	}
	return errCancelled.Error() + " (" + c.reason + ")"
}

func (c *cancellation) Unwrap() error { return errCancelled }

// task is a request whose answer an author's code has to make, or one to be
// told of changes. Whoever settles it first decides what the client gets: the
// work, its time limit, or a cancellation.
type task struct {
	server   *Server
	session  *Session // nil outside of one
	id       string
	key      requestID
	work     work
	exchange Exchange
	caller   caller
	batch    *batch // that it is part of, or nil

	ctx     taskContext
	settled atomic.Bool
	hasLeft atomic.Bool // of a subscription
	sending sync.Mutex  // held to call the exchange's Send, and for the field below
	isOver  bool        // nothing more may be sent
	place   place
	clock   clock
}

// settle reports whether the caller is the one to answer.
func (t *task) settle() bool { return t.settled.CompareAndSwap(false, true) }

// abandon ends the task without an answer, unless it has been settled.
func (t *task) abandon(cause error) bool {
	if !t.settle() {
		return false
	}
	t.drop(cause)
	return true
}

// drop is the end of a task that has been settled, without an answer.
func (t *task) drop(cause error) {
	t.ctx.cancel(cause)
	if t.work.listen {
		t.leave() // its place is free at once
	}
	t.answered()
}

// answered is called by whoever has settled the task, once the answer is out.
func (t *task) answered() {
	if t.batch != nil {
		t.batch.taskSettled()
	}
	if t.session != nil {
		t.session.tallyOf(t).done()
	}
}

// enter makes room for the task, or returns why there is none. If there is,
// leave or run must follow.
func (t *task) enter(ctx context.Context, p *patience) *Error {
	if t.work.listen {
		return t.server.enterListen(t.session)
	}
	t.place.server, t.place.isLater = t.server.limit, t.batch != nil
	if t.session != nil {
		t.place.session = t.session.limit
	}
	if t.exchange.Client != "" {
		t.place.client = t.server.shares.take(t.exchange.Client)
	}
	if !t.place.enter(ctx, p) {
		return busy()
	}
	return nil
}

// leave gives back the room of a task. It may be called more than once.
func (t *task) leave() {
	if !t.work.listen {
		t.place.leave()
	} else if t.hasLeft.CompareAndSwap(false, true) {
		t.server.leaveListen(t.session)
	}
}

// leaveAtEnd gives back the room of a task whose work is done. What a batch has
// to answer counts in its session until the client has taken that.
func (t *task) leaveAtEnd() {
	if t.batch != nil {
		t.place.leaveTurn()
		return
	}
	t.place.leave()
}

// run waits for the task's turn, does its work and sends the answer, unless
// something else has settled it. That may be the time limit, which sends its own
// answer and bounds the wait as well: the lesser one of limit and the work's, the
// work's alone if limit is below 0, and none if it is 0. The answer is
// out when run returns. It returns Send's error, or why there is no answer.
func (t *task) run(limit time.Duration) error {
	if t.work.listen {
		return t.listen()
	}
	if own := t.work.limit; own > 0 && (limit < 0 || own < limit) {
		limit = own
	}
	defer t.leaveAtEnd()
	defer t.ctx.cancel(errAnswered)
	if err := t.place.acquire(&t.ctx, limit); err != nil {
		return t.giveUp(err)
	}
	if t.settled.Load() { // while it waited
		return t.giveUp(errAnswered)
	}
	// What has ended for all tasks has done so for one after the other: the first
	// may have left its turn to this one.
	if t.ctx.parent.Err() != nil {
		return t.giveUp(context.Cause(t.ctx.parent))
	}
	return t.runNow(limit)
}

// runNow is run for a task whose turn has come.
func (t *task) runNow(limit time.Duration) error {
	if limit > 0 {
		t.clock.start(limit, func() { t.expire(limit) })
	}
	defer t.close()
	defer t.caller.progress.finish(&t.caller, false)
	defer t.clock.end()
	buf := takeBuffer()
	defer giveBuffer(buf)
	*buf = appendResultHead(*buf, t.id)
	completed := false
	defer func() {
		if !completed {
			t.goexit()
		}
	}()
	result, failed := t.work.do(&t.ctx, *buf)
	completed = true
	t.place.leaveServer()
	t.stopAsking() // while the time limit still holds
	t.clock.end()
	t.caller.progress.finish(&t.caller, true)
	if failed == nil {
		*buf = append(result, '}')
	}
	return t.end(*buf, failed)
}

// end sends the answer of a work that is done, or says why there is none.
func (t *task) end(msg []byte, failed *failure) error {
	switch {
	case !t.conclude():
		return t.abandoned()
	case failed == nil:
		return t.reply(answer{msg: msg})
	case failed.cut:
		t.answered()
		return context.Cause(&t.ctx) // the caller's context has ended
	}
	return t.fail(failed)
}

// goexit ends a task whose work has called runtime.Goexit.
func (t *task) goexit() {
	t.place.leaveServer()
	t.stopAsking()
	if t.conclude() {
		t.overdue() // the transport's own code is not gone on with either
		_ = t.fail(hide(t.work.failed, errGoexit))
	}
}

// reply sends the answer of a task that is settled.
func (t *task) reply(a answer) error {
	defer t.answered()
	t.sending.Lock()
	defer t.sending.Unlock()
	t.isOver = true
	if t.batch != nil {
		return t.batch.take(t.id, a)
	}
	return t.exchange.answer(a)
}

// close is the end of all that is sent.
func (t *task) close() {
	t.sending.Lock()
	defer t.sending.Unlock()
	t.isOver = true
}

// stopAsking ends questions that goroutines of the author's still ask when the
// work is done: the client is told before it has the answer.
func (t *task) stopAsking() {
	if t.caller.asking.isUsed() {
		t.ctx.cancel(errAnswered)
		t.caller.asking.close()
	}
}

// emit sends a message that is not the answer, unless the task is settled.
func (t *task) emit(msg []byte) (err error) {
	t.sending.Lock()
	defer t.sending.Unlock()
	defer t.server.guard(&t.ctx, &err)
	if t.exchange.emit != nil {
		return t.exchange.emit(t, msg)
	}
	if t.settled.Load() {
		return errAnswered
	}
	return t.exchange.Send(msg, 0, false)
}

// notify is that of a peer.
func (t *task) notify(method string, params []byte) error {
	return t.emit(appendNotification(nil, method, params))
}

var errGoexit = errors.New("its goroutine was ended by runtime.Goexit")

// conclude settles the task and takes it out of flight, so that its id is
// free by the time the client has the answer.
func (t *task) conclude() bool {
	if !t.settle() {
		return false
	}
	if t.session != nil {
		t.session.finish(t)
	}
	return true
}

// giveUp ends a task whose turn has not come.
func (t *task) giveUp(cause error) error {
	t.place.leaveServer()
	if !t.conclude() {
		return t.abandoned()
	}
	if errors.Is(cause, errNoTurn) {
		return t.reply(errorAnswer(t.id, busy()))
	}
	t.answered()
	return cause
}

// abandoned returns why something else has settled the task, and tells the
// author what the client has given as its reason (CAN-10).
func (t *task) abandoned() error {
	<-t.ctx.Done() // whoever settles it cancels it next
	var c *cancellation
	if errors.As(context.Cause(&t.ctx), &c) && c.reason != "" {
		t.server.log(&t.ctx, slog.LevelDebug, "request cancelled by the client", t.work.subject(), slog.String("reason", c.reason))
	}
	return context.Cause(&t.ctx)
}

// expire answers for a work that has used up its time. The work still has its
// place until it returns.
func (t *task) expire(limit time.Duration) {
	if !t.conclude() {
		return
	}
	t.ctx.cancel(errTimeLimit)
	defer t.replyOverdue(limit) // whatever Overdue does
	t.overdue()
}

// overdue calls the transport's Overdue, on what may be a goroutine of ours.
func (t *task) overdue() {
	var err error
	defer t.server.guard(&t.ctx, &err)
	if t.exchange.Overdue != nil {
		t.exchange.Overdue()
	}
}

// replyOverdue answers for expire, on the goroutine of its timer.
func (t *task) replyOverdue(limit time.Duration) {
	defer t.server.log(&t.ctx, slog.LevelError, "the time limit has passed", t.work.subject(), slog.Duration("limit", limit))
	var err error
	defer t.server.guard(&t.ctx, &err)
	_ = t.reply(errorAnswer(t.id, internalError("the request took too long")))
}

// fail answers with a failure of the work.
func (t *task) fail(f *failure) error {
	err := t.reply(errorAnswer(t.id, f.seen))
	t.server.tell(&t.ctx, t.work, f)
	return err
}
