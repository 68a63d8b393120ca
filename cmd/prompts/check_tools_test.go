package main

import (
	"context"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// TestCheckTools checks that check reports the prompts that serve --tools would leave out,
// once, and no others.
func TestCheckTools(t *testing.T) {
	t.Parallel()
	deep := &jsonschema.Schema{Type: "string"}
	for range 124 {
		deep = &jsonschema.Schema{Type: "array", Items: deep}
	}
	render := func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
	var reg prompts.Registry
	require.NoError(t, reg.Add(
		prompts.Prompt{Name: "deep", Source: "p/deep.md", Arguments: []prompts.Argument{{Name: "x", Schema: deep}}, Render: render},
		prompts.Prompt{Name: "good", Source: "p/good.md", Render: render},
	))
	i := &inspection{}
	i.tools(&reg)
	require.Len(t, i.findings, 1)
	f := i.findings[0]
	assert.Equal(t, "p/deep.md", f.Path)
	assert.Equal(t, "tool", f.Rule)
	assert.Equal(t, levelWarning, f.Level)
	assert.Contains(t, f.Message, "serve --tools does not serve the prompt: entry in the list of tools: nesting exceeds 12")
}
