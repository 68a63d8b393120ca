package promptfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// patience is how long a test waits for what is sure to come.
const patience = time.Minute

// watched is a directory that a Folder watches.
type watched struct {
	t       *testing.T
	dir     string
	folder  *promptfs.Folder
	reg     prompts.Registry
	reports chan promptfs.Report
	log     safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// watch watches a directory with a file in it, and ends with the test.
func watch(t *testing.T, dir string, folder func(*prompts.Registry, promptfs.Options) *promptfs.Folder) *watched {
	w := &watched{t: t, dir: dir, reports: make(chan promptfs.Report, 100)}
	w.write("first.md", "first")
	w.folder = folder(&w.reg, promptfs.Options{
		OnReload: func(r promptfs.Report) { w.reports <- r },
		Logger:   slog.New(slog.NewTextHandler(&w.log, nil)),
	})
	require.NoError(t, w.folder.Reload(t.Context()))
	w.expect(promptfs.Report{Added: []string{"first"}})
	w.write("ready.md", "ready") // which Watch sees at its beginning
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.folder.Watch(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(patience):
			t.Error("Watch has not returned")
		}
	})
	w.expect(promptfs.Report{Added: []string{"ready"}})
	return w
}

func newDir(dir string) func(*prompts.Registry, promptfs.Options) *promptfs.Folder {
	return func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder { return promptfs.NewDir(reg, dir, o) }
}

func (w *watched) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *watched) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(text), 0o600))
}

// atOnce changes files between two scans of the Folder, however long that takes.
func (w *watched) atOnce(change func()) {
	resume := promptfs.Pause(w.folder)
	defer resume()
	change()
}

func (w *watched) rename(from, to string) {
	w.t.Helper()
	require.NoError(w.t, os.Rename(w.path(from), w.path(to)))
}

func (w *watched) remove(name string) {
	w.t.Helper()
	require.NoError(w.t, os.RemoveAll(w.path(name)))
}

func (w *watched) link(target, name string) {
	w.t.Helper()
	require.NoError(w.t, os.Symlink(target, w.path(name)))
}

// next returns the next report.
func (w *watched) next() promptfs.Report {
	w.t.Helper()
	select {
	case r := <-w.reports:
		return r
	case <-time.After(patience):
		require.Fail(w.t, "no reload")
		return promptfs.Report{}
	}
}

// expect waits for the next report, which is this one.
func (w *watched) expect(want promptfs.Report) {
	w.t.Helper()
	got := w.next()
	if want.Err == nil {
		require.NoError(w.t, got.Err)
	} else {
		require.EqualError(w.t, got.Err, want.Err.Error())
	}
	got.Err, want.Err, got.Release = nil, nil, want.Release
	require.Equal(w.t, want, got)
}

// Each change is one report, whatever it is made of; that there is no other is
// seen by the next change's being the next report.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, dir, newDir(dir))
	added, changed, removed := func(names ...string) promptfs.Report { return promptfs.Report{Added: names} },
		func(names ...string) promptfs.Report { return promptfs.Report{Changed: names} },
		func(names ...string) promptfs.Report { return promptfs.Report{Removed: names} }
	for _, c := range []struct {
		name   string
		change func()
		want   promptfs.Report
	}{
		{"a new file", func() { w.write("a.md", "1") }, added("a")},
		{"saved in place", func() { w.write("a.md", "2") }, changed("a")},
		{"saved by a rename", func() { w.write(".a.md.tmp", "3"); w.rename(".a.md.tmp", "a.md") }, changed("a")},
		{"saved as vim does", func() {
			w.write(".a.md.swp", "x")
			w.write("4913", "")
			w.remove("4913")
			w.rename("a.md", "a.md~")
			w.write("a.md", "4")
			w.remove("a.md~")
			w.remove(".a.md.swp")
		}, changed("a")},
		{"renamed", func() { w.rename("a.md", "b.md") }, promptfs.Report{Added: []string{"b"}, Removed: []string{"a"}}},
		{"a new folder with files", func() { w.write("sub/deep/c.md", "1"); w.write("sub/d.md", "1") }, added("sub/d", "sub/deep/c")},
		{"a file in that", func() { w.write("sub/deep/c.md", "2") }, changed("sub/deep/c")},
		{"the folder renamed", func() { w.rename("sub", "other") }, promptfs.Report{Added: []string{"other/d", "other/deep/c"}, Removed: []string{"sub/d", "sub/deep/c"}}},
		{"a file in that one", func() { w.write("other/deep/c.md", "3") }, changed("other/deep/c")},
		{"a fault", func() { w.write("b.md", "{{") }, promptfs.Report{Err: errors.New("b.md:1: unclosed action; close the action with }}")}},
		{"a file beside it", func() { w.write("other/d.md", "2") }, promptfs.Report{Changed: []string{"other/d"}, Err: errors.New("b.md:1: unclosed action; close the action with }}")}},
		{"mended", func() { w.write("b.md", "5") }, changed("b")},
		{"a partial that is used", func() { w.write("_partials/p.md", "1"); w.write("b.md", "{{template \"p\"}}") }, changed("b")},
		{"the partial changes", func() { w.write("_partials/p.md", "2") }, changed("b")},
		{"a resource that is used, from a folder that no prompt is in", func() {
			w.write("_logs/app.log", "1")
			w.write("b.md", "--- user: resource _logs/app.log ---")
		}, changed("b")},
		{"the resource changes", func() { w.write("_logs/app.log", "2") }, changed("b")},
		{"the resource removed", func() { w.remove("_logs/app.log") }, promptfs.Report{Err: errors.New("b.md:1: _logs/app.log: file not found; write the path from the folder of this file")}},
		{"the resource is back", func() { w.write("_logs/app.log", "3") }, changed("b")},
		{"a resource that is missing, with its folder", func() { w.write("b.md", "--- user: resource _logs/old/app.log ---") },
			promptfs.Report{Err: errors.New("b.md:1: _logs/old/app.log: file not found; write the path from the folder of this file")}},
		{"the resource appears", func() { w.write("_logs/old/app.log", "4") }, changed("b")},
		{"the folder removed", func() { w.remove("other") }, removed("other/d", "other/deep/c")},
		{"many at once", func() {
			for _, name := range []string{"1.md", "2.md", "3.md", "4.md", "5.md"} {
				w.write(name, "1")
			}
		}, added("1", "2", "3", "4", "5")},
	} {
		w.atOnce(c.change)
		w.expect(c.want)
		if t.Failed() {
			t.Fatal(c.name)
		}
	}
	assert.NotContains(t, w.log.String(), "cannot watch directory")
}

// A volume of a ConfigMap changes by the swap of one link: all files are links
// through it.
func TestWatchConfigMap(t *testing.T) {
	t.Parallel()
	skipWithoutLinks(t)
	dir := t.TempDir()
	w := watch(t, dir, newDir(dir))
	w.atOnce(func() {
		w.write("..2026_01/a.md", "one")
		w.write("..2026_01/b.md", "same")
		w.link("..2026_01", "..data")
		w.link("..data/a.md", "a.md")
		w.link("..data/b.md", "b.md")
	})
	w.expect(promptfs.Report{Added: []string{"a", "b"}})

	w.atOnce(func() {
		w.write("..2026_02/a.md", "two")
		w.write("..2026_02/b.md", "same")
		w.link("..2026_02", "..data_tmp")
		w.rename("..data_tmp", "..data")
		w.remove("..2026_01")
	})
	w.expect(promptfs.Report{Changed: []string{"a"}})
	assert.Equal(t, "two", textsFrom(t, &w.reg, "a", nil)[0])

	w.atOnce(func() { w.write("..2026_02/a.md", "three") }) // what no ConfigMap does, but people with links
	w.expect(promptfs.Report{Changed: []string{"a"}})
}

func skipWithoutLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("to make links takes a privilege on Windows")
	}
}

// The path of the directory leads elsewhere: to nothing, to another directory,
// and by a link to the next release.
func TestWatchTheDirectoryItself(t *testing.T) {
	t.Parallel()
	skipWithoutLinks(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "current")
	require.NoError(t, os.Mkdir(filepath.Join(parent, "v1"), 0o755))
	require.NoError(t, os.Symlink("v1", dir))
	w := watch(t, dir, newDir(dir))
	// Several, because Watch may be about to check once more without an event.
	edits := func(name string) {
		for _, text := range []string{"2", "3", "4", "5"} {
			w.atOnce(func() { w.write(name+".md", text+time.Now().String()) })
			w.expect(promptfs.Report{Changed: []string{name}})
		}
	}

	require.NoError(t, os.Remove(dir))
	gone := w.next()
	require.ErrorContains(t, gone.Err, fmt.Sprintf("promptfs: cannot read folder %q (existing prompts are kept): ", dir))
	assert.Equal(t, 2, w.reg.Len())

	require.NoError(t, os.Mkdir(filepath.Join(parent, "v2"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "v2", "second.md"), []byte("2"), 0o600))
	require.NoError(t, os.Symlink("v2", dir))
	w.expect(promptfs.Report{Added: []string{"second"}, Removed: []string{"first", "ready"}})
	edits("second")

	require.NoError(t, os.Symlink("v1", dir+".new"))
	require.NoError(t, os.Rename(dir+".new", dir))
	w.expect(promptfs.Report{Added: []string{"first", "ready"}, Removed: []string{"second"}})
	edits("first")

	require.NoError(t, os.Rename(filepath.Join(parent, "v1"), filepath.Join(parent, "v3")))
	require.Error(t, w.next().Err)
	require.NoError(t, os.Rename(filepath.Join(parent, "v3"), filepath.Join(parent, "v1")))
	w.expect(promptfs.Report{})
	edits("first")
}

// A folder of partials may be created in a folder that no prompt is in.
func TestWatchForPartials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "_shared"), 0o755))
	w := watch(t, dir, func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder {
		o.Partials = "_shared/partials"
		return promptfs.NewDir(reg, dir, o)
	})
	w.atOnce(func() { w.write("b.md", `{{template "p"}}`) })
	require.Error(t, w.next().Err)
	w.atOnce(func() { w.write("_shared/partials/p.md", "1") })
	w.expect(promptfs.Report{Added: []string{"b"}})
}

// The directory goes just after it was read.
func TestWatchWhatHasGone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "prompts")
	w := watch(t, dir, func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder {
		report := o.OnReload
		o.OnReload = func(r promptfs.Report) {
			if slices.Equal(r.Changed, []string{"first"}) {
				assert.NoError(t, os.Rename(dir, dir+".away"))
			}
			report(r)
		}
		return promptfs.NewDir(reg, dir, o)
	})
	w.atOnce(func() { w.write("first.md", "changed") })
	w.expect(promptfs.Report{Changed: []string{"first"}})
	require.Error(t, w.next().Err)
	require.NoError(t, os.Rename(dir+".away", dir))
	w.expect(promptfs.Report{})
}

// If the system does not report changes, Watch checks the files.
func TestWatchWithoutEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, dir, func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder {
		f := promptfs.NewDir(reg, dir, o)
		promptfs.FailToWatch(f, nil, errors.New("no space left on device"))
		return f
	})
	for _, text := range []string{"2", "3"} {
		w.write(".tmp", text) // or it could be looked at while it is written
		w.rename(".tmp", "first.md")
		w.expect(promptfs.Report{Changed: []string{"first"}})
	}
	assert.Equal(t, 1, strings.Count(w.log.String(), "cannot watch directory"), "it is told once")
	assert.Contains(t, w.log.String(), `error="no space left on device"`)
}

// The same where single directories cannot be watched.
func TestWatchOfDirectoriesThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, dir, func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder {
		closed, err := fsnotify.NewWatcher()
		require.NoError(t, err)
		require.NoError(t, closed.Close()) // to which nothing can be added
		f := promptfs.NewDir(reg, dir, o)
		promptfs.FailToWatch(f, closed, nil)
		return f
	})
	w.write("sub/.tmp", "a")
	w.rename("sub/.tmp", "sub/a.md")
	w.expect(promptfs.Report{Added: []string{"sub/a"}})
	assert.Equal(t, 1, strings.Count(w.log.String(), "cannot watch directory"), "it is told once")
}

// An fs.FS does not report changes.
func TestWatchOfAFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, dir, func(reg *prompts.Registry, o promptfs.Options) *promptfs.Folder {
		o.PollInterval = 10 * time.Millisecond
		return promptfs.NewFolder(reg, os.DirFS(dir), o)
	})
	w.write(".a.tmp", "a")
	w.rename(".a.tmp", "a.md")
	w.expect(promptfs.Report{Added: []string{"a"}})
}
