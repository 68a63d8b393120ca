package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
)

// newChecker returns the one checker of all tests, because resolving the
// schemas takes a while.
var newChecker = sync.OnceValues(speccheck.FromEnvironment)

// judge wants every message of the server in a recorded session to be as the
// specification's schemas say, and returns how many it has judged.
func judge(t *testing.T, session string) int {
	t.Helper()
	checker, err := newChecker()
	require.NoError(t, err)
	report, err := checker.Session(strings.NewReader(session), speccheck.Options{})
	require.NoError(t, err)
	for _, fault := range report.Errors {
		t.Error(fault)
	}
	return report.Messages
}

// The library's own golden sessions: what the server says in them must be as
// the specification's schemas say.
func TestGoldenSessions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no golden sessions")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Positive(t, judge(t, string(text)), "the server says nothing")
		})
	}
}
