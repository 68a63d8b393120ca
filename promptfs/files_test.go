package promptfs_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptfs"
)

// Files are what prompts are made of, and nothing else.
func TestFiles(t *testing.T) {
	t.Parallel()
	fsys := files(map[string]string{
		"a.md": "{{template \"p\"}}\n--- user: image .x/i.png ---\n--- user: resource b/r.md ---", "b/r.md": "text", ".x/i.png": "png", ".x/other.png": "png",
		"_partials/p.md": "partial", "README.md": "no prompt", "notes.txt": "no prompt", "s/SKILL.md": "---\nname: s\ndescription: d\n---\nskill", "s/more.md": "of the skill",
	})
	all, err := promptfs.Files(fsys, promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{".x/i.png", "_partials/p.md", "a.md", "b/r.md", "s/SKILL.md"}, slices.Sorted(maps.Keys(all)))
	for path, content := range all {
		assert.Equal(t, fsys[path].Data, content)
	}

	fsys["c.md"] = &fstest.MapFile{Data: []byte("{{if}}")}
	all, err = promptfs.Files(fsys, promptfs.Options{})
	require.EqualError(t, err, "c.md:1: missing value for if; write a value, for example {{if .name}}")
	assert.Empty(t, all)
}

// Without a folder there is nothing.
func TestFilesOfNothing(t *testing.T) {
	t.Parallel()
	_, err := promptfs.Files(os.DirFS(filepath.Join(t.TempDir(), "none")), promptfs.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}
