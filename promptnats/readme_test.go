package promptnats_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The code of the README is a part of the example, and so it builds and runs.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "\n### Prompts in NATS\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	_, code, found := strings.Cut(section, "\n~~~go\n")
	require.True(t, found)
	code, _, _ = strings.Cut(code, "~~~\n")
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	for line := range strings.Lines(code) {
		assert.Contains(t, string(example), line)
	}
}
