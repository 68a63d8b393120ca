package streamablehttp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/transport"
)

func (h *Handler) post(w http.ResponseWriter, r *http.Request, c client) {
	if len(r.Header["Content-Type"]) > 1 {
		h.refuse(w, r, http.StatusBadRequest, "header Content-Type must be sent only once")
		return
	}
	if !isJSON(r.Header) || isEncoded(r.Header) {
		h.refuse(w, r, http.StatusUnsupportedMediaType, "Content-Type must be application/json, without Content-Encoding")
		return
	}
	x := &exchange{
		client:  c,
		handler: h, request: r, stream: newStream(w, r, &h.options), header: w.Header(),
		takesJSON: accepts(r.Header, "application/json"), takesEvents: accepts(r.Header, "text/event-stream"),
		canStream: blocker(w) == nil,
	}
	if !x.takesJSON && !x.takesEvents {
		h.refuse(w, r, http.StatusNotAcceptable, "Accept must include application/json or text/event-stream")
		return
	}
	x.body = getFrame()
	x.room = reservation{bodies: h.bodies, client: c.name}
	body, err := h.readBody(w, r, &x.room, *x.body)
	if err != nil {
		x.release()
		h.refuseBody(w, r, err)
		return
	}
	*x.body = body
	x.answer()
}

type exchange struct {
	handler *Handler
	request *http.Request
	stream  *stream
	ctx     handlerContext
	header  http.Header // of the reply
	body    *[]byte     // of the request, a frame; nil when the server has read it
	room    reservation // for the body

	takesJSON, takesEvents bool
	canStream              bool
	client                 client

	// The server sets the fields below, by calls one after the other.
	session    *session          // nil for a stateless message
	ephemeral  transport.Session // of this message only, with DisableSessions
	isFresh    bool              // the message is initialize, and made the session
	isOpened   bool              // initialize succeeded
	stateless  bool
	isRequest  bool
	id         string // of a request, as JSON
	isListen   bool
	isRouted   bool // the request metadata is valid: CheckRouting was called
	refused    int  // the status for a message that the exchange rejected, or 0
	cancel     context.CancelFunc
	disconnect func() bool // ends the wait for the client's disconnect; may be nil

	isAnswered bool          // the response was sent
	answered   chan struct{} // closed then, over HTTP/2; may be nil
}

// handlerContext is the context of the request without its end.
type handlerContext struct{ context.Context }

func (c *handlerContext) Deadline() (time.Time, bool) { return time.Time{}, false }
func (c *handlerContext) Done() <-chan struct{}       { return nil }
func (c *handlerContext) Err() error                  { return nil }

func (x *exchange) answer() {
	// A client that disconnects cancels its request if that is stateless, and
	// not otherwise (GAP-30): see cancelOnDisconnect and abandonOnDisconnect.
	x.ctx = handlerContext{x.request.Context()}
	ctx, cancel := context.WithCancel(&x.ctx)
	x.cancel = cancel
	defer context.AfterFunc(x.handler.ctx, cancel)()
	var err error
	hasReturned := false
	defer x.stream.repanic()
	defer x.end()
	defer func() {
		if !hasReturned { // the application's code has called runtime.Goexit, and so ends this goroutine
			x.stream.detach()
		}
		if !x.isAnswered {
			x.conclude(err)
		}
	}()
	err = x.handle(ctx)
	hasReturned = true
}

// handle returns when the message is answered. If the message has no response, handle
// returns the reason.
func (x *exchange) handle(ctx context.Context) error {
	e := transport.Exchange{
		ClientKey: x.client.name, CheckVersion: x.checkVersion, CheckRouting: x.checkRouting,
		Session: x.find, Send: x.send, Release: x.release, Overdue: x.stream.detach,
		Connected: x.request.Context(), Done: x.handler.open.Done(), Informer: informer{x.request},
	}
	if len(*x.body) > smallBody {
		// Until the message is parsed, which may wait for others, a disconnect ends everything.
		stop := context.AfterFunc(x.request.Context(), x.cancel)
		e.Release = func() { stop(); x.release() }
	}
	if x.request.ProtoMajor == 1 {
		// A second goroutine would cost more than the rest of the exchange. If the application's
		// code outlives the response, the reply ends the use of this connection.
		defer x.cancel()
		return x.handler.server.Handle(ctx, *x.body, e)
	}
	x.answered = make(chan struct{})
	handled := make(chan error, 1)
	x.handler.beginBackground()
	go func() { // ends with the application's code, whose context ends with the answer
		defer close(handled) // though the application's code may have called runtime.Goexit
		defer x.handler.endBackground()
		defer x.cancel()
		defer func() {
			if v := recover(); v != nil { // which would end the process
				x.stream.storePanic(v)
			}
		}()
		handled <- x.handler.server.Handle(ctx, *x.body, e)
	}()
	select {
	case <-x.answered:
		return nil
	case err := <-handled:
		return err
	}
}

// release is the Release of the exchange: a request that waits or a stream that is open
// does not keep its message.
func (x *exchange) release() {
	putFrame(x.body)
	x.body = nil
	x.room.release()
}

func (x *exchange) end() {
	x.stream.close()
	if x.disconnect != nil {
		x.disconnect()
	}
	if x.ephemeral != nil {
		x.ephemeral.Close()
	}
	if x.isFresh && !x.isOpened {
		x.handler.sessions.end(x.session)
	}
	if x.session != nil {
		x.handler.sessions.done(x.session, x.handler.options.SessionTimeout)
	}
}

// conclude replies to a message that the server has no answer to. err is that of Handle.
func (x *exchange) conclude(err error) {
	var unaccepted *prompts.Error
	switch {
	case errors.As(err, &unaccepted):
		_ = x.stream.body(cmp.Or(x.refused, http.StatusBadRequest), x.errorBody(unaccepted))
	case x.isRequest && x.session != nil && !x.stream.hasBegun() && !x.handler.sessions.has(x.session.id, x.client.principal):
		_ = x.stream.body(http.StatusNotFound, x.errorBody(errNoSession))
	case x.isRequest && x.handler.ctx.Err() != nil:
		x.shutDown()
	case x.isRequest: // cancelled (GAP-29)
		_ = x.stream.open()
	default:
		x.stream.accept()
	}
}

// shutDown replies to a request that the end of the handler has cancelled: 503 if
// nothing has been written, and an error response otherwise (HTN-06, HTN-09).
func (x *exchange) shutDown() {
	if !x.stream.hasBegun() {
		_ = x.stream.body(http.StatusServiceUnavailable, x.errorBody(errShutsDown))
		return
	}
	_ = x.stream.event(x.errorBody(errShutsDown), true)
}

// errorBody is an error response with the id of the request. Any other message has no id.
func (x *exchange) errorBody(e *prompts.Error) []byte {
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   any             `json:"error"`
	}{"2.0", json.RawMessage(x.id), struct {
		Code    transport.Code `json:"code"`
		Message string         `json:"message"`
		Data    any            `json:"data,omitempty"`
	}{e.Code, e.Message, e.Data}})
	if err != nil { // not of ours
		panic(err)
	}
	return body
}

func (x *exchange) checkVersion(r transport.RequestInfo) error {
	if x.isRequest { // a batch, whose error has the id of no request
		r.ID = ""
	}
	x.isRequest, x.id = true, r.ID
	if x.handler.open.Err() != nil {
		x.refused = http.StatusServiceUnavailable
		return errShutsDown
	}
	if r.Version == "" {
		return nil
	}
	x.stateless = true
	if r.Method == "subscriptions/listen" {
		x.isListen = true
		if err := x.checkEventStream(); err != nil {
			return err
		}
	}
	x.cancelOnDisconnect()
	return checkHeader(x.request.Header, headerVersion, r.Version)
}

// checkEventStream rejects a request whose reply can only be an event stream if
// the client or the connection cannot have one (GAP-33).
func (x *exchange) checkEventStream() error {
	switch {
	case !x.takesEvents:
		x.refused = http.StatusNotAcceptable
		return &prompts.Error{Code: transport.CodeInvalidRequest, Message: noEvents}
	case !x.canStream:
		x.handler.logBlocked(x.stream.w, x.request)
		x.refused = http.StatusInternalServerError
		return &prompts.Error{Code: prompts.CodeInternalError, Message: noStream}
	}
	return nil
}

// cancelOnDisconnect cancels the request when the client disconnects (GAP-30).
func (x *exchange) cancelOnDisconnect() {
	if x.disconnect == nil {
		x.stream.onDisconnect = x.cancel
		x.disconnect = context.AfterFunc(x.request.Context(), x.cancel)
	}
}

// abandonOnDisconnect closes the connection of a client that disconnects, though its
// request continues (GAP-30). Over HTTP/2 a connection is not one client's request's.
func (x *exchange) abandonOnDisconnect() {
	if x.disconnect == nil && x.request.ProtoMajor == 1 {
		x.disconnect = context.AfterFunc(x.request.Context(), func() {
			// A deadline of the application's middleware is no disconnect.
			if errors.Is(x.request.Context().Err(), context.Canceled) {
				x.stream.abandon()
			}
		})
	}
}

func (x *exchange) checkRouting(r transport.RequestInfo) error {
	x.isRouted = true
	if r.Version == "" {
		return nil
	}
	return checkRoutingHeaders(x.request.Header, r)
}

func (x *exchange) send(msg []byte, code transport.Code, last bool) (err error) {
	if last {
		defer x.setAnswered()
	} else {
		x.abandonOnDisconnect()
	}
	defer x.stream.recoverPanic(&err) // before setAnswered wakes the goroutine that waits
	if x.isFresh && last && code == 0 {
		x.isOpened = true
		x.header.Set(headerSession, x.session.id)
	}
	if last && !x.stream.hasBegun() {
		if status := x.status(code); status != http.StatusOK {
			return x.stream.body(status, msg) // which says more than the form of the reply
		}
	}
	asEvent := !last || x.stream.hasBegun() || !x.takesJSON || x.isListen && code == 0
	if !asEvent {
		return x.stream.body(http.StatusOK, msg)
	}
	switch {
	case x.takesEvents && (x.canStream || last && !x.takesJSON):
	case !last && x.takesEvents: // the client gets the answer
		x.handler.logBlocked(x.stream.w, x.request)
		return errBlocked
	case !last:
		return errNoStream // a client that takes one object gets the answer
	case x.takesJSON:
		return x.stream.body(http.StatusOK, msg)
	default:
		return x.stream.body(http.StatusNotAcceptable, msg)
	}
	return x.stream.event(msg, last)
}

func (x *exchange) setAnswered() {
	x.isAnswered = true
	if x.answered != nil {
		close(x.answered)
	}
}

var errNoStream = errors.New("client does not accept text/event-stream")

func (x *exchange) status(code transport.Code) int {
	switch {
	case x.refused != 0:
		return x.refused
	case code == 0:
		return http.StatusOK
	case !x.isRequest: // not even a request
		return http.StatusBadRequest
	case !x.stateless:
		return http.StatusOK
	case !x.isRouted && code != prompts.CodeMethodNotFound: // the metadata is invalid
		return http.StatusBadRequest
	}
	return revision.HTTPStatus(int(code))
}
