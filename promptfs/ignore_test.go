package promptfs_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
)

// loaded returns the names of prompts and the paths of skills, with "skill " in front.
type loaded func(t *testing.T, files fstest.MapFS, o promptfs.Options) ([]string, error)

// everythingIn returns the names of the registries.
func everythingIn(reg *prompts.Registry, skills *promptskills.Registry) []string {
	var names []string
	for p := range reg.All() {
		names = append(names, p.Name)
	}
	for s := range skills.All() {
		for file := range s.Files {
			names = append(names, "skill "+s.Path+" "+file)
		}
	}
	slices.Sort(names)
	return names
}

// followed returns the ways into a registry.
func followed(reload func(t *testing.T, reg *prompts.Registry, files fstest.MapFS, o promptfs.Options) error) loaded {
	return func(t *testing.T, files fstest.MapFS, o promptfs.Options) ([]string, error) {
		var reg prompts.Registry
		o.Skills = new(promptskills.Registry)
		err := reload(t, &reg, files, o)
		return everythingIn(&reg, o.Skills), err
	}
}

// doors has each way to the prompts of a folder.
var doors = map[string]loaded{
	"Load": func(_ *testing.T, files fstest.MapFS, o promptfs.Options) ([]string, error) {
		all, err := promptfs.Load(files, o)
		skills, skillsErr := promptfs.LoadSkills(files, o)
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
		}
		for _, s := range skills {
			for file := range s.Files {
				names = append(names, "skill "+s.Path+" "+file)
			}
		}
		slices.Sort(names)
		return names, errors.Join(err, skillsErr)
	},
	"Folder": followed(func(t *testing.T, reg *prompts.Registry, files fstest.MapFS, o promptfs.Options) error {
		return promptfs.NewFolder(reg, files, o).Reload(t.Context())
	}),
	"Dir": followed(func(t *testing.T, reg *prompts.Registry, files fstest.MapFS, o promptfs.Options) error {
		dir := t.TempDir()
		for name, f := range files {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), f.Data, 0o600))
		}
		return promptfs.NewDir(reg, dir, o).Reload(t.Context())
	}),
	"Mirror": followed(func(t *testing.T, reg *prompts.Registry, files fstest.MapFS, o promptfs.Options) error {
		return promptfs.NewMirror(reg, o).Reset(t.Context(), storeOf(files)...)
	}),
	"Release": followed(func(t *testing.T, reg *prompts.Registry, files fstest.MapFS, o promptfs.Options) error {
		return promptfs.NewMirror(reg, o).Replace(t.Context(), prompts.Release{ID: "a"}, storeOf(files)...)
	}),
}

func storeOf(files fstest.MapFS) (all []promptfs.File) {
	for name, f := range files {
		all = append(all, promptfs.File{Path: name, Content: f.Data, Revision: 1})
	}
	return all
}

// Each way to a folder ignores the same files and gives the same names.
func TestIgnoreAndNamePrefix(t *testing.T) {
	t.Parallel()
	skill := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: x\n---\nDo it.\n")}
	}
	broken := &fstest.MapFile{Data: []byte("{{if}}")}
	files := fstest.MapFS{
		"hello.md":                {Data: []byte("Hello {{template \"who\" .}}")},
		"named.md":                {Data: []byte("---\nname: other\n---\nHi")},
		"x.draft.md":              broken,
		"old/deep/a.md":           broken,
		"new/old/b.md":            broken,
		"top/c.md":                broken,
		"in/top/c.md":             {Data: []byte("C")},
		"one/two/d.md":            broken,
		"caf\u00e9/e.md":          broken,
		"_partials/who.md":        {Data: []byte("you")},
		"_partials/bad.draft.md":  broken,
		"jump/SKILL.md":           skill("jump"),
		"jump/more.md":            {Data: []byte("more")},
		"jump/x.draft.md":         {Data: []byte("draft")},
		"jump/node_modules/a.txt": {Data: []byte("a")},
		"run/SKILL.md":            skill("run"),
	}
	for name, load := range doors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, err := load(t, files, promptfs.Options{
				Ignore: []string{"*.draft.md", "old", "/top", "one/*", "node_modules"}, NamePrefix: "team/",
				ReadIgnore: func(fsys fs.FS) ([]string, error) {
					_, err := fs.Stat(fsys, "hello.md")
					return []string{"cafe\u0301", "run"}, err
				},
				Logger: slog.New(slog.DiscardHandler),
			})
			require.NoError(t, err)
			assert.Equal(t, []string{"skill team/jump SKILL.md", "skill team/jump more.md", "team/hello", "team/in/top/c", "team/jump", "team/other"}, names)
		})
	}
	all, err := promptfs.Files(files, promptfs.Options{Ignore: []string{"*.draft.md", "old", "/top", "one", "café", "jump", "run"}, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	assert.Equal(t, []string{"_partials/who.md", "hello.md", "in/top/c.md", "named.md"}, slices.Sorted(maps.Keys(all)))
}

// After an error of ReadIgnore, the patterns of the load before stay, and the error is logged
// once. An error of the first load and an invalid pattern are errors of each way.
func TestReadIgnoreFails(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a.md": {Data: []byte("A")}, "b.md": {Data: []byte("B")}}
	var log strings.Builder
	var reg prompts.Registry
	ignore, failure := []string{"a.md"}, error(nil)
	folder := promptfs.NewFolder(&reg, files, promptfs.Options{
		ReadIgnore: func(fs.FS) ([]string, error) { return ignore, failure },
		Logger:     slog.New(slog.NewTextHandler(&log, nil)),
	})
	has := func(want ...string) {
		t.Helper()
		assert.Equal(t, want, everythingIn(&reg, new(promptskills.Registry)))
	}
	require.NoError(t, folder.Reload(t.Context()))
	has("b")
	failure = &promptfs.Error{Path: "prompts.yaml", Line: 2, Err: errors.New("unknown key")}
	ignore = nil
	require.ErrorIs(t, folder.Reload(t.Context()), failure)
	require.ErrorIs(t, folder.Reload(t.Context()), failure)
	has("b")
	assert.Equal(t, 1, strings.Count(log.String(), `level=WARN msg="invalid prompt file" path=prompts.yaml line=2 error="unknown key"`), log.String())
	failure = nil
	require.NoError(t, folder.Reload(t.Context()))
	has("a", "b")
	assert.Contains(t, log.String(), `msg="prompt file error fixed" path=prompts.yaml`)

	_, err := promptfs.LoadSkills(files, promptfs.Options{Ignore: []string{"[a"}})
	assert.ErrorContains(t, err, "invalid pattern")
	for name, load := range doors {
		quiet := slog.New(slog.DiscardHandler)
		_, err := load(t, files, promptfs.Options{Logger: quiet, Ignore: []string{"[a"}})
		assert.ErrorContains(t, err, `invalid pattern "[a" of files to ignore`, name)
		_, err = load(t, files, promptfs.Options{Logger: quiet, ReadIgnore: func(fs.FS) ([]string, error) { return nil, context.Canceled }})
		assert.ErrorIs(t, err, context.Canceled, name)
	}
}

// Watch applies patterns that change.
func TestWatchReadsIgnore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("a.md", "A")
	write("old/b.md", "B")
	write("ignored", "old")
	var reg prompts.Registry
	reports := make(chan promptfs.Report, 10)
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{
		ReadIgnore: func(fsys fs.FS) ([]string, error) {
			content, err := fs.ReadFile(fsys, "ignored")
			return strings.Fields(string(content)), err
		},
		Logger: slog.New(slog.DiscardHandler), OnReload: func(r promptfs.Report) { reports <- r },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { folder.Watch(ctx); close(ended) }() // ends with ctx
	assert.Equal(t, []string{"a"}, (<-reports).Added)
	write("ignored", "a.md")
	r := <-reports
	assert.Equal(t, []string{"old/b"}, r.Added)
	assert.Equal(t, []string{"a"}, r.Removed)
	cancel()
	<-ended
}
