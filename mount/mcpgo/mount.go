package mcpgo

import (
	"encoding/json"
	"errors"
	"maps"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

const changeLongest = 200 * time.Millisecond

// maxGone is how many prompts that have left the registry may stay in the server, unseen.
const maxGone = 256

// Options configures a [Mount].
type Options struct {
	// Server are the options of [prompts.NewServer]. The package documentation lists the
	// options that are an error.
	Server prompts.Options
	// Completions is the completion provider of the server from
	// [server.WithPromptCompletionProvider], or nil. The server has only one provider, so
	// Mount replaces it, unless Server.DisableCompletions is set, and calls Completions
	// for prompts outside of the registry.
	Completions server.PromptCompletionProvider
}

// Mount adds the prompts of r to s, in addition to the prompts of s, and keeps them
// in sync with the registry until unmount is called.
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
	lists   atomic.Pointer[lists]            // since the last change of the registry; nil after unmount
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

// update brings the server up to date, with one notification.
func (m *mount) update() {
	m.lists.Store(newLists(m.Registry))
	if !m.prompts.Update() && m.state.listChanged.Load() {
		m.sdk.SendNotificationToAllClients(mcp.MethodNotificationPromptsListChanged, nil)
	}
	m.tools.Update()
}

func (m *mount) end() {
	m.lists.Store(nil)
	m.prompts.Clear()
	m.tools.Clear()
	m.state.leave(m)
	m.Flush()
}

// newPrompts returns the prompts of the registry as prompts of the server, with the list entries
// of the newest protocol version. Each of the SDK's methods notifies clients, so one is called: if
// there are prompts to put, those that have left the registry stay in the server until the next
// change, and the filter hides them from clients. Only if they get too many are clients notified
// twice.
func (m *mount) newPrompts() *core.Entries[server.ServerPrompt] {
	return &core.Entries[server.ServerPrompt]{
		Mount: m.Mount, Kind: "prompt", Changing: &m.state.changing,
		All: core.Listed(m.Lister, "prompts/list", "prompts", mcp.LATEST_PROTOCOL_VERSION),
		Own: func(added map[string]string) (map[string]bool, error) {
			present, own := m.sdk.ListPrompts(), map[string]bool{}
			for name, there := range present {
				own[name] = mountOf(there) != m && !isGone(there)
			}
			maps.DeleteFunc(added, func(name, _ string) bool { return mountOf(present[name]) != m })
			return own, nil
		},
		Read: func(_, entry string) (server.ServerPrompt, error) {
			p, err := promptOf(json.RawMessage(entry))
			return server.ServerPrompt{Prompt: m.tagged(p), Handler: m.get}, err
		},
		Put: m.sdk.AddPrompts, Remove: m.sdk.DeletePrompts,
		Keep: func(put, gone int) bool { return put > 0 && gone <= maxGone },
	}
}
