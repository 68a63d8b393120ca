package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// The methods of a feature of package prompttools.
const (
	methodListTools = "tools/list"
	methodCallTool  = "tools/call"
)

// tools are the tools of a feature in Options.Features, as tools of the SDK's server.
type tools struct {
	mount  *mount
	lister *prompts.Server   // lists all tools, whoever may see them
	filter bool              // some may be hidden
	added  map[string]string // the entries of the tools that the server has, by name
}

// mountedSchema is the InputSchema of the tools of a mount. Its type differs from that of the
// server's own tools, even if the server's middleware copies tools.
type mountedSchema struct{ json.RawMessage }

// isMounted reports whether a tool in the server's list is one of a mount. A tool of the
// server's own may have the same name.
func isMounted(tool *mcp.Tool) bool {
	_, ok := tool.InputSchema.(*mountedSchema)
	return ok
}

// toolOf returns the SDK's form of an entry. The schema stays unchanged.
func toolOf(entry string) (*mcp.Tool, error) {
	tool := new(mcp.Tool)
	var raw struct {
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal([]byte(entry), tool); err != nil {
		return nil, err
	}
	err := json.Unmarshal([]byte(entry), &raw)
	tool.InputSchema = &mountedSchema{raw.InputSchema}
	return tool, err
}

// newTools returns nil if no feature has tools.
func newTools(m *mount, o prompts.Options) (*tools, error) {
	if !slices.Contains(m.server.Methods(), methodCallTool) {
		return nil, nil
	}
	lister, err := prompts.NewServer(m.registry, prompts.Options{Features: o.Features, Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("gosdk: %w", err)
	}
	return &tools{mount: m, lister: lister, filter: o.Visible != nil, added: map[string]string{}}, nil
}

// native returns the names of the server's own tools.
func (t *tools) native(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	err := loopback(ctx, t.mount.sdk, func(ss *mcp.ServerSession) error {
		cursor := ""
		for range maxPages {
			res, err := t.mount.state.next(ctx, methodListTools, &mcp.ListToolsRequest{Session: ss, Params: &mcp.ListToolsParams{Cursor: cursor}})
			page, ok := res.(*mcp.ListToolsResult)
			if err != nil || !ok || page == nil {
				return err
			}
			for _, tool := range page.Tools {
				if !isMounted(tool) {
					names[tool.Name] = true
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return nil
			}
		}
		return errPages
	})
	return names, err
}

// update brings the server's tools up to date. If the server has a tool of its own with
// the same name, update keeps that tool unchanged and returns an error. Only Mount and
// the mount's goroutine call update.
func (t *tools) update(ctx context.Context) error {
	if t == nil {
		return nil
	}
	all, err := core.ListTools(func(params json.RawMessage) (json.RawMessage, error) {
		return t.lister.Call(ctx, methodListTools, params, prompts.CallOptions{})
	})
	if err != nil {
		return fmt.Errorf("gosdk: list the tools of Options.Features: %w", err)
	}
	native, err := t.native(ctx)
	if err != nil {
		return fmt.Errorf("gosdk: list the server's tools: %w", err)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		entry := all[name]
		if native[name] {
			delete(t.added, name)
			errs = append(errs, core.Exists("gosdk", "tool", name))
			continue
		}
		if t.added[name] == entry {
			continue
		}
		tool, err := toolOf(entry)
		if err != nil {
			errs = append(errs, fmt.Errorf("gosdk: tool %q: %w", name, err))
			continue
		}
		t.mount.sdk.AddTool(tool, t.call)
		t.added[name] = entry
	}
	var gone []string
	for name := range t.added {
		if _, ok := all[name]; !ok {
			delete(t.added, name)
			if !native[name] {
				gone = append(gone, name)
			}
		}
	}
	if len(gone) > 0 {
		t.mount.sdk.RemoveTools(gone...)
	}
	return errors.Join(errs...)
}

// remove removes the tools of the mount from the server.
func (t *tools) remove() {
	if t == nil || len(t.added) == 0 {
		return
	}
	native, err := t.native(context.Background())
	if err != nil {
		t.mount.server.Log(context.Background(), slog.LevelWarn, "cannot list the server's tools", slog.Any("error", err))
	}
	maps.DeleteFunc(t.added, func(name, _ string) bool { return native[name] })
	t.mount.sdk.RemoveTools(slices.Sorted(maps.Keys(t.added))...)
}

// call is the handler of all tools.
func (t *tools) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	m := t.mount
	members := map[string]any{"name": r.Params.Name}
	if len(r.Params.Arguments) > 0 {
		members["arguments"] = r.Params.Arguments
	}
	if r.Params.InputResponses != nil {
		members["inputResponses"] = answers(r.Params.InputResponses)
	}
	if r.Params.RequestState != "" {
		members["requestState"] = r.Params.RequestState
	}
	req, err := m.newRequest(r, r.Session, r.Params.Meta, members)
	if err != nil {
		return nil, m.failure(ctx, methodCallTool, err)
	}
	raw, err := m.call(ctx, methodCallTool, req)
	if err != nil {
		if isNoTool(err) { // so that a hidden tool is as one that does not exist
			return nil, &noToolError{&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknownTool(r.Params.Name)}}
		}
		return nil, err
	}
	result, err := toolResult(raw)
	if err != nil {
		return nil, internalError(ctx, m.server, cannotConvert, fmt.Sprintf("tool %q", r.Params.Name), slog.String("tool", r.Params.Name), err)
	}
	return result, nil
}

// noToolError is the error of call for a tool that does not exist or that is hidden. It is that
// of the SDK, but for its type.
type noToolError struct{ wire *jsonrpc.Error }

func (e *noToolError) Error() string { return e.wire.Error() }

func (e *noToolError) Unwrap() error { return e.wire }

// unknownTool returns the message of the SDK's error for an unknown tool (v1.8.0
// mcp/server.go:1010).
func unknownTool(name string) string { return fmt.Sprintf("unknown tool %q", name) }

// callTool answers tools/call if some tools may be hidden. A tool that the server does not have
// takes the way of a hidden one: our server has limits, checks and middleware, which must
// reject both in the same way.
func (m *mount) callTool(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error) {
	res, err := m.state.next(ctx, methodCallTool, r)
	var unknown *jsonrpc.Error
	if none := (*noToolError)(nil); errors.As(err, &none) {
		return nil, none.wire
	}
	if !errors.As(err, &unknown) || unknown.Code != jsonrpc.CodeInvalidParams || len(unknown.Data) > 0 || unknown.Message != unknownTool(r.Params.Name) {
		return res, err
	}
	result, err := m.tools.call(ctx, r)
	if none := (*noToolError)(nil); errors.As(err, &none) {
		err = none.wire
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// isNoTool reports whether an error says that a tool does not exist.
func isNoTool(err error) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		return false
	}
	var data map[string]json.RawMessage
	return json.Unmarshal(e.Data, &data) == nil && data["tool"] != nil
}

// listTools answers tools/list: the server's list without the tools that are hidden
// from the client. The list is one page, because a page of the SDK counts hidden tools, and
// its cursor may contain the name of one (v1.8.0 mcp/server.go:2244).
func (m *mount) listTools(ctx context.Context, r *mcp.ListToolsRequest) (mcp.Result, error) {
	var result *mcp.ListToolsResult
	params := new(mcp.ListToolsParams)
	if r.Params != nil {
		*params = *r.Params
	}
	for n := 0; n == 0 || params.Cursor != ""; n++ {
		own := *params
		res, err := m.state.next(ctx, methodListTools, &mcp.ListToolsRequest{Session: r.Session, Params: &own, Extra: r.Extra})
		page, ok := res.(*mcp.ListToolsResult)
		switch {
		case err != nil || !ok || page == nil:
			return res, err
		case n == maxPages:
			return nil, m.failure(ctx, methodListTools, errPages)
		case n == 0:
			all := *page
			result = &all
		default:
			result.Tools = slices.Concat(result.Tools, page.Tools)
		}
		params.Cursor = page.NextCursor
	}
	result.NextCursor = ""
	visible, err := core.ListTools(func(params json.RawMessage) (json.RawMessage, error) {
		members := map[string]any{}
		if err := json.Unmarshal(params, &members); err != nil {
			return nil, err
		}
		var meta mcp.Meta
		if r.Params != nil {
			meta = r.Params.Meta
		}
		req, err := m.newRequest(r, r.Session, meta, members)
		if err != nil {
			return nil, err
		}
		return m.call(ctx, methodListTools, req)
	})
	if err != nil {
		return nil, err
	}
	result.CacheScope = "private"
	result.Tools = slices.DeleteFunc(append([]*mcp.Tool{}, result.Tools...), func(tool *mcp.Tool) bool {
		return isMounted(tool) && visible[tool.Name] == ""
	})
	return result, nil
}
