package gosdk

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/promptskills"
)

// serverState is what a server of the SDK has of this package: one receiving middleware, which
// passes everything on while nothing is mounted. The SDK cannot take a middleware out again, so a
// server gets one however often something is mounted there.
type serverState struct {
	next    mcp.MethodHandler          // everything that was there before; set before any request
	mounted atomic.Pointer[mount]      // nil if no prompts are
	skills  atomic.Pointer[skillMount] // nil if no skills are

	negotiated sync.Map // from weak.Pointer[mcp.ServerSession] to the version, where the client has asked for another one
}

// serverStates has the state of each server that has had a mount. Without it, each mount would
// leave another middleware behind, two mounts could not see each other, and Import could not
// call the handler below the mount.
var serverStates core.States[mcp.Server, serverState]

func stateOf(s *mcp.Server) *serverState {
	return serverStates.Of(s, func() *serverState {
		st := new(serverState)
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			st.next = next
			return st.handle
		})
		return st
	})
}

const (
	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
	// Of a feature of package prompttools.
	methodListTools = "tools/list"
	methodCallTool  = "tools/call"
)

func (st *serverState) handle(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	m := st.mounted.Load()
	switch r := req.(type) {
	case *mcp.ServerRequest[*mcp.InitializeParams], *mcp.ServerRequest[*mcp.DiscoverParams]:
		return st.declare(ctx, method, req)
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
		if m != nil && method == methodCallTool && m.tools != nil && m.Options.Visible != nil && r.Params != nil {
			return m.callTool(ctx, r)
		}
	case *mcp.CompleteRequest:
		if m != nil && method == methodComplete && r.Params != nil {
			return m.complete(ctx, r)
		}
	}
	return st.next(ctx, method, req)
}

// declare adds the capabilities of the mounts to the result of initialize or server/discover, and
// stores the protocol version of a session, which the SDK's session does not expose.
func (st *serverState) declare(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
	res, err := st.next(ctx, method, req)
	switch result := res.(type) {
	case *mcp.InitializeResult:
		r, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams])
		if result == nil || !ok {
			return res, err
		}
		if r.Session != nil && r.Params != nil && r.Params.ProtocolVersion != result.ProtocolVersion {
			key := weak.Make(r.Session)
			st.negotiated.Store(key, result.ProtocolVersion)
			runtime.AddCleanup(r.Session, func(key weak.Pointer[mcp.ServerSession]) { st.negotiated.Delete(key) }, key)
		}
		changed := *result
		changed.Capabilities = st.capabilities(result.Capabilities, core.HasCompletions(result.ProtocolVersion))
		return &changed, err
	case *mcp.DiscoverResult:
		if result == nil {
			return res, err
		}
		changed := *result
		changed.Capabilities = st.capabilities(result.Capabilities, true)
		return &changed, err
	}
	return res, err
}

// capabilities returns c with those of the mounts: completion, if the protocol version has the
// capability, and skills. That of prompts is the SDK's doing, see placeholder.
func (st *serverState) capabilities(c *mcp.ServerCapabilities, completions bool) *mcp.ServerCapabilities {
	changed := mcp.ServerCapabilities{}
	if c != nil {
		changed = *c
	}
	if m := st.mounted.Load(); m != nil && !m.Options.DisableCompletions && completions && changed.Completions == nil {
		changed.Completions = &mcp.CompletionCapabilities{}
	}
	if st.skills.Load() != nil {
		extensions := map[string]any{promptskills.Extension: map[string]any{"directoryRead": true}}
		maps.Copy(extensions, changed.Extensions)
		changed.Extensions = extensions
	}
	return &changed
}

func (st *serverState) version(ss *mcp.ServerSession, meta map[string]any) string {
	if v, _ := meta[mcp.MetaKeyProtocolVersion].(string); core.IsStateless(v) {
		return v
	}
	if ss == nil {
		return core.NewestStateful()
	}
	if v, ok := st.negotiated.Load(weak.Make(ss)); ok {
		return v.(string)
	}
	// What the client has asked for is what it has got, unless the SDK does not know it.
	if p := ss.InitializeParams(); p != nil && !core.IsStateless(p.ProtocolVersion) && slices.Contains(mcp.SupportedProtocolVersions(), p.ProtocolVersion) {
		return p.ProtocolVersion
	}
	return core.NewestStateful()
}
