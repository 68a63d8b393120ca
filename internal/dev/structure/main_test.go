package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// maxCycle is the largest number of files that use each other. A reader of a cycle has to read
// all of its files.
const maxCycle = 6

// TestCycles keeps the layers inside of the packages of all modules.
func TestCycles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all modules")
	}
	require.NoError(t, repository.Enter())
	modules, err := productModules()
	require.NoError(t, err)
	assert.Greater(t, len(modules), 8)
	for _, module := range modules {
		packages, exports, err := list(module)
		require.NoError(t, err, module)
		for _, p := range packages {
			if len(p.GoFiles) <= maxCycle {
				continue
			}
			s, err := p.measure(exports)
			require.NoError(t, err, p.ImportPath)
			assert.LessOrEqual(t, len(s.cycle), maxCycle, "%s: each of these files uses the others: %v", p.ImportPath, s.cycle)
		}
	}
}
