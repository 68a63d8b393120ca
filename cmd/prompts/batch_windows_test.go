package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrintArguments is the program behind the batch file of TestBatchFile.
func TestPrintArguments(t *testing.T) {
	path := os.Getenv("PRINT_ARGUMENTS")
	if path == "" {
		return
	}
	data, err := json.Marshal(os.Args[slices.Index(os.Args, "--")+1:])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// TestBatchFile checks that the program behind a batch file gets each argument unchanged.
func TestBatchFile(t *testing.T) { // not parallel: it sets the environment
	dir := t.TempDir()
	program, err := os.Executable()
	require.NoError(t, err)
	batch, result := filepath.Join(dir, "a & b.cmd"), filepath.Join(dir, "arguments.json")
	require.NoError(t, os.WriteFile(batch, []byte("@echo off\r\n\""+program+"\" -test.run=TestPrintArguments -- %*\r\n"), 0o600))
	t.Setenv("PRINT_ARGUMENTS", result)
	for arg := range batchArguments {
		command := []string{batch, "mcp", arg, "end"}
		p, err := newCommand(t.Context(), command)
		require.NoError(t, err)
		out, err := p.CombinedOutput()
		require.NoError(t, err, "%s: %s", arg, out)
		data, err := os.ReadFile(result)
		require.NoError(t, err)
		var got []string
		require.NoError(t, json.Unmarshal(data, &got))
		assert.Equal(t, command[1:], got, p.SysProcAttr.CmdLine)
	}
}
