package rpc

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// inFlight is a request in flight, as its session knows it. A task and a subscription
// implement it. cancelAll calls complete and discard under the lock of the session, so
// neither may take that lock.
type inFlight interface {
	complete() bool
	discard(cause error)
	group() *limit.WaitGroup
	isSubscription() bool
}

// Session is one client's session, from initialize to Close. Stateless messages
// are answered in it too. It is safe for concurrent use.
//
// A lock of a notifier, of questions or of memory may be taken under mu, never the other way
// round. The functions of a feature.List and the cancel function of a resource are the only
// code of the application that may run under mu.
//
// The requests without their response count in one of three groups, for the end of a
// connection. The drain waits for answers and batches. Subscriptions do not end by
// themselves: the server ends them after the drain.
type Session struct {
	server     *Dispatcher
	running    *limit.Requests
	ready      chan struct{} // closed by notifications/initialized
	ended      chan struct{} // closed by Close
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
	courier       notify.Courier               // of the changes to notify of

	questions questions

	mu         sync.Mutex // protects the fields below
	rev        revision.Revision
	client     wire.Capabilities
	info       wire.ClientInfo
	isReady    bool
	isEnded    bool
	isNotified bool        // startNotifications was called
	gathering  *time.Timer // see catchUp; nil without one
	inFlight   map[wire.ID]inFlight
	lists      []listener           // empty before initialize, and if the client is not notified
	observed   *telemetry.Operation // nil before initialize, and without an observer
	conn       transport.Info       // of initialize
	invalid    error                // of the options, for all that the session gets
}

// NewSession returns a session that waits for initialize. Close must be called.
func (s *Dispatcher) NewSession(o transport.SessionOptions) *Session {
	x := &Session{
		server:     s,
		running:    limit.NewRequests(s.limits.Concurrent, 0),
		subscribed: limit.NewSemaphore(int64(s.limits.Subscriptions), 0),
		ready:      make(chan struct{}),
		ended:      make(chan struct{}),
		questions:  questions{closed: make(chan struct{})},
		inFlight:   map[wire.ID]inFlight{},
		isDetached: o.NoServerMessages,
		number:     s.numbers.Add(1),
	}
	// A session for one HTTP request without an id has no name that two messages could share.
	if !o.NoServerMessages {
		x.id = s.sessionID(o.ID)
	}
	if s.rated > 0 {
		// A method has the same index in every session, so a request finds its bucket without
		// a map. The mutex of the method's limiter protects the bucket.
		x.buckets = make([]limit.Bucket, s.rated)
	}
	if o.Version != "" {
		rev, ok := revision.Parse(o.Version)
		if !ok || rev.Stateless() {
			x.invalid = fmt.Errorf("prompts: SessionOptions.Version must be a protocol version with sessions, such as %s, got %q",
				revision.NewestStateful(), phrase.Clip(o.Version, phrase.MaxEcho))
			return x
		}
		// What the client has declared elsewhere is not known here, so such a session asks
		// nothing of its client. A new session has no version yet, so initialize cannot fail.
		_ = x.initialize(rev, wire.Capabilities{}, wire.ClientInfo{}, transport.Info{})
		x.isReady = true
		close(x.ready)
	}
	return x
}

// Made returns the session itself, also of a struct that embeds the session.
func (s *Session) Made(call.Seal) any { return s }

// check returns the error of a session that handles no message of the server. s may be nil.
func (s *Session) check(server *Dispatcher) error {
	switch {
	case s == nil:
		return nil
	case s.server != server:
		return errors.New("prompts: Handle: session must be of the same server, got one of another; call NewSession of the server")
	}
	return s.invalid
}

var errInitialized = wire.InvalidRequest("session is already initialized")

// initialize stores what was negotiated. The version of a session never changes after that.
func (s *Session) initialize(rev revision.Revision, client wire.Capabilities, info wire.ClientInfo, conn transport.Info) *transport.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A second initialize would change the version under requests that are in flight.
	if s.rev != 0 {
		return errInitialized
	}
	s.rev, s.client, s.info, s.conn = rev, client, info, conn
	// A pointer to a table of few hosts, so that a request reads what is known of its client
	// without a lock.
	s.host.Store(hosts.Find(info.Name))
	if !s.isDetached && !s.isEnded {
		// Over HTTP a detached session is one request, which has an operation already. A
		// session that has ended would never end its operation.
		s.observed = s.server.observer.StartSession(s.id, rev, conn)
		// From now on, so that no change is lost between the client's first
		// list and notifications/initialized.
		s.lists = subscribe(s.server.feeds, &s.courier)
	}
	return nil
}

// Close ends the session. Its requests are canceled and get no response. It may be called more than
// once. end comes first: from then on no request comes into flight, so that cancelAll misses none.
func (s *Session) Close() {
	s.end(ErrSessionClosed)
	s.cancelAll(ErrSessionClosed, func(inFlight) bool { return true })
}

// end rejects further requests, and cancels those in flight but for
// subscriptions, which have an end of their own.
func (s *Session) end(cause error) {
	s.mu.Lock()
	// Close and the end of a connection may come together, and the second must not close the
	// channels again.
	if !s.isEnded {
		s.isEnded = true
		close(s.ended)
		// The timer of the session would otherwise keep the session in memory until it fires.
		s.spare.Stop()
		for _, l := range s.lists {
			l.end(s.server.engine, &s.held)
		}
		s.lists = nil
		// An observer is the code of the application, which must not run under the lock. The
		// receiver is evaluated here, before the field is cleared.
		defer s.observed.End(nil)
		s.observed = nil
		// Deferred, so that the requests of the session are canceled before the features forget it.
		defer s.server.forget(s)
	}
	s.mu.Unlock()
	s.cancelAll(cause, func(r inFlight) bool {
		return !r.isSubscription()
	})
}

// forget calls OnEnd of the features for a session. Features keep data by the number of a
// session, such as the snapshot of a list that the client has seen.
func (s *Dispatcher) forget(x *Session) {
	if x.isDetached {
		return // it is no client's
	}
	for _, ended := range s.onEnd {
		func() {
			// A panic of one feature does not keep the others from ending the session.
			defer s.recoverPanic() // of the feature
			ended(feature.ClientID{Session: x.number})
		}()
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
			// A request that just sent its response is not canceled: the response was first.
			if r.complete() {
				completed = append(completed, r)
			}
		}
	}
	// Only now do their contexts end, because an end can start the next request that waits for
	// a slot.
	for _, r := range completed {
		r.discard(cause)
	}
}

// revision returns the negotiated version, 0 before initialize and without a session. A
// batch, an error and a notification have no version of their own, and follow the session.
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

// errorResponse returns the response to a message with an error. s may be nil (GAP-13).
func (s *Session) errorResponse(m *wire.Message, e *transport.Error) wire.Response {
	id := m.ID
	// Only the schemas up to 2025-06-18 require an id, and over HTTP the response omits the
	// id. Later schemas do not accept null.
	if id == "" && s != nil && s.isStream && !m.IsStateless() && s.revision().NullID() {
		id = wire.NullID
	}
	return wire.ErrorResponse(id, e)
}

var errClosed = wire.InvalidRequest("session is closed")

// checkID rejects a request with an id that is in flight, and any request after the session's
// end. It returns what was negotiated. dispatch calls checkID before any work. addInFlight
// checks again, because another request may take the id meanwhile.
func (s *Session) checkID(id wire.ID) (revision.Revision, wire.Capabilities, *transport.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The three are read at once: a concurrent initialize sets both the version and the
	// capabilities.
	return s.rev, s.client, s.checkIDLocked(id)
}

func (s *Session) checkIDLocked(id wire.ID) *transport.Error {
	switch {
	case s.isEnded:
		return errClosed
	// Two requests with one id could not be distinguished by their responses, nor by a
	// cancellation.
	case s.inFlight[id] != nil:
		return wire.InvalidRequest("request id %s is already in use by a pending request", phrase.Clip(id.String(), 64))
	}
	return nil
}

// addInFlight puts a request in flight, if checkID does not reject it. From then on the
// client can cancel the request.
func (s *Session) addInFlight(id wire.ID, r inFlight) *transport.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkIDLocked(id); err != nil {
		return err
	}
	s.inFlight[id] = r
	// The count changes under the lock, or a drain could miss a request between the map and the
	// count.
	r.group().Add()
	return nil
}

// removeInFlight takes a request out of flight. Only the caller that has completed the
// request may do so: until then no other request can have the id.
func (s *Session) removeInFlight(id wire.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, id)
}

func (s *Session) Version() string { return s.revision().String() }

// sessionID returns the name of a session for the observer and the middleware: a keyed hash
// of the transport's, which may be secret. The same id has the same name on this server for
// as long as the process runs, and another name on every other server.
func (s *Dispatcher) sessionID(id string) string {
	// Without a reader of ids, no session pays for the hash.
	if s.observer == nil && !s.config.SessionIDs {
		return ""
	}
	if id == "" {
		return rand.Text()
	}
	return s.hash(id)
}

func (e *engine) hash(id string) string {
	// A plain hash of an id could be looked up by anyone who has the id. With a key that only
	// this process has, it is a name and no secret.
	h := hmac.New(sha256.New, e.idKey)
	h.Write([]byte(id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16])
}

// account returns the key of the client for the memory of messages that are being parsed: the name
// from the transport, or else one for the session. It is empty without either.
func (s *Session) account(client string) string {
	if client != "" || s == nil {
		return client
	}
	if s.name.Load() == nil { // most sessions never need it
		// The NUL keeps the name apart from keys that a transport makes of principals and
		// addresses. Two goroutines may both store the name, which is the same.
		name := secretKey + strconv.FormatUint(s.number, 10)
		s.name.Store(&name)
	}
	return *s.name.Load()
}

// share returns the share of a session; nil without one. A stateless message over HTTP has no
// session: share, account, revision and errorResponse accept nil.
func (s *Session) share() *share {
	if s == nil {
		return nil
	}
	return &s.held
}

// InUse counts what the client of the session holds. A session that is idle holds nothing,
// which the tests of the transports check.
func (s *Session) InUse() map[string]int {
	// Wait with a context that has ended returns the count at once.
	over, cancel := context.WithCancel(context.Background())
	cancel()
	tasks, slots, _ := s.running.InUse()
	n := map[string]int{
		"tasks": tasks, "slots": slots, "subscribed": s.subscribed.Used(),
		"answers": s.answers.Wait(over), "batches": s.batches.Wait(over), "subscriptions": s.subscriptions.Wait(over),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n["requests"], n["questions"] = len(s.inFlight), s.questions.count()
	return nonzero(n)
}
