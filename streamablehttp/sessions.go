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
	since  time.Time   // when it has become idle, if it is
	expiry *time.Timer // which looks whether the session is to expire; nil before it can be

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
	return found
}

// done ends a use of a session, which expires once it has been idle for the
// timeout.
func (s *sessions) done(x *session, timeout time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.active--
	if timeout < 0 || s.byID[x.id] != x { // it has ended, or never begun
		return
	}
	x.since = time.Now()
	if x.expiry == nil { // one timer for all the uses: they are many, and it is long
		x.expiry = time.AfterFunc(timeout, func() { s.expire(x, timeout) })
	}
}

// expire ends a session that has been idle for the timeout, or looks again when
// it may be.
func (s *sessions) expire(x *session, timeout time.Duration) {
	s.mu.Lock()
	if s.byID[x.id] != x {
		s.mu.Unlock()
		return
	}
	rest := timeout
	if x.active == 0 {
		rest -= time.Since(x.since)
	}
	if rest > 0 {
		x.expiry.Reset(rest)
		s.mu.Unlock()
		return
	}
	delete(s.byID, x.id)
	s.mu.Unlock()
	x.Close()
}

// stop has the session not expire any more.
func (x *session) stop() {
	if x.expiry != nil {
		x.expiry.Stop()
	}
}

// end ends a session.
func (s *sessions) end(x *session) {
	s.mu.Lock()
	delete(s.byID, x.id)
	x.stop()
	s.mu.Unlock()
	x.Close()
}

// endAll ends every session, and lets no more begin.
func (s *sessions) endAll() {
	s.mu.Lock()
	all := s.byID
	s.byID, s.over = nil, true
	for _, x := range all {
		x.stop()
	}
	s.mu.Unlock()
	for _, x := range all {
		x.Close()
	}
}
