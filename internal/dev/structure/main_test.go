package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// maxCycle is the largest number of files that use each other. A reader of a cycle has to read
// all of its files.
const maxCycle = 6

// larger has the packages whose largest cycle has more files. No number here may grow.
var larger = map[string]int{
	"cmd/prompts": 39,
}

// TestCycles keeps the layers inside of the packages of all modules.
func TestCycles(t *testing.T) {
	require.NoError(t, repository.Enter())
	modules, err := productModules()
	require.NoError(t, err)
	assert.Greater(t, len(modules), 8)
	const root = "github.com/mcp-prompts/prompts"
	missing := maps.Clone(larger)
	for _, module := range modules {
		packages, exports, err := list(module)
		require.NoError(t, err, module)
		for _, p := range packages {
			name := strings.TrimPrefix(p.ImportPath, root+"/")
			limit, isLarger := larger[name]
			delete(missing, name)
			if !isLarger {
				limit = maxCycle
			}
			if len(p.GoFiles) <= limit {
				continue
			}
			s, err := p.measure(exports)
			require.NoError(t, err, name)
			assert.LessOrEqual(t, len(s.cycle), limit, "%s: each of these files uses the others: %v", name, s.cycle)
			if isLarger {
				assert.Greater(t, len(s.cycle), maxCycle, "%s: remove the package from larger", name)
			}
		}
	}
	assert.Empty(t, missing, "packages that are missing")
}
