package promptfs_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// callOn asks a server for the registry's prompts and returns the result.
func callOn(t testing.TB, reg *prompts.Registry, method string, params any) (json.RawMessage, error) {
	t.Helper()
	raw, err := json.Marshal(params)
	require.NoError(t, err)
	return prompts.MustNewServer(reg, prompts.Options{DisableReleaseMeta: true}).Call(t.Context(), method, raw, prompts.CallOptions{Version: "2025-11-25"})
}

// textsOf returns the texts of the prompt's messages, as a client gets them.
func textsOf(t testing.TB, p prompts.Prompt, args map[string]string) []string {
	t.Helper()
	var reg prompts.Registry
	require.NoError(t, reg.Add(p))
	return textsFrom(t, &reg, p.Name, args)
}

// textsFrom is textsOf for a prompt that a registry has.
func textsFrom(t testing.TB, reg *prompts.Registry, name string, args map[string]string) []string {
	t.Helper()
	raw, err := callOn(t, reg, "prompts/get", map[string]any{"name": name, "arguments": args})
	require.NoError(t, err)
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	var texts []string
	for _, m := range result.Messages {
		texts = append(texts, m.Content.Text)
	}
	return texts
}
