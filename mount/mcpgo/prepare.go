package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"weak"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func hooksOf(s *server.MCPServer) *server.Hooks {
	if s.GetHooks() == nil {
		server.WithHooks(new(server.Hooks))(s)
	}
	return s.GetHooks()
}

func isNil(p server.PromptCompletionProvider) bool {
	if p == nil {
		return true
	}
	v := reflect.ValueOf(p)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// prepare gives the server what it does not have yet, with changing held: the
// SDK's fields for that have no lock.
func (st *serverState) prepare(m *mount) {
	if !isNil(m.own) {
		st.mu.Lock()
		st.provider = m.own
		st.mu.Unlock()
	}
	if !st.prepared {
		st.prepared = true
		st.addHooks(m.sdk)
		server.WithPromptFilter(st.filter)(m.sdk)
		server.WithToolFilter(st.filterTools)(m.sdk)
	}
	if !m.Options.DisableCompletions && !st.completes {
		st.completes = true
		server.WithCompletions()(m.sdk)
		server.WithPromptCompletionProvider(st)(m.sdk)
	}
	if !m.Options.DisableListChanged && !st.listChanged.Swap(true) {
		server.WithPromptCapabilities(true)(m.sdk)
	}
}

// addHooks adds hooks to the server, which act while anything is mounted. Several servers may share
// their hooks.
func (st *serverState) addHooks(s *server.MCPServer) {
	own, hooks := weak.Make(s), hooksOf(s)
	isOwn := func(ctx context.Context) bool { return weak.Make(server.ServerFromContext(ctx)) == own }
	// The first hook rejects arguments of a prompts/get that are neither strings nor null. mcp-go reads
	// null as an empty string (mcp/prompts.go:34), so the second one removes the arguments that were
	// null. They do not look at the prompt, so an error does not reveal which prompts exist.
	hooks.AddOnRequestInitialization(func(ctx context.Context, id any, message any) error {
		raw, ok := message.(json.RawMessage)
		if !ok || !bytes.Contains(raw, []byte("prompts/get")) || !isOwn(ctx) || len(st.all()) == 0 {
			return nil
		}
		nulls, err := notStrings(raw)
		if err != nil {
			return failure(ctx, err)
		}
		st.nulls.put(nullArguments{server.ClientSessionFromContext(ctx), id, nulls})
		return nil
	})
	hooks.AddBeforeGetPrompt(func(ctx context.Context, id any, request *mcp.GetPromptRequest) {
		if !isOwn(ctx) {
			return
		}
		for _, name := range st.nulls.take(server.ClientSessionFromContext(ctx), id) {
			if request.Params.Arguments[name] == "" {
				delete(request.Params.Arguments, name)
			}
		}
	})
	// While Visible of a mount may hide something, lists are private, whatever WithCacheHints says.
	limitCache := func(ctx context.Context, result mcp.CacheHintSetter) {
		info := server.RequestProtocolInfoFromContext(ctx)
		if info != nil && info.Modern && isOwn(ctx) && st.hides() {
			result.SetCacheHints(0, mcp.CacheScopePrivate)
		}
	}
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		limitCache(ctx, result)
	})
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		limitCache(ctx, result)
		if isOwn(ctx) {
			for _, m := range st.all() {
				m.reportTools(ctx, result.Tools)
			}
		}
	})
}

// filterTools is called by the server with the tools that it is about to list, and
// with the one that a client calls.
func (st *serverState) filterTools(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	for _, m := range st.all() {
		if m.tools != nil && m.Options.Visible != nil {
			list = m.visibleTools(ctx, list)
		}
	}
	return list
}

// filter is called by the server with the prompts to list, in the order of names, and
// with the single prompt of a prompts/get. Prompts of a registry get the list entry
// for the client's protocol version. Prompts that are hidden from the client, or that
// have left the registry, are removed. Changes by the application's own filter are kept.
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
				entry = untagged(p, entry.Meta)
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

// untagged returns a prompt that an author's filter has changed as a client may
// have it. meta is what ours has.
func untagged(p mcp.Prompt, meta *mcp.Meta) mcp.Prompt {
	t := tagOf(&p)
	switch {
	case t == nil: // theirs
	case p.Meta == t.put.Meta:
		p.Meta = meta
	default:
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
