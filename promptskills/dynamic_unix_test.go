//go:build unix

package promptskills_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/transport"
)

// A dynamic skill of a folder of the system: only regular files are read, and nothing waits for
// a pipe.
func TestDynamicSkillOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("now"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "device")))
	large := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, promptskills.MaxBytes+1))
	var reg promptskills.Registry
	s := skill("daily")
	s.Files, s.Dynamic = nil, func(context.Context) (fs.FS, error) { return os.DirFS(dir), nil }
	require.NoError(t, reg.Add(s))
	c := serve(t, &reg, "", promptskills.Options{})
	assert.Equal(t, "now", readText(t, c, "skill://daily/SKILL.md"))
	for name, code := range map[string]transport.Code{"pipe": prompts.CodeInternalError, "device": prompts.CodeInternalError, "large": prompts.CodeInternalError, "none": prompts.CodeInvalidParams} {
		assert.Equal(t, code, refused(t, c, "resources/read", uri{URI: "skill://daily/" + name}).Code, name)
	}
}
