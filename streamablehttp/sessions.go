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

	mu       sync.Mutex // protects the fields below
	active   int        // requests and streams
	idle     *time.Timer
	listener *listener // the stream that changes are told on, or nil
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

// get returns a session, if it is the principal's.
func (s *sessions) get(id, principal string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byID[id]; found != nil && found.principal == principal {
		return found
	}
	return nil
}

// end ends a session.
func (s *sessions) end(x *session) {
	s.mu.Lock()
	delete(s.byID, x.id)
	s.mu.Unlock()
	x.Close()
}

// endAll ends every session, and lets no more begin.
func (s *sessions) endAll() {
	s.mu.Lock()
	all := s.byID
	s.byID, s.over = nil, true
	s.mu.Unlock()
	for _, x := range all {
		x.Close()
	}
}

// use counts a request or a stream of the session, which done ends. The
// session expires once it has been idle for the timeout.
func (x *session) use() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.active++
	if x.idle != nil {
		x.idle.Stop()
		x.idle = nil
	}
}

func (x *session) done(timeout time.Duration, expire func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.active--
	if x.active > 0 || timeout < 0 {
		return
	}
	x.idle = time.AfterFunc(timeout, func() {
		x.mu.Lock()
		isIdle := x.active == 0
		x.mu.Unlock()
		if isIdle {
			expire()
		}
	})
}
