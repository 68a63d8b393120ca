//go:build unix

package promptfs_test

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
)

// No link serves a file whose path has a name that begins with a dot. Links through the folders of a Kubernetes volume, whose names
// begin with two dots, are followed.
func TestLinksToDotfiles(t *testing.T) {
	t.Parallel()
	d := newDirOfSkills(t)
	link := func(target, name string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(d.path, name)), 0o755))
		require.NoError(t, os.Symlink(target, filepath.Join(d.path, name)))
	}
	d.write(".env", "secret")
	d.write(".git/config", "secret")
	d.write("a/SKILL.md", skillMD("a"))
	link("../.env", "a/notes.txt")
	link("../.git", "a/data")
	link("../chain", "a/chain.txt")
	link(".env", "chain")
	link(".env", "prompt.md")
	link("../.env", "_partials/tone.md")
	d.write("uses.md", "--- user: resource chain ---")
	d.write("..2026_01/volume.md", "volume")
	link("..2026_01", "..data")
	link("..data/volume.md", "volume.md")

	const why = "symbolic link to a dotfile: a name in the path of its target begins with a dot; rename the target"
	assert.Equal(t, []string{
		"_partials/tone.md: " + why,
		"a/chain.txt: " + why,
		"a/data: " + why,
		"a/notes.txt: " + why,
		"chain: " + why,
		"prompt.md: " + why,
		"uses.md:1: chain: " + why,
	}, slices.Compact(lines(d.folder.Reload(t.Context()))), "prompts and skills report a link each")
	assert.Equal(t, "no file", d.file("a", "notes.txt"))
	var names []string
	for p := range d.reg.All() {
		names = append(names, p.Name)
	}
	assert.ElementsMatch(t, []string{"a", "volume"}, names)
}

// replace puts two files or folders at a path, in turn, until the test stops it.
func replace(t *testing.T, path, one, other string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = os.Rename(path, one)
			_ = os.Rename(other, path)
			_ = os.Rename(path, other)
			_ = os.Rename(one, path)
		}
	})
	return func() { cancel(); wg.Wait() }
}

// What a name is when it is checked is what is read: a link that is put in the place
// of a file or of a folder in between is not followed.
func TestLinksPutInPlaceOfFiles(t *testing.T) {
	t.Parallel()
	for _, replaced := range []string{"a/notes.txt", "a/in"} {
		d := newDirOfSkills(t)
		d.write(".secrets/x", "secret")
		d.write("a/SKILL.md", skillMD("a"))
		d.write("a/in/x", "public")
		d.write("a/notes.txt", "public")
		require.NoError(t, os.Symlink("../.secrets/x", filepath.Join(d.path, "a/.file")))
		require.NoError(t, os.Symlink("../.secrets", filepath.Join(d.path, "a/.folder")))
		link := map[string]string{"a/notes.txt": "a/.file", "a/in": "a/.folder"}[replaced]
		stop := replace(t, filepath.Join(d.path, replaced), filepath.Join(d.path, "a/.one"), filepath.Join(d.path, link))
		for range 300 {
			_ = d.folder.Reload(t.Context()) // which reports what it saw
			for _, name := range []string{"in/x", "notes.txt"} {
				require.NotEqual(t, "secret", d.file("a", name), replaced)
			}
		}
		stop()
		require.NoError(t, d.folder.Reload(t.Context()))
		assert.Equal(t, "public", d.file("a", "in/x"))
		assert.Equal(t, "public", d.file("a", "notes.txt"))
	}
}

// A reload does not wait for a pipe that is put in the place of a file or folder.
func TestPipesPutInPlaceOfFiles(t *testing.T) {
	t.Parallel()
	for _, replaced := range []string{"a.md", "sub", "_partials", "_logs/app.log", "s/SKILL.md"} {
		d := newDirOfSkills(t)
		d.write("a.md", "--- user: resource _logs/app.log ---")
		d.write("sub/b.md", "b")
		d.write("_partials/p.md", "p")
		d.write("_logs/app.log", "log")
		d.write("s/SKILL.md", skillMD("s"))
		require.NoError(t, syscall.Mkfifo(filepath.Join(d.path, ".pipe"), 0o600))
		stop := replace(t, filepath.Join(d.path, replaced), filepath.Join(d.path, ".one"), filepath.Join(d.path, ".pipe"))
		for range 100 {
			_ = d.folder.Reload(t.Context()) // which reports what it saw
		}
		stop()
		assert.NoError(t, d.folder.Reload(t.Context()), replaced)
	}
}

// A directory that is a pipe is an error.
func TestPipeInPlaceOfTheDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	folder := promptfs.NewDir(new(prompts.Registry), path, promptfs.Options{Logger: slog.New(slog.DiscardHandler)})
	assert.ErrorContains(t, folder.Reload(t.Context()), "not a directory")
}

// A file system of an application may block in Open. The reload ends with its
// context, and what was opened later is closed.
func TestReloadEndsWhileOpenBlocks(t *testing.T) {
	t.Parallel()
	slow := &blocking{FS: mapFS(map[string]string{"a.md": "a"}), opened: make(chan struct{}), free: make(chan struct{}), closed: make(chan struct{})}
	folder := promptfs.NewFolder(new(prompts.Registry), slow, promptfs.Options{Skills: new(promptskills.Registry), Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-slow.opened
		cancel()
	}()
	assert.ErrorIs(t, folder.Reload(ctx), context.Canceled)
	close(slow.free)
	select {
	case <-slow.closed:
	case <-time.After(time.Minute):
		t.Error("the file that was opened late is not closed")
	}
}

// blocking opens Markdown files as soon as free is closed.
type blocking struct {
	fs.FS
	opened, free, closed chan struct{}
}

func (b *blocking) Open(name string) (fs.File, error) {
	file, err := b.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".md") {
		return file, err
	}
	close(b.opened)
	<-b.free
	return &closing{file, b.closed}, nil
}

type closing struct {
	fs.File
	closed chan struct{}
}

func (c *closing) Close() error {
	close(c.closed)
	return c.File.Close()
}
