package prompttest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A flag -update that is there already is the one that counts.
func TestFlagOfAnother(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(read(t, filepath.Join(root, "go.mod")), "module a") +
		"\nrequire github.com/mcp-prompts/prompts v0.0.0\n\nreplace github.com/mcp-prompts/prompts => " + root + "\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       mod,
		"go.sum":       read(t, filepath.Join(root, "go.sum")),
		"own/own.go":   "package own\n\nimport \"flag\"\n\nvar Update = flag.Bool(\"update\", false, \"the author's own\")\n",
		"it/it.go":     "package it\n",
		"it/i_test.go": "package it\n\nimport (\n\t\"flag\"\n\t\"testing\"\n\n\t\"a/own\"\n\t\"github.com/mcp-prompts/prompts/prompttest\"\n)\n\nfunc TestIt(t *testing.T) {\n\tt.Log(flag.Lookup(\"update\").Usage, *own.Update, prompttest.Updating())\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-mod=mod", "-v", "./it", "-update")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir, "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, strings.Join(strings.Fields(string(out)), " "), "the author's own true true")
}
