//go:build unix

package regular_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/regular"
)

// A file is replaced, and not what a link leads to. After an error, the folder is unchanged.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(in("old"), []byte("old content"), 0o444))
	require.NoError(t, os.Symlink("old", in("link")))
	for _, name := range []string{"link", "new", "old"} {
		require.NoError(t, regular.Replace(in(name), []byte(name), 0o640))
		info, err := os.Lstat(in(name))
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o640), info.Mode(), name)
		if name == "link" {
			content, err := os.ReadFile(in("old"))
			require.NoError(t, err)
			assert.Equal(t, "old content", string(content))
		}
		content, err := os.ReadFile(in(name))
		require.NoError(t, err)
		assert.Equal(t, name, string(content))
	}
	require.NoError(t, os.Mkdir(in("folder"), 0o700))
	require.Error(t, regular.Replace(in("folder"), nil, 0o640))
	require.Error(t, regular.Replace(in("none/file"), nil, 0o640))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 4)
}

// All modules replace files by Replace: a rename without Sync can leave an empty file after a
// crash of the system.
func TestOneReplace(t *testing.T) {
	t.Parallel()
	var replacing []string
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), "os.CreateTemp(") && strings.Contains(string(text), "os.Rename(") {
			replacing = append(replacing, filepath.ToSlash(name))
		}
		return err
	}))
	assert.Equal(t, []string{"../../internal/regular/regular.go"}, replacing)
}
