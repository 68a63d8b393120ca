package main

import (
	"bytes"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

var state = regexp.MustCompile(`"requestState":"[^"]+"`)

// The recorded session is answered as session.golden says. Answers come in any
// order, and a requestState is another one each time.
func TestSession(t *testing.T) {
	t.Parallel()
	session, err := os.ReadFile("session.jsonl")
	require.NoError(t, err)
	golden, err := os.ReadFile("session.golden")
	require.NoError(t, err)

	var out, logged bytes.Buffer
	srv := newServer(slog.New(slog.NewTextHandler(&logged, nil)))
	require.NoError(t, srv.Serve(t.Context(), stdio.NewStream(bytes.NewReader(session), &out, stdio.Options{})))
	assert.Equal(t, sorted(string(golden)), sorted(state.ReplaceAllString(out.String(), `"requestState":"…"`)))
	assert.Empty(t, logged.String())
}

func sorted(text string) []string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	slices.Sort(lines)
	return lines
}
