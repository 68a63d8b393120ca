package rpc

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// job is what is left to do for a message that was received. Handle runs the job on the
// goroutine of its caller, a connection on a worker. A job that is never run would count
// toward the limits forever.
type job interface {
	// run returns when the response is sent, or with the reason for a missing response.
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

func (p *pending) group() *limit.WaitGroup { return p.unanswered }

func (p *pending) isSubscription() bool { return false }

// begin puts a request in flight. Without a session, nothing could name the request: over
// HTTP, a disconnect cancels a stateless request (CAN-04).
func (p *pending) begin(r inFlight) *transport.Error {
	switch {
	case p.session != nil:
		return p.session.addInFlight(p.key, r)
	case p.exchange.caller != nil: // whose client knows no id by which to cancel the request
		c := p.exchange.caller
		c.request, p.unanswered = r, &c.unanswered
		c.unanswered.Add()
	}
	return nil
}

func (p *pending) complete() bool { return p.completed.CompareAndSwap(false, true) }

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

// The context ends before done, which reads the cause for the observer.
func (p *pending) discard(cause error) {
	p.ctx.cancel(cause)
	p.done()
}

// done must be called after the request is completed: when the response is sent, or when it
// is clear that no response is sent. A drain waits for done, so each completed request needs
// exactly one call.
func (p *pending) done() {
	if p.observed != nil {
		p.observed.End(p.whyEnded)
	}
	if p.unanswered != nil {
		p.unanswered.Done()
	}
}

// respond sends the response of a request that is completed, and after it the messages of more.
// A report of progress that is being sent holds the lock, so the response waits for it.
func (p *pending) respond(r wire.Response, more ...[]byte) error {
	defer p.done()
	p.sending.Lock()
	defer p.sending.Unlock()
	// Set before the send, since a send that fails is the end as well.
	p.isOver = true
	err := p.exchange.Send(r.Msg, r.Code, true)
	if p.observed != nil {
		p.observed.Respond(r, err)
	}
	for _, msg := range more {
		if err == nil {
			err = p.exchange.Send(msg, 0, false)
		}
	}
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

// exchange receives the responses to one message. A connection has one exchange for all
// messages. A transport over HTTP makes one for each.
type exchange struct {
	transport.Exchange
	// emit, if not nil, sends a message that is not the response, unless the
	// request is completed by the time that it is the message's turn.
	emit     func(msg []byte, completed *atomic.Bool) error
	observed *telemetry.Operation // of the message; nil without an observer
	caller   *caller              // of a Dispatcher.Call; nil for a message
	batch    *batch               // that the message is part of; nil for none
}

// recipient is what a pending request keeps of its exchange. The functions for the headers of
// a message are left out: nothing calls them once the request is in flight.
type recipient struct {
	Client    string
	Send      func(msg []byte, code transport.Code, last bool) error
	Overdue   func()
	Connected context.Context
	emit      func(msg []byte, completed *atomic.Bool) error
	caller    *caller
	batch     *batch
}

func (x *exchange) recipient() recipient {
	return recipient{x.ClientKey, x.Send, x.Overdue, x.Connected, x.emit, x.caller, x.batch}
}

// overdue reports to the transport that the application's code outlives the response. A transport
// over HTTP/1 must know before the response is sent that Handle will not return soon.
func (r *recipient) overdue() {
	if r.Overdue != nil {
		r.Overdue()
	}
}

// release gives the message back to the caller. From then on, nothing may read the bytes of
// the message, so receive copies them first.
func (x *exchange) release() {
	if x.Release != nil {
		x.Release()
	}
}

// exchange.respond is for messages that are answered on the goroutine that received them. A pending
// request responds by pending.respond, which also orders the response after everything else.
func (x *exchange) respond(r wire.Response) error {
	err := x.Send(r.Msg, r.Code, true)
	if x.observed != nil {
		x.observed.Respond(r, err)
	}
	return err
}

// check calls CheckVersion or CheckRouting for a request. Over HTTP both compare headers with
// the message. A proxy may have routed the request by these headers, so a header that differs
// is an error.
func (x *exchange) check(f func(transport.RequestInfo) error, m *wire.Message, version string) *transport.Error {
	if f == nil {
		return nil
	}
	i := transport.RequestInfo{Version: version, Method: m.Method, ID: m.ID, Request: true}
	i.Name, i.HasName = m.Name()
	return rejection(f(i))
}

func rejection(err error) *transport.Error {
	if err == nil {
		return nil
	}
	if e := wire.ClientError(err); e != nil {
		return e
	}
	// The text may contain details of the deployment, which are no business of the client.
	return wire.InternalError("transport rejected the message")
}

type fixed transport.Info

func (f fixed) TransportInfo() transport.Info { return transport.Info(f) }
