package prompts

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// SessionOptions configure a [Session]. The zero value is its default.
type SessionOptions struct {
	// Version, if not empty, is the handshake revision of a client that has
	// shaken hands elsewhere: the session is initialized already. One that
	// there is not is taken for 2025-11-25.
	Version string
	// Detached says that there is no way to the client but the answers to its
	// requests: it is not told of changes, nor that it could be, and it cannot
	// be asked.
	Detached bool
}

// Session is one client's session in the handshake era, from initialize to
// Close. Messages that carry their own envelope are answered in it too, by
// the rules of their own revision. Any number of goroutines may use it.
type Session struct {
	server *Server
	limit  *limiter
	ready  chan struct{} // closed by notifications/initialized
	ended  chan struct{} // closed by Close
	deaf   chan struct{} // closed by hangUp
	// isDetached says that nothing is sent but answers and progress.
	isDetached bool
	// isStream says that the session's messages go over a byte stream, which
	// is all that there is.
	isStream bool

	answers       tally // tasks whose answer is not out yet, but for listen
	batches       tally // batches whose answers are not out yet
	subscriptions tally // requests of listen whose answer is not out yet
	places        listenPlaces
	paces         [ratedMethods]pace

	mu       sync.Mutex // protects the fields below
	rev      revision.Revision
	client   clientCapabilities
	info     Implementation       // of the client, as far as it is kept
	lastID   int64                // of the requests to the client
	outgoing map[string]*outgoing // those that wait for their response, by id
	isReady  bool
	isEnded  bool
	inFlight map[requestID]*task
	changes  *hearer // nil before initialize, and if they are not told
}

// NewSession returns a session that waits for initialize. Close must be
// called when it is over.
func (s *Server) NewSession(o SessionOptions) *Session {
	x := &Session{
		server:   s,
		limit:    newLimiter(s.options.MaxConcurrent),
		ready:    make(chan struct{}),
		ended:    make(chan struct{}),
		deaf:     make(chan struct{}),
		inFlight: map[requestID]*task{},

		isDetached: o.Detached,
	}
	if o.Version != "" {
		rev, ok := revision.Parse(o.Version)
		if !ok || rev.Stateless() {
			rev = revision.NewestHandshake()
		}
		_ = x.initialize(rev, clientCapabilities{}, Implementation{})
		x.isReady = true
		close(x.ready)
	}
	return x
}

// initialize notes what initialize has agreed on.
func (s *Session) initialize(rev revision.Revision, client clientCapabilities, info Implementation) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rev != 0 {
		return invalidRequest("this session is initialized already")
	}
	s.rev, s.client, s.info = rev, client, info
	if !s.server.options.NoListChanged && !s.isDetached && !s.isEnded {
		// From now on, so that no change is lost between the client's first
		// list and its readiness to hear of changes.
		s.changes = s.server.changes.join()
	}
	return nil
}

// Notifications sends what the server has to say unasked: that the list of
// prompts has changed, once the client is ready to hear it. It returns when
// ctx ends or the session is closed, with nil, or with send's error. What has
// not been sent by then is kept for the next call. One call at a time may
// run. send must not keep msg.
func (s *Session) Notifications(ctx context.Context, send func(msg []byte) error) error {
	select {
	case <-s.ready:
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return nil
	}
	s.mu.Lock()
	changes := s.changes
	s.mu.Unlock()
	var told <-chan struct{} // nothing comes, if changes are not told
	if changes != nil {
		if changes.isDue() && !s.gather(ctx, changes) {
			return nil
		}
		told = changes.told
	}
	msg := make([]byte, 0, len(listChanged))
	for {
		select {
		case <-told:
		case <-s.ended:
			return nil
		case <-ctx.Done():
			return nil
		}
		if s.over(ctx) {
			return nil
		}
		// A change is due until it is sent, whatever send does.
		err := changes.send(func() error { return send(append(msg, listChanged...)) })
		if err != nil {
			return err
		}
	}
}

// gather waits for more of the changes that a call of Notifications finds, and
// reports whether neither the session nor ctx has ended.
func (s *Session) gather(ctx context.Context, changes *hearer) bool {
	quiet := time.NewTimer(changeQuiet)
	defer quiet.Stop()
	select {
	case <-quiet.C:
		changes.remind()
		return true
	case <-s.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// over reports whether the session or ctx has ended.
func (s *Session) over(ctx context.Context) bool {
	select {
	case <-s.ended:
		return true
	default:
		return ctx.Err() != nil
	}
}

// Close ends the session: what it is working on is cancelled and will not be
// answered. It may be called more than once.
func (s *Session) Close() {
	s.end(errSessionClosed)
	s.abandon(errSessionClosed, func(*task) bool { return true })
}

// end lets the session take no more requests, and cancels what it is working
// on but for subscriptions, which have an end of their own.
func (s *Session) end(cause error) {
	s.mu.Lock()
	if !s.isEnded {
		s.isEnded = true
		close(s.ended)
		if s.changes != nil {
			s.changes.leave()
		}
	}
	s.mu.Unlock()
	s.abandon(cause, func(t *task) bool { return !t.work.listen })
}

// abandon abandons those of the tasks in flight. None of them is to be run
// because another has left: so all are settled first.
func (s *Session) abandon(cause error, those func(*task) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var settled []*task
	for id, t := range s.inFlight {
		if those(t) {
			delete(s.inFlight, id)
			if t.settle() {
				settled = append(settled, t)
			}
		}
	}
	for _, t := range settled {
		t.drop(cause)
	}
}

// revision returns what initialize has agreed on, 0 before, and 0 for no
// session.
func (s *Session) revision() revision.Revision {
	if s == nil {
		return 0
	}
	rev, _ := s.agreed()
	return rev
}

// agreed returns what initialize has agreed on.
func (s *Session) agreed() (revision.Revision, clientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev, s.client
}

// errorAnswer is the answer to a message that is at fault, in a session or,
// if that is nil, outside of one (GAP-13).
func (s *Session) errorAnswer(m *message, e *Error) answer {
	id := m.id
	if id == "" && s != nil && s.isStream && !m.isStateless() && s.revision().NullID() {
		id = nullID
	}
	return errorAnswer(id, e)
}

// tallyOf returns what counts a task whose answer is not out.
func (s *Session) tallyOf(t *task) *tally {
	if t.work.listen {
		return &s.subscriptions
	}
	return &s.answers
}

var (
	errInFlight = invalidRequest("a request with this id is in flight")
	errClosed   = invalidRequest("the session is closed")
)

// admit refuses a request of an id that waits for its answer, and any once
// the session is over. Any other gets what initialize has agreed on.
func (s *Session) admit(id requestID) (revision.Revision, clientCapabilities, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev, s.client, s.admitLocked(id)
}

func (s *Session) admitLocked(id requestID) *Error {
	switch {
	case s.isEnded:
		return errClosed
	case s.inFlight[id] != nil:
		return errInFlight
	}
	return nil
}

// begin puts a task in flight, if it is admitted.
func (s *Session) begin(t *task) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.admitLocked(t.key); err != nil {
		return err
	}
	s.inFlight[t.key] = t
	s.tallyOf(t).add()
	return nil
}

// finish takes a task out of flight.
func (s *Session) finish(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, t.key) // none but t can have its id in flight
}

// notice acts on a notification from the client. Those that it does not know,
// and those at fault, are ignored.
func (s *Session) notice(m *message) {
	switch m.method {
	case "notifications/initialized":
		if m.isStateless() {
			return // there is no such notification in that era
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.rev != 0 && !s.isReady {
			s.isReady = true
			close(s.ready)
		}
	case "notifications/cancelled":
		id := m.params.Get("requestId")
		r := envelopeReader{m: new(message)}
		r.readID(id)
		if r.fault != nil {
			return
		}
		s.mu.Lock()
		t := s.inFlight[r.m.key]
		s.mu.Unlock()
		reason := strings.Clone(clip(m.params.Get("reason").Text(), maxEcho))
		if t != nil && t.abandon(&cancellation{reason}) { // else it has been answered, perhaps just now (CAN-09)
			s.finish(t)
		}
	}
}
