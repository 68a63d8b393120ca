// Package rpc answers JSON-RPC messages by a table of methods. It handles sessions,
// requests in flight, subscriptions, limits and connections. It knows no prompts:
// a server offers a list of [feature.Feature] values, each with methods, capabilities and
// lists that change. Package wire reads and writes the messages.
//
// The way of a message:
//
//	Server.Serve ─┐              ┌─ notification, response: Session
//	Handle ───────┴─ receive ────┼─ subscriptions/listen: subscription
//	                             ├─ batch: its messages, one after the other
//	Server.Call ─────────────────┴─ request: answered at once, or by a task if the
//	                                result needs the application's code
//
// A [wire.Message] is a message that was read. A [Request] is in flight. A [Handler]
// makes the result. The handler, the time limit, a cancellation and the end of the
// session can complete a request: the first of them decides the response.
package rpc

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
)

// Config configures a [Server]. All limits must be set.
type Config struct {
	// Info returns the server's description of itself for a protocol version,
	// a JSON object.
	Info         func(rev revision.Revision) ([]byte, []error)
	Instructions string
	// CacheHints are the members ttlMs and cacheScope of server/discover.
	CacheHints string
	Features   []feature.Feature
	// PrivateResults says that no result of a feature is public, whatever its Cache
	// says, because the application hides a part of the server from some clients.
	PrivateResults bool
	// Capabilities are advertised in addition to those of the features.
	Capabilities map[string]any

	Limits   Limits
	Timeouts Timeouts

	// Failure returns the failure of a request whose Serve or Run has returned an error
	// that is no [Failure]. subject names the request to the
	// client.
	Failure func(ctx context.Context, subject string, err error) *Failure
	// Owner is what [Request.Owner] returns.
	Owner any

	// Observer, if not nil, receives every message and session.
	Observer observe.Observer
	// SessionIDs says that sessions have an id, for the middleware.
	SessionIDs bool
	// Principal, if not nil, returns who the client in ctx is.
	Principal func(ctx context.Context) string
	Logger    *slog.Logger
	// LogSensitive says that the log gets the text of failures of a request with secrets.
	LogSensitive bool
}

// Limits bound what clients can have of a server.
type Limits struct {
	Concurrent          int // running requests of a session; as many again wait
	ConcurrentTotal     int // of the server
	ConcurrentPerClient int // of Exchange.ClientKey
	Subscriptions       int // of a session
	SubscriptionsTotal  int
	MessageBytes        int
	Memory              int // bytes that requests and responses hold
	MemoryPerClient     int // of Exchange.ClientKey, or of a session without it
}

// Timeouts bound how long the server waits.
type Timeouts struct {
	Request time.Duration // for the application's code; negative: no limit
	Elicit  time.Duration // for a client's response; negative: no limit
	Drain   time.Duration // for pending requests at the end of a connection; negative: none
	Changes time.Duration // without a change before clients are notified
}

// feed notifies the clients of a server of the changes of a list.
type feed struct {
	list     feature.List
	notifier *notify.Notifier
	uri      string // of a resource; empty for a list
}

// Server answers messages. It is safe for concurrent use.
type Server struct {
	config        Config
	methods       map[string]*method
	rated         int // methods with a rate
	feeds         []*feed
	resources     *feature.Resources // nil without any
	running       *limit.Requests
	subscriptions *limit.Semaphore
	memory        memory
	numbers       atomic.Uint64 // of sessions
	logger        *logger
	observer      *telemetry.Queue // nil without one
	idKey         []byte           // of the ids of sessions

	// What is the same for all clients, encoded: by version, the results of
	// initialize, with and without notifications, and of server/discover; and the
	// member of _meta with the server's info.
	initialized, detached, discovered map[revision.Revision][]byte
	serverInfo                        []byte
}

// NewServer returns a server, or all errors of the config that clients would
// see.
func NewServer(c Config) (*Server, []error) {
	s := &Server{
		config:        c,
		methods:       map[string]*method{},
		running:       limit.NewRequests(c.Limits.ConcurrentTotal, c.Limits.ConcurrentPerClient),
		subscriptions: limit.NewSemaphore(int64(c.Limits.SubscriptionsTotal), 0),
		memory:        newMemory(c.Limits.Memory, c.Limits.MemoryPerClient, c.Limits.MessageBytes),
		logger:        newLogger(c.Logger),
		initialized:   map[revision.Revision][]byte{},
		detached:      map[revision.Revision][]byte{},
		discovered:    map[revision.Revision][]byte{},
	}
	s.observer = telemetry.New(c.Observer, isSameRequest, s.logObserver)
	if s.observer != nil || c.SessionIDs {
		s.idKey = []byte(rand.Text())
	}
	for name, m := range base {
		s.methods[name] = &m
	}
	var errs []error
	for _, f := range c.Features {
		errs = append(errs, s.addFeature(f)...)
	}
	errs = append(errs, s.shareRates()...)
	errs = append(errs, s.addResources()...)
	errs = append(errs, s.encodeResults()...)
	for _, m := range s.methods {
		m.setTail(s.serverInfo)
	}
	return s, errs
}

// addFeature adds the methods and lists of a feature.
func (s *Server) addFeature(f feature.Feature) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(f.Methods)) {
		switch {
		case s.methods[name] != nil:
			errs = append(errs, fmt.Errorf("method %q is defined twice", name))
		case name == "" || strings.HasPrefix(name, "notifications/"):
			errs = append(errs, fmt.Errorf("method %q is reserved", name))
		case f.Methods[name].Serve == nil:
			errs = append(errs, fmt.Errorf("method %q has no Serve", name))
		}
		s.methods[name] = s.newMethod(f.Methods[name])
	}
	for _, l := range f.Lists {
		s.feeds = append(s.feeds, &feed{list: l, notifier: notify.New(l.Subscribe, s.config.Timeouts.Changes)})
	}
	return errs
}

// shareRates gives each method with a RateWith the rate of that method.
func (s *Server) shareRates() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(s.methods)) {
		m := s.methods[name]
		switch other := s.methods[m.rateWith]; {
		case m.rateWith == "":
		case other == nil:
			errs = append(errs, fmt.Errorf("method %q has the rate of %q, which is missing", name, m.rateWith))
		case other.rateWith != "":
			errs = append(errs, fmt.Errorf("method %q has the rate of %q, which has no rate of its own", name, m.rateWith))
		default:
			m.limiter, m.bucket = other.limiter, other.bucket
		}
	}
	return errs
}

// base is what every server offers.
var base = map[string]method{
	"initialize":      {serve: initialize, versions: stateful, beforeInit: true},
	"ping":            {serve: ping, versions: stateful, beforeInit: true},
	"server/discover": {serve: discover, versions: stateless},
	MethodListen:      {serve: listen, versions: stateless},
}

// Link returns ctx, which has no values, with what relates it to the first request that
// waits for it: see observe.Linker.
func Link(ctx, first context.Context) context.Context {
	if r := FromContext(first); r != nil {
		return r.task.server.observer.Link(ctx, first)
	}
	return ctx
}

// Flush waits until the observer was called for all that has ended.
func (s *Server) Flush(ctx context.Context) error { return s.observer.Flush(ctx) }

// logObserver logs the first failure of the observer.
func (s *Server) logObserver(err error, stack []byte) {
	attrs := []slog.Attr{slog.Any("error", err)}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	s.spawn(func() { // a logger may block
		s.Log(context.Background(), slog.LevelError, "observer failed; further failures are not logged", attrs...)
	})
}

// Methods returns the names of the methods that [Server.Call] answers, sorted.
func (s *Server) Methods() []string {
	var names []string
	for name, m := range s.methods {
		if m.callable {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Capabilities returns the capabilities of the features, as a new map.
// listChanged says that the client is notified of changes.
func (s *Server) Capabilities(rev revision.Revision, listChanged bool) map[string]any {
	all, _ := s.featureCapabilities(rev, listChanged)
	return all
}

func (s *Server) featureCapabilities(rev revision.Revision, listChanged bool) (map[string]any, []error) {
	all, errs := map[string]any{}, []error(nil)
	for _, f := range s.config.Features {
		if f.Capabilities == nil {
			continue
		}
		errs = append(errs, addCapabilities(all, f.Capabilities(rev.String(), listChanged && len(f.Lists) > 0))...)
	}
	return all, errs
}

// addCapabilities adds own to all. The members of two "extensions" are merged, so that
// each feature, and the application, may declare extensions.
func addCapabilities(all, own map[string]any) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(own)) {
		before, ok := all[name]
		switch {
		case !ok:
			all[name] = own[name]
		case name == "extensions":
			merged := map[string]json.RawMessage{}
			for _, value := range []any{before, own[name]} {
				extensions := map[string]json.RawMessage{}
				raw, err := jsonenc.Append(nil, value)
				if err == nil && json.Unmarshal(raw, &extensions) != nil {
					err = errNoObject
				}
				if err != nil {
					errs = append(errs, fmt.Errorf("capability %q: %w", name, err))
				}
				for _, extension := range slices.Sorted(maps.Keys(extensions)) {
					if _, ok := merged[extension]; ok {
						errs = append(errs, fmt.Errorf("the extension %q is defined twice", extension))
					}
					merged[extension] = extensions[extension]
				}
			}
			all[name] = merged
		default:
			errs = append(errs, fmt.Errorf("the capability %q is defined twice", name))
		}
	}
	return errs
}

// ServerInfo returns the member of _meta that every result of 2026-07-28 has.
// It must not be changed.
func (s *Server) ServerInfo() []byte { return s.serverInfo }

// encodeResults encodes the results that depend on nothing but the protocol
// version, or returns all errors.
func (s *Server) encodeResults() []error {
	for _, rev := range revision.All() { // the newest, which has every member, comes first
		info, errs := s.config.Info(rev)
		capabilities, more := s.encodeCapabilities(rev, true)
		silent, _ := s.encodeCapabilities(rev, false)
		instructions, ok := "", true
		if s.config.Instructions != "" {
			var text []byte
			text, ok = strictjson.AppendValidString([]byte(`,"instructions":`), s.config.Instructions)
			instructions = string(text)
		}
		if errs = append(errs, more...); !ok {
			//lint:ignore ST1005 it begins with the name of a field
			errs = append(errs, errors.New("Instructions is not valid UTF-8"))
		}
		if len(errs) > 0 {
			return errs
		}
		if rev.Stateless() {
			if s.serverInfo == nil { // the first is the newest
				s.serverInfo = fmt.Appendf(nil, `"%s":%s`, wire.ServerInfoKey, info)
			}
			s.discovered[rev] = fmt.Appendf(nil, `{"resultType":"complete","supportedVersions":["%s"],"capabilities":%s%s,%s,"_meta":{%s}}`,
				strings.Join(wire.Versions(), `","`), capabilities, instructions, s.config.CacheHints, s.serverInfo)
			continue
		}
		result := func(capabilities []byte) []byte {
			return fmt.Appendf(nil, `{"protocolVersion":"%s","capabilities":%s,"serverInfo":%s%s}`, rev, capabilities, info, instructions)
		}
		s.initialized[rev], s.detached[rev] = result(capabilities), result(silent)
	}
	return nil
}

// encodeCapabilities returns the JSON object of all capabilities.
func (s *Server) encodeCapabilities(rev revision.Revision, listChanged bool) ([]byte, []error) {
	all, errs := s.featureCapabilities(rev, listChanged)
	errs = append(errs, addCapabilities(all, s.config.Capabilities)...)
	dst := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendCapability(dst, name, all[name]); err != nil {
			errs = append(errs, fmt.Errorf("capability %q: %w", name, err))
		}
	}
	return append(dst, '}'), errs
}

var errNoObject = errors.New("value is not a JSON object")

func appendCapability(dst []byte, name string, value any) ([]byte, error) {
	dst, ok := strictjson.AppendValidString(dst, name)
	if !ok {
		return dst, errors.New("name is not valid UTF-8")
	}
	dst = append(dst, ':')
	at := len(dst)
	dst, err := jsonenc.Append(dst, value)
	if err == nil && dst[at] != '{' {
		err = errNoObject
	}
	return dst, err
}

// InUse counts what clients hold of the server, without what is zero. Tests of
// the packages above see by it that nothing is left behind.
func (s *Server) InUse() map[string]int {
	tasks, slots, clients := s.running.InUse()
	n := map[string]int{"clients": clients, "tasks": tasks, "slots": slots, "subscriptions": s.subscriptions.Used(),
		"bytes": s.memory.held.Used() + s.memory.parsing.Used()}
	for _, f := range s.feeds {
		n["listeners"] += f.notifier.Subscribers()
	}
	return nonzero(n)
}

// InUse counts what the client of the session holds.
func (s *Session) InUse() map[string]int {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	tasks, slots, _ := s.running.InUse()
	n := map[string]int{
		"tasks": tasks, "slots": slots, "subscribed": s.subscribed.Used(),
		"answers": s.answers.Wait(over), "batches": s.batches.Wait(over), "subscriptions": s.subscriptions.Wait(over),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n["requests"], n["questions"] = len(s.inFlight), len(s.requests)
	return nonzero(n)
}

func nonzero(n map[string]int) map[string]int {
	maps.DeleteFunc(n, func(_ string, n int) bool { return n == 0 })
	return n
}
