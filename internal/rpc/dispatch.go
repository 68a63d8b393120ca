package rpc

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file finds the method of a request, in the order of checks that the versions ask
// for, and has the methods by which a client meets the server.

// dispatch passes a request to its method. It appends the result to dst, or
// returns nil and sets the work that makes the result. The order of the checks is
// that of GAP-10.
func (s *Server) dispatch(c *Call, x *exchange, dst []byte) ([]byte, *transport.Error) {
	session, m := c.session, &c.Message
	// The message alone decides whether it is stateless, even inside a session (GAP-01): one
	// connection may carry messages of both kinds.
	version := m.Version()
	stateless := version.Kind() != strictjson.Invalid
	if x.caller != nil && (!stateless || x.caller.hasVersion()) {
		stateless, c.Rev, c.Client = false, x.caller.rev, x.caller.declared
	}
	var name string
	if stateless {
		if version.Kind() != strictjson.String {
			return nil, wire.WrongKind("_meta", fmt.Sprintf("params._meta[%q]", wire.VersionKey), "a string", version)
		}
		name = version.Text()
	}
	// A header that differs from the body is reported before a version that nobody knows: the
	// client fixes the header first (GAP-10).
	if err := x.check(x.CheckVersion, m, name); err != nil {
		return nil, err
	}
	if stateless {
		rev, ok := revision.Parse(name)
		if !ok || !rev.Stateless() {
			return nil, wire.UnsupportedVersion(name)
		}
		// Every stateless request declares the capabilities again: any replica may get the
		// next one.
		declared := m.Meta.Get(wire.CapabilitiesKey)
		if declared.Kind() != strictjson.Object {
			return nil, wire.WrongKind("_meta", fmt.Sprintf("params._meta[%q]", wire.CapabilitiesKey), "an object", declared)
		}
		c.Rev, c.Client = rev, wire.ReadCapabilities(rev, declared)
	}
	// Before the method is looked up: a request that was routed by another method must not be
	// answered as if it were only unknown (GAP-10).
	if err := x.check(x.CheckRouting, m, name); err != nil {
		return nil, err
	}
	// Stateless requests share the ids of a connection, because a cancellation over a stream
	// names nothing but an id.
	if session != nil {
		rev, client, err := session.checkID(m.Key)
		if err != nil {
			return nil, err
		}
		if !stateless {
			c.Rev, c.Client = rev, client
		}
	}
	c.observed.SetVersion(c.Rev)
	// An unknown method is reported as such even before initialize, which would not help.
	row := s.methods[m.Method]
	switch {
	case row == nil, x.caller != nil && !row.callable, c.Rev != 0 && !row.versions[c.Rev]:
		err := wire.MethodNotFound(m.Method)
		if row != nil && !row.versions[c.Rev] {
			err.Message += fmt.Sprintf(" (not in protocol version %s)", c.Rev)
		}
		return nil, err
	case c.Rev == 0 && (session == nil || !row.beforeInit):
		return nil, errNotInitialized
	}
	// Params come last: only now is it clear which method, and which version, defines them.
	if err := m.CheckParams(); err != nil {
		return nil, err
	}
	if stateless {
		if err := m.CheckMetadata(); err != nil {
			return nil, err
		}
	}
	return row.admitAndCall(c, dst)
}

// errNotInitialized answers a request that belongs to neither era (GAP-07).
var errNotInitialized = wire.InvalidParams("session not initialized: send initialize first, or include %q and %q in params._meta (2026-07-28)",
	wire.VersionKey, wire.CapabilitiesKey)

// initialize is the method initialize. c.session is never nil: without a session, dispatch
// has rejected the request. A member of params in the wrong case is an error, because a
// client that sends one would wait for an effect that never comes.
func (s *Server) initialize(c *Call, dst []byte) ([]byte, *transport.Error) {
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
	info := wire.ReadClientInfo(p.Get("clientInfo"))
	if err := c.session.initialize(rev, wire.ReadCapabilities(rev, capabilities), info, c.observed.Transport()); err != nil {
		return nil, err
	}
	c.observed.SetVersion(rev)
	// Such a client gets no notifications, so the result must not promise listChanged.
	if c.session.isDetached {
		return append(dst, s.detached[rev]...), nil
	}
	return append(dst, s.initialized[rev]...), nil
}

// discover is the method server/discover. The result depends on nothing but the version, so
// encodeResults has made it already.
func (s *Server) discover(c *Call, dst []byte) ([]byte, *transport.Error) {
	return append(dst, s.discovered[c.Rev]...), nil
}
