package streamablehttp

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
)

// session is one handshake client's.
type session struct {
	*prompts.Session
	id        string
	principal string

	// Protected by the mutex of sessions.
	active int         // requests and streams
	idle   *time.Timer // until the session expires, or nil

	mu       sync.Mutex // protects the field below
	listener *listener  // the stream that changes are told on, or nil
}

// sessions are those of a handler.
type sessions struct {
	mu   sync.Mutex // protects the fields below
	byID map[string]*session
	over bool
}

// add makes room for a session that initialize has opened, and gives it an id.
// It reports false if there is none.
func (s *sessions) add(fresh *session, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.byID) >= most {
		return false
	}
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	fresh.id = rand.Text() + rand.Text() // 256 bits and more, of visible characters
	s.byID[fresh.id] = fresh
	return true
}

// use returns a session, if it is the principal's, for a request or a stream,
// which done ends.
func (s *sessions) use(id, principal string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	if found == nil || found.principal != principal {
		return nil
	}
	found.active++
	found.stopTimer()
	return found
}

// done ends a use of a session, which expires once it has been idle for the
// timeout.
func (s *sessions) done(x *session, timeout time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.active--
	if x.active > 0 || timeout < 0 || s.byID[x.id] != x { // it has ended, or never begun
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(timeout, func() {
		s.mu.Lock()
		isOver := x.idle == timer
		if isOver {
			delete(s.byID, x.id)
		}
		s.mu.Unlock()
		if isOver {
			x.Close()
		}
	})
	x.idle = timer
}

// stopTimer has the session not expire for now.
func (x *session) stopTimer() {
	if x.idle != nil {
		x.idle.Stop()
		x.idle = nil
	}
}

// end ends a session.
func (s *sessions) end(x *session) {
	s.mu.Lock()
	delete(s.byID, x.id)
	x.stopTimer()
	s.mu.Unlock()
	x.Close()
}

// endAll ends every session, and lets no more begin.
func (s *sessions) endAll() {
	s.mu.Lock()
	all := s.byID
	s.byID, s.over = nil, true
	for _, x := range all {
		x.stopTimer()
	}
	s.mu.Unlock()
	for _, x := range all {
		x.Close()
	}
}
