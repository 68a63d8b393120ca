package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// method is one row of the table of methods. A row is the same for all requests and is not
// changed after NewDispatcher. The methods of the server itself have serve. Those of a feature
// have feature.
type method struct {
	name       string                                               // of a feature's method
	serve      func(c *Call, dst []byte) ([]byte, *transport.Error) // answers a request; nil for a feature's method
	feature    call.Serve
	versions   versions
	beforeInit bool         // the method is answered before initialize
	inSession  bool         // the method needs a session, so [Dispatcher.Call] does not answer it
	onlyFor    hosts.Traits // of the hosts that have the method; 0 for all clients

	limiter  *limit.RateLimiter // nil for no rate
	bucket   int                // of each session
	rateWith string             // the method whose limiter this is; empty for its own

	cache *feature.ClientCache
	tail  string // of results in stateless versions, in place of the last brace
}

// versions says which protocol versions have a method. An array, because every request reads
// it. The element 0 is for no version, and always false.
type versions [revision.Count + 1]bool

func versionsWith(has func(rev revision.Revision) bool) (v versions) {
	for _, rev := range revision.All() {
		v[rev] = has(rev)
	}
	return v
}

var (
	stateful  = versionsWith(func(rev revision.Revision) bool { return !rev.Stateless() })
	stateless = versionsWith(revision.Revision.Stateless)
)

func newMethod(name string, f feature.Method, isPrivate bool) *method {
	m := &method{name: name, feature: call.ServeOf(f.Func), cache: f.ClientCache, rateWith: f.RateWith}
	m.versions = versionsWith(func(rev revision.Revision) bool { return f.Versions == nil || f.Versions(rev.String()) })
	// A shared cache would show the list of one client to another client, from whom the
	// application hides a part.
	if f.ClientCache != nil && isPrivate {
		m.cache = &feature.ClientCache{TTL: f.ClientCache.TTL}
	}
	if f.RequestsPerSecond > 0 {
		m.limiter = limit.NewRateLimiter(f.RequestsPerSecond)
	}
	return m
}

// The text is the same for each result, so it is made once and then copied.
func (m *method) setTail(serverInfo []byte) {
	m.tail = "," + wire.CompleteResult
	if c := m.cache; c != nil {
		scope := "private"
		if c.Public {
			scope = "public"
		}
		m.tail += fmt.Sprintf(`,"ttlMs":%d,"cacheScope":"%s"`, c.TTL.Milliseconds(), scope)
	}
	m.tail += `,"_meta":{` + string(serverInfo) + `}}`
}

// Call is one request to a method. The method must not retain it. The parsed params are
// strings of the message and nodes of a pooled document. A method copies what its work needs.
type Call struct {
	Rev     revision.Revision
	Client  wire.Capabilities
	Message wire.Message
	// Deferred says that the result must come from Work, because the
	// application's code has to say first who the client is.
	Deferred bool
	// KeepsMeta says that the runner may keep a copy of all _meta of the message.
	KeepsMeta bool
	// IsFinished says that the result is sent unchanged: it is on one line, and has the members
	// that 2026-07-28 requires.
	IsFinished bool
	// Keeps is how many bytes the work keeps in addition, such as a result that is ready.
	Keeps int

	engine  *engine
	session *Session // nil outside of one
	caller  *caller  // of a Dispatcher.Call
	from    string   // Exchange.ClientKey

	conn     transport.Informer
	observed *telemetry.Operation

	work      work    // set by a method that returns no result
	subscribe *filter // of subscriptions/listen, which has no work
}

var _ call.Call = (*Call)(nil)

// CallOf returns the request of a feature's Call; nil for a Call of no server.
func CallOf(c call.Call) *Call {
	own, _ := c.(*Call)
	return own
}

func (c *Call) Method() string { return c.Message.Method }

func (c *Call) Version() string { return c.Rev.String() }

// Params returns a copy of the params; nil without params.
func (c *Call) Params() json.RawMessage {
	if c.Message.Params.Kind() != strictjson.Object {
		return nil
	}
	c.KeepsMeta = true
	return json.RawMessage(c.Message.Params.Raw())
}

// Parsed returns the parsed params, without a copy. The value is valid until the method returns.
func (c *Call) Parsed() strictjson.Value {
	if c.Message.Params.Kind() != strictjson.Object {
		return strictjson.Value{}
	}
	return c.Message.Params
}

// Sender identifies the client that has sent the request: see [feature.ClientID]. A detached
// session ends with its request, so its number would identify nobody.
func (c *Call) Sender() (session uint64, key string) {
	if c.session != nil && !c.session.isDetached {
		return c.session.number, ""
	}
	if id, ok := strings.CutPrefix(c.from, secretKey); ok {
		return 0, c.engine.hash(id)
	}
	return 0, c.from
}

func (c *Call) client() (from feature.ClientID) {
	from.Session, from.Key = c.Sender()
	return from
}

// SessionID returns the id of the request's session for the middleware; empty without a session.
func (c *Call) SessionID() string {
	switch {
	case c.session != nil:
		return c.session.id
	case c.caller != nil:
		return c.caller.session
	}
	return ""
}

func (c *Call) TransportInfo() transport.Info {
	if c.conn == nil {
		return transport.Info{}
	}
	return c.conn.TransportInfo()
}

func (c *Call) SetPrompt(name string) { c.observed.SetPrompt(name) }

func (c *Call) SetTool(name string) { c.observed.SetTool(name) }

// A stateless message inside a session has a version of its own, which dispatch sets.
func (c *Call) observeSession() {
	if c.observed == nil {
		return
	}
	version := ""
	if c.session != nil && !c.Message.IsStateless() {
		version = c.session.Version()
	}
	c.observed.InSession(c.SessionID(), version)
}

// isDescribed reports whether the message itself says who the client is.
func (c *Call) isDescribed() bool {
	return c.Rev.Stateless() && (c.caller == nil || c.Message.ClientName() != "")
}

func (c *Call) ClientInfo() wire.ClientInfo {
	switch {
	case c.isDescribed():
		return c.Message.ClientInfo()
	case c.caller != nil:
		return c.caller.info
	}
	return c.session.clientInfo()
}

// Host returns what is known of the client, or nil. The name is only the client's claim:
// nothing that needs trust may depend on it.
func (c *Call) Host() *hosts.Client {
	switch {
	case c.isDescribed():
		return hosts.Find(c.Message.ClientName())
	case c.caller != nil:
		return hosts.Find(c.caller.info.Name)
	}
	return c.session.host.Load()
}

func (m *method) isMissing(c *Call) bool {
	return m == nil || c.caller != nil && m.inSession || c.Rev != 0 && !m.versions[c.Rev] ||
		m.onlyFor != 0 && (c.Rev == 0 || !c.Host().Has(m.onlyFor))
}

func (m *method) call(c *Call, dst []byte) ([]byte, *transport.Error) {
	if m.serve != nil {
		return m.serve(c, dst)
	}
	c.Message.Method = m.name // which keeps no message in memory
	result, w, err := m.feature(c, dst)
	if len(result) <= len(dst) { // dst itself, which is nil for a Dispatcher.Call
		result = nil
	}
	// A feature that returns neither a result nor work has a bug, which the client must not
	// wait for.
	if err == nil && (result != nil || w.Runner == nil) {
		if result, err = m.finish(c.Rev, result, len(dst), c.IsFinished); err != nil {
			err = InvalidResult(m.name, err)
		}
	}
	if err != nil {
		// Only an error about params is certain to be made for the client. Any other error
		// takes the way of a runner's: there Config.Failure decides what the client may see,
		// a panic of its methods is recovered, and a slow logger delays no reader.
		if e, ok := err.(*transport.Error); ok && wire.IsAboutParams(e) {
			return nil, e
		}
		c.work = m.reject(err)
		return nil, nil
	}
	c.work = workOf(w, m.name)
	c.work.method, c.work.isFinished = m, c.IsFinished
	return result, nil
}

// admitAndCall is call within the method's rate. Without a principal, a request that exceeds the
// rate is rejected before the method reads the params, so that rejecting costs less than serving.
func (m *method) admitAndCall(c *Call, dst []byte) ([]byte, *transport.Error) {
	if m.limiter == nil {
		return m.call(c, dst)
	}
	if c.engine.principal != nil {
		m.callAndAdmit(c, dst)
		return nil, nil
	}
	if err := m.admit(c.engine, "", c.session, c.from); err != nil {
		return nil, err
	}
	return m.call(c, dst)
}

// callAndAdmit calls the method and counts the request for the rate when its work runs: only
// the application's code knows the principal of the client. A request with an error also counts.
func (m *method) callAndAdmit(c *Call, dst []byte) {
	c.Deferred = true
	switch result, err := m.call(c, dst); {
	case err != nil:
		c.work = m.reject(err)
	case result != nil: // of a feature, which does not see Deferred
		own := slices.Clone(result[len(dst):])
		c.work = m.work(func(_ context.Context, dst []byte) ([]byte, error) { return append(dst, own...), nil })
		c.Keeps += len(own)
	}
	c.work.runner = &rateLimited{runner: c.work.runner, method: m, engine: c.engine, session: c.session, from: c.from}
}

// admit counts a request of a client, or returns why it is rejected. The error says when to
// retry, so that clients need not guess.
func (m *method) admit(e *engine, principal string, session *Session, from string) *transport.Error {
	var bucket *limit.Bucket
	// A detached session would be a new client, with a full bucket, for every request.
	if session != nil && !session.isDetached {
		bucket = &session.buckets[m.bucket]
	}
	wait := m.limiter.Wait(principal, bucket, from)
	if wait == 0 {
		return nil
	}
	e.reachLimit("rate of "+m.name, cmp.Or(principal, from))
	ms := int64(math.Ceil(float64(wait) / float64(time.Millisecond)))
	return &transport.Error{
		Code:    transport.CodeInternalError,
		Message: fmt.Sprintf("rate limit exceeded; retry in %d ms", ms),
		Data: struct {
			RetryAfter int64 `json:"retryAfterMs"`
		}{ms},
	}
}

// rateLimited is a runner that counts for the rate of its client's principal. The principal
// is known only in the context of the request, on the goroutine of the application's code.
// The embedded runner names the request in the log and in errors.
type rateLimited struct {
	runner
	method  *method
	engine  *engine
	session *Session
	from    string
}

func (r *rateLimited) Run(ctx context.Context, dst []byte) ([]byte, error) {
	principal, err := r.engine.principal(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.method.admit(r.engine, principal, r.session, r.from); err != nil {
		return nil, &Failure{Client: err}
	}
	return r.runner.Run(ctx, dst)
}

func ping(_ *Call, dst []byte) ([]byte, *transport.Error) { return append(dst, "{}"...), nil }

func (m *method) reject(err error) work {
	return m.work(func(context.Context, []byte) ([]byte, error) { return nil, err })
}

func (m *method) work(f call.RunnerFunc) work {
	return workOf(call.Work{Runner: f}, m.name)
}

// keptBytes returns how many bytes the work of the call keeps: Keeps, and of a large message the
// params, but of _meta only copies of short members, unless the call says otherwise.
func (c *Call) keptBytes() int {
	n, m := c.Keeps, &c.Message
	if m.Large {
		n += len(m.Params.Raw())
		if !c.KeepsMeta {
			n -= len(m.Meta.Raw())
		}
	}
	return n
}
