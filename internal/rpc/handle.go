package rpc

import (
	"context"
	"sync"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file takes a message from the transport as far as it goes without the
// application's code: it finds the session, rejects, answers, or returns the job
// that does the rest. See method.go for the methods, task.go, subscription.go and
// batch.go for the jobs.

// Envelope is what a transport may compare with its own headers.
type Envelope struct {
	Version string // in the request's metadata; empty for a stateful request
	Method  string
	Request bool   // and no notification, response or batch
	Name    string // params.name, or params.uri of resources/read
	HasName bool   // it is a string, which may be empty
	Routing bool   // Method and Name are to be compared, not Version
}

// Exchange receives the responses to one message.
type Exchange struct {
	// Check, if not nil, is called twice for each valid request: before the
	// version is looked at, and with Routing before the method is looked up.
	Check func(Envelope) *wire.Error
	// Session, if not nil, returns the session of a stateful message.
	Session func(Envelope) (*Session, *wire.Error)
	// Client, if not empty, identifies the client across its sessions.
	Client string
	// Send sends a message to the client. code is that of an error response
	// and 0 for anything else. last says that the message is the response.
	// There is one call at a time, and none after Handle has returned.
	Send func(msg []byte, code wire.Code, last bool) error
	// Done, if not nil, is closed to end subscriptions.
	Done <-chan struct{}

	// emit, if not nil, sends a message that is not the response, unless the
	// request is completed by the time that it is the message's turn.
	emit func(p *pending, msg []byte) error
}

func (x *Exchange) respond(r wire.Response) error { return x.Send(r.Msg, r.Code, true) }

// Handle answers a message of no session.
func (s *Server) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.handle(ctx, nil, msg, &x)
}

// Handle answers a message of the session's client.
func (s *Session) Handle(ctx context.Context, msg []byte, x Exchange) error {
	return s.server.handle(ctx, s, msg, &x)
}

func (s *Server) handle(ctx context.Context, session *Session, msg []byte, x *Exchange) error {
	j, err := s.receive(ctx, session, msg, x, nil)
	if j == nil {
		return err
	}
	return j.run()
}

// job is what is left to do for a message that was received.
type job interface {
	// run returns when the response is sent, or with the reason why there is
	// none.
	run() error
}

// reading is a message while it is read. Nothing in it may be kept.
type reading struct {
	doc  strictjson.Doc
	call Call
}

// receive answers a message as far as that needs no application code, and
// returns the job that does the rest. It waits for capacity within the
// backpressure.
func (s *Server) receive(ctx context.Context, session *Session, msg []byte, x *Exchange, p *limit.Backpressure) (job, error) {
	if len(msg) > s.config.Limits.MessageBytes {
		return nil, x.respond(session.errorResponse(&wire.Message{}, errTooLarge))
	}
	r := getReading()
	defer putReading(r)
	// The one copy of the message: everything that is read is a substring of it.
	root, broken := wire.Parse(&r.doc, string(msg))
	c := &r.call
	c.server, c.session, c.from = s, session, x.Client
	m := &c.Message
	err := m.Read(root)
	m.Large = wire.IsLarge(len(msg))
	isBatch := root.Kind() == strictjson.Array && broken == nil
	if x.Session != nil && broken == nil && (err == nil || isBatch) && !m.IsStateless() {
		var rejected *wire.Error
		if session, rejected = x.Session(Envelope{Method: m.Method, Request: m.Kind == wire.KindRequest}); rejected != nil {
			if m.Kind != wire.KindRequest && !isBatch {
				return nil, &Unaccepted{rejected}
			}
			return nil, x.respond(wire.ErrorResponse(m.ID, rejected))
		}
		c.session = session
	}
	if isBatch && session.revision().Batches() {
		return s.receiveBatch(ctx, session, root, m.Large, x, p)
	}
	if root.Kind() == strictjson.Array {
		err = errNoBatch
	}
	if broken != nil {
		err = broken
	}
	if m.Kind == wire.KindRequest && err == nil {
		return s.receiveRequest(ctx, c, x, p)
	}
	return nil, s.handleNonRequest(session, m, err, x)
}

var (
	errTooLarge = wire.InvalidRequest("the message is too large")
	errNoBatch  = wire.InvalidRequest("a batch is not part of this protocol revision")
	errNotAsked = wire.InvalidRequest("a response to nothing that has been asked")
)

// handleNonRequest handles a message that is no request, or that has an error.
func (s *Server) handleNonRequest(session *Session, m *wire.Message, err *wire.Error, x *Exchange) error {
	if m.Kind == wire.KindResponse && err == nil && (session == nil || session.isDetached) {
		err = errNotAsked
	}
	switch isSilent := m.Kind == wire.KindNotification || m.Kind == wire.KindResponse; {
	case !isSilent:
		return x.respond(session.errorResponse(m, err))
	case err != nil:
		return &Unaccepted{err}
	case session == nil: // no stateless notification means anything
	case m.Kind == wire.KindNotification:
		session.handleNotification(m)
	default:
		session.handleResponse(m)
	}
	return nil
}

// Unaccepted is the error of a message that is not accepted and has no
// response.
type Unaccepted struct{ Err *wire.Error }

func (u *Unaccepted) Error() string { return "the message cannot be accepted: " + u.Err.Error() }

// receiveRequest is receive for a valid request.
func (s *Server) receiveRequest(ctx context.Context, c *Call, x *Exchange, p *limit.Backpressure) (job, error) {
	w, answered, err := s.answer(c, x)
	if answered {
		return nil, err
	}
	if w.subscribe != nil {
		return s.newSubscription(ctx, c, x, w.subscribe)
	}
	t := s.newTask(ctx, c, x, w)
	rejected := t.admit(ctx, p)
	if rejected == nil {
		if rejected = t.begin(t); rejected != nil {
			t.ticket.Release()
		}
	}
	if rejected != nil {
		t.ctx.cancel(nil)
		return nil, x.respond(wire.ErrorResponse(c.Message.ID, rejected))
	}
	return t, nil
}

// answer answers a request that needs no application code, or returns its work.
func (s *Server) answer(c *Call, x *Exchange) (w Work, answered bool, err error) {
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	*buf = wire.AppendResultHead(*buf, c.Message.ID)
	result, w, rejected := s.dispatch(c, x, *buf)
	if rejected != nil {
		return Work{}, true, x.respond(wire.ErrorResponse(c.Message.ID, rejected))
	}
	if result == nil {
		return w, false, nil
	}
	*buf = append(result, '}')
	return Work{}, true, x.respond(wire.Response{Msg: *buf})
}

var readings = sync.Pool{New: func() any { return new(reading) }}

func getReading() *reading { return readings.Get().(*reading) }

func putReading(r *reading) {
	r.doc.Reset()
	r.call = Call{}
	readings.Put(r)
}
