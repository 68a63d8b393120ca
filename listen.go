package prompts

import (
	"context"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// subscriptionKey is the member of _meta that says to which subscription a
// message belongs: the id of its subscriptions/listen.
const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

// listen is the method subscriptions/listen of the stateless era: a request
// that is answered when the subscription ends.
func listen(c *call, _ []byte) ([]byte, work, *Error) {
	p := c.message.params
	if err := checkCase(p, "notifications", "_meta"); err != nil {
		return nil, work{}, err
	}
	filter := p.Get("notifications")
	if filter.Kind() != strictjson.Object {
		return nil, work{}, invalidParam("notifications", "notifications are required, an object")
	}
	known := []string{"promptsListChanged", "toolsListChanged", "resourcesListChanged", "resourceSubscriptions"}
	for name := range filter.Members() {
		if k := inOtherCase(name, known...); k != "" {
			return nil, work{}, invalidParam("notifications", "notifications: %q must be written %q", clip(name, maxEcho), k)
		}
	}
	for _, name := range known[:3] {
		switch filter.Get(name).Kind() {
		case strictjson.Invalid, strictjson.Null, strictjson.Bool:
		default:
			return nil, work{}, invalidParam("notifications", "notifications: %q must be a boolean", name)
		}
	}
	switch uris := filter.Get(known[3]); uris.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Array:
		for uri := range uris.Elements() {
			if uri.Kind() != strictjson.String {
				return nil, work{}, invalidParam("notifications", "notifications: %q must be an array of strings", known[3])
			}
		}
	default:
		return nil, work{}, invalidParam("notifications", "notifications: %q must be an array of strings", known[3])
	}
	// What is not ours to tell is left out of the acknowledgement (SUB-06).
	wanted := filter.Get(known[0]).Raw() == "true" && !c.server.options.NoListChanged
	return nil, work{listen: true, wanted: wanted}, nil
}

// listenPlaces count subscriptions, of a session or of the server.
type listenPlaces struct {
	// open are those that wait for a change or for their answer.
	open quota
	// running are the goroutines of those, and of those that the client has
	// cancelled but that still wait for a slow transport.
	running quota
}

// enter makes room for a subscription, if there is some.
func (p *listenPlaces) enter(most int) bool {
	if !p.open.enter(most) {
		return false
	}
	if !p.running.enter(max(most, 2*most)) { // which may be more than an int holds
		p.open.leave()
		return false
	}
	return true
}

// enterListen makes room for a subscription of a session, or of none, or
// returns why there is none.
func (s *Server) enterListen(session *Session) *Error {
	if session != nil && !session.places.enter(s.options.MaxSubscriptions) {
		return internalError("there are too many subscriptions on this connection")
	}
	if !s.places.enter(s.options.MaxSubscriptionsTotal) {
		if session != nil {
			session.places.open.leave()
			session.places.running.leave()
		}
		return busy()
	}
	return nil
}

// leaveListen is the end of a subscription, and endListening that of its
// goroutine.
func (s *Server) leaveListen(session *Session) {
	s.places.open.leave()
	if session != nil {
		session.places.open.leave()
	}
}

func (s *Server) endListening(session *Session) {
	s.places.running.leave()
	if session != nil {
		session.places.running.leave()
	}
}

// listen acknowledges the subscription and tells of changes until the client
// cancels it, ctx ends, or the server ends it. It returns as run does.
func (t *task) listen() error {
	defer t.server.endListening(t.session)
	defer t.leave()
	defer t.ctx.cancel(errAnswered)
	var changes *hearer
	acknowledged := "{}"
	if t.work.wanted {
		// Before the acknowledgement, after which no change may be missed.
		changes = t.server.changes.join()
		defer changes.leave()
		acknowledged = `{"promptsListChanged":true}`
	}
	meta := `{"_meta":{"` + subscriptionKey + `":` + t.id + `}`
	err := t.notify("notifications/subscriptions/acknowledged", []byte(meta+`,"notifications":`+acknowledged+`}`))
	params := []byte(meta + "}")
	for err == nil && t.work.wanted {
		select {
		case <-changes.told:
		case <-t.exchange.Closing:
			if !changes.isDue() {
				return t.endListen()
			}
		case <-t.ctx.Done():
			return t.cutListen(nil)
		}
		if t.ctx.Err() != nil {
			return t.cutListen(nil)
		}
		err = changes.send(func() error { return t.tellChange(params) })
	}
	if err != nil {
		return t.cutListen(err)
	}
	return t.endListen() // there is nothing to tell (GAP-25)
}

// tellChange sends that the list has changed.
func (t *task) tellChange(params []byte) error {
	buf := takeBuffer()
	defer giveBuffer(buf)
	*buf = appendNotification(*buf, "notifications/prompts/list_changed", params)
	return t.emit(*buf)
}

// endListen answers the subscription: the server has ended it (SUB-11).
func (t *task) endListen() error {
	if !t.conclude() {
		return t.abandoned()
	}
	result := appendResultHead(nil, t.id)
	result = append(result, `{"resultType":"complete","_meta":{`...)
	result = append(result, t.server.serverInfo...)
	result = append(result, `,"`+subscriptionKey+`":`+t.id+`}}}`...)
	t.leave()
	defer t.answered()
	t.sending.Lock()
	defer t.sending.Unlock()
	t.isOver = true
	if err := t.exchange.answer(answer{msg: result}); err != nil || t.session == nil || !t.session.isStream {
		return err
	}
	// Where a stream goes on after the answer, one page of the protocol wants
	// this too (GAP-24).
	return t.exchange.Send(appendNotification(nil, "notifications/cancelled", []byte(`{"requestId":`+t.id+`}`)), 0, false)
}

// cutListen ends the subscription without an answer.
func (t *task) cutListen(err error) error {
	if !t.conclude() {
		return t.abandoned()
	}
	t.answered()
	if err == nil {
		err = context.Cause(&t.ctx)
	}
	return err
}
