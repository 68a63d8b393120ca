package promptfs_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// The content digest is the same on any machine, for files, a folder and a mirror.
func TestContentDigest(t *testing.T) {
	t.Parallel()
	const golden = "sha256:d8295e883894a1b7a462ed7607bcdd52d00f316b072981519b5dae23e1449bcc"
	fsys := fstest.MapFS{
		"hello.md":         {Data: []byte("Hello {{template \"who\" .}}\n")},
		"dir/look.md":      {Data: []byte("--- user: image a b.png ---\n\n--- user ---\n\nLook.\n")},
		"dir/a b.png":      {Data: []byte("\x89PNG")},
		"_partials/who.md": {Data: []byte("you\n")},
		"_partials/no.md":  {Data: []byte("unused\n")},
	}
	quiet := promptfs.Options{Logger: slog.New(slog.DiscardHandler)}
	files, err := promptfs.Files(fsys, quiet)
	require.NoError(t, err)
	list, digest := promptfs.Contents(files)
	assert.Equal(t, golden, digest, "%s", list)
	reg := new(prompts.Registry)
	folder := promptfs.NewFolder(reg, fsys, quiet)
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, golden, releaseOf(t, reg).ID)
	before, _ := reg.Lookup("hello")
	unchanged, _ := reg.Lookup("dir/look")

	// What is only used by a prompt changes its digest, and an unused file that of the folder.
	fsys["_partials/who.md"] = &fstest.MapFile{Data: []byte("me\n")}
	require.NoError(t, folder.Reload(t.Context()))
	after, _ := reg.Lookup("hello")
	still, _ := reg.Lookup("dir/look")
	assert.NotEqual(t, before.Digest, after.Digest)
	assert.Equal(t, unchanged.Digest, still.Digest)
	second := releaseOf(t, reg).ID
	assert.NotEqual(t, golden, second)
	fsys["_partials/no.md"] = &fstest.MapFile{Data: []byte("changed\n")}
	require.NoError(t, folder.Reload(t.Context()))
	assert.NotEqual(t, second, releaseOf(t, reg).ID)

	// While a file is invalid, an older version of it is served, which is of no release.
	fsys["hello.md"] = &fstest.MapFile{Data: []byte("{{if}}")}
	require.Error(t, folder.Reload(t.Context()))
	assert.Empty(t, releaseOf(t, reg))
	fsys["hello.md"] = &fstest.MapFile{Data: []byte("Hello {{template \"who\" .}}\n")}
	fsys["_partials/who.md"], fsys["_partials/no.md"] = &fstest.MapFile{Data: []byte("you\n")}, &fstest.MapFile{Data: []byte("unused\n")}
	require.NoError(t, folder.Reload(t.Context()))
	assert.Equal(t, golden, releaseOf(t, reg).ID)

	// A folder of the operating system gives the same, whatever its times and modes are.
	dir := t.TempDir()
	for path, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), content, 0o600))
	}
	again, err := promptfs.Files(os.DirFS(dir), quiet)
	require.NoError(t, err)
	_, digest = promptfs.Contents(again)
	assert.Equal(t, golden, digest)
}

func filesOf(texts map[string]string) []promptfs.File {
	var files []promptfs.File
	for path, text := range texts {
		files = append(files, promptfs.File{Path: path, Content: []byte(text)})
	}
	return files
}

// Replace takes all files of a release or none, and keeps what is equal in both.
func TestReplace(t *testing.T) {
	t.Parallel()
	ctx, reg := t.Context(), new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{Name: "code", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }})
	mirror := promptfs.NewMirror(reg, promptfs.Options{Logger: slog.New(slog.DiscardHandler), SourcePrefix: "oci:"})
	one := map[string]string{"a.md": "a", "b.md": `b {{template "p" .}}`, "_partials/p.md": "one"}
	require.NoError(t, mirror.Replace(ctx, prompts.Release{ID: "one", Label: "production"}, filesOf(one)...))
	served := func() map[string]string {
		all := map[string]string{}
		for p := range reg.All() {
			all[p.Name] = p.Digest
		}
		return all
	}
	first := served()
	releaseOne := prompts.Release{ID: "one", Label: "production"}
	assert.Equal(t, releaseOne, releaseOf(t, reg))
	changed, cancel := signals(reg.OnChange)
	defer cancel()
	for name, files := range map[string]map[string]string{
		"an invalid file":          {"a.md": "other", "b.md": "{{if}}"},
		"an invalid partial":       {"a.md": "other", "_partials/p.md": "{{if}}"},
		"a name of code":           {"a.md": "other", "code.md": "code"},
		"two files of one name":    {"a.md": "other", "a.markdown": "a"},
		"a file below a file":      {"a.md": "other", "a.md/b.md": "b"},
		"a path outside":           {"a.md": "other", "../b.md": "b"},
		"a partial that is absent": {"a.md": "other", "b.md": one["b.md"]},
	} {
		err := mirror.Replace(ctx, prompts.Release{ID: "bad"}, filesOf(files)...)
		var e *promptfs.Error
		assert.ErrorAs(t, err, &e, name)
		assert.Equal(t, first, served(), name)
		assert.Equal(t, releaseOne, releaseOf(t, reg), name)
		assert.Empty(t, changed, name)
	}
	two := map[string]string{"a.md": "a", "c.md": "c"}
	require.NoError(t, mirror.Replace(ctx, prompts.Release{ID: "two"}, filesOf(two)...))
	<-changed
	assert.Equal(t, []string{"a", "c", "code"}, slices.Sorted(func(yield func(string) bool) {
		for p := range reg.All() {
			if !yield(p.Name) {
				return
			}
		}
	}))
	assert.Equal(t, first["a"], served()["a"])
	// A release with the same files is another release, and no change of the list.
	require.NoError(t, mirror.Replace(ctx, prompts.Release{ID: "three"}, filesOf(two)...))
	assert.Empty(t, changed)
	assert.Equal(t, "three", releaseOf(t, reg).ID)
	// A name that code has given back is free.
	withCode := map[string]string{"code.md": "mine"}
	require.Error(t, mirror.Replace(ctx, prompts.Release{ID: "four"}, filesOf(withCode)...))
	reg.Remove("code")
	require.NoError(t, mirror.Replace(ctx, prompts.Release{ID: "four"}, filesOf(withCode)...))
	// Apply and Reset name the revision of the store.
	require.NoError(t, mirror.Reset(ctx, promptfs.File{Path: "a.md", Content: []byte("a"), Revision: 7}))
	assert.Equal(t, "revision 7", releaseOf(t, reg).ID)
	require.NoError(t, mirror.Apply(ctx, promptfs.File{Path: "a.md", Revision: 8, Removed: true}))
	assert.Equal(t, "revision 8", releaseOf(t, reg).ID)
	ended, end := context.WithCancel(ctx)
	end()
	assert.ErrorIs(t, mirror.Replace(ended, prompts.Release{ID: "five"}, filesOf(two)...), context.Canceled)
	assert.Equal(t, "revision 8", releaseOf(t, reg).ID)
}

// releaseOf returns the release of a list; the zero Release without any.
func releaseOf(t testing.TB, reg *prompts.Registry) prompts.Release {
	t.Helper()
	raw, err := prompts.MustNewServer(reg, prompts.Options{}).Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	var list struct {
		Meta struct {
			ID    string `json:"io.github.mcp-prompts/release"`
			Label string `json:"io.github.mcp-prompts/label"`
		} `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(raw, &list))
	return prompts.Release{ID: list.Meta.ID, Label: list.Meta.Label}
}

// signals returns a channel with a signal after changes.
func signals(onChange func(func()) func()) (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	return c, onChange(func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
}
