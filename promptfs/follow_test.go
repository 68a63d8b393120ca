package promptfs_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttools"
)

// followers are what rejects the prompts whose descriptions begin with "bad", or of two
// prompts with one name in lower case the second.
var followers = map[string]func(reg *prompts.Registry) error{
	// prompttools names the prompts of its errors.
	"tools": func(reg *prompts.Registry) error {
		descriptions := map[string]string{}
		_, err := prompttools.New(reg, prompttools.Options{
			Select: func(p prompts.Prompt) bool { descriptions[p.Name] = p.Description; return true },
			ToolName: func(name string) string {
				if strings.HasPrefix(descriptions[name], "bad") {
					return "no tool"
				}
				return strings.ToLower(strings.ReplaceAll(name, "/", "_"))
			},
		})
		return err
	},
}

// sources are what fills a registry with files: each returns a function that changes files,
// and removes those without content.
var sources = map[string]func(t *testing.T, reg *prompts.Registry, o promptfs.Options) func(files map[string]string) error{
	"folder": func(t *testing.T, reg *prompts.Registry, o promptfs.Options) func(map[string]string) error {
		fsys := fstest.MapFS{}
		f := promptfs.NewFolder(reg, fsys, o)
		return func(files map[string]string) error {
			for path, content := range files {
				if delete(fsys, path); content != "" {
					fsys[path] = &fstest.MapFile{Data: []byte(content)}
				}
			}
			return f.Reload(t.Context())
		}
	},
	"mirror, changes": func(t *testing.T, reg *prompts.Registry, o promptfs.Options) func(map[string]string) error {
		m, revision := promptfs.NewMirror(reg, o), uint64(0)
		return func(files map[string]string) error {
			var all []promptfs.File
			for path, content := range files {
				revision++
				all = append(all, promptfs.File{Path: path, Content: []byte(content), Revision: revision, Removed: content == ""})
			}
			return m.Apply(t.Context(), all...)
		}
	},
	"mirror, all": func(t *testing.T, reg *prompts.Registry, o promptfs.Options) func(map[string]string) error {
		m, there := promptfs.NewMirror(reg, o), map[string]string{}
		return func(files map[string]string) error {
			maps.Copy(there, files)
			var all []promptfs.File
			for path, content := range there {
				all = append(all, promptfs.File{Path: path, Content: []byte(content), Revision: 1, Removed: content == ""})
			}
			return m.Reset(t.Context(), all...)
		}
	},
}

func about(description, text string) string {
	return fmt.Sprintf("---\ntitle: t\ndescription: %s\n---\n%s", description, text)
}

// What a follower of the registry rejects is an error of the file alone: the edits of the
// other files are served, and the prompt of the file keeps its last valid version.
func TestFollowersRejectSingleFiles(t *testing.T) {
	t.Parallel()
	for who, follow := range followers {
		for from, newSource := range sources {
			t.Run(who+", "+from, func(t *testing.T) {
				t.Parallel()
				var reg prompts.Registry
				require.NoError(t, follow(&reg))
				var log bytes.Buffer
				var last promptfs.Report
				change := newSource(t, &reg, promptfs.Options{
					Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})), OnReload: func(r promptfs.Report) { last = r },
				})
				errorsOf := func(err error) (paths []string) {
					t.Helper()
					for _, err := range allOf(err) {
						var e *promptfs.Error
						require.ErrorAs(t, err, &e)
						paths = append(paths, fmt.Sprintf("%s:%d", e.Path, e.Line))
					}
					return paths
				}
				text := func(name string) string { return strings.Join(textsFrom(t, &reg, name, nil), "") }

				// At the start.
				many := map[string]string{"a.md": about("good", "a1"), "b.md": about("bad", "b1"), "c.md": about("bad", "c1"), "sub/d.md": about("good", "d1")}
				for i := range 20 {
					many[fmt.Sprintf("z%d.md", i)] = about("good", "z")
				}
				assert.Equal(t, []string{"b.md:0", "c.md:0"}, errorsOf(change(many)))
				assert.Len(t, namesIn(&reg), 22)
				assert.Equal(t, "a1", text("a"))
				assert.Equal(t, 2, strings.Count(log.String(), `msg="invalid prompt file"`), log.String())
				assert.Contains(t, log.String(), "path=b.md")
				assert.Contains(t, log.String(), "path=c.md")
				assert.Len(t, last.Added, 22)
				assert.Empty(t, last.Release.ID)

				// Edits of others, and of a prompt that is served.
				log.Reset()
				assert.Equal(t, []string{"b.md:0", "c.md:0", "sub/d.md:0"}, errorsOf(change(map[string]string{"a.md": about("good", "a2"), "sub/d.md": about("bad", "d2")})))
				assert.Equal(t, []string{"a2", "d1"}, []string{text("a"), text("sub/d")})
				assert.Equal(t, 1, strings.Count(log.String(), "level=WARN"), "what is known is not logged again: %s", log.String())
				assert.Equal(t, []string{"b.md:0", "c.md:0", "sub/d.md:0"}, errorsOf(change(map[string]string{"a.md": about("good", "a3")})))
				assert.Equal(t, "a3", text("a"))

				// The fixes, and the removal of a file that was never served.
				require.NoError(t, change(map[string]string{"b.md": about("good", "b4"), "c.md": "", "sub/d.md": about("good", "d4")}))
				assert.Equal(t, []string{"b4", "d4"}, []string{text("b"), text("sub/d")})
				assert.Len(t, namesIn(&reg), 23)

				// Two prompts that exclude each other: the one that is served stays.
				assert.Equal(t, []string{"A.md:0"}, errorsOf(change(map[string]string{"A.md": about("good", "A")})))
				assert.Equal(t, "a3", text("a"))
				require.NoError(t, change(map[string]string{"a.md": ""}))
				assert.Equal(t, "A", text("A"))
				assert.NotContains(t, namesIn(&reg), "a")
			})
		}
	}
}

// The line is that of the name.
func TestLineOfARejectedName(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	require.NoError(t, followers["tools"](&reg))
	fsys := fstest.MapFS{"x.md": {Data: []byte("---\ndescription: bad\nname: y\n---\ntext")}}
	err := promptfs.NewFolder(&reg, fsys, promptfs.Options{Logger: slog.New(slog.DiscardHandler)}).Reload(t.Context())
	assert.EqualError(t, err, `x.md:3: tool name "no tool" (7 bytes) is invalid: must have 1 to 128 of the characters A-Z a-z 0-9 . - _; rename the prompt`)
	var e *promptfs.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "rename the prompt", e.Hint)
}

// A release is served whole or not at all, and the error has the file.
func TestFollowersRejectReleases(t *testing.T) {
	t.Parallel()
	for who, follow := range followers {
		var reg prompts.Registry
		require.NoError(t, follow(&reg), who)
		var log bytes.Buffer
		m := promptfs.NewMirror(&reg, promptfs.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
		replace := func(ctx context.Context, id string, a, b string) error {
			return m.Replace(ctx, prompts.Release{ID: id}, promptfs.File{Path: "a.md", Content: []byte(a)}, promptfs.File{Path: "b.md", Content: []byte(b)})
		}
		require.NoError(t, replace(t.Context(), "1", about("good", "a1"), about("good", "b1")))
		err := replace(t.Context(), "2", about("good", "a2"), about("bad", "b2"))
		var e *promptfs.Error
		require.ErrorAs(t, err, &e, who)
		assert.Equal(t, "b.md", e.Path)
		assert.Contains(t, log.String(), `msg="invalid prompt file" path=b.md`)
		assert.Equal(t, []string{"a1"}, textsFrom(t, &reg, "a", nil))
		assert.Equal(t, "1", releaseOf(t, &reg).ID)
		require.NoError(t, replace(t.Context(), "3", about("good", "a3"), about("good", "b3")))
		assert.Equal(t, []string{"a3"}, textsFrom(t, &reg, "a", nil))
	}
}

// allOf returns the errors that err joins.
func allOf(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.Clone(joined.Unwrap())
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
