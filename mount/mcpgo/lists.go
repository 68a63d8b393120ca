package mcpgo

import (
	"context"
	"encoding/json"
	"log/slog"
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
	if l := m.lists.Load(); l != nil {
		p, ok = l.prompts[name]
	}
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

// entries returns the list entries for a client. Clients of one protocol version whose lists have
// the same form share them.
func (m *mount) entries(l *lists, o prompts.CallOptions) map[string]mcp.Prompt {
	o = prompts.CallOptions{Version: o.Version, ClientInfo: o.ClientInfo}
	form, _ := m.prober.Call(context.Background(), "prompts/list", nil, o)
	key := o.Version + string(form)
	l.mu.Lock()
	entries := l.entries[key]
	if entries == nil {
		entries = sync.OnceValue(func() map[string]mcp.Prompt {
			return m.read(context.Background(), o.Version, func(params json.RawMessage) (json.RawMessage, error) {
				return m.Lister.Call(context.Background(), "prompts/list", params, o)
			})
		})
		l.entries[key] = entries
	}
	l.mu.Unlock() // first, since a logger may block
	return entries()
}

// read returns the entries of a list by name. call answers prompts/list.
func (m *mount) read(ctx context.Context, version string, call func(params json.RawMessage) (json.RawMessage, error)) map[string]mcp.Prompt {
	all := map[string]mcp.Prompt{}
	err := core.Each("prompts", call, func(entry json.RawMessage) error {
		p, err := promptOf(entry)
		all[p.Name] = p
		return err
	})
	if err == nil {
		return all
	}
	if ctx.Err() == nil {
		m.Server.Log(ctx, slog.LevelError, "cannot list prompts", slog.String("version", version), slog.Any("error", err))
	}
	return nil
}

func promptOf(entry json.RawMessage) (p mcp.Prompt, err error) {
	if err = json.Unmarshal(entry, &p); err != nil {
		return p, err
	}
	meta, err := core.ReadMeta(entry)
	p.Meta = metaOf(meta)
	return p, err
}

// shown returns the entries that the client in ctx gets of a list. isList says
// that it is a list for sure, and not one prompt that is about to be got.
func (m *mount) shown(ctx context.Context, names []string, isList bool) map[string]mcp.Prompt {
	l := m.lists.Load()
	if l == nil {
		return nil
	}
	client := m.client(ctx, nil)
	if m.Options.Middleware != nil && (isList || len(l.prompts) == 1) {
		return m.read(ctx, client.Version, func(params json.RawMessage) (json.RawMessage, error) {
			return m.call(ctx, "prompts/list", params)
		})
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
