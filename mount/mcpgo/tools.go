package mcpgo

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// newTools returns the tools of a feature of package prompttools in Options.Features, as tools
// of the server, or nil if no feature has tools.
func (m *mount) newTools() *core.Entries[server.ServerTool] {
	if !slices.Contains(m.Server.Methods(), "tools/call") {
		return nil
	}
	return &core.Entries[server.ServerTool]{
		Mount: m.Mount, Kind: "tool", Changing: &m.state.changing,
		All: core.Listed(m.Lister, "tools/list", "tools", core.NewestStateful()),
		Own: func(added map[string]string) (map[string]bool, error) {
			return ownOf(m.sdk.ListTools(), added, m.isHandler), nil
		},
		Read: func(_, entry string) (server.ServerTool, error) {
			tool, err := toolOf(entry)
			return server.ServerTool{Tool: tool, Handler: m.tool}, err
		},
		Put: m.sdk.AddTools, Remove: m.sdk.DeleteTools,
	}
}

func (m *mount) isHandler(there *server.ServerTool) bool { return isSameCode(there.Handler, m.tool) }

func (m *mount) reportTools(ctx context.Context, listed []mcp.Tool) {
	for _, tool := range listed {
		if there := m.sdk.GetTool(tool.Name); m.tools.Wants(tool.Name) && there != nil && !m.isHandler(there) {
			m.ReportOwn(ctx, "tool", tool.Name)
		}
	}
}

func toolOf(entry string) (mcp.Tool, error) {
	var tool mcp.Tool
	inputSchema, err := core.ReadTool(entry, &tool)
	tool.InputSchema, tool.RawInputSchema = mcp.ToolInputSchema{}, inputSchema
	return tool, err
}

// visibleTools leaves out the tools of the mount that are hidden from the client.
func (m *mount) visibleTools(ctx context.Context, all []mcp.Tool) []mcp.Tool {
	isOurs := func(tool mcp.Tool) bool {
		if !m.tools.Has(tool.Name) {
			return false
		}
		there := m.sdk.GetTool(tool.Name)
		return there == nil || m.isHandler(there) // nil: just deleted
	}
	if !slices.ContainsFunc(all, isOurs) {
		return all
	}
	seen, err := core.Named("tools", func(params json.RawMessage) (json.RawMessage, error) {
		return m.call(ctx, "tools/list", params)
	})
	if err != nil && ctx.Err() == nil {
		m.Server.Log(ctx, slog.LevelError, "cannot list tools", slog.Any("error", err)) // and all are hidden
	}
	return slices.DeleteFunc(slices.Clone(all), func(tool mcp.Tool) bool { return seen[tool.Name] == "" && isOurs(tool) })
}

func (m *mount) tool(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return answer(ctx, m, "tools/call", "tool", request.Params.Name, request.Params, toolResult)
}
