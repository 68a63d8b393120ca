package prompts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// outgoing is a request to the client.
type outgoing struct {
	id      string
	to      int          // which of the requests that were sent together it is
	replies chan<- reply // with room for one to each of them
}

// reply is what has become of a request to the client.
type reply struct {
	to     int
	result string // as JSON
	err    error
}

// expect returns a request with an id that no other of the session has
// (JRP-04), unless the client will not answer any more.
func (s *Session) expect(to int, replies chan<- reply) (*outgoing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.deaf:
		return nil, errGone
	default:
	}
	s.lastID++
	o := &outgoing{id: "prompts-" + strconv.FormatInt(s.lastID, 10), to: to, replies: replies}
	if s.outgoing == nil {
		s.outgoing = map[string]*outgoing{}
	}
	s.outgoing[o.id] = o
	return o, nil
}

// hangUp is for a client that will not answer any more: it has closed its side.
// It is called once.
func (s *Session) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.deaf)
	for _, o := range s.outgoing {
		o.replies <- reply{to: o.to, err: errGone}
	}
	clear(s.outgoing)
}

// forget ends the wait for a response and reports whether there was none yet.
func (s *Session) forget(o *outgoing) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waiting := s.outgoing[o.id]
	delete(s.outgoing, o.id)
	return waiting
}

// resolve passes a response on to whoever waits for it. One that nobody waits
// for is ignored (CAN-14).
func (s *Session) resolve(m *message) {
	id, isString := m.key.text()
	if !isString { // ours are
		return
	}
	s.mu.Lock()
	o := s.outgoing[id]
	delete(s.outgoing, id)
	s.mu.Unlock()
	if o == nil {
		return
	}
	if m.failure.Kind() <= strictjson.Null && m.result.Kind() != strictjson.Invalid {
		o.replies <- reply{to: o.to, result: strings.Clone(m.result.Raw())}
		return
	}
	// What the client says is for the author; it is no error of ours.
	o.replies <- reply{to: o.to, err: &cannotAsk{
		why: "it has answered with an error",
		cause: fmt.Errorf("%s (%s)",
			clip(m.failure.Get("message").Text(), maxEcho), clip(m.failure.Get("code").Raw(), 32)),
	}}
}
