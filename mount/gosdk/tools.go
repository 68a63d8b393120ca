package gosdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// mountedSchema is the InputSchema of the tools of a mount, which are known by its type, even if the
// server's middleware copies tools.
type mountedSchema struct{ json.RawMessage }

func isMounted(tool *mcp.Tool) bool {
	_, ok := tool.InputSchema.(*mountedSchema)
	return ok
}

// newTools returns the tools of a feature in Options.Features, or nil if no feature has tools.
func (m *mount) newTools() *core.Entries[*mcp.Tool] {
	if !slices.Contains(m.Server.Methods(), methodCallTool) {
		return nil
	}
	return &core.Entries[*mcp.Tool]{
		Mount: m.Mount, Kind: "tool", Changing: new(sync.Mutex),
		All: core.Listed(context.Background(), m.Lister, "tools", prompts.CallOptions{Version: core.NewestStateful()}),
		Own: func(map[string]string) (map[string]bool, error) {
			names := map[string]bool{}
			return names, loopback(context.Background(), m.sdk, func(ss *mcp.ServerSession) error {
				return m.toolPages(context.Background(), &mcp.ListToolsRequest{Session: ss}, func(page *mcp.ListToolsResult) {
					for _, tool := range page.Tools {
						names[tool.Name] = names[tool.Name] || !isMounted(tool)
					}
				})
			})
		},
		Read: func(_, entry string) (*mcp.Tool, error) {
			tool := new(mcp.Tool)
			inputSchema, err := core.ReadTool(entry, tool)
			tool.InputSchema = &mountedSchema{inputSchema}
			return tool, err
		},
		Put: func(all ...*mcp.Tool) {
			for _, tool := range all {
				m.sdk.AddTool(tool, m.tool)
			}
		},
		Remove: m.sdk.RemoveTools,
	}
}

// toolPages calls f for each page of the server's tools, as they are for the client of a request.
func (m *mount) toolPages(ctx context.Context, as *mcp.ListToolsRequest, f func(page *mcp.ListToolsResult)) error {
	return core.Pages(func(cursor string) (string, error) {
		params := *cmp.Or(as.Params, new(mcp.ListToolsParams))
		params.Cursor = cmp.Or(cursor, params.Cursor)
		r := &mcp.ListToolsRequest{Session: as.Session, Params: &params, Extra: as.Extra}
		page, err := nativeResult[mcp.ListToolsResult](ctx, m.state, methodListTools, r)
		if err != nil {
			return "", err
		}
		f(page)
		return page.NextCursor, nil
	})
}

func (m *mount) reportTools(ctx context.Context, listed []*mcp.Tool) {
	for _, tool := range listed {
		if tool != nil && !isMounted(tool) && m.tools.Wants(tool.Name) {
			m.ReportOwn(ctx, "tool", tool.Name)
		}
	}
}

func (m *mount) tool(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name := r.Params.Name
	if hasRun, ok := ctx.Value(hasRunKey{}).(*atomic.Bool); ok {
		hasRun.Store(true)
	}
	params := &struct {
		*mcp.CallToolParamsRaw
		InputResponses map[string]any `json:"inputResponses,omitzero"`
	}{r.Params, exactResponses(r.Params.InputResponses)}
	raw, err := m.call(ctx, methodCallTool, r, params)
	if isMissing(err, "tool") { // so that a hidden tool is as one that does not exist
		err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown("tool", name)}
	}
	if err != nil {
		return nil, err
	}
	result, err := toolResult(raw)
	if err != nil {
		return nil, wireError(m.Unconverted(ctx, "tool", name, err))
	}
	return result, nil
}

type hasRunKey struct{}

// callTool answers tools/call if some tools may be hidden. A call of an unknown tool takes the way of
// a hidden one, so that our limits, checks and middleware reject both in the same way.
func (m *mount) callTool(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error) {
	hasRun := new(atomic.Bool) // as a tool of the mount
	res, err := m.state.next(context.WithValue(ctx, hasRunKey{}, hasRun), methodCallTool, r)
	if isUnknown(err, "tool", r.Params.Name) && !hasRun.Load() {
		res, err = m.tool(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// listTools answers tools/list. With Visible, the list is one page: a page of the SDK counts hidden
// tools, and its cursor may contain the name of one (v1.8.0 mcp/server.go:2244).
func (m *mount) listTools(ctx context.Context, r *mcp.ListToolsRequest) (mcp.Result, error) {
	if m.Options.Visible == nil {
		res, err := m.state.next(ctx, methodListTools, r)
		if page, ok := res.(*mcp.ListToolsResult); ok && page != nil {
			m.reportTools(ctx, page.Tools)
		}
		return res, err
	}
	var pages []*mcp.ListToolsResult
	err := m.toolPages(ctx, r, func(page *mcp.ListToolsResult) { pages = append(pages, page) })
	switch {
	case errors.Is(err, errForeign), errors.Is(err, core.ErrEndless):
		return nil, m.failure(ctx, methodListTools, err)
	case err != nil:
		return nil, err
	}
	visible, err := core.Named("tools", func(raw json.RawMessage) (json.RawMessage, error) {
		params := new(mcp.ListToolsParams)
		if err := json.Unmarshal(raw, params); err != nil {
			return nil, err
		}
		params.Meta = cmp.Or(r.Params, params).Meta
		return m.call(ctx, methodListTools, r, params)
	})
	if err != nil {
		return nil, err
	}
	result := *pages[0]
	result.NextCursor, result.CacheScope, result.Tools = "", "private", []*mcp.Tool{}
	for _, page := range pages {
		m.reportTools(ctx, page.Tools)
		for _, tool := range page.Tools {
			if !isMounted(tool) || visible[tool.Name] != "" {
				result.Tools = append(result.Tools, tool)
			}
		}
	}
	return &result, nil
}
