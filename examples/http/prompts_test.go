package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

// as returns a client of a user, without HTTP around it.
func as(t *testing.T, u user) *prompttest.Client {
	t.Helper()
	srv := prompts.MustNewServer(registry(), prompts.Options{Visible: isAllowed, Principal: userName})
	return prompttest.Serve(t, srv, prompttest.ClientOptions{Context: context.WithValue(t.Context(), userKey{}, u)})
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	editor, reader := as(t, user{"ada", []string{"write"}}), as(t, user{"bob", nil})
	article := map[string]string{"text": "It rained.\nThen it did not."}
	prompttest.Golden(t, "testdata/summarize.golden", editor.Get("summarize", article))
	prompttest.Golden(t, "testdata/summarize.golden", reader.Get("summarize", article))
	prompttest.Golden(t, "testdata/rewrite.golden", editor.Get("rewrite", article))

	// What a user may not see is not there.
	assert.Len(t, editor.List(), 2)
	assert.Len(t, reader.List(), 1)
	assert.Equal(t, `unknown prompt "rewrite"`, reader.GetError("rewrite", article).Message)
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	prompttest.CheckArguments(t, registry(), prompttest.CheckOptions{})
	prompttest.CheckEnums(t, registry(), prompttest.CheckOptions{})
	prompttest.CheckPortable(t, registry(), prompttest.CheckOptions{}, "Zed", "Gemini CLI", "Continue", "goose", "VS Code")
}
