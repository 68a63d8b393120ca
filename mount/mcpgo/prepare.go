package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// prepare gives the server what it lacks, with changing held: the SDK's fields have no lock.
func (st *serverState) prepare(m *mount) {
	if m.own != nil {
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
	if s.GetHooks() == nil {
		server.WithHooks(new(server.Hooks))(s)
	}
	own, hooks := weak.Make(s), s.GetHooks()
	isOwn := func(ctx context.Context) bool { return weak.Make(server.ServerFromContext(ctx)) == own }
	// The first hook rejects arguments of a prompts/get that are neither strings nor null. mcp-go reads
	// null as an empty string (mcp/prompts.go:34), so the second one removes the arguments that were
	// null. No hook looks at the prompt, so an error does not reveal which prompts exist.
	hooks.AddOnRequestInitialization(func(ctx context.Context, id any, message any) error {
		raw, _ := message.(json.RawMessage)
		if !bytes.Contains(raw, []byte("prompts/get")) || !isOwn(ctx) || len(st.all()) == 0 {
			return nil
		}
		nulls, err := notStrings(raw)
		if err != nil {
			return failure(ctx, err)
		}
		st.nulls.put(nullArguments{requestID{server.ClientSessionFromContext(ctx), id}, nulls})
		return nil
	})
	hooks.AddBeforeGetPrompt(func(ctx context.Context, id any, request *mcp.GetPromptRequest) {
		if !isOwn(ctx) {
			return
		}
		for _, name := range st.nulls.take(requestID{server.ClientSessionFromContext(ctx), id}) {
			if request.Params.Arguments[name] == "" {
				delete(request.Params.Arguments, name)
			}
		}
	})
	// While Visible of a mount may hide something, lists are private, whatever WithCacheHints says.
	limitCache := func(ctx context.Context, result mcp.CacheHintSetter) {
		info, hides := server.RequestProtocolInfoFromContext(ctx), func(m *mount) bool { return m.Options.Visible != nil }
		if info != nil && info.Modern && isOwn(ctx) && slices.ContainsFunc(st.all(), hides) {
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

// requestID identifies a request. Without sessions, each request has a session of its own.
type requestID struct {
	session server.ClientSession
	id      any
}

// nullArguments are the names of the arguments of a request that are null.
type nullArguments struct {
	requestID
	names []string
}

const (
	maxNulls     = 64       // requests in nulls; mcp-go rejected an older one, since the hooks run without a wait
	maxNullBytes = 16 << 10 // of the names of a request in nulls
)

// nulls are between the two hooks. The context of the second one has nothing of the first.
type nulls struct {
	mu      sync.Mutex      // protects the field below
	pending []nullArguments // the oldest first
}

// put replaces the names of an earlier request with the same id, which mcp-go has rejected.
func (n *nulls) put(request nullArguments) {
	n.take(request.requestID)
	size := len(strings.Join(request.names, ""))
	// A session of the application may not be comparable, nor is an id that is an object.
	if len(request.names) == 0 || size > maxNullBytes || !reflect.ValueOf(request.requestID).Comparable() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) == maxNulls {
		n.pending = slices.Delete(n.pending, 0, 1)
	}
	n.pending = append(n.pending, request)
}

func (n *nulls) take(id requestID) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.pending, func(request nullArguments) bool { return request.requestID == id })
	if i < 0 {
		return nil
	}
	names := n.pending[i].names
	n.pending = slices.Delete(n.pending, i, i+1)
	return names
}

const maxProblems = 64 // arguments that an error names

// notStrings returns the names of the arguments of a prompts/get that are null, or the error
// for the arguments that are neither strings nor null.
func notStrings(message json.RawMessage) (nulls []string, err error) {
	var request struct {
		Method string `json:"method"`
		Params struct {
			Name      string                     `json:"name"`
			Arguments map[string]json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &request) != nil || request.Method != "prompts/get" {
		return nil, nil // mcp-go answers
	}
	var problems []map[string]string
	var sentences []string
	for _, name := range slices.Sorted(maps.Keys(request.Params.Arguments)) {
		switch value := request.Params.Arguments[name]; {
		case string(value) == "null":
			nulls = append(nulls, name)
		case value[0] != '"' && len(problems) < maxProblems:
			name = phrase.Clip(name, phrase.MaxEcho)
			problems = append(problems, map[string]string{"argument": name, "reason": "not_string", "message": "must be a JSON string"})
			sentences = append(sentences, name+": must be a JSON string")
		}
	}
	if problems == nil {
		return nulls, nil
	}
	data := map[string]any{"prompt": phrase.Clip(request.Params.Name, phrase.MaxEcho), "problems": problems}
	return nil, &prompts.Error{Code: prompts.CodeInvalidParams, Message: strings.Join(sentences, "; "), Data: data}
}
