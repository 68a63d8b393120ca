package mcpgo

import (
	"context"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
)

// host is what a server needs of this package, once, however many registries
// come and go: a filter and a completion provider, which the SDK has no way to
// take out again. Without a mount they do what the server did before.
type host struct {
	// changing is held by a mount that looks at what the server has, and changes
	// it: one mount must not take a name that another is about to have.
	changing sync.Mutex

	mu          sync.RWMutex // protects the fields below
	prepared    bool         // the filter is in
	completes   bool         // the provider is in
	listChanged bool
	mounts      []*mount
	provider    server.PromptCompletionProvider // the author's, or nil
}

// markKey is the member of the Meta of a prompt in the server that has a *marked.
// The filter takes it out of what clients get.
const markKey = "github.com/mcp-prompts/prompts/mount/mcpgo"

// marked is a prompt that a mount has put into the server, by which it is known
// even when it is not there any more: a list may be on its way.
type marked struct {
	mount *mount
	put   mcp.Prompt
}

// mark returns a prompt with a mark, for the server.
func (m *mount) mark(p mcp.Prompt) mcp.Prompt {
	meta := mcp.Meta{}
	if p.Meta != nil {
		meta = *p.Meta
	}
	mark := &marked{mount: m}
	meta.AdditionalFields = maps.Clone(meta.AdditionalFields)
	if meta.AdditionalFields == nil {
		meta.AdditionalFields = map[string]any{}
	}
	meta.AdditionalFields[markKey] = mark
	p.Meta = &meta
	mark.put = p
	return p
}

// markOf returns the mark of a prompt, or nil.
func markOf(p *mcp.Prompt) *marked {
	if p.Meta == nil {
		return nil
	}
	mark, _ := p.Meta.AdditionalFields[markKey].(*marked)
	return mark
}

// mountOf returns the mount that a prompt of a server belongs to, or nil.
func mountOf(p *server.ServerPrompt) *mount {
	if p == nil {
		return nil
	}
	if mark := markOf(&p.Prompt); mark != nil {
		return mark.mount
	}
	return nil
}

// hosts has the host of each server that has had a mount. The SDK's server has no
// place for it but its filters, which cannot be got from it. Nothing is kept alive
// by it: a host is kept by its server's filters.
var (
	hostsMu sync.Mutex // protects hosts
	hosts   = map[weak.Pointer[server.MCPServer]]weak.Pointer[host]{}
)

// hostOf returns the server's host.
func hostOf(s *server.MCPServer) *host {
	hostsMu.Lock()
	defer hostsMu.Unlock()
	key := weak.Make(s)
	known, ok := hosts[key]
	if h := known.Value(); h != nil {
		return h
	}
	h := &host{}
	hosts[key] = weak.Make(h)
	if !ok {
		runtime.AddCleanup(s, forgetHost, key)
	}
	return h
}

func forgetHost(key weak.Pointer[server.MCPServer]) {
	hostsMu.Lock()
	defer hostsMu.Unlock()
	delete(hosts, key)
}

func isNil(p server.PromptCompletionProvider) bool {
	if p == nil {
		return true
	}
	v := reflect.ValueOf(p)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// hasProvider reports whether the author has given the server a completion
// provider. The SDK has a way to set it and none to get it, but its type can be
// looked at.
func hasProvider(s *server.MCPServer) bool {
	field := reflect.ValueOf(s).Elem().FieldByName("promptCompletionProvider")
	if !field.IsValid() || field.Kind() != reflect.Interface || field.IsNil() {
		return false
	}
	t := field.Elem().Type()
	return t != reflect.TypeFor[*server.DefaultPromptCompletionProvider]() && t != reflect.TypeFor[*provider]()
}

// prepare gives the server what it does not have yet, with changing held: the
// SDK's fields for that have no lock.
func (h *host) prepare(s *server.MCPServer, o prompts.Options, own server.PromptCompletionProvider) {
	h.mu.Lock()
	filter := !h.prepared
	complete := !o.DisableCompletions && !h.completes
	notify := !o.DisableListChanged && !h.listChanged
	h.prepared, h.completes, h.listChanged = true, h.completes || complete, h.listChanged || notify
	if !isNil(own) {
		h.provider = own
	}
	h.mu.Unlock()
	if filter {
		server.WithPromptFilter(h.filter)(s)
	}
	if complete {
		server.WithCompletions()(s)
		server.WithPromptCompletionProvider(&provider{h})(s)
	}
	if notify {
		server.WithPromptCapabilities(true)(s)
	}
}

// notifies reports whether clients have been told that they will hear of changes.
func (h *host) notifies() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.listChanged
}

// enter makes a mount known to the completion provider.
func (h *host) enter(m *mount) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mounts = append(slices.Clip(h.mounts), m) // those who read the old slice go on with it
}

// leave ends what the host knows of a mount.
func (h *host) leave(m *mount) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mounts = slices.DeleteFunc(slices.Clone(h.mounts), func(other *mount) bool { return other == m })
}

// isGone reports whether a prompt of the server is one that a mount keeps from
// clients because it has left the registry, so that its name is free.
func isGone(p *server.ServerPrompt) bool {
	m := mountOf(p)
	if m == nil {
		return false
	}
	v := m.view.Load()
	return v == nil || !v.has(p.Prompt.Name)
}

// owners returns the mount that each prompt of a list belongs to, or nil. An
// author's filter may have changed them, their Meta included: what is in the
// server under the name decides then.
func (h *host) owners(list []mcp.Prompt) []*mount {
	h.mu.RLock()
	mounts := h.mounts
	h.mu.RUnlock()
	var present map[string]*server.ServerPrompt
	owners := make([]*mount, len(list))
	for i, p := range list {
		if mark := markOf(&p); mark != nil {
			owners[i] = mark.mount
			continue
		}
		for _, m := range mounts {
			if v := m.view.Load(); v == nil || !v.has(p.Name) {
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

// filter is called by the server with what it is about to list, in the order of
// names, and with the one prompt that a client wants to get. It gives ours the
// form that the client's revision has for them, and takes out what the client
// may not know of and what is no longer in the registry. What an author's filter
// has changed stays as it is.
func (h *host) filter(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
	owners := h.owners(list)
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
		if v := m.view.Load(); v != nil {
			shown[m] = v.shown(ctx, names, len(list) > 1)
		}
	}
	kept := make([]mcp.Prompt, 0, len(list))
	for i, p := range list {
		if owners[i] == nil {
			kept = append(kept, p)
		} else if entry, ok := shown[owners[i]][p.Name]; ok {
			if mark := markOf(&p); mark == nil || isChanged(p, mark.put) {
				entry = unmarked(p, entry.Meta)
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

// unmarked returns a prompt that an author's filter has changed as a client may
// have it. meta is what ours has.
func unmarked(p mcp.Prompt, meta *mcp.Meta) mcp.Prompt {
	mark := markOf(&p)
	switch {
	case mark == nil: // theirs
	case p.Meta == mark.put.Meta:
		p.Meta = meta
	default:
		theirs := *p.Meta
		theirs.AdditionalFields = maps.Clone(theirs.AdditionalFields)
		delete(theirs.AdditionalFields, markKey)
		p.Meta = &theirs
	}
	return p
}

// isSame reports whether a and b are one and the same slice.
func isSame[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
