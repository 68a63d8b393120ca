//go:build unix

package regular_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/regular"
)

const limit = 10

// A file is read if it is regular, of the folder, not hidden behind a link, and within the
// limit.
func TestRead(t *testing.T) {
	t.Parallel()
	short, err := os.MkdirTemp("", "s") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	dir := filepath.Join(short, "dir")
	write := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("a", "0123456789")
	write("large", "01234567890")
	write("sub/b", "b")
	write(".env", "secret")
	write("..data/c", "c")
	write("../outside", "outside")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	defer l.Close()
	for name, target := range map[string]string{
		"inside": "sub/b", "sub/up": "../a", "volume": "..data/c", "hidden": ".env", "absolute": filepath.Join(dir, "a"), "out": "../outside",
		"back": "../dir/a", "loop": "loop", "broken": "none", "device": "/dev/zero", "folder": "sub", "topipe": "pipe", "proc": "/proc/kmsg",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	type want struct{ inFolder, byPath string } // the content, or the error
	const notFile, notRegular, outside = "file expected, got a folder", "not a regular file", "link points outside of the folder"
	for name, w := range map[string]want{
		"a":        {"0123456789", "0123456789"},
		"large":    {"file exceeds the limit of 10 bytes", "file exceeds the limit of 10 bytes"},
		"sub":      {notFile, notFile},
		"folder":   {notFile, notFile},
		"folder/b": {"b", "b"},
		"sub/b":    {"b", "b"},
		"inside":   {"b", "b"},
		"sub/up":   {"0123456789", "0123456789"},
		"volume":   {"c", "c"},
		"hidden":   {"link points to a name that begins with a dot", "secret"},
		"absolute": {outside, "0123456789"},
		"out":      {outside, "outside"},
		"back":     {outside, "0123456789"},
		"device":   {outside, notRegular},
		"loop":     {"link loop", "too many levels of symbolic links"},
		"broken":   {"no such file", "no such file"},
		"none":     {"no such file", "no such file"},
		"pipe":     {notRegular, notRegular},
		"topipe":   {notRegular, notRegular},
		"socket":   {notRegular, notRegular},
		"a/b":      {"no such file|not a directory", "not a directory"},
	} {
		for how, read := range map[string]func() ([]byte, error){
			w.inFolder: func() ([]byte, error) { return regular.Read(t.Context(), regular.FS(dir), name, limit) },
			w.byPath:   func() ([]byte, error) { return regular.ReadFile(t.Context(), filepath.Join(dir, name), limit) },
		} {
			content, err := read()
			got := string(content)
			if err != nil {
				got = err.Error()
			}
			assert.True(t, strings.Contains(got, how) || how == "no such file|not a directory" && err != nil, "%s: expected %q, got %q", name, how, got)
		}
	}
	_, err = regular.Read(t.Context(), regular.FS(dir), "../outside", limit)
	assert.ErrorIs(t, err, fs.ErrInvalid)
}

// A file that waits for its content, as some of the system do, is left when the context ends.
func TestReadEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan struct{})
	fsys := blocking{opened}
	go func() { <-opened; cancel() }()
	_, err := regular.Read(ctx, fsys, "a", limit)
	assert.ErrorIs(t, err, context.Canceled)
	if r, err := regular.Open("/proc/kmsg"); err == nil { // which only some users may open
		require.NoError(t, r.Close())
		for _, ctx := range []context.Context{t.Context(), context.Background()} {
			_, err := regular.ReadFile(ctx, "/proc/kmsg", 1<<30)
			assert.ErrorContains(t, err, "file waits for its content")
		}
	}
}

// blocking is a file system that never opens a file.
type blocking struct{ opened chan struct{} }

func (b blocking) Open(string) (fs.File, error) {
	close(b.opened)
	select {}
}

func (b blocking) Stat(string) (fs.FileInfo, error) {
	return fstest.MapFS{"a": {Data: []byte("a")}}.Stat("a")
}

// Another file, content, time or attribute makes a file another one.
func TestIsSame(t *testing.T) {
	t.Parallel()
	name, at := filepath.Join(t.TempDir(), "a"), time.Now().Add(-time.Hour)
	stat := func() fs.FileInfo {
		info, err := os.Stat(name)
		require.NoError(t, err)
		return info
	}
	write := func(content string) {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		require.NoError(t, os.Chtimes(name, at, at))
	}
	write("old")
	for what, change := range map[string]func(){
		"the content": func() { write("new") },
		"the mode":    func() { require.NoError(t, os.Chmod(name, 0o600)) }, // which it is
		"the file": func() {
			require.NoError(t, os.Rename(name, name+".old"))
			write("old")
		},
	} {
		before := stat()
		assert.True(t, regular.IsSame(before, stat()))
		for regular.Changed(before).Equal(regular.Changed(stat())) { // the clock of the file system may be coarse
			change()
		}
		assert.False(t, regular.IsSame(before, stat()), what)
	}
}
