package prompts

import (
	"context"

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
	// Name is params.name, if that is a string.
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
	// Send sends a message to the client. code is that of an error response
	// and 0 otherwise; last says that it is the answer, after which nothing
	// follows. Send is never called concurrently, nor after the call that
	// the Exchange was given to has returned. It must not keep msg. Required.
	Send func(msg []byte, code Code, last bool) error
}

func (x Exchange) answer(a answer) error { return x.Send(a.msg, a.code, true) }

// Handle answers one message that belongs to no session: one of a revision
// that has none. As long as none of these is served, that is always an error
// response. It calls Send for each message to the client before it
// returns; there is none for a notification. It renders on the caller's
// goroutine without a time limit but ctx, and waits for the render function
// to return.
//
// The error is Send's, or says that there was no answer because ctx has
// ended. That a message was refused is no error: the client was told.
func (s *Server) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.handle(ctx, nil, msg, x)
}

// Handle answers one message of the session's client, as [Server.Handle]
// does. A request that the client cancels meanwhile has no answer; the error
// is then one that wraps context.Canceled.
func (s *Session) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.server.handle(ctx, s, msg, x)
}

func (s *Server) handle(ctx context.Context, session *Session, msg []byte, x Exchange) error {
	t, err := s.receive(ctx, session, msg, x, nil)
	if t == nil {
		return err
	}
	return t.run(0, x)
}

// receive takes a message as far as it goes without waiting for an author's
// code: it answers it, or returns the task that will, which has been entered.
// The patience is for room to enter.
func (s *Server) receive(ctx context.Context, session *Session, msg []byte, x Exchange, p *patience) (*task, error) {
	if len(msg) > s.options.MaxMessageBytes {
		return nil, x.answer(errorAnswer("", errTooLarge))
	}
	doc := takeDoc()
	defer giveDoc(doc)
	// The one copy of the message: what is read from it are parts of this
	// string.
	c := &call{server: s, session: session}
	m := &c.message
	var err *Error
	*m, err = readMessage(doc, string(msg))
	m.large = len(msg) > maxShared
	switch m.class {
	case notification:
		if err == nil && session != nil {
			session.notice(m)
		}
		return nil, nil
	case response:
		return nil, nil // to a question that was never asked
	}
	if err != nil {
		return nil, x.answer(errorAnswer(m.id, err))
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
	t := &task{server: s, session: session, id: m.id, key: m.key, work: w}
	if !t.enter(ctx, p) {
		return nil, x.answer(errorAnswer(m.id, busy()))
	}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	if session != nil {
		if err := session.begin(t); err != nil {
			t.cancel(nil)
			t.leave()
			return nil, x.answer(errorAnswer(m.id, err))
		}
	}
	return t, nil
}

var errTooLarge = invalidRequest("the message is too large")

// dispatch takes a request to its method: it appends the result of a quick
// one to dst, and returns the work of a slow one with a nil result. The order
// of its checks is that of GAP-10.
func (s *Server) dispatch(c *call, x Exchange, dst []byte) ([]byte, work, *Error) {
	session, m := c.session, &c.message
	version := m.envelopeVersion()
	stateless := version.Kind() != strictjson.Invalid
	env := Envelope{Method: m.method, Name: m.name()}
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
	var rev revision.Revision
	if stateless {
		var ok bool
		if rev, ok = revision.Parse(env.Version); !ok || !rev.Served() || !rev.Stateless() {
			return nil, work{}, unsupportedVersion(env.Version)
		}
	}
	if x.Check != nil {
		env.Routing = true
		if err := x.Check(env); err != nil {
			return nil, work{}, err
		}
	}
	if session != nil {
		if err := session.admit(m.key); err != nil {
			return nil, work{}, err
		}
	}
	row := s.methods[m.method]
	if row == nil {
		return nil, work{}, methodNotFound(m.method)
	}
	if !stateless {
		if session != nil {
			rev = session.revision()
		}
		if rev == 0 && (session == nil || !row.fresh) {
			return nil, work{}, errNotInitialized
		}
	}
	if err := m.checkParams(); err != nil {
		return nil, work{}, err
	}
	c.rev = rev
	if row.quick != nil {
		result, err := row.quick(c, dst)
		return result, work{}, err
	}
	w, err := row.slow(c)
	return nil, w, err
}

// errNotInitialized answers a request that belongs to neither era (GAP-07).
var errNotInitialized = invalidParams("initialize the session first, or send _meta with %q and %q",
	envelopeKey, "io.modelcontextprotocol/clientCapabilities")
