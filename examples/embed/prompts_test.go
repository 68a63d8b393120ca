package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
)

// A client that knows nothing of this server's own loop can use what its tool
// has saved, and is told of it.
func TestSavedPrompt(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var reg prompts.Registry
	served := make(chan error, 1)
	go func() { served <- newServer(&reg, quiet()).serve(t.Context(), inR, outW) }()

	c := prompttest.NewClient(t, stdio.NewStream(outR, inW, stdio.Options{}), prompttest.ClientOptions{Version: "2025-11-25"})
	c.Listen()
	_, failure := c.Call("tools/call", map[string]any{
		"name": "save_prompt", "arguments": map[string]string{"name": "greet", "text": "Say hello.\n"},
	})
	require.Nil(t, failure)
	c.WaitChanged(t.Context())
	assert.Equal(t, []prompts.Prompt{{Name: "greet"}}, c.List())
	prompttest.Golden(t, "testdata/greet.golden", c.Get("greet", nil))
	c.Close()
	assert.NoError(t, <-served)
}

// What is saved says what it should, and nothing else.
func TestDeclaration(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(savedPrompt("greet", "Say hello with the `save_prompt` tool."))
	prompttest.CheckArguments(t, &reg, prompttest.CheckOptions{})
	prompttest.CheckTools(t, &reg, prompttest.CheckOptions{}, "save_prompt")
	prompttest.CheckPortable(t, &reg, prompttest.CheckOptions{})
}
