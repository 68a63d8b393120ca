package rpc

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// NewDispatcher returns a server, or all errors of the config that clients would see. The order
// matters: rates refer to methods of all features, the results need all capabilities, and the
// tails need the server's info from the results.
func NewDispatcher(c Config) (*Dispatcher, []error) {
	e := &engine{
		logger: newLogger(c.Logger), limits: c.Limits, timeouts: c.Timeouts,
		owner: c.Owner, failure: c.Failure, principal: c.Principal, keepsInfo: c.ClientInfo, logSensitive: c.LogSensitive,
		running:       limit.NewRequests(c.Limits.ConcurrentTotal, c.Limits.ConcurrentPerClient),
		subscriptions: limit.NewSemaphore(int64(c.Limits.SubscriptionsTotal), 0),
		memory:        newMemory(c.Limits.Memory, c.Limits.MemoryPerClient, c.Limits.MessageBytes),
		reached:       reached{by: map[string]times{}},
		idKey:         []byte(rand.Text()),
	}
	e.memory.onFull = func(client string) { e.reachLimit(limitMemory, client) }
	e.observer = telemetry.New(c.Observer, isSameRequest, e.logObserver)
	s := &Dispatcher{
		engine:      e,
		config:      c,
		initialized: map[revision.Revision][]byte{},
		detached:    map[revision.Revision][]byte{},
		discovered:  map[revision.Revision][]byte{},
	}
	s.methods = s.base()
	var errs []error
	for _, f := range c.Features {
		errs = append(errs, s.addFeature(f)...)
	}
	if s.methods[listTools] == nil {
		s.methods[listTools] = &method{serve: s.noTools, versions: versionsWith(func(revision.Revision) bool { return true }), onlyFor: hosts.NeedsTools}
	}
	errs = append(errs, s.shareRates()...)
	errs = append(errs, s.addResources()...)
	errs = append(errs, s.encodeResults()...)
	for _, m := range s.methods {
		m.setTail(s.serverInfo)
	}
	return s, errs
}

func (s *Dispatcher) addFeature(f feature.Feature) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(f.Methods)) {
		switch {
		case s.methods[name] != nil:
			errs = append(errs, fmt.Errorf("method %q is defined twice", name))
		case name == "" || strings.HasPrefix(name, "notifications/"):
			errs = append(errs, fmt.Errorf("method %q is reserved", name))
		case f.Methods[name].Func == nil:
			errs = append(errs, fmt.Errorf("method %q has no Func", name))
		case f.Methods[name].RateWith != "" && f.Methods[name].RequestsPerSecond != 0:
			errs = append(errs, fmt.Errorf("method %q has both RateWith and RequestsPerSecond; remove one of the two", name))
		}
		m := newMethod(name, f.Methods[name], s.config.PrivateResults)
		if m.limiter != nil {
			m.bucket = s.rated
			s.rated++
		}
		s.methods[name] = m
	}
	if f.OnEnd != nil {
		s.onEnd = append(s.onEnd, f.OnEnd)
	}
	for _, l := range f.Lists {
		switch {
		case l.OnChange == nil:
			errs = append(errs, fmt.Errorf("list %q has no OnChange", l.Notification))
		case l.Notification == "" || l.Filter == "":
			errs = append(errs, fmt.Errorf("list must have a Notification and a Filter, got %q and %q", l.Notification, l.Filter))
		case l.Filter == uriFilter || slices.ContainsFunc(s.feeds, func(f *feed) bool { return f.list.Filter == l.Filter }):
			errs = append(errs, fmt.Errorf("filter %q of list %q is defined twice", l.Filter, l.Notification))
		}
		s.feeds = append(s.feeds, &feed{list: l, notifier: notify.New(l.OnChange, s.config.Timeouts.Changes)})
	}
	return errs
}

// shareRates gives each method with a RateWith the rate of that method. Both methods then
// count against the same bucket, such as prompts/get and tools/call: a client must not double
// the rate by using both.
func (s *Dispatcher) shareRates() (errs []error) {
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

func (s *Dispatcher) base() map[string]*method {
	return map[string]*method{
		"initialize":      {serve: s.initialize, versions: stateful, beforeInit: true},
		"ping":            {serve: ping, versions: stateful, beforeInit: true},
		"server/discover": {serve: s.discover, versions: stateless},
		MethodListen:      {serve: s.listen, versions: stateless},
	}
}

const listTools = "tools/list"

// noTools is the method tools/list of a server without tools, for hosts that show no prompts
// after an error (GAP-51). The server advertises no tools.
func (s *Dispatcher) noTools(c *Call, dst []byte) ([]byte, *transport.Error) {
	p := c.Message.Params
	if err := wire.CheckCase(p, "cursor", "_meta"); err != nil {
		return nil, err
	}
	if kind := p.Get("cursor").Kind(); kind != strictjson.Invalid && kind != strictjson.Null {
		return nil, wire.InvalidParam("cursor", "params.cursor must be omitted, because the server has no tools")
	}
	if dst = append(dst, `{"tools":[]`...); c.Rev.Stateless() {
		dst = fmt.Appendf(dst, `,"resultType":"complete",%s,"_meta":{%s}`, s.config.CacheHints, s.serverInfo)
	}
	return append(dst, '}'), nil
}

// Capabilities returns a new map. listChanged says that the client is notified of changes.
func (s *Dispatcher) Capabilities(rev revision.Revision, listChanged bool) map[string]any {
	all, _ := s.featureCapabilities(rev, listChanged)
	return all
}

func (s *Dispatcher) featureCapabilities(rev revision.Revision, listChanged bool) (map[string]any, []error) {
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

// encodeResults encodes the results that depend on nothing but the protocol version, or
// returns all errors. Invalid info is thus an error of NewDispatcher, and not of each initialize.
func (s *Dispatcher) encodeResults() []error {
	for _, rev := range revision.All() { // the newest, which has every member, comes first
		info, errs := s.config.Info(rev)
		capabilities, more := s.encodeCapabilities(rev, true)
		// The errors are those of the line before.
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
			s.discovered[rev] = fmt.Appendf(nil, `{%s,"supportedVersions":["%s"],"capabilities":%s%s,%s,"_meta":{%s}}`,
				wire.CompleteResult, strings.Join(wire.Versions(), `","`), capabilities, instructions, s.config.CacheHints, s.serverInfo)
			continue
		}
		result := func(capabilities []byte) []byte {
			return fmt.Appendf(nil, `{"protocolVersion":"%s","capabilities":%s,"serverInfo":%s%s}`, rev, capabilities, info, instructions)
		}
		s.initialized[rev], s.detached[rev] = result(capabilities), result(silent)
	}
	return nil
}

func (s *Dispatcher) encodeCapabilities(rev revision.Revision, listChanged bool) ([]byte, []error) {
	all, errs := s.featureCapabilities(rev, listChanged)
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

// initialize is the method initialize. Without a session, the request is that of a
// [Dispatcher.Call], and the other layer keeps the version. A member of params in the wrong case
// is an error, because a client that sends one would wait for an effect that never comes.
func (s *Dispatcher) initialize(c *Call, dst []byte) ([]byte, *transport.Error) {
	p := c.Message.Params
	if err := wire.CheckCase(p, "protocolVersion", "capabilities", "clientInfo", "_meta"); err != nil {
		return nil, err
	}
	version := p.Get("protocolVersion")
	if version.Kind() != strictjson.String {
		return nil, wire.WrongKind("protocolVersion", "params.protocolVersion", "a string", version)
	}
	capabilities := p.Get("capabilities")
	if capabilities.Kind() != strictjson.Object {
		return nil, wire.WrongKind("capabilities", "params.capabilities", "an object", capabilities)
	}
	if !wire.IsClientInfo(p.Get("clientInfo")) {
		return nil, wire.InvalidParam("clientInfo", "params.clientInfo is required and must be an object with name and version")
	}
	rev, ok := revision.Parse(version.Text())
	if !ok || rev.Stateless() {
		rev = revision.NewestStateful() // the client decides whether it can (LIF-06, GAP-03)
	}
	isDetached := c.session == nil && c.caller.options.Notify == nil
	switch {
	case c.session == nil && c.Rev != 0:
		return nil, errInitialized
	case c.session != nil:
		info := wire.ReadClientInfo(p.Get("clientInfo"))
		if err := c.session.initialize(rev, wire.ReadCapabilities(rev, capabilities), info, c.observed.Transport()); err != nil {
			return nil, err
		}
		isDetached = c.session.isDetached
	}
	c.observed.SetVersion(rev)
	// Such a client gets no notifications, so the result must not promise listChanged.
	if isDetached {
		return append(dst, s.detached[rev]...), nil
	}
	return append(dst, s.initialized[rev]...), nil
}

func (s *Dispatcher) discover(c *Call, dst []byte) ([]byte, *transport.Error) {
	return append(dst, s.discovered[c.Rev]...), nil
}
