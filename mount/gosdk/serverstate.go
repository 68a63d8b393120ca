package gosdk

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
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

const (
	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
	// Of a feature of package prompttools.
	methodListTools = "tools/list"
	methodCallTool  = "tools/call"
)

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

type requestKey struct{}

type caller struct {
	state  *serverState
	server *prompts.Server
}

type mount struct {
	caller
	sdk           *mcp.Server
	registry      *prompts.Registry
	visible       core.IsVisible // Options.Visible
	hasMiddleware bool
	completes     bool
	// completions completes arguments without completions of their own; nil for none.
	completions func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error)
	tools       *core.Entries[*mcp.Tool] // nil without any
	reported    core.Reported            // names of the server's own prompts and tools
	gotten      sync.Map                 // names of prompts that the server or a middleware has answered
}

func (m *mount) has(name string) bool {
	_, ok := m.registry.Lookup(name)
	return ok
}

// shows reports whether the registry has a prompt of that name that the client of the request
// may see.
func (m *mount) shows(ctx context.Context, r mcp.Request, name string) bool {
	p, ok := m.registry.Lookup(name)
	return ok && core.Visible(context.WithValue(ctx, requestKey{}, r), m.server, m.visible, p)
}

func (m *mount) reportOwn(ctx context.Context, kind, name string) {
	m.reported.Report(ctx, m.server, "gosdk", kind, name, kind == "prompt")
}

// hasOwn reports whether the server lists a prompt of its own with the name, if it is asked
// for the first time.
func (m *mount) hasOwn(ctx context.Context, name string) (is bool) {
	if _, isKnown := m.gotten.LoadOrStore(name, true); isKnown {
		return false
	}
	_ = m.state.walk(ctx, m.sdk, func(p *mcp.Prompt) { is = is || p.Name == name }) // after an error, a list reports the name
	return is
}

// placeholder is a prompt that the SDK's server has while a registry is mounted. No client sees it.
// With the placeholder, the SDK declares the capability and accepts subscriptions. When the
// registry changes, the mount adds the placeholder again, and the SDK notifies the clients.
const placeholder = "io.github.mcp-prompts/mount"

func isPlaceholder(p *mcp.Prompt) bool { return p != nil && p.Name == placeholder }

type skillMount struct {
	caller
	sdk       *mcp.Server
	registry  *promptskills.Registry
	isListed  bool
	resources *core.Entries[*mcp.Resource]
	put       map[string]*mcp.Resource // of the mount, as in the server's list, by URI; of one goroutine at a time
}
