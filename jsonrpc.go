package prompts

import (
	"context"
	"time"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Envelope is what a transport may have to compare with a layer of its own,
// such as HTTP headers.
type Envelope struct {
	// Version is the protocol version in the request's own envelope. It is
	// empty for a request of the handshake era.
	Version string
	// Method is the request's method.
	Method string
	// Request is false for a notification, a response or a batch.
	Request bool
	// Name is params.name, or params.uri of resources/read, if that is a
	// string.
	Name string
	// Routing is false where the version is to be compared, before the
	// server looks at it; and true where the method and the name are,
	// before the server looks for them.
	Routing bool
}

// Exchange is how a message is answered.
type Exchange struct {
	// Check, if not nil, is called twice for each request that is well
	// formed: see Envelope.Routing. An error from it is the answer.
	Check func(Envelope) *Error
	// Session, if not nil, returns the session of a message that is not of the
	// stateless era, for [Server.Handle]. It is called once for each such
	// message that is well formed, with the method of a request or
	// notification, and none for a response or a batch. An error from it is
	// the answer to a request, and Handle's own error for anything else.
	Session func(Envelope) (*Session, *Error)
	// Client, if not empty, says who the client is, whatever sessions it has:
	// such as its principal or network address. Options.MaxConcurrentPerClient
	// goes by it, and Options.Rate where neither a principal nor a session says
	// so.
	Client string
	// Overdue, if not nil, has Options.RenderTimeout hold for the message, as
	// [Server.Serve] has it. It is called when that has passed, before the error
	// response that says so is sent: Handle will return later than that, as late
	// as the author's code does; or never, where that ends its goroutine.
	Overdue func()
	// Send sends a message to the client. code is that of an error response
	// and 0 otherwise; last says that it is the answer, after which nothing
	// follows. Before that come what the request itself gives rise to: its
	// progress, requests to the client, notifications of changes. Send is
	// never called concurrently, nor after the call that the Exchange was
	// given to has returned. It must not keep msg. Required.
	Send func(msg []byte, code Code, last bool) error
	// Closing, if not nil, is closed when a request that has no end of its
	// own, subscriptions/listen, is to be answered.
	Closing <-chan struct{}

	// emit, if not nil, sends a message of a task that is not its answer,
	// unless the task is settled by the time that it is its turn.
	emit func(t *task, msg []byte) error
}

func (x Exchange) answer(a answer) error { return x.Send(a.msg, a.code, true) }

// Handle answers one message that belongs to no session: one of revision
// 2026-07-28, which carries its own envelope. Any other gets an error response.
// It calls Send for each message to the client before it returns; there is
// none for a notification. It renders on the caller's goroutine without a time
// limit but ctx, and waits for the render function to return. A request of
// subscriptions/listen that there is something to tell for is answered when
// x.Closing is closed; until then, or until ctx ends or the client cancels it,
// Handle does not return.
//
// The error is Send's, or says that there was no answer because ctx has
// ended, or that the time limit has passed, of which x.Overdue and the client
// have been told. That a request was refused is no error: the client was told. But a
// notification or a response that cannot be accepted has no answer; the error
// then wraps an [*Error] that says why, which a transport may have a status
// for.
func (s *Server) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.handle(ctx, nil, msg, x)
}

// Handle answers one message of the session's client, as [Server.Handle]
// does. A request that the client cancels meanwhile has no answer; the error
// is then one that wraps context.Canceled. The messages of a batch, which
// revision 2025-03-26 has, are answered together, and worked on concurrently,
// on goroutines that end before Handle does.
//
// A response to a request that was sent to the client is a message too: it
// lets the call of Handle go on that has sent the request.
func (s *Session) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.server.handle(ctx, s, msg, x)
}

func (s *Server) handle(ctx context.Context, session *Session, msg []byte, x Exchange) error {
	j, err := s.receive(ctx, session, msg, x, nil)
	if j == nil {
		return err
	}
	if x.Overdue != nil {
		return j.run(s.options.RenderTimeout)
	}
	return j.run(0)
}

// job is what is left to do for a message once it has been read: to run an
// author's code, or to tell of changes.
type job interface {
	// run does it, within the limit if that is above 0, without any if it is 0,
	// and returns when the answer is out, or why there is none.
	run(limit time.Duration) error
}

// receive takes a message as far as it goes without waiting for an author's
// code: it answers it, or returns the job that will, which has been entered.
// The patience is for room to enter.
func (s *Server) receive(ctx context.Context, session *Session, msg []byte, x Exchange, p *patience) (job, error) {
	if len(msg) > s.options.MaxMessageBytes {
		return nil, x.answer(session.errorAnswer(&message{}, errTooLarge))
	}
	r := takeReading()
	defer giveReading(r)
	// The one copy of the message: what is read from it are parts of this
	// string.
	root, broken := parseMessage(&r.doc, string(msg))
	c := &r.call
	c.server, c.session, c.from = s, session, x.Client
	m := &c.message
	err := m.read(root)
	m.large = len(msg) > maxShared
	isBatch := root.Kind() == strictjson.Array && broken == nil
	if x.Session != nil && broken == nil && (err == nil || isBatch) && !m.isStateless() {
		var refused *Error
		if session, refused = x.Session(Envelope{Method: m.method, Request: m.class == request}); refused != nil {
			if m.class != request && !isBatch {
				return nil, &unaccepted{refused}
			}
			return nil, x.answer(errorAnswer(m.id, refused))
		}
		c.session = session
	}
	if isBatch && session.revision().Batches() {
		return s.receiveBatch(ctx, session, root, m.large, x, p)
	}
	if root.Kind() == strictjson.Array {
		err = errNoBatch
	}
	if broken != nil {
		err = broken
	}
	if m.class == request && err == nil {
		t, err := s.take(ctx, c, x, p, nil)
		if t == nil {
			return nil, err
		}
		return t, nil
	}
	return nil, s.pass(session, m, err, x)
}

var (
	errTooLarge = invalidRequest("the message is too large")
	errNoBatch  = invalidRequest("a batch is not part of this protocol revision")
)

// pass takes a message that is no request, or one at fault.
func (s *Server) pass(session *Session, m *message, err *Error, x Exchange) error {
	if m.class == response && err == nil && (session == nil || session.isDetached) {
		err = errNotAsked
	}
	switch isSilent := m.class == notification || m.class == response; {
	case !isSilent:
		return x.answer(session.errorAnswer(m, err))
	case err != nil:
		return &unaccepted{err}
	case session == nil: // a notification that there is nothing to in the stateless era
	case m.class == notification:
		session.notice(m)
	default:
		session.resolve(m)
	}
	return nil
}

var errNotAsked = invalidRequest("a response to nothing that has been asked")

// unaccepted is why a message that must not be answered is ignored.
type unaccepted struct{ why *Error }

func (u *unaccepted) Error() string { return "the message cannot be accepted: " + u.why.Error() }

func (u *unaccepted) Unwrap() error { return u.why }

// take answers a request, or returns the task that will. b is the batch that
// it is part of, or nil.
func (s *Server) take(ctx context.Context, c *call, x Exchange, p *patience, b *batch) (*task, error) {
	m, session := &c.message, c.session
	if b != nil && b.isFull() {
		return nil, x.answer(errorAnswer(m.id, errBatchFull))
	}
	buf := takeBuffer()
	defer giveBuffer(buf)
	*buf = appendResultHead(*buf, m.id)
	result, w, err := s.dispatch(c, x, *buf)
	if err != nil {
		return nil, x.answer(errorAnswer(m.id, err))
	}
	if result != nil {
		*buf = append(result, '}')
		return nil, x.answer(answer{msg: *buf})
	}
	if m.large || w.listen {
		m.detach() // a task may live long
	}
	t := &task{server: s, session: session, id: m.id, key: m.key, work: w, exchange: x, batch: b}
	t.caller = caller{
		server: s,
		rev:    c.rev, client: c.client, isLive: session != nil && !session.isDetached && !c.rev.Stateless(), peer: t, own: &t.ctx,
		progress: reporter{token: m.progressToken()},
	}
	if err := t.enter(ctx, p); err != nil {
		return nil, x.answer(errorAnswer(m.id, err))
	}
	t.ctx.parent, t.ctx.caller = ctx, &t.caller
	if b != nil {
		b.addTask()
	}
	if session != nil {
		if err := session.begin(t); err != nil {
			t.ctx.cancel(nil)
			t.leave()
			if w.listen {
				s.endListening(session)
			}
			if b != nil {
				defer b.taskSettled()
			}
			return nil, x.answer(errorAnswer(m.id, err))
		}
	}
	return t, nil
}

// dispatch takes a request to its method: it appends the result of one that
// needs no author's code to dst, and returns the work of any other with a nil
// result. The order of its checks is that of GAP-10.
func (s *Server) dispatch(c *call, x Exchange, dst []byte) ([]byte, work, *Error) {
	session, m := c.session, &c.message
	version := m.envelopeVersion()
	stateless := version.Kind() != strictjson.Invalid
	env := Envelope{Method: m.method, Request: true, Name: m.name()}
	if stateless {
		if version.Kind() != strictjson.String {
			return nil, work{}, invalidParam("_meta", "_meta: %q must be a string", envelopeKey)
		}
		env.Version = version.Text()
	}
	if x.Check != nil {
		if err := x.Check(env); err != nil {
			return nil, work{}, err
		}
	}
	if stateless {
		rev, ok := revision.Parse(env.Version)
		if !ok || !rev.Stateless() {
			return nil, work{}, unsupportedVersion(env.Version)
		}
		declared := m.meta.Get(capabilitiesKey)
		if declared.Kind() != strictjson.Object {
			return nil, work{}, invalidParam("_meta", "_meta: %q is required, an object", capabilitiesKey)
		}
		c.rev, c.client = rev, readCapabilities(rev, declared)
	}
	if x.Check != nil {
		env.Routing = true
		if err := x.Check(env); err != nil {
			return nil, work{}, err
		}
	}
	if session != nil {
		rev, client, err := session.admit(m.key)
		if err != nil {
			return nil, work{}, err
		}
		if !stateless {
			c.rev, c.client = rev, client
		}
	}
	row := s.methods[m.method]
	switch {
	case row == nil, row.era == handshakeOnly && stateless, row.era == statelessOnly && c.rev != 0 && !stateless:
		return nil, work{}, methodNotFound(m.method)
	case c.rev == 0 && (session == nil || !row.fresh):
		return nil, work{}, errNotInitialized
	}
	if err := m.checkParams(); err != nil {
		return nil, work{}, err
	}
	if stateless {
		if err := m.checkEnvelope(); err != nil {
			return nil, work{}, err
		}
	}
	return row.answer(c, dst)
}

// errNotInitialized answers a request that belongs to neither era (GAP-07).
var errNotInitialized = invalidParams("initialize the session first, or send _meta with %q and %q",
	envelopeKey, capabilitiesKey)
