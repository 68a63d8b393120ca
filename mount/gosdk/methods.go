package gosdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// ownCursor is the prefix of a cursor into the server's own prompts. The SDK's
// cursor follows it. Cursors of this library contain no dot.
const ownCursor = "sdk."

// list answers prompts/list: first the prompts of the registry, then the server's own, whose first
// page is part of the registry's last page. A page continues after a name, so that no prompt is
// repeated or left out if prompts are added or removed between two pages. The server's first page
// is read for every page of the registry: if the server rejects the request, the client may not
// list prompts.
func (m *mount) list(ctx context.Context, r *mcp.ListPromptsRequest) (mcp.Result, error) {
	params := cmp.Or(r.Params, new(mcp.ListPromptsParams))
	after, ok := strings.CutPrefix(params.Cursor, ownCursor) // the SDK's cursor into the server's own prompts
	if !ok {
		after = ""
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
	// Ours has no cache hints in a session. The SDK always sends them (v1.8.0 mcp/protocol.go:1175).
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

// own returns a page of the server's own prompts, without names that the registry shows to the client.
func (m *mount) own(ctx context.Context, r *mcp.ListPromptsRequest, page *mcp.ListPromptsResult) *mcp.ListPromptsResult {
	result := *page
	result.Prompts = []*mcp.Prompt{}
	for _, p := range page.Prompts {
		switch {
		case !isOwn(p):
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

// get answers prompts/get. The SDK's server handles each request first, so that middleware
// installed before the mount is not bypassed. A prompt of the registry is rendered only if the
// server has no prompt with that name. Any other response of the server is returned unchanged: the
// result of the server's own prompt, or the response of a middleware, which may reject the request.
func (m *mount) get(ctx context.Context, r *mcp.GetPromptRequest) (mcp.Result, error) {
	name := r.Params.Name
	res, err := m.state.next(ctx, methodGet, r)
	if !isUnknown(err, "prompt", name) {
		if err == nil && m.has(name) && m.hasOwn(ctx, name) { // else a middleware has answered
			m.ReportOwn(ctx, "prompt", name)
		}
		return res, err
	}
	arguments, meta := argumentsOf(r.Params)
	params := &struct {
		*mcp.GetPromptParams
		Meta           mcp.Meta       `json:"_meta,omitzero"`
		Arguments      map[string]any `json:"arguments,omitzero"`
		InputResponses map[string]any `json:"inputResponses,omitzero"`
	}{r.Params, meta, arguments, exactResponses(r.Params.InputResponses)}
	raw, err := m.call(ctx, methodGet, r, params)
	if err != nil {
		return nil, err
	}
	result, err := getResult(raw)
	if err != nil {
		return nil, wireError(m.Unconverted(ctx, "prompt", name, err))
	}
	return result, nil
}

// complete answers completion/complete. As with get, the server handles the request first, and may
// reject it. But a result of its CompletionHandler, which is called for all prompts, is not the
// result for a prompt of the registry.
func (m *mount) complete(ctx context.Context, r *mcp.CompleteRequest) (mcp.Result, error) {
	res, err := m.state.next(ctx, methodComplete, r)
	ref := r.Params.Ref
	isPrompt := ref != nil && ref.Type == "ref/prompt"
	isOurs := isPrompt && m.shows(ctx, r, ref.Name) // a hidden prompt does not exist
	// A Visible that needs values of the middleware's context shows a prompt only there.
	isInside := isPrompt && !isOurs && m.Options.Middleware != nil && m.has(ref.Name)
	hasHandler := !isNoMethod(err)
	switch {
	case m.Options.DisableCompletions:
		return res, err
	case err != nil && hasHandler:
		if isOurs && m.letsGet(ctx, r) {
			m.Server.Log(ctx, slog.LevelInfo, "CompletionHandler returned an error for a registry prompt",
				slog.String("prompt", ref.Name),
				slog.String("error_type", fmt.Sprintf("%T", err))) // its text may quote a Sensitive argument
			break
		}
		return nil, err
	case hasHandler && !isOurs && !isInside:
		return res, nil
	}
	shown := func() bool { return false }
	if isInside {
		ctx, shown = core.Watch(ctx, ref.Name)
	}
	result := new(mcp.CompleteResult)
	failed := m.callInto(ctx, methodComplete, r, r.Params, result)
	isOurs = isOurs || shown()
	if failed == nil && isOurs && m.given.Completions != nil {
		if p, _ := m.Registry.Lookup(ref.Name); !core.Completes(p, r.Params.Argument.Name) {
			own, err := m.given.Completions(ctx, r)
			if err != nil || own != nil {
				return own, err
			}
		}
	}
	switch {
	case hasHandler && (!isOurs || isMissing(failed, "prompt")):
		return res, err // for the client, a hidden prompt is an unknown one
	case failed == nil:
		return result, nil
	case !isPrompt || !isMissing(failed, "prompt"):
		return nil, failed
	}
	// Without a CompletionHandler, a prompt of the server's own has no completions.
	found := false
	as := &mcp.ListPromptsRequest{Session: r.Session, Params: &mcp.ListPromptsParams{Meta: r.Params.Meta}, Extra: r.Extra}
	if err := m.state.pages(ctx, as, func(p *mcp.Prompt) { found = found || p.Name == ref.Name }); err != nil {
		return nil, m.failure(ctx, methodComplete, err)
	}
	if found {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	return nil, failed
}

// letsGet reports whether the middleware lets the client get the prompt of a completion. Then
// an error of the completion is that of the CompletionHandler, which does not know the prompt.
func (m *mount) letsGet(ctx context.Context, r *mcp.CompleteRequest) bool {
	name := r.Params.Ref.Name
	params := &mcp.GetPromptParams{Name: name, Meta: r.Params.Meta}
	_, err := m.state.next(ctx, methodGet, &mcp.GetPromptRequest{Session: r.Session, Params: params, Extra: r.Extra})
	return isUnknown(err, "prompt", name)
}

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	result := new(mcp.GetPromptResult)
	parts, err := core.ReadResult(raw, result)
	if err != nil {
		return nil, err
	}
	for i, m := range result.Messages {
		m.Content = exact(m.Content, parts.Messages[i].Content)
	}
	result.Meta = parts.Meta
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func toolResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	result := new(mcp.CallToolResult)
	parts, err := core.ReadResult(raw, result)
	if err != nil {
		return nil, err
	}
	for i, content := range result.Content {
		result.Content[i] = exact(content, parts.Content[i])
	}
	if parts.StructuredContent != nil {
		result.StructuredContent = parts.StructuredContent
	}
	result.Meta = parts.Meta
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func exact(content mcp.Content, raw json.RawMessage) mcp.Content {
	if core.EncodesTo(content, raw) {
		return content
	}
	return &exactContent{content, raw}
}

// exactContent is content that the SDK's type would change: the type leaves out a priority of 0, the
// empty text of a resource, and the last digits of large numbers in _meta (v1.8.0
// mcp/protocol.go:215, mcp/content.go:305).
type exactContent struct {
	mcp.Content // the SDK's form, and its unexported method
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c *exactContent) MarshalJSON() ([]byte, error) { return c.raw, nil }
