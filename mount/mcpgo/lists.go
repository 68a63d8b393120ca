package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// lists has the prompts of a registry, and their list entries for each protocol version and form of
// a list, all by name. They are not to be changed.
type lists struct {
	prompts map[string]prompts.Prompt

	mu      sync.Mutex // protects the field below
	entries map[string]func() map[string]mcp.Prompt
}

func newLists(r *prompts.Registry) *lists {
	l := &lists{prompts: make(map[string]prompts.Prompt, r.Len()), entries: map[string]func() map[string]mcp.Prompt{}}
	for p := range r.All() {
		l.prompts[p.Name] = p
	}
	return l
}

// lookup returns a prompt, as it was at the last change that the mount has followed.
func (m *mount) lookup(name string) (p prompts.Prompt, ok bool) {
	p, ok = m.lists.Load().prompts[name]
	return p, ok
}

// newProbe returns prompts whose list has each form that the server has for a known client.
func newProbe() *prompts.Registry {
	reg := new(prompts.Registry)
	for name, isRequired := range map[string]bool{"optional": false, "required": true} {
		reg.MustAdd(prompts.Prompt{
			Name: name, Arguments: []prompts.Argument{{Name: "a", Required: isRequired}},
			Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil },
		})
	}
	return reg
}

// entries returns the list entries for all clients of a protocol version and a form of lists.
func (m *mount) entries(l *lists, o prompts.CallOptions) map[string]mcp.Prompt {
	o = prompts.CallOptions{Version: o.Version, ClientInfo: o.ClientInfo}
	form, _ := m.prober.Call(context.Background(), "prompts/list", nil, o)
	key := o.Version + string(form)
	l.mu.Lock()
	entries := l.entries[key]
	if entries == nil {
		entries = sync.OnceValue(func() map[string]mcp.Prompt { return m.read(context.Background(), m.Lister, o) })
		l.entries[key] = entries
	}
	l.mu.Unlock() // first, since a logger may block
	return entries()
}

func (m *mount) read(ctx context.Context, s *prompts.Server, o prompts.CallOptions) map[string]mcp.Prompt {
	entries, err := core.Listed(ctx, s, "prompts", o)()
	all := make(map[string]mcp.Prompt, len(entries))
	for name, entry := range entries {
		p, failed := promptOf(entry)
		all[name], err = p, errors.Join(err, failed)
	}
	if err != nil {
		m.LogUnlisted(ctx, "prompt", err, slog.String("version", o.Version))
		return nil
	}
	return all
}

func promptOf(entry string) (p mcp.Prompt, err error) {
	parts, err := core.ReadResult(json.RawMessage(entry), &p)
	if err == nil {
		p.Meta = metaOf(parts.Meta)
	}
	return p, err
}

// shown returns the entries that the client in ctx gets of a list. isList is false if names may be
// that of a prompts/get.
func (m *mount) shown(ctx context.Context, names []string, isList bool) map[string]mcp.Prompt {
	l := m.lists.Load()
	if len(l.prompts) == 0 {
		return nil
	}
	client := m.client(ctx, nil)
	if m.Options.Middleware != nil && (isList || len(l.prompts) == 1) {
		return m.read(ctx, m.Server, client)
	}
	entries, shown := m.entries(l, client), make(map[string]mcp.Prompt, len(names))
	for _, name := range names {
		p, isThere := l.prompts[name]
		if entry, ok := entries[name]; ok && isThere && m.Shows(ctx, p) {
			shown[name] = entry
		}
	}
	return shown
}

// filterTools is called by the server with the tools to list, and with the tool to call.
func (st *serverState) filterTools(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	for _, m := range st.all() {
		if m.tools != nil && m.Options.Visible != nil {
			list = m.visibleTools(ctx, list)
		}
	}
	return list
}

// filter is called by the server with the prompts to list, in the order of names, and with the
// single prompt of a prompts/get. It gives prompts of a registry the list entry for the client,
// removes hidden prompts and those that have left the registry, and keeps the changes of the
// application's own filter.
func (st *serverState) filter(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
	owners := st.owners(ctx, list)
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
		shown[m] = m.shown(ctx, names, len(list) > 1)
	}
	kept := make([]mcp.Prompt, 0, len(list))
	for i, p := range list {
		if owners[i] == nil {
			kept = append(kept, p)
		} else if entry, ok := shown[owners[i]][p.Name]; ok {
			if t := tagOf(&p); t == nil || isChanged(p, t.put) {
				entry = untagged(p, t, entry.Meta)
			}
			kept = append(kept, entry)
		}
	}
	return kept
}

func isChanged(p, put mcp.Prompt) bool {
	return p.Meta != put.Meta || p.Title != put.Title || p.Description != put.Description ||
		!isSame(p.Arguments, put.Arguments) || !isSame(p.Icons, put.Icons)
}

// untagged returns a prompt that an application's filter has changed without the tag t, which may
// be nil. meta is that of the list entry.
func untagged(p mcp.Prompt, t *tag, meta *mcp.Meta) mcp.Prompt {
	if t != nil && p.Meta == t.put.Meta {
		p.Meta = meta
	} else if t != nil {
		theirs := *p.Meta
		theirs.AdditionalFields = maps.Clone(theirs.AdditionalFields)
		delete(theirs.AdditionalFields, tagKey)
		p.Meta = &theirs
	}
	return p
}

func isSame[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
