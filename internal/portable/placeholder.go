package portable

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/problem"
)

// Unprinted returns the arguments of a prompt for which a server accepts no placeholder.
// It gets the prompt as a client that sends placeholders.
func Unprinted(ctx context.Context, s *prompts.Server, prompt string, arguments []string) (names []string) {
	i := slices.IndexFunc(hosts.Table, func(h hosts.Host) bool {
		return slices.ContainsFunc(h.Limits, func(l hosts.Limit) bool { return l.Kind == hosts.Placeholders })
	})
	if i < 0 || len(arguments) == 0 {
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
	client := prompts.Implementation{Name: hosts.Table[i].Clients[0], Version: hosts.Table[i].Version}
	_, err = s.Call(ctx, "prompts/get", params, prompts.CallOptions{Client: client})
	for _, p := range problem.Of(err) {
		if p.Reason == problem.Placeholder {
			names = append(names, p.Argument)
		}
	}
	return names
}
