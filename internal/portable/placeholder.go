package portable

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hosts"
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
	_, err = s.Call(ctx, "prompts/get", params, prompts.CallOptions{Client: prompts.Implementation{Name: hosts.Prober}})
	var rejected *prompts.Error
	if !errors.As(err, &rejected) {
		return nil
	}
	var data struct {
		Problems []struct{ Argument, Reason string }
	}
	if raw, err := json.Marshal(rejected.Data); err == nil {
		_ = json.Unmarshal(raw, &data) // without problems if it has another form
	}
	for _, p := range data.Problems {
		if p.Reason == "placeholder" {
			names = append(names, p.Argument)
		}
	}
	return names
}
