package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// tools are the tools of a feature of package prompttools in Options.Features, as
// tools of the server.
type tools struct {
	mount *mount
	// added has the entries of the tools that the server has, by name. state.changing
	// is held to change it.
	added atomic.Pointer[map[string]string]
}

// newTools returns nil if no feature has tools.
func newTools(m *mount) *tools {
	if !slices.Contains(m.calls.Methods(), "tools/call") {
		return nil
	}
	t := &tools{mount: m}
	t.added.Store(&map[string]string{})
	return t
}

// owns reports whether a tool of the server is one of added.
func (t *tools) owns(added map[string]string, there *server.ServerTool) bool {
	return there != nil && added[there.Tool.Name] != "" && isHandler(there.Handler, t.call)
}

// update brings the server's tools up to date, with state.changing held. It returns an
// error for each tool that the server has already, which stays unchanged.
func (t *tools) update() error {
	if t == nil {
		return nil
	}
	ctx := context.Background()
	all, err := core.ListTools(func(params json.RawMessage) (json.RawMessage, error) {
		return t.mount.lister.Call(ctx, "tools/list", params, prompts.CallOptions{})
	})
	if err != nil {
		return fmt.Errorf("mcpgo: list the tools of Options.Features: %w", err)
	}
	added, present := maps.Clone(*t.added.Load()), t.mount.server.ListTools()
	var errs []error
	var put []server.ServerTool
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case present[name] != nil && !t.owns(added, present[name]):
			delete(added, name)
			errs = append(errs, core.Exists("mcpgo", "tool", name))
			continue
		case present[name] != nil && added[name] == all[name]:
			continue
		}
		tool, err := toolOf(all[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("mcpgo: tool %q: %w", name, err))
			continue
		}
		put = append(put, server.ServerTool{Tool: tool, Handler: t.call})
		added[name] = all[name]
	}
	t.added.Store(&added) // first, so that the filter knows each tool of the server
	if len(put) > 0 {
		t.mount.server.AddTools(put...)
	}
	kept := maps.Clone(added)
	maps.DeleteFunc(kept, func(name, _ string) bool { return all[name] == "" })
	if len(kept) < len(added) {
		t.mount.server.DeleteTools(slices.DeleteFunc(slices.Sorted(maps.Keys(added)), func(name string) bool {
			return all[name] != "" || !t.owns(added, present[name])
		})...)
	}
	t.added.Store(&kept)
	return errors.Join(errs...)
}

// remove removes the tools from the server, with state.changing held.
func (t *tools) remove() {
	if t == nil {
		return
	}
	added, present := *t.added.Load(), t.mount.server.ListTools()
	maps.DeleteFunc(present, func(_ string, there *server.ServerTool) bool { return !t.owns(added, there) })
	t.mount.server.DeleteTools(slices.Collect(maps.Keys(present))...)
	t.added.Store(&map[string]string{})
}

// toolOf returns the SDK's form of an entry. The schema stays unchanged.
func toolOf(entry string) (mcp.Tool, error) {
	var tool mcp.Tool
	var raw struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal([]byte(entry), &tool); err != nil {
		return tool, err
	}
	err := json.Unmarshal([]byte(entry), &raw)
	tool.InputSchema, tool.RawInputSchema = mcp.ToolInputSchema{}, raw.InputSchema
	return tool, err
}

// visible leaves out the tools of the mount that are hidden from the client.
func (t *tools) visible(ctx context.Context, all []mcp.Tool) []mcp.Tool {
	added := *t.added.Load()
	isOurs := func(tool mcp.Tool) bool {
		if added[tool.Name] == "" {
			return false
		}
		there := t.mount.server.GetTool(tool.Name)
		return there == nil || t.owns(added, there) // nil: just deleted
	}
	if !slices.ContainsFunc(all, isOurs) {
		return all
	}
	seen, err := core.ListTools(func(params json.RawMessage) (json.RawMessage, error) {
		return t.mount.call(ctx, "tools/list", params)
	})
	if err != nil && ctx.Err() == nil {
		t.mount.calls.Log(ctx, slog.LevelError, "cannot list tools", slog.Any("error", err)) // and all are hidden
	}
	return slices.DeleteFunc(slices.Clone(all), func(tool mcp.Tool) bool { return seen[tool.Name] == "" && isOurs(tool) })
}

// call is the handler of all tools.
func (t *tools) call(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: params: %w", err)
	}
	raw, err := t.mount.call(ctx, "tools/call", params)
	if err != nil {
		return nil, failure(ctx, err)
	}
	result, err := toolResult(raw)
	if err != nil {
		name := request.Params.Name
		return nil, internalError(ctx, t.mount.calls, cannotConvert, fmt.Sprintf("tool %q", name), slog.String("tool", name), err)
	}
	return result, nil
}
