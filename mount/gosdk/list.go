package gosdk

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ownCursor is the prefix of a cursor into the server's own prompts. The SDK's
// cursor follows it. Cursors of this library contain no dot.
const ownCursor = "sdk."

// list answers prompts/list: first the prompts of the registry, then the server's own. A page
// continues after a name, so that no prompt is repeated or left out if prompts are added or removed
// between two pages. The registry's last page also contains the first page of the server's own
// prompts. The server's first page is read for every page of the registry: if the server rejects
// the request, the client may not list prompts.
func (m *mount) list(ctx context.Context, r *mcp.ListPromptsRequest) (mcp.Result, error) {
	params := r.Params
	if params == nil {
		params = new(mcp.ListPromptsParams)
	}
	after := "" // the SDK's cursor into the server's own prompts
	if cursor, ok := strings.CutPrefix(params.Cursor, ownCursor); ok {
		after = cursor
	}
	page, err := m.state.page(ctx, r, after)
	switch {
	case errors.Is(err, errForeign):
		return nil, m.failure(ctx, methodList, err)
	case err != nil:
		return nil, err
	case after != "":
		return m.own(ctx, r, page), nil
	}
	// Ours says nothing of caches in a session. The SDK always does (v1.8.0 mcp/protocol.go:1175).
	result := &mcp.ListPromptsResult{Cacheable: mcp.Cacheable{CacheScope: "private"}}
	if err := m.callInto(ctx, methodList, r, params, result); err != nil {
		return nil, err
	}
	if result.NextCursor != "" {
		return result, nil
	}
	own := m.own(ctx, r, page)
	result.Prompts, result.NextCursor = slices.Concat(result.Prompts, own.Prompts), own.NextCursor
	result.TTLMs = min(result.TTLMs, own.TTLMs)
	if own.CacheScope == "private" {
		result.CacheScope = own.CacheScope
	}
	return result, nil
}

// own returns a page of the server's own prompts without those whose names the
// registry shows to the client.
func (m *mount) own(ctx context.Context, r *mcp.ListPromptsRequest, page *mcp.ListPromptsResult) *mcp.ListPromptsResult {
	result := *page
	result.Prompts = []*mcp.Prompt{}
	for _, p := range page.Prompts {
		switch {
		case p == nil || isPlaceholder(p):
		case m.shows(ctx, r, p.Name):
			m.ReportOwn(ctx, "prompt", p.Name)
		default:
			result.Prompts = append(result.Prompts, p)
		}
	}
	if result.NextCursor != "" {
		result.NextCursor = ownCursor + result.NextCursor
	}
	return &result
}
