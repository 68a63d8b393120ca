package prompts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// task is a request whose answer an author's code has to make. Whoever
// settles it first decides what the client gets: the work, its time limit, or
// a cancellation.
type task struct {
	server  *Server
	session *Session // nil outside of one
	id      string
	key     requestID
	work    work

	ctx     context.Context
	cancel  context.CancelCauseFunc
	settled atomic.Bool

	// Whether the task counts in the server's limit, and has a slot of it.
	// Only the goroutine that runs it reads and writes them.
	isIn, hasSlot bool
}

// settle reports whether the caller is the one to answer.
func (t *task) settle() bool { return t.settled.CompareAndSwap(false, true) }

// abandon ends the task without an answer, unless it has been settled.
func (t *task) abandon(cause error) bool {
	if !t.settle() {
		return false
	}
	t.cancel(cause)
	t.answered()
	return true
}

// answered is called by whoever has settled the task, once the answer is out.
func (t *task) answered() {
	if t.session != nil {
		t.session.answers.done()
	}
}

// enter counts the task in and reports whether there is room for it, or comes
// to be within the patience. If it does, leave must follow.
func (t *task) enter(ctx context.Context, p *patience) bool {
	if t.session != nil && !t.session.limit.enter(ctx, p) {
		return false
	}
	if !t.server.limit.enter(ctx, p) {
		if t.session != nil {
			t.session.limit.leave()
		}
		return false
	}
	t.isIn = true
	return true
}

// leave is the end of the task for the limits.
func (t *task) leave() {
	t.leaveServer()
	if t.session != nil {
		t.session.limit.leave()
	}
}

// leaveServer is the end of the task for the server's limit, which comes
// before the answer: a client that does not read it is not to cost others
// their turn. It may be called more than once.
func (t *task) leaveServer() {
	if t.hasSlot {
		t.server.limit.release()
	}
	if t.isIn {
		t.server.limit.leave()
	}
	t.hasSlot, t.isIn = false, false
}

// run waits for the task's turn, does its work and sends the answer, unless
// something else has settled it. With a limit above 0, that may be the time
// limit, which sends its own answer; it bounds the wait as well. The answer is
// out when run returns. It returns Send's error, or why there is no answer.
func (t *task) run(limit time.Duration, x Exchange) error {
	defer t.leave()
	defer t.cancel(errAnswered)
	if t.session != nil {
		if err := t.session.limit.acquire(t.ctx, limit); err != nil {
			return t.giveUp(err, x)
		}
		defer t.session.limit.release()
	}
	if err := t.server.limit.acquire(t.ctx, limit); err != nil {
		return t.giveUp(err, x)
	}
	t.hasSlot = true // until leave at the latest

	if limit > 0 {
		expired := make(chan struct{})
		timer := time.AfterFunc(limit, func() {
			defer close(expired)
			t.expire(limit, x)
		})
		defer func() {
			if !timer.Stop() {
				<-expired
			}
		}()
	}
	buf := takeBuffer()
	defer giveBuffer(buf)
	*buf = appendResultHead(*buf, t.id)
	completed := false
	defer func() {
		if !completed && t.conclude() { // the work has called runtime.Goexit
			t.leaveServer()
			_ = t.fail(hide(t.work.failed, errGoexit), x)
		}
	}()
	result, failed := t.work.do(t.ctx, *buf)
	completed = true
	t.leaveServer()
	switch {
	case !t.conclude():
		return t.abandoned()
	case failed == nil:
	case failed.cut:
		t.answered()
		return context.Cause(t.ctx) // the caller's context has ended
	default:
		return t.fail(failed, x)
	}
	*buf = append(result, '}')
	return t.reply(x, answer{msg: *buf})
}

// reply sends the answer of a task that is settled.
func (t *task) reply(x Exchange, a answer) error {
	defer t.answered()
	return x.answer(a)
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
func (t *task) giveUp(cause error, x Exchange) error {
	t.leaveServer()
	if !t.conclude() {
		return t.abandoned()
	}
	if errors.Is(cause, errNoTurn) {
		return t.reply(x, errorAnswer(t.id, busy()))
	}
	t.answered()
	return cause
}

// abandoned returns why something else has settled the task, and tells the
// author what the client has given as its reason (CAN-10).
func (t *task) abandoned() error {
	<-t.ctx.Done() // whoever settles it cancels it next
	var c *cancellation
	if errors.As(context.Cause(t.ctx), &c) && c.reason != "" {
		t.server.log(t.ctx, slog.LevelDebug, "request cancelled by the client", t.work.subject, slog.String("reason", c.reason))
	}
	return context.Cause(t.ctx)
}

// expire answers for a work that has used up its time. The work still has its
// place until it returns.
func (t *task) expire(limit time.Duration, x Exchange) {
	if !t.conclude() {
		return
	}
	t.cancel(errTimeLimit)
	_ = t.reply(x, errorAnswer(t.id, internalError("the request took too long")))
	t.server.log(t.ctx, slog.LevelError, "the time limit has passed", t.work.subject, slog.Duration("limit", limit))
}

// fail answers with a failure of the work.
func (t *task) fail(f *failure, x Exchange) error {
	err := t.reply(x, errorAnswer(t.id, f.seen))
	t.server.tell(t.ctx, t.work, f)
	return err
}
