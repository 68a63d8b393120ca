package rpc

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// Session is one client's session, from initialize to Close. Stateless messages
// are answered in it too. It is safe for concurrent use.
type Session struct {
	server     *Server
	running    *limit.Requests
	ready      chan struct{} // closed by notifications/initialized
	ended      chan struct{} // closed by Close
	readClosed chan struct{} // closed by closeRead
	isDetached bool
	number     uint64 // no other session of the server has it
	isStream   bool   // all messages go over one byte stream
	id         string // for the observer and the middleware; not the transport's

	answers       limit.WaitGroup // requests without their response, but for the next two
	batches       limit.WaitGroup
	subscriptions limit.WaitGroup
	subscribed    *limit.Semaphore
	buckets       []limit.Bucket               // of the methods with a rate
	spare         limit.Spare                  // for the time limits of its requests
	host          atomic.Pointer[hosts.Client] // nil before initialize, and for an unknown client
	name          atomic.Pointer[string]       // of its account; nil until it is needed
	held          share                        // of the memory; without a client's name
	changed       chan struct{}                // holds a message when there is a change to notify of

	mu       sync.Mutex // protects the fields below
	rev      revision.Revision
	client   wire.Capabilities
	info     wire.ClientInfo
	lastID   int64                      // of the requests to the client
	requests map[string]*pendingRequest // to the client, by id
	isReady  bool
	isEnded  bool
	inFlight map[wire.ID]inFlight
	lists    []listener           // empty before initialize, and if the client is not notified
	observed *telemetry.Operation // nil before initialize, and without an observer
	conn     transport.Info       // of initialize
}

// NewSession returns a session that waits for initialize. Close must be called.
func (s *Server) NewSession(o transport.SessionOptions) *Session {
	x := &Session{
		server:     s,
		running:    limit.NewRequests(s.config.Limits.Concurrent, 0),
		subscribed: limit.NewSemaphore(int64(s.config.Limits.Subscriptions), 0),
		ready:      make(chan struct{}),
		ended:      make(chan struct{}),
		readClosed: make(chan struct{}),
		changed:    make(chan struct{}, 1),
		inFlight:   map[wire.ID]inFlight{},
		isDetached: o.NoServerMessages,
		number:     s.numbers.Add(1),
	}
	if !o.NoServerMessages {
		x.id = s.sessionID(o.ID)
	}
	if s.rated > 0 {
		x.buckets = make([]limit.Bucket, s.rated)
	}
	if o.Version != "" {
		rev, ok := revision.Parse(o.Version)
		if !ok || rev.Stateless() {
			rev = revision.NewestStateful()
		}
		_ = x.initialize(rev, wire.Capabilities{}, wire.ClientInfo{}, transport.Info{})
		x.isReady = true
		close(x.ready)
	}
	return x
}

// initialize stores what was negotiated.
func (s *Session) initialize(rev revision.Revision, client wire.Capabilities, info wire.ClientInfo, conn transport.Info) *transport.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rev != 0 {
		return wire.InvalidRequest("session is already initialized")
	}
	s.rev, s.client, s.info, s.conn = rev, client, info, conn
	s.host.Store(hosts.Find(info.Name))
	if !s.isDetached && !s.isEnded {
		s.observed = s.server.observer.StartSession(s.id, rev, conn)
	}
	if !s.isDetached && !s.isEnded {
		// From now on, so that no change is lost between the client's first
		// list and notifications/initialized.
		s.lists = subscribe(s.server.feeds, s.changed)
	}
	return nil
}

// listener is a subscriber of one list or resource.
type listener struct {
	*notify.Subscriber
	feed   *feed
	held   holding // for a resource of a session
	client string  // whose memory that is
}

// subscribe returns subscribers of the lists, which share a channel.
func subscribe(feeds []*feed, changed chan struct{}) []listener {
	var all []listener
	for _, f := range feeds {
		all = append(all, listener{Subscriber: f.notifier.Subscribe(changed), feed: f})
	}
	return all
}

// Notifications sends the notifications of lists that have changed, once the
// client is ready. It returns nil when ctx or the session ends, or send's
// error. What is not sent by then is left to the next call. One call at a time
// may run. send must not keep msg.
func (s *Session) Notifications(ctx context.Context, send func(msg []byte) error) error {
	select {
	case <-s.ready:
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return nil
	}
	lists := s.listeners()
	if slices.ContainsFunc(lists, func(l listener) bool { return l.Pending() }) {
		if !s.gather(ctx) {
			return nil
		}
		for _, l := range lists {
			l.Wake()
		}
	}
	var msg []byte
	for {
		select {
		case <-s.changed:
		case <-s.ended:
			return nil
		case <-ctx.Done():
			return nil
		}
		for _, l := range s.listeners() { // which may be others by now
			if s.hasEnded(ctx) {
				return nil
			}
			if !l.Signaled() {
				continue
			}
			// A change is pending until it is sent.
			err := l.Send(func() error {
				msg = wire.AppendNotification(msg[:0], l.feed.list.Notification, l.feed.params(nil))
				o := s.server.startChange(ctx, s, nil, &l, len(msg))
				err := send(msg)
				o.End(err)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// listeners returns what the client is notified of.
func (s *Session) listeners() []listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// gather waits for more of the changes that a call of Notifications finds, and
// reports whether neither the session nor ctx has ended.
func (s *Session) gather(ctx context.Context) bool {
	quiet := time.NewTimer(notify.MinPause)
	defer quiet.Stop()
	select {
	case <-quiet.C:
		return true
	case <-s.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// hasEnded reports whether the session or ctx has ended.
func (s *Session) hasEnded(ctx context.Context) bool {
	select {
	case <-s.ended:
		return true
	default:
		return ctx.Err() != nil
	}
}

// Close ends the session. Its requests are canceled and get no response. It may
// be called more than once.
func (s *Session) Close() {
	s.end(ErrSessionClosed)
	s.cancelAll(ErrSessionClosed, func(inFlight) bool { return true })
}

// end rejects further requests, and cancels those in flight but for
// subscriptions, which have an end of their own.
func (s *Session) end(cause error) {
	s.mu.Lock()
	if !s.isEnded {
		s.isEnded = true
		close(s.ended)
		s.spare.Stop()
		for _, l := range s.lists {
			s.endListener(l)
		}
		s.lists = nil
		defer s.observed.End(nil)
		s.observed = nil
		defer s.server.forget(s)
	}
	s.mu.Unlock()
	s.cancelAll(cause, func(r inFlight) bool {
		_, isSubscription := r.(*subscription)
		return !isSubscription
	})
}

// forget calls Ended of the features for a session.
func (s *Server) forget(x *Session) {
	if x.isDetached {
		return // it is no client's
	}
	for _, f := range s.config.Features {
		if f.Ended != nil {
			func() {
				defer s.recoverPanic() // of the feature
				f.Ended(feature.Client{Session: x.number})
			}()
		}
	}
}

// cancelAll cancels the requests in flight that match. All of them are
// completed first, so that none runs because another has left.
func (s *Session) cancelAll(cause error, match func(inFlight) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var completed []inFlight
	for id, r := range s.inFlight {
		if match(r) {
			delete(s.inFlight, id)
			if r.base().complete() {
				completed = append(completed, r)
			}
		}
	}
	for _, r := range completed {
		r.discard(cause)
	}
}

// revision returns the negotiated version, 0 before initialize and without a
// session.
func (s *Session) revision() revision.Revision {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev
}

func (s *Session) clientInfo() wire.ClientInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// errorResponse returns the response to a message with an error. s may be nil
// (GAP-13).
func (s *Session) errorResponse(m *wire.Message, e *transport.Error) wire.Response {
	id := m.ID
	if id == "" && s != nil && s.isStream && !m.IsStateless() && s.revision().NullID() {
		id = wire.NullID
	}
	return wire.ErrorResponse(id, e)
}

var errClosed = wire.InvalidRequest("session is closed")

// checkID rejects a request with an id that is in flight, and any request after
// the session's end. It returns what was negotiated.
func (s *Session) checkID(id wire.ID) (revision.Revision, wire.Capabilities, *transport.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev, s.client, s.checkIDLocked(id)
}

func (s *Session) checkIDLocked(id wire.ID) *transport.Error {
	switch {
	case s.isEnded:
		return errClosed
	case s.inFlight[id] != nil:
		return wire.InvalidRequest("request id %s is already in use by a pending request", phrase.Clip(id.String(), 64))
	}
	return nil
}

// addInFlight puts a request in flight, if checkID does not reject it.
func (s *Session) addInFlight(id wire.ID, r inFlight) *transport.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkIDLocked(id); err != nil {
		return err
	}
	s.inFlight[id] = r
	r.base().unanswered.Add()
	return nil
}

// removeInFlight takes a request out of flight.
func (s *Session) removeInFlight(id wire.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, id)
}

// handleNotification acts on a notification from the client. Unknown ones, and
// those with an error, are ignored.
func (s *Session) handleNotification(m *wire.Message) {
	switch m.Method {
	case "notifications/initialized":
		if m.IsStateless() {
			return // which has no such notification
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.rev != 0 && !s.isReady {
			s.isReady = true
			close(s.ready)
		}
	case "notifications/cancelled":
		id, ok := wire.ReadID(m.Params.Get("requestId"))
		if !ok {
			return
		}
		s.mu.Lock()
		r := s.inFlight[id]
		s.mu.Unlock()
		reason := strings.Clone(phrase.Clip(m.Params.Get("reason").Text(), phrase.MaxEcho))
		if r != nil && r.base().complete() { // else it was answered, perhaps just now (CAN-09)
			r.discard(&cancellation{reason})
			s.removeInFlight(id)
		}
	}
}

// Version returns the negotiated version.
func (s *Session) Version() string { return s.revision().String() }

// startSent starts the operation of a message to the client. session is that of the
// client, or nil. Without from, the connection is that of the session.
func (s *Server) startSent(ctx context.Context, kind observe.Kind, method string, session *Session, from transport.Informer, size int) *telemetry.Operation {
	o := s.observer.Start(ctx, kind, size, from)
	if o == nil {
		return nil
	}
	o.SetMethod(method)
	if session != nil {
		o.InSession(session.id, session.Version())
		if from == nil {
			session.mu.Lock()
			defer session.mu.Unlock()
			o.SetTransport(session.conn)
		}
	}
	return o
}

// startChange is startSent for the notification that a list has changed.
func (s *Server) startChange(ctx context.Context, session *Session, from transport.Informer, list *listener, size int) *telemetry.Operation {
	o := s.startSent(ctx, observe.KindClientNotification, list.feed.list.Notification, session, from, size)
	if o != nil {
		o.SetChange(list.feed.notifier.LastChange(), list.feed.notifier.Subscribers())
	}
	return o
}

// sessionID returns the name of a session for the observer and the middleware: a
// keyed hash of the transport's, which may be secret.
func (s *Server) sessionID(id string) string {
	if s.observer == nil && !s.config.SessionIDs {
		return ""
	}
	if id == "" {
		return rand.Text()
	}
	h := hmac.New(sha256.New, s.idKey)
	h.Write([]byte(id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16])
}
