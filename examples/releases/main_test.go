package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder and a registry show the same: what is served follows the label.
func TestRun(t *testing.T) {
	t.Parallel()
	var outputs []string
	for _, inRegistry := range []bool{false, true} {
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), &out, inRegistry))
		outputs = append(outputs, out.String())
	}
	assert.Equal(t, outputs[0], outputs[1])
	var served []string
	for line := range strings.Lines(outputs[0]) {
		if strings.HasPrefix(line, "served: ") {
			served = append(served, line)
		}
	}
	require.Len(t, served, 3)
	assert.Contains(t, served[0], "Hello, welcome, and good morning!")
	assert.Contains(t, served[1], "Hello!")
	assert.Equal(t, served[0], served[2])
	assert.Contains(t, served[0], `"io.github.mcp-prompts/label":"production"`)
	assert.Contains(t, outputs[0], "by ada: too short")
}
