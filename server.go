package prompts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts/internal/revision"
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
	limit    *limiter
	// initialized is the result of initialize, by revision.
	initialized map[revision.Revision][]byte
}

// NewServer returns a server of the registry's prompts. The registry may
// change at any time; nil is an empty one. It panics if the options are at
// fault, because they are part of the program: a negative number, a Method
// with a name of the protocol's own, a capability or an icon that cannot be
// sent.
func NewServer(r *Registry, o Options) *Server {
	s, err := newServer(r, o)
	if err != nil {
		panic(fmt.Errorf("prompts: options: %w", err))
	}
	return s
}

func newServer(r *Registry, o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = new(Registry)
	}
	s := &Server{
		registry:    r,
		options:     o,
		limit:       newLimiter(o.MaxConcurrentTotal),
		initialized: map[revision.Revision][]byte{},
	}
	s.methods = map[string]*method{
		"initialize":   {quick: initialize, fresh: true},
		"ping":         {quick: ping, fresh: true},
		"prompts/list": {quick: listPrompts, shared: true},
		"prompts/get":  {slow: getPrompt, shared: true},
	}
	for name, m := range o.Methods {
		s.methods[name] = rawMethod(m)
	}
	for _, rev := range revision.All() {
		if !rev.Served() || rev.Stateless() {
			continue
		}
		if s.initialized[rev], err = s.initializeResult(rev); err != nil {
			return nil, err
		}
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
// has to tell them: see [Registry.Subscribe].
func (s *Server) Capabilities() map[string]any {
	prompts := map[string]any{}
	if !s.options.NoListChanged {
		prompts["listChanged"] = true
	}
	return map[string]any{"prompts": prompts}
}

// initializeResult encodes the answer to initialize, which depends on nothing
// but the revision.
func (s *Server) initializeResult(rev revision.Revision) ([]byte, error) {
	capabilities := s.Capabilities()
	maps.Copy(capabilities, s.options.Capabilities)
	e := encoder{rev: rev}
	e.raw("{")
	e.str("protocolVersion", rev.String())
	e.key("capabilities")
	e.raw("{")
	for _, name := range slices.Sorted(maps.Keys(capabilities)) {
		e.str(name, "") // checks the name; the value follows
		e.buf = e.buf[:len(e.buf)-len(`""`)]
		at := len(e.buf)
		var err error
		if e.buf, err = appendJSON(e.buf, capabilities[name]); err != nil {
			return nil, fmt.Errorf("capability %q: %w", name, err)
		}
		if e.buf[at] != '{' {
			return nil, fmt.Errorf("capability %q is not an object", name)
		}
	}
	e.raw("}")
	e.key("serverInfo")
	e.implementation(&s.options.Info)
	e.opt("instructions", s.options.Instructions)
	e.raw("}")
	if len(e.faults) > 0 {
		return nil, e.faults[0]
	}
	return e.buf, nil
}

// CallOptions say whom a [Server.Call] is for. The zero value is a client of
// revision 2025-11-25 with no capabilities.
type CallOptions struct{}

// Call answers one request of the methods in [Server.Methods] for somebody
// else's JSON-RPC layer, which has read the envelope and found out to whom it
// talks. params is the JSON text of the request's params, or nil; it is read
// as strictly as a whole message. Call returns the JSON text of the result,
// or an [*Error], which is what the client is to get.
//
// It renders on the caller's goroutine, under ctx and under
// Options.MaxConcurrentTotal, and waits for the render function to return.
func (s *Server) Call(ctx context.Context, name string, params json.RawMessage, _ CallOptions) (json.RawMessage, error) {
	m := s.methods[name]
	if m == nil || !m.shared {
		return nil, methodNotFound(name)
	}
	doc := takeDoc()
	defer giveDoc(doc)
	msg := message{method: name}
	if params != nil {
		if err := doc.Parse(string(params), maxDepth); err != nil {
			return nil, invalidParams("params: %s", err.Error())
		}
		msg.params = doc.Root()
	}
	if err := msg.checkParams(); err != nil {
		return nil, err
	}
	c := &call{server: s, rev: revision.Newest(), message: &msg}
	if m.quick != nil {
		result, err := m.quick(c, nil)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	w, err := m.slow(c)
	if err != nil {
		return nil, err
	}
	if !s.limit.enter() {
		return nil, errBusy
	}
	defer s.limit.leave()
	if err := s.limit.acquire(ctx); err != nil {
		return nil, internalError("the request was cancelled")
	}
	defer s.limit.release()
	result, failure := w.run(ctx, nil)
	if failure != nil {
		return nil, s.explain(ctx, w, failure)
	}
	return result, nil
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

var errBusy = internalError("the server is busy; try again later")
