package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file follows an operation from its start to its end, for the observer.

// observation is one operation. It must not be used after end or release.
type observation struct {
	observer  *observer
	ctx       context.Context // that of Begin before it is called, then its result
	op        observe.Operation
	out       observe.Outcome
	begun     bool // Begin was called
	responded bool
	stateless bool // the request is
	isBatch   bool // of messages, each of which has its own
}

// start returns a new operation, or nil if there is no observer.
func (b *observer) start(ctx context.Context, kind observe.Kind, size int, from transport.Informer) *observation {
	if b == nil {
		return nil
	}
	o := b.get()
	o.observer, o.ctx, o.op.Kind, o.op.Size, o.op.Start = b, ctx, kind, size, time.Now()
	if from != nil {
		b.guard(func() { o.op.Transport = from.TransportInfo() })
	}
	return o
}

// notifications that clients send, of all versions and features. Any other method
// is one of the server's.
var notifications = map[string]bool{
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true,
	"notifications/roots/list_changed": true, "notifications/message": true,
}

// read sets what a message says of itself. What the client has invented does not
// count.
func (o *observation) read(c *Call, invalid bool) {
	if o == nil {
		return
	}
	m, s := &c.Message, c.server
	keep := func(text string) string {
		if m.Large {
			return strings.Clone(text)
		}
		return text
	}
	switch {
	case invalid || m.Kind == wire.KindInvalid:
		o.op.Kind = observe.KindInvalid
	case m.Kind == wire.KindRequest:
		o.op.Kind = observe.KindRequest
		if s.methods[m.Method] != nil {
			o.op.Method = keep(m.Method)
		}
	case m.Kind == wire.KindNotification:
		o.op.Kind = observe.KindNotification
		if notifications[m.Method] {
			o.op.Method = keep(m.Method)
		}
	default:
		o.op.Kind = observe.KindResponse
	}
	o.op.ID = keep(phrase.Clip(m.ID, phrase.MaxEcho))
	o.setMeta(m)
}

func (o *observation) setMeta(m *wire.Message) {
	if m.Meta.Kind() != strictjson.Object || len(m.Meta.Raw()) > maxObservedMeta {
		return
	}
	if o.op.Meta = m.Meta.Raw(); m.Large {
		o.op.Meta = strings.Clone(o.op.Meta)
	}
}

// inSession sets what a message has of its session.
func (o *observation) inSession(c *Call) {
	if o == nil || c.session == nil {
		return
	}
	o.op.SessionID = c.session.id
	if !c.Message.IsStateless() {
		o.op.Version = c.session.Version()
	}
}

// setVersion sets the version of a request.
func (o *observation) setVersion(rev revision.Revision) {
	if o != nil {
		o.op.Version, o.stateless = rev.String(), rev.Stateless()
	}
}

// setPrompt names the prompt of a request.
func (o *observation) setPrompt(name string) {
	if o != nil {
		o.out.Prompt = name
	}
}

// setTool names the tool of a request.
func (o *observation) setTool(name string) {
	if o != nil {
		o.out.Tool = name
	}
}

// An id that is a string cannot have the first of them, because its quotes are
// escaped. The others begin a result.
var (
	resultMember  = []byte(`,"result":`)
	inputRequired = []byte(`{"resultType":"input_required"`)
	toolError     = []byte(`{"isError":true`)
)

// respond notes the response, which has been sent unless there is an error.
func (o *observation) respond(r wire.Response, err error) {
	if o == nil {
		return
	}
	o.responded = true
	o.out.Code, o.out.Size, o.out.Err = r.Code, len(r.Msg), err
	if r.Code == 0 {
		o.out.ResultType = "complete"
		if o.stateless || o.out.Tool != "" {
			_, result, _ := bytes.Cut(r.Msg, resultMember)
			o.setResult(result)
		}
	}
}

// setResult notes what a result says of itself.
func (o *observation) setResult(result []byte) {
	if bytes.HasPrefix(result, inputRequired) {
		o.out.ResultType = "input_required"
	}
	o.out.IsError = o.out.Tool != "" && bytes.HasPrefix(result, toolError)
}

// end ends the operation. err says why there is no response.
func (o *observation) end(err error) {
	if o == nil {
		return
	}
	if u, ok := err.(*Unaccepted); ok {
		o.out.Code = u.Err.Code
	} else if !o.responded {
		o.out.Err = err
	}
	o.out.Duration = time.Since(o.op.Start)
	o.observer.push(event{o, true})
}

// release ends an operation without a call of the observer.
func (o *observation) release() {
	if o == nil {
		return
	}
	b := o.observer
	*o = observation{}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, o)
}

// observed is the operation of a pending request; a nil one does nothing. Whoever
// completes the request ends it, while the request's own goroutine may still begin it
// or add to it.
type observed struct {
	conn transport.Informer // of the exchange

	mu          sync.Mutex // protects the fields below
	o           *observation
	ctx         context.Context // that Begin returned; nil before
	beginning   bool            // by the request's own goroutine, which then ends it, too
	isOver      bool            // end was called
	isBlocked   bool            // Begin has passed the time limit
	isRunning   bool            // the application's code has begun
	hasReturned bool            // and returned
}

// start sets the operation, before the request is in flight.
func (e *observed) start(x *exchange) { e.o, e.conn = x.observed, x.Informer }

func (e *observed) connection() transport.Informer {
	if e == nil {
		return nil
	}
	return e.conn
}

// observe calls Begin for a task whose turn has come.
func (t *task) observe() context.Context {
	b, e := t.server.observer, t.observed
	if e == nil {
		return &t.ctx
	}
	e.mu.Lock()
	o := e.o
	if o == nil { // it is completed
		e.mu.Unlock()
		return &t.ctx
	}
	o.out.Queued, e.isRunning = time.Since(o.op.Start), true
	if b.blocked.Load() > 0 { // the queue is left to block
		e.mu.Unlock()
		return &t.ctx
	}
	e.beginning = true
	op := o.op
	e.mu.Unlock()
	var ctx context.Context = &t.ctx
	hasReturned := false
	defer func() { // even if Begin ends the goroutine
		e.mu.Lock()
		defer e.mu.Unlock()
		e.beginning, e.ctx = false, ctx
		o.ctx, o.begun = ctx, true
		switch {
		case !hasReturned: // and may do so again
			b.blocked.Add(1)
			b.fail(ErrGoexit, nil)
		case e.isBlocked:
			b.blocked.Add(-1)
		}
		if e.isOver {
			b.push(event{o, true})
		}
	}()
	ctx = b.begin(ctx, &op)
	hasReturned = true
	return ctx
}

// forLog returns the context for what is logged about the request.
func (p *pending) forLog() context.Context {
	if e := p.observed; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.ctx != nil {
			return e.ctx
		}
	}
	return &p.ctx
}

// returned notes that the application's code has returned.
func (e *observed) returned() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.o != nil {
		e.o.out.Ran, e.hasReturned = time.Since(e.o.op.Start)-e.o.out.Queued, true
	}
}

// setPrompt names the prompt.
func (e *observed) setPrompt(name string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.setPrompt(name)
}

// setTool names the tool.
func (e *observed) setTool(name string) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.setTool(name)
}

// respond notes the response.
func (e *observed) respond(r wire.Response, err error) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.respond(r, err)
}

// respondCall notes the response to a [Server.Call].
func (e *observed) respondCall(result []byte, err *transport.Error) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.o.respondCall(result, err)
}

// expire notes that the time limit has passed.
func (e *observed) expire(b *observer) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.beginning && !e.isBlocked {
		e.isBlocked = true
		b.blocked.Add(1)
		b.fail(errObserverBlocks, nil)
	}
}

// end ends the operation of a request that is completed. cause returns why there is
// no response.
func (e *observed) end(cause func() error) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.o
	e.o = nil
	o.out.Duration = time.Since(o.op.Start)
	switch {
	case !e.isRunning:
		o.out.Queued = o.out.Duration
	case !e.hasReturned:
		o.out.Ran = o.out.Duration - o.out.Queued
	}
	if !o.responded {
		o.out.Err = cause()
	}
	if e.isOver = e.beginning; !e.beginning {
		o.observer.push(event{o, true})
	}
}

// whyEnded returns why the context has ended.
func (p *pending) whyEnded() error {
	if p.ctx.Err() == nil {
		return ErrSessionClosed
	}
	return context.Cause(&p.ctx)
}

// startCall starts the operation of a [Server.Call].
func (b *observer) startCall(ctx context.Context, method string, params []byte, c CallOptions) *observation {
	o := b.start(ctx, observe.KindRequest, len(params), c.informer())
	if o != nil {
		if b.server.methods[method] != nil {
			o.op.Method = method
		}
		o.op.ID, o.op.SessionID = phrase.Clip(c.ID, phrase.MaxEcho), c.Session
	}
	return o
}

// readCall sets what the params of a [Server.Call] say.
func (o *observation) readCall(c *Call) {
	if o != nil {
		o.setVersion(c.Rev)
		o.setMeta(&c.Message)
	}
}

// respondCall is respond for a [Server.Call].
func (o *observation) respondCall(result []byte, err *transport.Error) {
	if o == nil {
		return
	}
	r := wire.Response{Msg: result}
	if err != nil {
		r = wire.Response{Code: err.Code}
	}
	o.respond(r, nil)
	o.setResult(result)
}

// endCall ends the operation of a [Server.Call] that has no task.
func (o *observation) endCall(result []byte, err error) {
	if o == nil {
		return
	}
	rejected, isRejected := err.(*transport.Error)
	if err == nil || isRejected {
		o.respondCall(result, rejected)
	}
	o.end(err)
}

// conn returns the connection of the message.
func (o *observation) conn() transport.Info {
	if o == nil {
		return transport.Info{}
	}
	return o.op.Transport
}

// Reject is an operation of a message that the transport rejected.
func (s *Server) Reject(ctx context.Context, conn transport.Informer, err error) {
	s.observer.start(ctx, observe.KindInvalid, 0, conn).end(err)
}

// startSession begins the operation of a session that is initialized. It ends with
// the session.
func (b *observer) startSession(s *Session) *observation {
	o := b.start(context.Background(), observe.KindSession, 0, nil)
	if o == nil {
		return nil
	}
	o.op.SessionID = s.id
	o.setVersion(s.rev)
	o.op.Transport = s.conn
	b.push(event{o, false})
	return o
}

// startSent starts the operation of a message to the client. session is that of the
// client, or nil.
func (b *observer) startSent(ctx context.Context, kind observe.Kind, method string, session *Session, from transport.Informer, size int) *observation {
	o := b.start(ctx, kind, size, from)
	if o == nil {
		return nil
	}
	o.op.Method = method
	if session != nil {
		o.op.SessionID = session.id
		o.op.Version = session.Version()
		if from == nil {
			session.mu.Lock()
			defer session.mu.Unlock()
			o.op.Transport = session.conn
		}
	}
	return o
}

// startChange is startSent for the notification that a list has changed.
func (b *observer) startChange(ctx context.Context, session *Session, from transport.Informer, list *listener, size int) *observation {
	o := b.startSent(ctx, observe.KindClientNotification, list.feed.list.Notification, session, from, size)
	if o != nil {
		o.out.Delay, o.out.Subscribers = time.Since(list.feed.notifier.LastChange()), list.feed.notifier.Subscribers()
	}
	return o
}

// asked are the operations of requests to the client; nil for those that have ended.
type asked []*observation

// observeAsk begins the operations of requests to the client, on the goroutine of
// the application.
func (t *task) observeAsk(ctx context.Context, requests []ClientRequest) asked {
	b := t.server.observer
	if b == nil {
		return nil
	}
	all := make(asked, len(requests))
	for i, r := range requests {
		o := b.startSent(ctx, observe.KindClientRequest, r.Method, t.session, t.observed.connection(), len(r.Params))
		o.setVersion(t.request.Rev)
		if b.blocked.Load() == 0 {
			o.ctx, o.begun = b.begin(ctx, &o.op), true
			b.guard(func() { requests[i].Params = addMeta(r.Params, b.inject(o.ctx)) })
		}
		all[i] = o
	}
	return all
}

// addMeta returns params with members in their _meta, unless the application has set
// one.
func addMeta(params json.RawMessage, members map[string]string) json.RawMessage {
	var own struct {
		Meta json.RawMessage `json:"_meta"`
	}
	if len(members) == 0 || len(params) > 0 && json.Unmarshal(params, &own) != nil || own.Meta != nil {
		return params
	}
	meta, err := json.Marshal(members)
	if err != nil {
		return params
	}
	rest := bytes.TrimPrefix(bytes.TrimSpace(params), []byte("{"))
	if len(bytes.TrimSpace(rest)) <= 1 { // no other members
		rest = []byte("}")
	} else {
		meta = append(meta, ',')
	}
	return slices.Concat(json.RawMessage(`{"_meta":`), meta, rest)
}

func (a asked) respond(r clientResponse) {
	if a == nil {
		return
	}
	o := a[r.index]
	a[r.index] = nil
	o.out.Size = len(r.result)
	o.end(r.err)
}

// end ends what has no response.
func (a asked) end(err error) {
	for _, o := range a {
		o.end(err)
	}
}
