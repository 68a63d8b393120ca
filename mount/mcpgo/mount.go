package mcpgo

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

const changeLongest = 200 * time.Millisecond

const maxGone = 256 // prompts that have left the registry and may stay in the server, unseen

// Options configures a [Mount].
type Options struct {
	// Server are the options of [prompts.NewServer]. The package documentation lists the
	// options that are an error.
	Server prompts.Options
	// Completions, if not nil, is the provider of [server.WithPromptCompletionProvider]. The server
	// has only one, so Mount replaces it, unless Server.DisableCompletions is set, and calls
	// Completions for prompts outside of the registry.
	Completions server.PromptCompletionProvider
}

// Mount adds the prompts of r to s, and keeps them in sync with the registry until unmount is called.
//
// Mount returns an error and changes nothing if s or r is nil, if an option is invalid or has no
// effect on a mount, or if s has a prompt with the same name as r ([prompts.ErrExists]), or a tool
// with the same name as a feature of package prompttools in Options.Features. Otherwise the tools
// of the feature become tools of s. Call the first Mount before the server starts. Further calls,
// and unmount, are allowed at any time. Several registries may be mounted on one server.
//
// unmount removes the prompts from s, with one notification. Safe for concurrent
// use, at any time and more than once. It does not wait for requests in progress.
func Mount(s *server.MCPServer, r *prompts.Registry, o Options) (unmount func(), err error) {
	if o.Completions != nil { // a nil pointer is a provider, and would panic at each completion
		if err := option.Check("mcpgo: Mount", struct{}{}, "Completions", o.Completions); err != nil {
			return nil, err
		}
	}
	base, err := core.NewMount("mcpgo", s != nil, r, o.Server, true)
	if err != nil {
		return nil, err
	}
	m := &mount{Mount: base, sdk: s, state: stateOf(s), own: o.Completions}
	m.prober = prompts.MustNewServer(newProbe(), prompts.Options{ElicitArguments: o.Server.ElicitArguments})
	m.prompts, m.tools = m.newPrompts(), m.newTools()
	return core.Follow(r.OnChange, changeLongest, m.begin, m.update, m.end)
}

type mount struct {
	*core.Mount
	sdk     *server.MCPServer
	state   *serverState
	own     server.PromptCompletionProvider // of the application, or nil
	prober  *prompts.Server                 // has the entries of newProbe
	prompts *core.Entries[server.ServerPrompt]
	tools   *core.Entries[server.ServerTool] // nil without any
	lists   atomic.Pointer[lists]            // since the last change of the registry; empty after unmount
}

func (m *mount) begin() error {
	m.state.changing.Lock()
	defer m.state.changing.Unlock()
	putPrompts, err := m.prompts.Begin()
	putTools, errTools := m.tools.Begin()
	if err := errors.Join(err, errTools); err != nil {
		return err
	}
	m.lists.Store(newLists(m.Registry))
	m.state.enter(m)
	m.state.prepare(m) // first, so that no client sees what is hidden
	putTools()
	putPrompts()
	return nil
}

func (m *mount) update() {
	m.lists.Store(newLists(m.Registry))
	if !m.prompts.Update() && m.state.listChanged.Load() {
		m.sdk.SendNotificationToAllClients(mcp.MethodNotificationPromptsListChanged, nil)
	}
	m.tools.Update()
}

func (m *mount) end() {
	m.lists.Store(new(lists))
	m.prompts.Clear()
	m.tools.Clear()
	m.state.leave(m)
	m.Flush()
}

// serverState is what a server has of this package, once, however many registries come and go:
// filters, hooks and a completion provider, which the SDK cannot take out again. Without a mount,
// they do nothing.
type serverState struct {
	nulls       nulls
	listChanged atomic.Bool // the capabilities promise notifications of changes

	// changing is held to look at the entries of the server, and to change them. It protects the
	// fields below.
	changing  sync.Mutex
	prepared  bool // the hooks and filters are in
	completes bool // the provider is in

	mu       sync.RWMutex // protects the fields below
	mounts   []*mount
	provider server.PromptCompletionProvider // of the application, or nil
}

// serverStates has the state of each server that has had a mount.
var serverStates core.States[server.MCPServer, serverState]

func stateOf(s *server.MCPServer) *serverState {
	return serverStates.Of(s, func() *serverState { return new(serverState) })
}

// all returns the mounts. enter and leave replace the slice.
func (st *serverState) all() []*mount {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return st.mounts
}

func (st *serverState) enter(m *mount) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mounts = append(slices.Clip(st.mounts), m)
}

func (st *serverState) leave(m *mount) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mounts = slices.DeleteFunc(slices.Clone(st.mounts), func(other *mount) bool { return other == m })
}

// owners returns the mount that each prompt of a list belongs to, or nil. Without a tag, which an
// application's filter may have removed, the server's prompt of the name decides. owners logs a
// prompt of the application that has replaced the one of a mount.
func (st *serverState) owners(ctx context.Context, list []mcp.Prompt) []*mount {
	var present map[string]*server.ServerPrompt
	owners := make([]*mount, len(list))
	for i, p := range list {
		if t := tagOf(&p); t != nil {
			owners[i] = t.mount
			continue
		}
		for _, m := range st.all() {
			if _, ok := m.lookup(p.Name); !ok {
				continue
			}
			if present == nil {
				present = m.sdk.ListPrompts()
			}
			switch there := present[p.Name]; {
			case mountOf(there) == m:
				owners[i] = m
			case there != nil && mountOf(there) == nil:
				m.ReportOwn(ctx, "prompt", p.Name)
			}
		}
	}
	return owners
}
