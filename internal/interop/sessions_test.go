package interop_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/speccheck"
)

// The library's own golden sessions: what the server says in them must be as
// the specification's schemas say. The client's lines are not judged, for many
// of them are bad on purpose.
func TestGoldenSessions(t *testing.T) {
	t.Parallel()
	checker, err := speccheck.FromEnvironment()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no golden sessions")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			report, err := checker.Session(bytes.NewReader(text), speccheck.Options{ServerOnly: true})
			require.NoError(t, err)
			assert.Positive(t, report.Messages, "the server says nothing")
			for _, fault := range report.Faults {
				t.Error(fault)
			}
		})
	}
}

// clientMethods returns the methods of the client's messages in a session.
func clientMethods(t *testing.T, session []byte) []string {
	t.Helper()
	var methods []string
	lines := bufio.NewScanner(bytes.NewReader(session))
	lines.Buffer(nil, len(session)+1)
	for lines.Scan() {
		text, ok := bytes.CutPrefix(lines.Bytes(), []byte("C> "))
		if !ok {
			continue
		}
		var m struct {
			Method string `json:"method"`
		}
		require.NoError(t, json.Unmarshal(text, &m))
		methods = append(methods, m.Method)
	}
	require.GreaterOrEqual(t, len(methods), 2, "the session is too short")
	return methods
}
