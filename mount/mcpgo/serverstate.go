package mcpgo

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"weak"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// serverState is what a server needs of this package, once, however many registries
// come and go: filters and a completion provider, which the SDK has no way to
// take out again. Without a mount they do what the server did before.
type serverState struct {
	// changing is held by a mount that looks at what the server has, and changes
	// it: one mount must not take a name that another is about to have.
	changing sync.Mutex
	nulls    nulls
	// changing protects the fields below.
	prepared     bool // the filter is in
	filtersTools bool // the filter of tools is in
	completes    bool // the provider is in
	listChanged  bool // the capabilities promise notifications of changes

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

// tagged returns a prompt with a tag, for the server.
func (m *mount) tagged(p mcp.Prompt) mcp.Prompt {
	meta := mcp.Meta{}
	if p.Meta != nil {
		meta = *p.Meta
	}
	t := &tag{mount: m}
	meta.AdditionalFields = maps.Clone(meta.AdditionalFields)
	if meta.AdditionalFields == nil {
		meta.AdditionalFields = map[string]any{}
	}
	meta.AdditionalFields[tagKey] = t
	p.Meta = &meta
	t.put = p
	return p
}

// tagOf returns the tag of a prompt, or nil.
func tagOf(p *mcp.Prompt) *tag {
	if p.Meta == nil {
		return nil
	}
	t, _ := p.Meta.AdditionalFields[tagKey].(*tag)
	return t
}

// mountOf returns the mount that a prompt of a server belongs to, or nil.
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

// isSameCode reports whether the handler of a tool or resource of a server is a method
// of this package. A prompt has a tag in its Meta, which a filter takes out of each list.
// Resources have no filter, and clients would get the tag. The SDK keeps nothing else that
// distinguishes a tool of a mount from a tool that the application has added under the same
// name. The code of a method is the same for all its receivers, so ownOf checks by name that
// the tool is of the same mount, too. One gap remains: if the application deletes a tool
// of a mount, and another mount adds a tool of the same name, the first mount takes that for
// its own, and removes it at unmount.
func isSameCode(there, ours any) bool {
	return reflect.ValueOf(there).Pointer() == reflect.ValueOf(ours).Pointer()
}

// serverStates has the state of each server that has had a mount, which the server's filters
// keep alive.
var serverStates core.States[server.MCPServer, serverState]

// stateOf returns the state of a server.
func stateOf(s *server.MCPServer) *serverState {
	return serverStates.Of(s, func() *serverState { return new(serverState) })
}

func isNil(p server.PromptCompletionProvider) bool {
	if p == nil {
		return true
	}
	v := reflect.ValueOf(p)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// prepare gives the server what it does not have yet, with changing held: the
// SDK's fields for that have no lock.
func (st *serverState) prepare(s *server.MCPServer, o prompts.Options, own server.PromptCompletionProvider) {
	if !isNil(own) {
		st.mu.Lock()
		st.provider = own
		st.mu.Unlock()
	}
	if !st.prepared {
		st.prepared = true
		st.checkArguments(s)
		st.limitCaches(s)
		server.WithPromptFilter(st.filter)(s)
	}
	if !o.DisableCompletions && !st.completes {
		st.completes = true
		server.WithCompletions()(s)
		server.WithPromptCompletionProvider(&provider{st})(s)
	}
	if !o.DisableListChanged && !st.listChanged {
		st.listChanged = true
		server.WithPromptCapabilities(true)(s)
	}
}

// limitCaches adds hooks to the server that log tools with the names of tools of a mount, and
// mark a list as private, whatever
// server.WithCacheHints says, while Visible of a mount may hide something.
func (st *serverState) limitCaches(s *server.MCPServer) {
	own := weak.Make(s) // several servers may share their hooks
	limit := func(ctx context.Context, result mcp.CacheHintSetter) {
		info := server.RequestProtocolInfoFromContext(ctx)
		if info != nil && info.Modern && weak.Make(server.ServerFromContext(ctx)) == own && st.hides() {
			result.SetCacheHints(0, mcp.CacheScopePrivate)
		}
	}
	hooks := hooksOf(s)
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		limit(ctx, result)
	})
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		limit(ctx, result)
		if weak.Make(server.ServerFromContext(ctx)) == own {
			st.mu.RLock()
			mounts := st.mounts
			st.mu.RUnlock()
			for _, m := range mounts {
				m.reportTools(ctx, result.Tools)
			}
		}
	})
}

// hides reports whether a mount has Visible.
func (st *serverState) hides() bool {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return slices.ContainsFunc(st.mounts, func(m *mount) bool { return m.options.Visible != nil })
}

// prepareTools gives the server the filter of tools, with changing held.
func (st *serverState) prepareTools(s *server.MCPServer) {
	if !st.filtersTools {
		st.filtersTools = true
		server.WithToolFilter(st.filterTools)(s)
	}
}

// filterTools is called by the server with the tools that it is about to list, and
// with the one that a client calls.
func (st *serverState) filterTools(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	st.mu.RLock()
	mounts := st.mounts
	st.mu.RUnlock()
	for _, m := range mounts {
		if m.tools != nil && m.options.Visible != nil {
			list = m.visibleTools(ctx, list)
		}
	}
	return list
}

// enter makes a mount known to the completion provider.
func (st *serverState) enter(m *mount) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mounts = append(slices.Clip(st.mounts), m) // readers of the old slice keep using it
}

// leave ends what the state knows of a mount.
func (st *serverState) leave(m *mount) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mounts = slices.DeleteFunc(slices.Clone(st.mounts), func(other *mount) bool { return other == m })
}

// isGone reports whether a prompt of the server is one that a mount keeps from
// clients because it has left the registry, so that its name is free.
func isGone(p *server.ServerPrompt) bool {
	m := mountOf(p)
	if m == nil {
		return false
	}
	v := m.snapshot.Load()
	return v == nil || !v.has(p.Prompt.Name)
}

// owners returns the mount that each prompt of a list belongs to, or nil. An
// author's filter may have changed them, their Meta included: what is in the
// server under the name decides then.
func (st *serverState) owners(list []mcp.Prompt) []*mount {
	st.mu.RLock()
	mounts := st.mounts
	st.mu.RUnlock()
	var present map[string]*server.ServerPrompt
	owners := make([]*mount, len(list))
	for i, p := range list {
		if t := tagOf(&p); t != nil {
			owners[i] = t.mount
			continue
		}
		for _, m := range mounts {
			if v := m.snapshot.Load(); v == nil || !v.has(p.Name) {
				continue
			}
			if present == nil {
				present = m.server.ListPrompts()
			}
			if mountOf(present[p.Name]) == m {
				owners[i] = m
			}
		}
	}
	return owners
}

// filter is called by the server with the prompts to list, in the order of names, and
// with the single prompt of a prompts/get. Prompts of a registry get the list entry
// for the client's protocol version. Prompts that are hidden from the client, or that
// have left the registry, are removed. Changes by the application's own filter are kept.
func (st *serverState) filter(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
	owners := st.owners(list)
	names := map[*mount][]string{}
	for i, p := range list {
		if m := owners[i]; m != nil {
			names[m] = append(names[m], p.Name)
		}
	}
	if len(names) == 0 {
		return list
	}
	shown := make(map[*mount]map[string]mcp.Prompt, len(names))
	for m, names := range names {
		if v := m.snapshot.Load(); v != nil {
			shown[m] = v.shown(ctx, names, len(list) > 1)
		}
	}
	kept := make([]mcp.Prompt, 0, len(list))
	for i, p := range list {
		if owners[i] == nil {
			kept = append(kept, p)
		} else if entry, ok := shown[owners[i]][p.Name]; ok {
			if t := tagOf(&p); t == nil || isChanged(p, t.put) {
				entry = untagged(p, entry.Meta)
			}
			kept = append(kept, entry)
		}
	}
	return kept
}

// isChanged reports whether an author's filter has changed a prompt that was put
// into the server.
func isChanged(p, put mcp.Prompt) bool {
	return p.Meta != put.Meta || p.Title != put.Title || p.Description != put.Description ||
		!isSame(p.Arguments, put.Arguments) || !isSame(p.Icons, put.Icons)
}

// untagged returns a prompt that an author's filter has changed as a client may
// have it. meta is what ours has.
func untagged(p mcp.Prompt, meta *mcp.Meta) mcp.Prompt {
	t := tagOf(&p)
	switch {
	case t == nil: // theirs
	case p.Meta == t.put.Meta:
		p.Meta = meta
	default:
		theirs := *p.Meta
		theirs.AdditionalFields = maps.Clone(theirs.AdditionalFields)
		delete(theirs.AdditionalFields, tagKey)
		p.Meta = &theirs
	}
	return p
}

// isSame reports whether a and b are one and the same slice.
func isSame[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
