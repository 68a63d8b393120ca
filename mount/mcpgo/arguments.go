package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
	"weak"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
)

// hooksOf returns the hooks of the server, which has them from then on.
func hooksOf(s *server.MCPServer) *server.Hooks {
	if s.GetHooks() == nil {
		server.WithHooks(new(server.Hooks))(s)
	}
	return s.GetHooks()
}

// checkArguments adds a hook to the server that rejects a prompts/get with an
// argument that is not a string, while anything is mounted. After the hook,
// mcp-go reads null as an empty string (mcp/prompts.go:34). The hook does not
// look at the prompt, so the error does not reveal which prompts exist.
func (st *serverState) checkArguments(s *server.MCPServer) {
	own := weak.Make(s) // several servers may share their hooks
	hooksOf(s).AddOnRequestInitialization(func(ctx context.Context, _ any, message any) error {
		raw, ok := message.(json.RawMessage)
		if !ok || !bytes.Contains(raw, []byte("prompts/get")) || weak.Make(server.ServerFromContext(ctx)) != own || !st.isMounted() {
			return nil
		}
		if err := notStrings(raw); err != nil {
			return failure(ctx, err)
		}
		return nil
	})
}

func (st *serverState) isMounted() bool {
	st.mu.RLock()
	defer st.mu.RUnlock()
	return len(st.mounts) > 0
}

// maxProblems is the maximum number of arguments that an error names.
const maxProblems = 64

// notStrings returns the error for a prompts/get whose arguments are not all
// strings, or nil.
func notStrings(message json.RawMessage) error {
	var request struct {
		Method string `json:"method"`
		Params struct {
			Name      string                     `json:"name"`
			Arguments map[string]json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &request) != nil || request.Method != "prompts/get" {
		return nil // mcp-go answers
	}
	var problems []map[string]string
	var sentences []string
	for _, name := range slices.Sorted(maps.Keys(request.Params.Arguments)) {
		if request.Params.Arguments[name][0] != '"' && len(problems) < maxProblems {
			name = clip(name, maxEcho)
			problems = append(problems, map[string]string{"argument": name, "reason": "not_string", "message": "must be a JSON string"})
			sentences = append(sentences, name+": must be a JSON string")
		}
	}
	if problems == nil {
		return nil
	}
	return &prompts.Error{
		Code:    prompts.CodeInvalidParams,
		Message: strings.Join(sentences, "; "),
		Data:    map[string]any{"prompt": clip(request.Params.Name, maxEcho), "problems": problems},
	}
}

// maxEcho limits how many bytes of a client's own value an error repeats.
const maxEcho = 256

// clip returns the text, shortened to at most n bytes and an ellipsis.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
