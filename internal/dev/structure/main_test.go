package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// TestCycles keeps the layers inside of the packages. A reader of a cycle has to read all of
// its files.
func TestCycles(t *testing.T) {
	require.NoError(t, repository.Enter())
	const root = "github.com/mcp-prompts/prompts"
	most := map[string]int{root + "/internal/rpc": 19, root + "/prompttest": 14}
	for _, module := range []string{".", "mount/gosdk", "mount/mcpgo", "mount/internal/core"} {
		packages, exports, err := list(module)
		require.NoError(t, err, module)
		for _, p := range packages {
			limit, ok := most[p.ImportPath]
			if !ok {
				limit = 6
			}
			s, err := p.measure(exports)
			require.NoError(t, err)
			assert.NotEmpty(t, s.files, p.ImportPath)
			assert.LessOrEqual(t, len(s.cycle), limit, "%s: each of these files uses the others: %v", p.ImportPath, s.cycle)
		}
	}
}
