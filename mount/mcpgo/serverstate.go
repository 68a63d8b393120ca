package mcpgo

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// serverState is what a server needs of this package, once, however many registries
// come and go: filters and a completion provider, which the SDK has no way to
// take out again. Without a mount they do what the server did before.
type serverState struct {
	// changing is held by a mount that looks at what the server has, and changes
	// it: one mount must not take a name that another is about to have.
	changing    sync.Mutex
	nulls       nulls
	listChanged atomic.Bool // the capabilities promise notifications of changes
	// changing protects the fields below.
	prepared  bool // the hooks and filters are in
	completes bool // the provider is in

	mu       sync.RWMutex // protects the fields below
	mounts   []*mount
	provider server.PromptCompletionProvider // of the application, or nil
}

// tagKey is the member of the Meta of a prompt in the server that has a *tag.
// The filter takes it out of what clients get.
const tagKey = "github.com/mcp-prompts/prompts/mount/mcpgo"

// tag is a prompt that a mount has put into the server, by which it is known
// even when it is not there any more: a list may be on its way.
type tag struct {
	mount *mount
	put   mcp.Prompt
}

// tagged tags a prompt of the mount's own.
func (m *mount) tagged(p mcp.Prompt) mcp.Prompt {
	if p.Meta == nil {
		p.Meta = &mcp.Meta{AdditionalFields: map[string]any{}}
	}
	p.Meta.AdditionalFields[tagKey] = &tag{mount: m, put: p}
	return p
}

func tagOf(p *mcp.Prompt) *tag {
	if p.Meta == nil {
		return nil
	}
	t, _ := p.Meta.AdditionalFields[tagKey].(*tag)
	return t
}

func mountOf(p *server.ServerPrompt) *mount {
	if p == nil {
		return nil
	}
	if t := tagOf(&p.Prompt); t != nil {
		return t.mount
	}
	return nil
}

// ownOf returns the names of the server's own tools or resources, those that are not in added or
// that isOurs denies, and removes from added what is no longer there.
func ownOf[T any](present map[string]T, added map[string]string, isOurs func(there T) bool) map[string]bool {
	own := map[string]bool{}
	for name, there := range present {
		own[name] = added[name] == "" || !isOurs(there)
	}
	maps.DeleteFunc(added, func(name, _ string) bool { _, ok := present[name]; return !ok })
	return own
}

// isSameCode reports whether the handler of a tool or resource of a server is a method of this
// package. A prompt has a tag in its Meta, which a filter takes out of each list. Resources have no
// filter, and clients would get the tag. The SDK keeps nothing else that distinguishes a tool of a
// mount from a tool that the application has added under the same name. The code of a method is the
// same for all its receivers, so ownOf checks by name that the tool is of the same mount, too. One
// gap remains: if the application deletes a tool of a mount, and another mount adds a tool of the
// same name, the first mount takes that for its own, and removes it at unmount.
func isSameCode(there, ours any) bool {
	return reflect.ValueOf(there).Pointer() == reflect.ValueOf(ours).Pointer()
}

// serverStates has the state of each server that has had a mount, which the server's filters
// keep alive.
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

func (st *serverState) hides() bool {
	return slices.ContainsFunc(st.all(), func(m *mount) bool { return m.Options.Visible != nil })
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

// isGone reports whether a prompt of the server is one that a mount hides from
// clients because it has left the registry, so that its name is free.
func isGone(p *server.ServerPrompt) bool {
	m := mountOf(p)
	if m == nil {
		return false
	}
	_, ok := m.lookup(p.Prompt.Name)
	return !ok
}

// owners returns the mount that each prompt of a list belongs to, or nil. An author's filter may
// have changed them, their Meta included: what is in the server under the name decides then. owners
// logs a prompt of the application that has replaced the one of a mount.
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
