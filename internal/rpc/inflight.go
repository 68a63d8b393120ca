package rpc

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has what all requests without their response have in common, and
// their context. See task.go and subscription.go.

// job is what is left to do for a message that was received. Handle runs the job on the
// goroutine of its caller, a connection on a worker. A job that is never run would count
// toward the limits forever.
type job interface {
	// run returns when the response is sent, or with the reason why there is
	// none.
	run() error
}

// pending is a request without its response: what a [task] and a [subscription]
// have in common. Whoever completes it first decides what the client gets. Then
// it is taken out of flight, so that its id is free by the time that the client
// has the response, and done is called when the response is sent.
//
// complete decides the race between the response, the time limit, a cancellation and the end
// of the session: the winner calls done, and nobody else does. The lock sending serializes
// the calls of the exchange.
type pending struct {
	engine     *engine
	session    *Session // nil outside of one
	id         string   // as written
	key        wire.ID
	exchange   recipient
	observed   *telemetry.Request // nil without an observer
	unanswered *limit.WaitGroup   // of the session; counts the request until done

	ctx       lazyContext
	completed atomic.Bool
	sending   sync.Mutex // held to call the exchange's Send, and for the field below
	isOver    bool       // nothing more may be sent
}

// group counts the request in its session.
func (p *pending) group() *limit.WaitGroup { return p.unanswered }

// isSubscription is that of a request other than subscriptions/listen.
func (p *pending) isSubscription() bool { return false }

// begin puts a request in flight. Without a session, nothing could name the request: over
// HTTP, a disconnect cancels a stateless request (CAN-04).
func (p *pending) begin(r inFlight) *transport.Error {
	switch {
	case p.session != nil:
		return p.session.addInFlight(p.key, r)
	case p.exchange.caller != nil:
		p.exchange.caller.begin(p, r)
	}
	return nil
}

// complete reports whether the caller is the one to respond.
func (p *pending) complete() bool { return p.completed.CompareAndSwap(false, true) }

// finish completes the request and takes it out of flight.
func (p *pending) finish() bool {
	if !p.complete() {
		return false
	}
	if p.session != nil {
		// Before the response is sent: a client may use the id again as soon as it has the
		// response.
		p.session.removeInFlight(p.key)
	}
	return true
}

// discard is that of an inFlight. The context ends before done, which reads the cause for the
// observer.
func (p *pending) discard(cause error) {
	p.ctx.cancel(cause)
	p.done()
}

// done must be called after the request is completed: when the response is sent, or when it
// is clear that no response is sent. A drain waits for done, so each completed request needs
// exactly one call.
func (p *pending) done() {
	p.observed.End(p.whyEnded)
	if p.unanswered != nil {
		p.unanswered.Done()
	}
}

// respond sends the response of a request that is completed. A report of progress that is
// being sent holds the lock, so the response waits for it.
func (p *pending) respond(r wire.Response) error {
	defer p.done()
	p.sending.Lock()
	defer p.sending.Unlock()
	// Set before the send, since a send that fails is the end as well.
	p.isOver = true
	return p.sendResponse(r)
}

// sendResponse sends the response. The caller holds p.sending.
func (p *pending) sendResponse(r wire.Response) error {
	err := p.exchange.Send(r.Msg, r.Code, true)
	p.observed.Respond(r, err)
	return err
}

// close ends all sending. A send that is running has returned when close returns.
func (p *pending) close() {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.isOver = true
}

// emit sends a message that is not the response, unless the request is completed. A
// connection has its own emit, which checks the request when it has the write lock: a message
// may wait long for that lock. Other exchanges have no such lock.
func (p *pending) emit(msg []byte) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	if p.exchange.emit != nil {
		return p.exchange.emit(msg, &p.completed)
	}
	if p.completed.Load() {
		return ErrAnswered
	}
	return p.exchange.Send(msg, 0, false)
}

// whyCompleted returns why someone else has completed the request, and logs the
// client's reason (CAN-10).
func (p *pending) whyCompleted(about func() slog.Attr) error {
	// Without this wait, the cause could still be missing.
	<-p.ctx.Done() // whoever completes it cancels it next
	cause := context.Cause(&p.ctx)
	var c *cancellation
	if errors.As(cause, &c) && c.reason != "" {
		p.engine.Log(p.forLog(), slog.LevelDebug, "request cancelled by the client", about(), slog.String("reason", c.reason))
	}
	return cause
}

// forLog returns the context for what is logged about the request.
func (p *pending) forLog() context.Context {
	if ctx := p.observed.Context(); ctx != nil {
		return ctx
	}
	return &p.ctx
}

// whyEnded returns why the context has ended. A request whose context lives was ended by a
// failed send.
func (p *pending) whyEnded() error {
	if p.ctx.Err() == nil {
		return ErrSessionClosed
	}
	return context.Cause(&p.ctx)
}

// requestKey is the key of the [Request] in a handler's context.
type requestKey struct{}

// lazyContext is the context of a request. It makes a context of the standard
// library only when someone looks at more than the request in it: most
// handlers do not, and for a short one the making would be most of the work.
// parent and request must be set before use. It must not be copied after that.
//
// The time limit of a task is no deadline of the context, because the limit is paused while
// the user is asked. The task cancels the context with ErrTimeout instead.
type lazyContext struct {
	parent  context.Context
	request *Request // for the key requestKey; nil for a subscription

	mu     sync.Mutex // protects the fields below
	made   context.Context
	end    context.CancelCauseFunc // of made
	cause  error                   // of the cancellation
	isOver bool                    // canceled
}

// cancel ends the context. Only the first call has an effect. Without a made context, the
// cause is only noted: most contexts are canceled at the end of a request whose code never
// looked.
func (c *lazyContext) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isOver {
		return
	}
	c.isOver, c.cause = true, cause
	if c.made != nil {
		c.end(cause)
	}
}

// standard returns the context of the standard library, which it makes at the first use.
func (c *lazyContext) standard() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.standardLocked()
}

func (c *lazyContext) standardLocked() context.Context {
	switch {
	case c.made != nil:
	// The parent is left out, or its cause could replace the one that was first.
	case c.isOver: // before the parent, if that has ended too
		c.made, c.end = context.WithCancelCause(context.WithoutCancel(c.parent))
		c.end(c.cause)
	default:
		c.made, c.end = context.WithCancelCause(c.parent)
	}
	return c.made
}

func (c *lazyContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

func (c *lazyContext) Done() <-chan struct{} { return c.standard().Done() }

// Err makes no context as long as nothing has ended, because loops that check Err are common.
func (c *lazyContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.made == nil && c.isOver:
		return context.Canceled
	case c.made == nil && c.parent.Err() == nil:
		return nil
	}
	return c.standardLocked().Err() // which never changes once it is the parent's
}

func (c *lazyContext) Value(key any) any {
	// The functions of this library find their request here, on every call of Ask or Progress.
	if key == (requestKey{}) {
		return c.request
	}
	// context.Cause and the contexts derived from this one find the made context by a private
	// key, which is an *int. All other values are those of the parent.
	if _, ok := key.(*int); ok {
		return c.standard().Value(key)
	}
	return c.parent.Value(key)
}
