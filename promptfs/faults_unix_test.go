//go:build unix

package promptfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptfs"
)

// A pipe would be waited for, by whom nobody could stop.
func TestPartialsThatAreNoFolder(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a file": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	} {
		dir := t.TempDir()
		require.NoError(t, make(filepath.Join(dir, "_partials")), name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "good.md"), []byte("good"), 0o600))
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		defer root.Close()
		loaded, err := promptfs.Load(root.FS(), promptfs.Options{})
		assert.EqualError(t, err, "_partials: folder expected, got a file; move the file", name)
		assert.Len(t, loaded, 1, name)
	}
}

// What a real folder can have, seen through a root that nothing leads out of,
// and without one.
func TestErrorsOfAFolder(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.md"), []byte("secret"), 0o600))
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }
	write("good.md", "good")
	write("sub/good.md", "good")
	write("_hidden/kept.md", "kept")
	link("_hidden/kept.md", "in.md")
	link("_hidden", "other")
	link("sub", "again")
	link("..", "sub/up")
	link("../sub", "sub/self")
	link(filepath.Join(outside, "secret.md"), "absolute.md")
	link("../"+filepath.Base(outside)+"/secret.md", "out.md")
	link(outside, "outside")
	link("loop2.md", "loop.md")
	link("loop.md", "loop2.md")
	link("nothing", "nothing.md")
	link("nothing", "unused")
	link("../", "_hidden/root")
	write("uses.md", "--- user: resource absolute.md ---")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600))
	gigabyte, err := os.Create(filepath.Join(dir, "gigabyte.md"))
	require.NoError(t, err)
	require.NoError(t, gigabyte.Truncate(1<<30)) // of which none is on the disk
	require.NoError(t, gigabyte.Close())

	want := []string{
		"absolute.md: symbolic link points outside of the prompts folder; copy the file into the folder",
		"again: symbolic link to the folder sub, which is already loaded; remove the link",
		"gigabyte.md: file exceeds the limit of 1048576 bytes; shorten the file",
		"loop.md: symbolic link loop; point the link to a file",
		"loop2.md: symbolic link loop; point the link to a file",
		"nothing.md: broken symbolic link; point the link to a file",
		"other/root: symbolic link to the folder ., which is already loaded; remove the link",
		"out.md: symbolic link points outside of the prompts folder; copy the file into the folder",
		"outside: symbolic link points outside of the prompts folder; copy the file into the folder",
		"pipe.md: not a regular file",
		"sub/self: symbolic link to the folder sub, which is already loaded; remove the link",
		"sub/up: symbolic link to the folder ., which is already loaded; remove the link",
		"uses.md:1: absolute.md: symbolic link points outside of the prompts folder; copy the file into the folder",
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	for name, fsys := range map[string]fs.FS{"os.Root": root.FS(), "os.DirFS": os.DirFS(dir)} {
		loaded, err := promptfs.Load(fsys, promptfs.Options{})
		assert.Equal(t, want, lines(err), name)
		var names []string
		for _, p := range loaded {
			names = append(names, p.Name)
		}
		assert.Equal(t, []string{"good", "in", "other/kept", "sub/good"}, names, name)
	}
}

// A link is the file that it leads to.
func TestFilesOfLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.txt"), []byte("linked"), 0o600))
	require.NoError(t, os.Symlink("text.txt", filepath.Join(dir, "a.md")))
	all, err := promptfs.Files(os.DirFS(dir), promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"a.md": []byte("linked")}, all)
}
