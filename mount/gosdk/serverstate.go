package gosdk

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverState is what a server of the SDK has of this package: one receiving
// middleware, which passes everything on while nothing is mounted. The SDK
// cannot take a middleware out again, so a server gets one however often
// something is mounted there.
type serverState struct {
	next    mcp.MethodHandler     // everything that was there before; set before any request
	mounted atomic.Pointer[mount] // nil if nothing is

	negotiated sync.Map // from weak.Pointer[mcp.ServerSession] to the version, where the client has asked for another one
}

// serverStates has the state of each server that has had a mount. It is global because
// the SDK has no place for a state, and no way to list or remove its middleware. Without
// it, each mount would leave another middleware behind, two mounts could not see each
// other, and Import could not call the handler below the mount. A state lives as long as
// its server, whose middleware it is. The map keeps neither alive.
var (
	statesMu     sync.Mutex // protects the map, and is held to make a state
	serverStates = map[weak.Pointer[mcp.Server]]weak.Pointer[serverState]{}
)

// stateOf returns the state of a server, which it makes if need be.
func stateOf(s *mcp.Server) *serverState {
	statesMu.Lock()
	defer statesMu.Unlock()
	key := weak.Make(s)
	if st := serverStates[key].Value(); st != nil {
		return st
	}
	st := new(serverState)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		st.next = next
		return st.handle
	})
	serverStates[key] = weak.Make(st)
	runtime.AddCleanup(s, forget, key)
	return st
}

func forget(key weak.Pointer[mcp.Server]) {
	statesMu.Lock()
	defer statesMu.Unlock()
	delete(serverStates, key)
}

// The methods that a mount has to do with.
const (
	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
)

// handle is the middleware.
func (st *serverState) handle(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	m := st.mounted.Load()
	switch r := req.(type) {
	case *mcp.ServerRequest[*mcp.InitializeParams]:
		return st.initialize(ctx, m, method, r)
	case *mcp.ServerRequest[*mcp.DiscoverParams]:
		return st.discover(ctx, m, method, r)
	case *mcp.ListPromptsRequest:
		if m != nil && method == methodList {
			return m.list(ctx, r)
		}
	case *mcp.GetPromptRequest:
		if m != nil && method == methodGet && r.Params != nil {
			return m.get(ctx, r)
		}
	case *mcp.ListToolsRequest:
		if m != nil && method == methodListTools && m.tools != nil {
			return m.listTools(ctx, r)
		}
	case *mcp.CallToolRequest:
		if m != nil && method == methodCallTool && m.tools != nil && m.tools.filter && r.Params != nil {
			return m.callTool(ctx, r)
		}
	case *mcp.CompleteRequest:
		if m != nil && method == methodComplete && r.Params != nil {
			return m.complete(ctx, r)
		}
	}
	return st.next(ctx, method, req)
}

// initialize stores the protocol version of a session, which the SDK's session does
// not expose, and adds the mount's capabilities to the result.
func (st *serverState) initialize(ctx context.Context, m *mount, method string, r *mcp.ServerRequest[*mcp.InitializeParams]) (mcp.Result, error) {
	res, err := st.next(ctx, method, r)
	result, ok := res.(*mcp.InitializeResult)
	if err != nil || !ok || result == nil {
		return res, err
	}
	if r.Session != nil && r.Params != nil && r.Params.ProtocolVersion != result.ProtocolVersion {
		key := weak.Make(r.Session)
		st.negotiated.Store(key, result.ProtocolVersion)
		runtime.AddCleanup(r.Session, func(key weak.Pointer[mcp.ServerSession]) { st.negotiated.Delete(key) }, key)
	}
	if result.ProtocolVersion < firstCompletions {
		return result, nil
	}
	changed := *result
	changed.Capabilities = m.capabilities(result.Capabilities)
	return &changed, nil
}

func (st *serverState) discover(ctx context.Context, m *mount, method string, r *mcp.ServerRequest[*mcp.DiscoverParams]) (mcp.Result, error) {
	res, err := st.next(ctx, method, r)
	result, ok := res.(*mcp.DiscoverResult)
	if err != nil || !ok || result == nil {
		return res, err
	}
	changed := *result
	changed.Capabilities = m.capabilities(result.Capabilities)
	return &changed, nil
}

// capabilities returns c with completion, if the mount has it. That of prompts
// is the SDK's doing, see placeholder.
func (m *mount) capabilities(c *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	if m == nil || !m.completes || c == nil || c.Completions != nil {
		return c
	}
	changed := *c
	changed.Completions = &mcp.CompletionCapabilities{}
	return &changed
}

const (
	// firstCompletions is the first protocol version with a capability for completions.
	firstCompletions = "2025-03-26"
	// newestStateful is the newest protocol version with sessions.
	newestStateful = "2025-11-25"
	// stateless is the first protocol version without sessions.
	stateless = "2026-07-28"
)

// version returns the protocol version that a request is answered in.
func (st *serverState) version(ss *mcp.ServerSession, meta map[string]any) string {
	if v, ok := meta[mcp.MetaKeyProtocolVersion].(string); ok && v >= stateless {
		return v
	}
	if ss == nil {
		return newestStateful
	}
	if v, ok := st.negotiated.Load(weak.Make(ss)); ok {
		return v.(string)
	}
	// What the client has asked for is what it has got, unless the SDK does not
	// know it.
	if p := ss.InitializeParams(); p != nil && p.ProtocolVersion < stateless {
		for _, v := range mcp.SupportedProtocolVersions() {
			if v == p.ProtocolVersion {
				return v
			}
		}
	}
	return newestStateful
}
