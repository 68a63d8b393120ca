package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// clip is a text that is cut for a message, or a list of which the rest is counted.
var clip = regexp.MustCompile(`%\.\d+q|\]\)? ?\+ "(…|\.\.\.)"|\], ""\) \+ "(…|\.\.\.)"|"[^"]*and %d more"`)

// clippers are the files that may clip without internal/phrase.
var clippers = map[string]string{
	"internal/phrase/phrase.go":    "it is the one place",
	"internal/argument/hint.go":    "the hint has a limit in bytes, not in values",
	"internal/argument/problem.go": "the problems are sentences",
	"encode.go":                    "the errors are of errors.Join",
	"cmd/prompts/conversion.go":    "a description is cut at 100 characters, and is written to a file",
}

// TestClips checks that quoted input and lists in messages are cut by internal/phrase.
func TestClips(t *testing.T) {
	require.NoError(t, repository.Enter())
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	require.NoError(t, err)
	found := map[string]bool{}
	for name := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(name, "_test.go") || isOfDevelopers(name) {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if at := clip.FindIndex(text); at != nil {
			found[name] = true
			assert.Contains(t, clippers, name, "%s: cut the text by internal/phrase, or give the reason here", text[at[0]:at[1]])
		}
	}
	for name := range clippers {
		assert.True(t, found[name], "%s clips nothing", name)
	}
}
