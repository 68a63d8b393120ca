package prompttemplate_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// withArguments returns a prompt that declares optional arguments.
func withArguments(names ...string) prompts.Prompt {
	p := prompts.Prompt{Name: "p"}
	for _, name := range names {
		p.Arguments = append(p.Arguments, prompts.Argument{Name: name})
	}
	return p
}

// get asks a server for the prompt, and returns the texts of its messages or
// the error, and what the server has logged.
func get(t testing.TB, p prompts.Prompt, args map[string]string) (texts []string, logged string, err error) {
	t.Helper()
	var reg prompts.Registry
	require.NoError(t, reg.Add(p))
	var log strings.Builder
	srv := prompts.MustNewServer(&reg, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	params, err := json.Marshal(map[string]any{"name": p.Name, "arguments": args})
	require.NoError(t, err)
	raw, err := srv.Call(context.Background(), "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
	if err != nil {
		return nil, log.String(), err
	}
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	for _, m := range result.Messages {
		texts = append(texts, m.Content.Text)
	}
	return texts, log.String(), nil
}
