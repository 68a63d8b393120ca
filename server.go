package prompts

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Server answers the prompts methods of the protocol from a [Registry]. It
// has no goroutines of its own. Any number of goroutines may use it.
//
// There are three ways to connect one, from the highest to the lowest:
// [Server.Serve] for a connection that carries messages both ways;
// [Session.Handle] and [Server.Handle] for a request/response transport; and
// [Server.Call] inside of somebody else's JSON-RPC layer.
type Server struct {
	registry *Registry
	options  Options
	methods  map[string]*method
	logger   *logger
	handler  Handler // the middleware around innermost; nil if there is none
	limit    *limiter
	shares   *shares // of the limit, by client
	places   listenPlaces
	changes  gatherer
	ownKey   []byte // for states, if the author has none

	// What is the same for all clients, encoded: the result of initialize, by
	// revision; that of server/discover; the end of the result of prompts/list
	// and the member of _meta with the server's identity, both of the
	// stateless era.
	initialized map[revision.Revision][]byte
	detached    map[revision.Revision][]byte // the same for a detached session
	discovered  []byte
	cacheable   []byte
	serverInfo  []byte
}

// NewServer returns a server of the registry's prompts. The registry may
// change at any time; nil is an empty one. It panics if the options are at
// fault, because they are part of the program: a negative number where it
// means nothing, a Method with a name that is reserved, a capability or an
// icon that cannot be sent.
func NewServer(r *Registry, o Options) *Server {
	s, err := newServer(r, o)
	if err != nil {
		panic(fmt.Errorf("prompts: options: %w", err))
	}
	return s
}

func newServer(r *Registry, o Options) (*Server, error) {
	o, faults := o.complete()
	if r == nil {
		r = new(Registry)
	}
	s := &Server{
		registry:    r,
		changes:     gatherer{registry: r, burst: burst{delay: o.ChangeDelay}},
		options:     o,
		limit:       newLimiter(o.MaxConcurrentTotal),
		shares:      newShares(o.MaxConcurrentPerClient),
		logger:      newLogger(o.Logger, o.LogRate),
		ownKey:      make([]byte, stateKey),
		initialized: map[revision.Revision][]byte{},
		detached:    map[revision.Revision][]byte{},
	}
	_, _ = rand.Read(s.ownKey) // never fails
	s.methods = map[string]*method{
		"initialize":      {serve: initialize, era: handshakeOnly, fresh: true},
		"ping":            {serve: ping, era: handshakeOnly, fresh: true},
		"server/discover": {serve: discover, era: statelessOnly},
		methodListen:      {serve: listen, era: statelessOnly},
		methodList:        {serve: listPrompts, shared: true},
		methodGet:         {serve: getPrompt, shared: true, rates: newRates(gets, o.Rate.Gets)},
	}
	if !o.NoCompletions {
		s.methods[methodComplete] = &method{serve: complete, shared: true, rates: newRates(completions, o.Rate.Completions)}
	}
	for name, m := range o.Methods {
		s.methods[name] = rawMethod(name, m)
	}
	if o.Middleware != nil {
		if s.handler = o.Middleware(s.innermost); s.handler == nil {
			faults = append(faults, errors.New("what Middleware has returned is nil"))
		}
	}
	faults = append(faults, s.encode()...)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

// Methods returns the names of the methods that [Server.Call] answers, in
// order.
func (s *Server) Methods() []string {
	var names []string
	for name, m := range s.methods {
		if m.shared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Capabilities returns what a server that answers with [Server.Call] is to
// advertise, as a new map that may be changed: the capabilities of this
// package's methods. If it says that the list changes are told, the server
// has to tell them: see [Registry.Subscribe]. Revision 2024-11-05 has no
// capability "completions".
func (s *Server) Capabilities() map[string]any {
	return s.capabilities(revision.NewestHandshake(), !s.options.NoListChanged)
}

func (s *Server) capabilities(rev revision.Revision, listChanged bool) map[string]any {
	prompts := map[string]any{}
	if listChanged {
		prompts["listChanged"] = true
	}
	capabilities := map[string]any{"prompts": prompts}
	if !s.options.NoCompletions && rev.Completions() {
		capabilities["completions"] = map[string]any{}
	}
	return capabilities
}

// serverInfoKey is the member of _meta that every result of the stateless era
// has (DSC-03, MET-09, GAP-48).
const serverInfoKey = "io.modelcontextprotocol/serverInfo"

// encode encodes what does not depend on the request, and returns what of it
// cannot be sent.
func (s *Server) encode() []error {
	var faults []error
	for _, rev := range revision.All() {
		e := encoder{rev: rev}
		if rev.Stateless() {
			s.statelessResults(&e)
		} else {
			s.initializeResult(&e, !s.options.NoListChanged)
			s.initialized[rev] = e.buf
			d := encoder{rev: rev}
			s.initializeResult(&d, false)
			s.detached[rev] = d.buf
		}
		if faults == nil {
			faults = e.faults // the newest one has every member
		}
	}
	return faults
}

// statelessResults encodes what results of the stateless era have in common,
// and the result of server/discover.
func (s *Server) statelessResults(e *encoder) {
	e.raw(`"` + serverInfoKey + `":`)
	e.info(&s.options.Info)
	s.serverInfo = slices.Clone(e.buf)

	scope := "private"
	if s.options.CachePublic && s.options.Visible == nil { // a list that depends on the client is its own
		scope = "public"
	}
	hints := fmt.Sprintf(`,"ttlMs":%d,"cacheScope":"%s","_meta":{%s}`, s.options.CacheTTL.Milliseconds(), scope, s.serverInfo)
	s.cacheable = []byte(`,"resultType":"complete"` + hints)

	e.buf = append(e.buf[:0], `{"resultType":"complete"`...)
	e.key("supportedVersions")
	e.strings(versions())
	s.serverCapabilities(e, !s.options.NoListChanged)
	e.opt("instructions", s.options.Instructions)
	e.raw(hints + "}")
	s.discovered = slices.Clone(e.buf)
}

// initializeResult appends the answer to initialize, which depends on nothing
// but the revision.
func (s *Server) initializeResult(e *encoder, listChanged bool) {
	e.raw("{")
	e.str("protocolVersion", e.rev.String())
	s.serverCapabilities(e, listChanged)
	e.key("serverInfo")
	e.info(&s.options.Info)
	e.opt("instructions", s.options.Instructions)
	e.raw("}")
}

// serverCapabilities appends the member that advertises what there is.
func (s *Server) serverCapabilities(e *encoder, listChanged bool) {
	capabilities := s.capabilities(e.rev, listChanged)
	maps.Copy(capabilities, s.options.Capabilities)
	e.key("capabilities")
	e.raw("{")
	for i, name := range slices.Sorted(maps.Keys(capabilities)) {
		if i > 0 {
			e.raw(",")
		}
		if err := e.capability(name, capabilities[name]); err != nil {
			e.fault("capability %q: %w", name, err)
		}
	}
	e.raw("}")
}

// info appends the server's description of itself.
func (e *encoder) info(i *Implementation) {
	faults := len(e.faults)
	e.implementation(i)
	for i, err := range e.faults[faults:] {
		e.faults[faults+i] = fmt.Errorf("info: %w", err)
	}
}

func (e *encoder) capability(name string, value any) error {
	var ok bool
	if e.buf, ok = strictjson.AppendValidString(e.buf, name); !ok {
		return errors.New("its name is not valid UTF-8")
	}
	e.raw(":")
	at := len(e.buf)
	var err error
	if e.buf, err = appendJSON(e.buf, value); err != nil {
		return err
	}
	if e.buf[at] != '{' {
		return errors.New("it is not a JSON object")
	}
	return nil
}

func methodNotFound(name string) *Error {
	return &Error{
		Code:    CodeMethodNotFound,
		Message: "method not found",
		Data: struct {
			Method string `json:"method"`
		}{clip(name, maxEcho)},
	}
}

func busy() *Error { return internalError("the server is busy; try again later") }
