package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

// person answers what the prompts ask: the compiler, version 1.25.4.
func person(q prompttest.Question) any {
	switch q.Message {
	case "What do you want to announce?":
		return prompttest.Accept(map[string]any{"product": "compiler"})
	case "Which release, and where?":
		return prompttest.Accept(map[string]any{"version": "1.25.4", "where": "blog, news"})
	}
	return prompttest.Decline()
}

// connect returns a client in front of which answer sits.
func connect(t *testing.T, version string, answer func(prompttest.Question) any) *prompttest.Client {
	t.Helper()
	return prompttest.Serve(t, newServer(slog.New(slog.DiscardHandler)), prompttest.ClientOptions{Version: version, Answer: answer})
}

// The prompts say the same in every revision in which a server can ask.
func TestPrompts(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := connect(t, version, person)
			prompttest.Golden(t, "testdata/announcement.golden", c.Get("announcement", nil))
			prompttest.Golden(t, "testdata/release_notes.golden", c.Get("release_notes", map[string]string{
				"product": "editor", "version": "3.0.2", "for": "users, authors",
			}))
			assert.Equal(t, []string{"3.1.0", "3.0.2", "3.0.1"}, c.Complete("release_notes", "version", "3", map[string]string{"product": "editor"}))
		})
	}
}

// A person who wants to announce nothing is left alone.
func TestDismissed(t *testing.T) {
	t.Parallel()
	c := connect(t, "2026-07-28", func(prompttest.Question) any { return prompttest.Cancel() })
	err := c.GetError("announcement", nil)
	assert.Equal(t, prompts.CodeInvalidParams, err.Code)
	assert.Contains(t, err.Message, "dismissed")
}

// Arguments that are missing are asked for, by a form.
func TestAskedArguments(t *testing.T) {
	t.Parallel()
	var asked []string
	c := connect(t, "2025-11-25", func(q prompttest.Question) any {
		asked = append(asked, string(q.Params))
		return prompttest.Accept(map[string]any{"version": "3.1.0"})
	})
	got := c.Get("release_notes", map[string]string{"product": "editor"})
	prompttest.Golden(t, "testdata/release_notes-asked.golden", got)
	assert.Len(t, asked, 1)
	assert.Contains(t, strings.Join(asked, ""), `"version"`)
}

// Nothing that the prompts declare is of no use. What a version is, the server
// completes, so that no example is needed.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	options := prompttest.CheckOptions{Client: connect(t, "2026-07-28", person)}
	prompttest.CheckArguments(t, registry(), options)
	prompttest.CheckEnums(t, registry(), options)
	prompttest.CheckPortable(t, registry(), options)
}

func registry() *prompts.Registry {
	reg := new(prompts.Registry)
	reg.MustAdd(releaseNotes(), announcement())
	return reg
}
