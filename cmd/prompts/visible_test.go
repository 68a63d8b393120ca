package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

// A pattern ignores a file in whichever Unicode forms the two are, as in package promptfs.
func TestIgnoredInEachForm(t *testing.T) {
	t.Parallel()
	for _, pattern := range []norm.Form{norm.NFC, norm.NFD} {
		for _, name := range []norm.Form{norm.NFC, norm.NFD} {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, name.String("café.md")), []byte("a"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte("b"), 0o600))
			entries, err := fs.ReadDir(newVisible(dir, []string{pattern.String("café.md")}), ".")
			require.NoError(t, err)
			assert.Len(t, entries, 1, "pattern %d, name %d", pattern, name)
		}
	}
}
