package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProgramWithoutProc checks that install finds the program if the system does not
// know its path.
func TestProgramWithoutProc(t *testing.T) {
	t.Parallel()
	unknown := func() (string, error) { return "", errors.New("no /proc") }
	program := filepath.Join(t.TempDir(), "prompts.exe")
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	path, err := programPath(unknown, program)
	require.NoError(t, err)
	assert.Equal(t, program, path)
	_, err = programPath(unknown, program+".missing")
	assert.ErrorContains(t, err, "start the program with the full path")
}
