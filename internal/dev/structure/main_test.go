package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// TestCycles keeps the layers inside of the packages with the most files. A reader of a
// cycle has to read all of its files.
func TestCycles(t *testing.T) {
	require.NoError(t, repository.Enter())
	packages, exports, err := list(".")
	require.NoError(t, err)
	const root = "github.com/mcp-prompts/prompts"
	most := map[string]int{root: 5, root + "/internal/rpc": 19, root + "/internal/argument": 9, root + "/prompttest": 2}
	for _, p := range packages {
		if limit, ok := most[p.ImportPath]; ok {
			s, err := p.measure(exports)
			require.NoError(t, err)
			assert.NotEmpty(t, s.files, p.ImportPath)
			assert.LessOrEqual(t, len(s.cycle), limit, "%s: each of these files uses the others: %v", p.ImportPath, s.cycle)
			delete(most, p.ImportPath)
		}
	}
	assert.Empty(t, most, "packages that are missing")
}
