package streamablehttp

import (
	"cmp"
	"container/list"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

type session struct {
	transport.Session
	id        string
	principal string
	client    string // by whose name it is counted

	// Protected by the mutex of sessions.
	active int           // requests and streams
	isUsed bool          // by more than initialize
	since  time.Time     // when it has become idle, if it is
	place  *list.Element // among the idle ones, if it is one
	own    *list.Element // among those of its client, if it is one
	expiry *time.Timer   // which looks whether the session is to expire; nil before it can be

	sending chan struct{} // has an element while a stream sends notifications

	mu        sync.Mutex  // protects the fields below
	listeners []*listener // the newest last
	sender    *listener   // the one that sends, or nil
}

type sessions struct {
	mu   sync.Mutex // protects the fields below
	byID map[string]*session
	idleSessions
	clients map[string]*holding
	over    bool
}

// idleSessions are in order, the longest idle first. Those that are unused are
// handshakes: the client is connecting, or was never heard of again.
type idleSessions struct{ unused, used list.List }

func (r *idleSessions) of(x *session) *list.List {
	if x.isUsed {
		return &r.used
	}
	return &r.unused
}

type holding struct {
	idleSessions
	n int // of all, idle or not
}

func newID() string { return rand.Text() + rand.Text() }

const (
	// handshakeTime is how long a handshake is spared at a limit.
	handshakeTime = 10 * time.Second
	// handshakeShare is the part of the sessions that may be spared handshakes, 1 by this.
	handshakeShare = 4
)

// add adds a session that initialize opens. At a limit, add first ends an idle session. It reports
// false if no session is idle but handshakes that are spared, or after endAll.
func (s *sessions) add(fresh *session, most, mostOfClient int) bool {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return false
	}
	own := s.clients[fresh.client]
	if own == nil {
		own = new(holding)
	}
	isFull := len(s.byID) >= most
	var old *session
	switch {
	case own.n >= mostOfClient:
		isFull, old = true, cmp.Or(own.handshake(&own.idleSessions, mostOfClient), longestIdle(&own.used))
	case isFull:
		old = cmp.Or(own.handshake(&s.idleSessions, most), s.handshake(&s.idleSessions, most), longestIdle(&own.used, &s.used))
	}
	if isFull {
		if old == nil {
			s.mu.Unlock()
			return false
		}
		s.remove(old)
	}
	if s.byID == nil {
		s.byID, s.clients = map[string]*session{}, map[string]*holding{}
	}
	own.n++
	s.clients[fresh.client] = own
	s.byID[fresh.id] = fresh
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
	return true
}

// handshake returns the oldest handshake, unless it is spared: it is recent, and there
// are no more in all than may be. Without a handshake, it returns nil.
func (r *idleSessions) handshake(all *idleSessions, most int) *session {
	oldest := longestIdle(&r.unused)
	if oldest != nil && all.unused.Len() < max(1, most/handshakeShare) && time.Since(oldest.since) < handshakeTime {
		return nil
	}
	return oldest
}

// longestIdle returns the session that is missed least, or nil if none is idle.
func longestIdle(all ...*list.List) *session {
	for _, idle := range all {
		if first := idle.Front(); first != nil {
			return first.Value.(*session)
		}
	}
	return nil
}

// remove takes a session out. It may be called more than once.
func (s *sessions) remove(x *session) {
	if s.byID[x.id] == x {
		s.wake(x)
		delete(s.byID, x.id)
		own := s.clients[x.client]
		if own.n--; own.n == 0 {
			delete(s.clients, x.client)
		}
	}
	if x.expiry != nil {
		x.expiry.Stop()
	}
}

func (s *sessions) wake(x *session) {
	if x.place != nil {
		s.unused.Remove(x.place) // which does nothing to an element of another list
		s.used.Remove(x.place)
		own := s.clients[x.client]
		own.unused.Remove(x.own)
		own.used.Remove(x.own)
		x.place, x.own = nil, nil
	}
}

func (s *sessions) has(id, principal string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	return found != nil && found.principal == principal
}

// exists reports whether a session is open, of whichever principal.
func (s *sessions) exists(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id] != nil
}

func (s *sessions) isBusy(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	return found != nil && found.active > 0
}

// use returns a session, if it is the principal's, for a request or a stream, which done ends.
func (s *sessions) use(id, principal string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.byID[id]
	if found == nil || found.principal != principal {
		return nil
	}
	found.active++
	found.isUsed = true
	s.wake(found)
	return found
}

func (s *sessions) done(x *session, timeout time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.active--
	if x.active > 0 || s.byID[x.id] != x { // it has ended, or never begun
		return
	}
	x.since = time.Now()
	x.place, x.own = s.of(x).PushBack(x), s.clients[x.client].of(x).PushBack(x)
	if x.expiry == nil && timeout >= 0 { // one timer for all the uses: they are many, and it is long
		x.expiry = time.AfterFunc(timeout, func() { s.expire(x, timeout) })
	}
}

// expire ends a session that has been idle for the timeout, or looks again when it may be.
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
	s.remove(x)
	s.mu.Unlock()
	x.Close()
}

func (s *sessions) end(x *session) {
	s.mu.Lock()
	s.remove(x)
	s.mu.Unlock()
	x.Close()
}

func (s *sessions) endAll() {
	s.mu.Lock()
	s.over = true
	all := slices.Collect(maps.Values(s.byID))
	for _, x := range all {
		s.remove(x)
	}
	s.mu.Unlock()
	for _, x := range all {
		x.Close()
	}
}

var errNoSession = &prompts.Error{Code: transport.CodeInvalidRequest, Message: "session not found or expired; to start a new one, send initialize without " + headerSession}

type listener struct {
	stream *stream
	turn   chan struct{} // has an element when the listener may have become the newest
	pause  func()        // ends Notifications
}
