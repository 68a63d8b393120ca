package promptfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// fixture is a Folder over files in memory, and what is heard of it.
type fixture struct {
	t       *testing.T
	fsys    fstest.MapFS
	reg     prompts.Registry
	folder  *promptfs.Folder
	reports []promptfs.Report
	log     bytes.Buffer
	changed <-chan struct{}
	writes  int
}

func newFixture(t *testing.T, texts map[string]string) *fixture {
	f := &fixture{t: t, fsys: fstest.MapFS{}}
	for path, text := range texts {
		f.write(path, text)
	}
	var cancel func()
	f.changed, cancel = signals(f.reg.OnChange)
	t.Cleanup(cancel)
	f.folder = promptfs.NewFolder(&f.reg, f.fsys, promptfs.Options{
		OnReload: func(r promptfs.Report) { f.reports = append(f.reports, r) },
		Logger: slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
	})
	return f
}

// write writes a file, as if that had been long ago: what is read anew then is
// what has to be.
func (f *fixture) write(path, text string) {
	f.writes++
	f.fsys[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Now().Add(-time.Hour + time.Duration(f.writes)*time.Millisecond)}
}

// reload reloads and returns what was reported; the zero Report if nothing was.
func (f *fixture) reload() (promptfs.Report, error) {
	f.t.Helper()
	f.reports = nil
	err := f.folder.Reload(f.t.Context())
	require.LessOrEqual(f.t, len(f.reports), 1)
	if len(f.reports) == 0 {
		return promptfs.Report{}, err
	}
	assert.Equal(f.t, err, f.reports[0].Err)
	return f.reports[0], err
}

// isTold reports whether a subscriber has been notified of a change since it was
// asked last.
func (f *fixture) isTold() bool {
	select {
	case <-f.changed:
		return true
	default:
		return false
	}
}

// texts returns the text of each prompt.
func (f *fixture) texts() map[string]string {
	f.t.Helper()
	texts := map[string]string{}
	for p := range f.reg.All() {
		texts[p.Name] = textsFrom(f.t, &f.reg, p.Name, nil)[0]
	}
	return texts
}

// Each step changes files, and then a reload has done what it says.
func TestReload(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"a.md": "1", "b.md": "---\nname: bee\n---\n1"})
	for _, step := range []struct {
		name    string
		change  func()
		report  promptfs.Report // Err aside
		err     string
		texts   map[string]string
		isQuiet bool // subscribers are not notified
	}{
		{name: "the first time", change: func() {}, report: promptfs.Report{Added: []string{"a", "bee"}}, texts: map[string]string{"a": "1", "bee": "1"}},
		{name: "nothing", change: func() {}, texts: map[string]string{"a": "1", "bee": "1"}, isQuiet: true},
		{name: "an edit", change: func() { f.write("a.md", "2") }, report: promptfs.Report{Changed: []string{"a"}}, texts: map[string]string{"a": "2", "bee": "1"}},
		{name: "a touch", change: func() { f.write("a.md", "2") }, texts: map[string]string{"a": "2", "bee": "1"}, isQuiet: true},
		{name: "a fault", change: func() { f.write("a.md", "{{") }, err: "a.md:1: unclosed action; close the action with }}", texts: map[string]string{"a": "2", "bee": "1"}, isQuiet: true},
		{name: "another fault and an edit", change: func() { f.write("a.md", "\n{{"); f.write("c.md", "1") }, report: promptfs.Report{Added: []string{"c"}},
			err: "a.md:2: unclosed action; close the action with }}", texts: map[string]string{"a": "2", "bee": "1", "c": "1"}},
		{name: "the fault mended by what it was", change: func() { f.write("a.md", "2") }, texts: map[string]string{"a": "2", "bee": "1", "c": "1"}, isQuiet: true},
		{name: "a file goes", change: func() { delete(f.fsys, "c.md") }, report: promptfs.Report{Removed: []string{"c"}}, texts: map[string]string{"a": "2", "bee": "1"}},
		{name: "a file moves", change: func() { f.fsys["d.md"] = f.fsys["a.md"]; delete(f.fsys, "a.md") }, report: promptfs.Report{Added: []string{"d"}, Removed: []string{"a"}}, texts: map[string]string{"d": "2", "bee": "1"}},
		{name: "one with a name moves", change: func() { f.fsys["x/b.md"] = f.fsys["b.md"]; delete(f.fsys, "b.md") }, report: promptfs.Report{Changed: []string{"bee"}}, texts: map[string]string{"d": "2", "bee": "1"}},
		{name: "a name changes", change: func() { f.write("x/b.md", "---\nname: wasp\n---\n1") }, report: promptfs.Report{Added: []string{"wasp"}, Removed: []string{"bee"}}, texts: map[string]string{"d": "2", "wasp": "1"}},
		{name: "two change places", change: func() { f.write("x/b.md", "---\nname: d\n---\n3"); f.write("d.md", "---\nname: wasp\n---\n4") },
			report: promptfs.Report{Changed: []string{"d", "wasp"}}, texts: map[string]string{"d": "3", "wasp": "4"}},
		{name: "a file with a fault goes", change: func() { f.write("d.md", "{{") }, err: "d.md:1: unclosed action; close the action with }}", texts: map[string]string{"d": "3", "wasp": "4"}, isQuiet: true},
		{name: "and is gone", change: func() { delete(f.fsys, "d.md") }, report: promptfs.Report{Removed: []string{"wasp"}}, texts: map[string]string{"d": "3"}},
		{name: "all go", change: func() { clear(f.fsys) }, report: promptfs.Report{Removed: []string{"d"}}, texts: map[string]string{}},
	} {
		step.change()
		report, err := f.reload()
		if step.err == "" {
			require.NoError(t, err, step.name)
		} else {
			require.EqualError(t, err, step.err, step.name)
		}
		report.Err, report.Release = nil, step.report.Release
		assert.Equal(t, step.report, report, step.name)
		assert.Equal(t, !step.isQuiet, f.isTold(), step.name)
		assert.Equal(t, step.texts, f.texts(), step.name)
	}
}

// The log of a folder that cannot be read does not name a file.
func TestUnreadableFolderIsLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"a.md": "hi"})
	f.write(".", "not a folder")
	_, err := f.reload()
	require.Error(t, err)
	assert.Contains(t, f.log.String(), `level=WARN msg="cannot reload prompts" error=`)
	assert.NotContains(t, f.log.String(), "a file of prompts")
}

// An error is reported when it appears, when it changes and when it is fixed, and
// not at each reload.
func TestErrorsAreReportedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{"a.md": "{{", "b.md": "{{"})
	said := func() string {
		defer f.log.Reset()
		return f.log.String()
	}
	_, err := f.reload()
	require.Error(t, err)
	assert.Len(t, f.reports, 1)
	assert.Equal(t, `level=WARN msg="invalid prompt file" path=a.md line=1 error="unclosed action; close the action with }}"
level=WARN msg="invalid prompt file" path=b.md line=1 error="unclosed action; close the action with }}"
`, said())
	_, again := f.reload()
	require.EqualError(t, again, err.Error())
	assert.Empty(t, f.reports)
	assert.Empty(t, said())
	f.write("a.md", "good")
	_, err = f.reload()
	require.EqualError(t, err, "b.md:1: unclosed action; close the action with }}")
	assert.Len(t, f.reports, 1)
	assert.Equal(t, `level=INFO msg="prompt file error fixed" path=a.md line=1 error="unclosed action; close the action with }}"
level=INFO msg="prompts reloaded" added=a changed="" removed=""
`, said())
}

// A change to a dependency of a prompt, in addition to its file, renews the prompt.
func TestReloadOfDependencies(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]string{
		"a.md": "{{template \"outer\"}}", "b.md": "b", "c.md": "c\n--- user: resource log.txt ---", "log.txt": "1",
		"_partials/outer.md": "<{{template \"inner\"}}>", "_partials/inner.md": "1", "_partials/other.md": "1",
	})
	_, err := f.reload()
	require.NoError(t, err)
	for _, step := range []struct {
		name    string
		change  func()
		changed []string
		err     string
		a       string
	}{
		{"a partial of a partial", func() { f.write("_partials/inner.md", "2") }, []string{"a"}, "", "<2>"},
		{"another partial", func() { f.write("_partials/other.md", "2") }, nil, "", "<2>"},
		{"a resource", func() { f.write("log.txt", "2") }, []string{"c"}, "", "<2>"},
		{"a resource goes", func() { delete(f.fsys, "log.txt") }, nil, "c.md:2: log.txt: file not found; write the path from the folder of this file", "<2>"},
		{"and comes back", func() { f.write("log.txt", "3") }, []string{"c"}, "", "<2>"},
		{"a partial goes", func() { delete(f.fsys, "_partials/inner.md") }, nil,
			"_partials/outer.md:1:13: unknown partial \"inner\"; create the partial: the file _partials/inner.md, or Options.Partials in Go\n" +
				"a.md:1: partial \"outer\" is invalid (see _partials/outer.md:1:13)", "<2>"},
		{"and comes back as another file", func() { f.write("_partials/inner.txt", "3") }, []string{"a"}, "", "<3>"},
		{"a partial has a fault", func() { f.write("_partials/inner.txt", "{{") }, nil,
			"_partials/inner.txt:1: unclosed action; close the action with }}\na.md:1: partial \"inner\" is invalid (see _partials/inner.txt:1)", "<3>"},
		{"and is what it was", func() { f.write("_partials/inner.txt", "3") }, nil, "", "<3>"},
		{"nothing", func() {}, nil, "", "<3>"},
	} {
		step.change()
		report, err := f.reload()
		assert.Equal(t, step.changed, report.Changed, step.name)
		assert.Equal(t, step.a, f.texts()["a"], step.name)
		if step.err == "" {
			assert.NoError(t, err, step.name)
		} else {
			assert.EqualError(t, err, step.err, step.name)
		}
	}
}

func prompt(name, text string) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(text)), nil
	}}
}

// Prompts of code and of files in one registry: what code sets is code's, and
// nothing that a folder has not added itself is replaced or removed by it.
func TestClashes(t *testing.T) {
	t.Parallel()
	const taken = "prompt name \"a\" is already used by a prompt outside of this folder; rename this prompt, or serve the folder as NAME=DIR"
	f := newFixture(t, map[string]string{"a.md": "file", "b.md": "file"})
	f.reg.MustAdd(prompt("a", "code"))
	_, err := f.reload()
	require.EqualError(t, err, "a.md: "+taken)
	assert.Equal(t, map[string]string{"a": "code", "b": "file"}, f.texts())

	f.reg.Remove("a")
	report, err := f.reload()
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, report.Added, "the name is free")
	assert.Equal(t, "file", f.texts()["a"])

	require.NoError(t, f.reg.Set(prompt("a", "code")))
	for _, text := range []string{"file", "file 2"} {
		f.write("a.md", text)
		_, err = f.reload()
		require.EqualError(t, err, "a.md: "+taken)
		assert.Equal(t, "code", f.texts()["a"], "code that has set another wins")
	}
	delete(f.fsys, "a.md")
	_, err = f.reload()
	require.NoError(t, err)
	assert.Equal(t, "code", f.texts()["a"], "it is not the folder's to remove")

	f.reg.Remove("b")
	report, err = f.reload()
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, report.Added, "the files say what there is")

	// A second folder is as good as code.
	f.isTold()
	other := promptfs.NewFolder(&f.reg, files(map[string]string{"b.md": "other", "c.md": "other"}), promptfs.Options{})
	require.EqualError(t, other.Reload(t.Context()), strings.ReplaceAll("b.md: "+taken, `"a"`, `"b"`))
	assert.Equal(t, map[string]string{"a": "code", "b": "file", "c": "other"}, f.texts())
	assert.True(t, f.isTold())
}

// Code that sets a prompt while its file is reloaded wins, whoever is first.
func TestClashWhileReloading(t *testing.T) {
	t.Parallel()
	for i := range 300 {
		f := newFixture(t, map[string]string{"a.md": "1"})
		_, err := f.reload()
		require.NoError(t, err)
		f.write("a.md", "2")
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, f.reg.Set(prompt("a", "code"))) })
		_ = f.folder.Reload(t.Context())
		wg.Wait()
		require.Equal(t, "code", f.texts()["a"], "%d", i)
	}
}

// Two files with one name change nothing, in whatever order they come.
func TestClashesOfFiles(t *testing.T) {
	t.Parallel()
	named := func(name, text string) string { return "---\nname: " + name + "\n---\n" + text }
	f := newFixture(t, map[string]string{"b.md": named("x", "b")})
	_, err := f.reload()
	require.NoError(t, err)
	f.write("a.md", named("x", "a"))
	f.write("b.md", named("x", "b2"))
	_, err = f.reload()
	require.EqualError(t, err, "a.md:2: duplicate prompt name \"x\" (also in b.md); rename one\nb.md:2: duplicate prompt name \"x\" (also in a.md); rename one")
	assert.Equal(t, map[string]string{"x": "b"}, f.texts(), "it stays as it was")

	f.write("b.md", named("x", "{{"))
	_, err = f.reload()
	require.EqualError(t, err, "a.md:2: prompt name \"x\" is still used by b.md, which is invalid; fix b.md, or rename one of the prompts\nb.md:4: unclosed action; close the action with }}")
	assert.Equal(t, map[string]string{"x": "b"}, f.texts())

	f.write("b.md", named("y", "b3"))
	_, err = f.reload()
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"x": "a", "y": "b3"}, f.texts())

	// One that stays because of a clash is in the way of a third.
	f.write("a.md", named("y", "a"))
	f.write("c.md", named("x", "c"))
	_, err = f.reload()
	require.EqualError(t, err, "a.md:2: duplicate prompt name \"y\" (also in b.md); rename one\nb.md:2: duplicate prompt name \"y\" (also in a.md); rename one\nc.md:2: prompt name \"x\" is still used by a.md, which is invalid; fix a.md, or rename one of the prompts")
	assert.Equal(t, map[string]string{"x": "a", "y": "b3"}, f.texts())
}

// A folder that cannot be read, as a whole or in part, keeps its prompts.
func TestReloadOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	fsys := failing{files(map[string]string{"a.md": "1", "sub/b.md": "1", "sub/c/d.md": "1", "_partials/p.md": "1", "e.md": "{{template \"p\"}}"}), map[string]error{}}
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
	require.NoError(t, folder.Reload(t.Context()))
	require.Equal(t, 4, reg.Len())
	broken := errors.New("broken")
	for path, want := range map[string]string{
		".":         "promptfs: cannot read the folder (existing prompts are kept): broken",
		"sub":       "sub: cannot read file: broken",
		"_partials": "_partials: cannot read file: broken",
		"a.md":      "a.md: cannot read file: broken",
	} {
		fsys.fails[path] = broken
		err := folder.Reload(t.Context())
		require.ErrorIs(t, err, broken)
		assert.EqualError(t, err, want)
		assert.Equal(t, 4, reg.Len(), path)
		delete(fsys.fails, path)
		require.NoError(t, folder.Reload(t.Context()))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	assert.ErrorIs(t, folder.Reload(ctx), broken)
}

// A removed directory keeps its prompts too, until it is back.
func TestReloadOfADirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "prompts")
	var reg prompts.Registry
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
	err := folder.Reload(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, fmt.Sprintf("promptfs: cannot read folder %q (existing prompts are kept): ", dir))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("hi"), 0o600))
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, 1, reg.Len())
	require.NoError(t, os.RemoveAll(dir))
	require.ErrorIs(t, folder.Reload(t.Context()), fs.ErrNotExist)
	assert.Equal(t, 1, reg.Len())
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, 0, reg.Len())
}

// A file that changes within the grain of the clock, at the same size, is seen.
func TestReloadWithinTheClocksGrain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	var reg prompts.Registry
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
	now := time.Now()
	for _, text := range []string{"one", "two", "six"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, now, now))
		require.NoError(t, folder.Reload(t.Context()))
		assert.Equal(t, text, textsFrom(t, &reg, "a", nil)[0])
	}
}

// tally counts what is opened.
type tally struct {
	mu     sync.Mutex
	opened map[string]int
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened == nil {
		c.opened = map[string]int{}
	}
	c.opened[name]++
}

// counting counts the files that are opened.
type counting struct {
	fs.FS
	*tally
}

func (c counting) Open(name string) (fs.File, error) {
	c.add(name)
	return c.FS.Open(name)
}

// What has not changed for a while is not read again.
func TestReloadReadsWhatHasChanged(t *testing.T) {
	t.Parallel()
	fsys := files(map[string]string{"a.md": "{{template \"p\"}}", "b.md": "b\n--- user: resource c.txt ---", "c.txt": "c", "_partials/p.md": "p"})
	for _, f := range fsys {
		f.ModTime = time.Now().Add(-time.Hour)
	}
	c := counting{fsys, &tally{}}
	var reg prompts.Registry
	folder := promptfs.NewFolder(&reg, c, promptfs.Options{})
	for range 3 {
		require.NoError(t, folder.Reload(t.Context()))
	}
	for path := range fsys {
		if path != "c.txt" { // which is looked at through Open, as any file is where there is no Stat
			assert.Equal(t, 1, c.opened[path], path)
		}
	}
	fsys["_partials/p.md"] = &fstest.MapFile{Data: []byte("q"), ModTime: time.Now().Add(-time.Minute)}
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, 2, c.opened["_partials/p.md"])
	assert.Equal(t, 2, c.opened["a.md"])
	assert.Equal(t, 1, c.opened["b.md"])
}

// A link that leads to another file is a change, though that file has the size
// and the time of the one before.
func TestReloadOfALink(t *testing.T) {
	t.Parallel()
	skipWithoutLinks(t)
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, text := range []string{"one", "two"} {
		path := filepath.Join(dir, "_"+text)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, old, old))
	}
	var reg prompts.Registry
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
	for _, text := range []string{"one", "two", "one"} {
		_ = os.Remove(filepath.Join(dir, "a.md"))
		require.NoError(t, os.Symlink("_"+text, filepath.Join(dir, "a.md")))
		require.NoError(t, folder.Reload(t.Context()))
		assert.Equal(t, text, textsFrom(t, &reg, "a", nil)[0])
	}
}

// Whatever happens to the files, the registry equals a model. A valid file has its
// current prompt, and an invalid file the prompt from when the file was last valid.
// Without a change, the registry gets no update. If all files are valid, a new
// Folder loads the same prompts.
func TestReloadModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 8))
			f := newFixture(t, nil)
			kept := map[string]string{} // the texts of good files, by path
			paths := []string{"a.md", "b.md", "sub/a.md", "sub/deep/c.md", "d.md"}
			for step := range 60 {
				for range 1 + r.IntN(3) {
					path := paths[r.IntN(len(paths))]
					switch r.IntN(6) {
					case 0:
						delete(f.fsys, path)
					case 1:
						f.write(path, "{{broken")
					case 2:
						if to := paths[r.IntN(len(paths))]; f.fsys[path] != nil && to != path {
							f.fsys[to] = f.fsys[path]
							delete(f.fsys, path)
						}
					case 3:
						f.write("_partials/p.md", fmt.Sprint(r.IntN(3)))
					default:
						f.write(path, fmt.Sprintf("%d{{template \"p\"}}", r.IntN(3)))
					}
				}
				if f.fsys["_partials/p.md"] == nil {
					f.write("_partials/p.md", "0")
				}
				before := maps.Clone(kept)
				hasFaults := false
				for _, path := range paths {
					file := f.fsys[path]
					switch {
					case file == nil:
						delete(kept, path)
					case string(file.Data) == "{{broken":
						hasFaults = true
					default:
						kept[path] = strings.Replace(string(file.Data), "{{template \"p\"}}", string(f.fsys["_partials/p.md"].Data), 1)
					}
				}
				_, err := f.reload()
				assert.Equal(t, hasFaults, err != nil)
				want := map[string]string{}
				for path, text := range kept {
					want[strings.TrimSuffix(path, ".md")] = text
				}
				require.Equal(t, want, f.texts(), "step %d", step)
				if maps.Equal(before, kept) {
					f.isTold() // what makes the same text may be another file
				} else {
					assert.True(t, f.isTold())
				}
				_, _ = f.reload()
				assert.False(t, f.isTold(), "nothing has changed")
				if hasFaults {
					continue
				}
				loaded, err := promptfs.Load(f.fsys, promptfs.Options{})
				require.NoError(t, err)
				var names []string
				for _, p := range loaded {
					names = append(names, p.Name)
				}
				slices.Sort(names)
				var inRegistry []string
				for p := range f.reg.All() {
					inRegistry = append(inRegistry, p.Name)
				}
				assert.Equal(t, names, inRegistry)
			}
		})
	}
}

// Many reload, read and set at once.
func TestConcurrentReloads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 20 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte("0"), 0o600))
	}
	var reg prompts.Registry
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{})
	reg.MustAdd(prompt("code", "code"))
	require.NoError(t, folder.Reload(t.Context()))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 25 {
				path := filepath.Join(dir, fmt.Sprintf("%d.md", i%20))
				temporary := path + fmt.Sprint(g)
				assert.NoError(t, os.WriteFile(temporary, []byte(fmt.Sprint(i)), 0o600))
				err := os.Rename(temporary, path)
				for runtime.GOOS == "windows" && errors.Is(err, fs.ErrPermission) { // a reload has it open
					err = os.Rename(temporary, path)
				}
				assert.NoError(t, err)
				assert.NoError(t, folder.Reload(t.Context()))
				assert.Equal(t, 21, reg.Len(), "never a moment without a prompt")
				if g == 0 {
					assert.NoError(t, reg.Set(prompt("code", "code")))
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, "24", textsFrom(t, &reg, "4", nil)[0])
}
