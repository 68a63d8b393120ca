package portable

import (
	"context"
	"encoding/json"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/problem"
)

// Unprinted returns the arguments of a prompt for which a server accepts no placeholder.
// It gets the prompt as a client that sends placeholders.
func Unprinted(ctx context.Context, s *prompts.Server, prompt string, arguments []string) (names []string) {
	if len(arguments) == 0 {
		return nil
	}
	values := map[string]string{}
	for _, name := range arguments {
		values[name] = "$1"
	}
	params, err := json.Marshal(map[string]any{"name": prompt, "arguments": values})
	if err != nil {
		return nil
	}
	_, err = s.Call(ctx, "prompts/get", params, prompts.CallOptions{Version: "2025-11-25", ClientInfo: json.RawMessage(`{"name":"` + hosts.Prober + `"}`)})
	for _, p := range problem.Of(err) {
		if p.Reason == problem.Placeholder {
			names = append(names, p.Argument)
		}
	}
	return names
}
