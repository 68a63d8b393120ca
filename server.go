package prompts

import (
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
	limit    *limiter
	// initialized is the result of initialize, by revision.
	initialized map[revision.Revision][]byte
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
		e := encoder{rev: rev}
		s.initializeResult(&e)
		if len(s.initialized) == 0 {
			faults = append(faults, e.faults...) // the newest one has every member
		}
		s.initialized[rev] = e.buf
	}
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
// has to tell them: see [Registry.Subscribe].
func (s *Server) Capabilities() map[string]any {
	prompts := map[string]any{}
	if !s.options.NoListChanged {
		prompts["listChanged"] = true
	}
	return map[string]any{"prompts": prompts}
}

// initializeResult appends the answer to initialize, which depends on nothing
// but the revision.
func (s *Server) initializeResult(e *encoder) {
	capabilities := s.Capabilities()
	maps.Copy(capabilities, s.options.Capabilities)
	e.raw("{")
	e.str("protocolVersion", e.rev.String())
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
	e.key("serverInfo")
	faults := len(e.faults)
	e.implementation(&s.options.Info)
	for i, err := range e.faults[faults:] {
		e.faults[faults+i] = fmt.Errorf("info: %w", err)
	}
	e.opt("instructions", s.options.Instructions)
	e.raw("}")
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
