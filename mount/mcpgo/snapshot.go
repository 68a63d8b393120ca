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

// newest is the protocol version whose list entries have all members.
const newest = mcp.LATEST_PROTOCOL_VERSION

func newSnapshot(m *mount) *snapshot {
	s := &snapshot{mount: m, prompts: make(map[string]prompts.Prompt, m.registry.Len()), made: map[string]func() map[string]mcp.Prompt{}}
	for p := range m.registry.All() {
		s.prompts[p.Name] = p
	}
	return s
}

// entries returns the list entries of a protocol version by name. They are not to be changed.
func (s *snapshot) entries(version string) map[string]mcp.Prompt {
	s.mu.Lock()
	entries := s.made[version]
	if entries == nil {
		entries = sync.OnceValue(func() map[string]mcp.Prompt {
			entries, err := readLists(func(params json.RawMessage) (json.RawMessage, error) {
				return s.mount.lister.Call(context.Background(), "prompts/list", params, prompts.CallOptions{Version: version})
			})
			if err != nil {
				s.mount.calls.Log(context.Background(), slog.LevelError, "cannot list prompts", slog.String("version", version), slog.Any("error", err))
			}
			return entries
		})
		s.made[version] = entries
	}
	s.mu.Unlock() // first, since a logger may block
	return entries()
}

// readLists returns the prompts of all pages of prompts/list by name: a page has a limit
// in bytes, whatever its PageSize. call answers prompts/list.
func readLists(call func(params json.RawMessage) (json.RawMessage, error)) (map[string]mcp.Prompt, error) {
	all := map[string]mcp.Prompt{}
	err := core.Walk(call, func(page json.RawMessage) error {
		_, err := core.ReadPrompts(page, func(entry json.RawMessage, meta map[string]any) (p mcp.Prompt, err error) {
			err = json.Unmarshal(entry, &p)
			p.Meta = metaOf(meta)
			all[p.Name] = p
			return p, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// shown returns the entries that the client in ctx gets of a list. isList says
// that it is a list for sure, and not one prompt that is about to be got.
func (s *snapshot) shown(ctx context.Context, names []string, isList bool) map[string]mcp.Prompt {
	version := versionOf(ctx)
	entries := s.entries(version)
	o := s.mount.options
	if o.Middleware != nil && (isList || len(s.prompts) == 1) {
		return s.listed(ctx, version)
	}
	shown := make(map[string]mcp.Prompt, len(names))
	for _, name := range names {
		p, ok := s.prompts[name]
		if !ok || !s.visible(ctx, p) {
			continue
		}
		if entry, ok := entries[name]; ok {
			shown[name] = entry
		}
	}
	return shown
}

func (s *snapshot) listed(ctx context.Context, version string) map[string]mcp.Prompt {
	entries, err := readLists(func(params json.RawMessage) (json.RawMessage, error) {
		return s.mount.call(ctx, "prompts/list", params)
	})
	if err != nil && ctx.Err() == nil {
		s.mount.calls.Log(ctx, slog.LevelError, "cannot list prompts", slog.String("version", version), slog.Any("error", err))
	}
	return entries
}

func (s *snapshot) visible(ctx context.Context, p prompts.Prompt) bool {
	return core.Visible(ctx, s.mount.calls, s.mount.options.Visible, p)
}
