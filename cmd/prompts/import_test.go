package main

import (
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// importFixture returns the sources of a format in the scripts.
func importFixture(tb testing.TB, format string) fs.FS {
	file, folder := "formats", format+"/"
	if format == "claude" {
		file, folder = "claude", "src/"
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "import_"+file+".txtar"))
	require.NoError(tb, err)
	fsys := fstest.MapFS{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, folder); ok {
			fsys[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	require.NotEmpty(tb, fsys, format)
	return fsys
}

// FuzzImport checks that no file makes import fail other than by a report, and that
// what it converts can be rendered.
func FuzzImport(f *testing.F) {
	for _, format := range formatNames(isImported) {
		fsys := importFixture(f, format)
		require.NoError(f, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if _, ok := formatOf(format, isImported).target(name); ok && err == nil {
				content, err := fs.ReadFile(fsys, name)
				f.Add(format, string(content))
				return err
			}
			return err
		}))
	}
	f.Add("claude", "---\r\ndescription: Windows\r\n---\r\nFix $ARGUMENTS.\r\n")
	f.Fuzz(func(t *testing.T, format, text string) {
		how := formatOf(format, isImported)
		if how == nil {
			return
		}
		source := "p" + how.files[0]
		c := &conversion{source: source, path: "p.md", root: fstest.MapFS{source: {Data: []byte(text)}}}
		c.run(t.Context(), how)
		if c.isRefused {
			for _, n := range c.notes {
				require.NotContains(t, n.text, "cannot be rendered", "%s", c.result)
			}
			return
		}
		require.NoError(t, writeIndented(io.Discard, c.prompt))
	})
}

// TestImportFrontMatter checks what import reads of a source's front matter, and on which
// lines.
func TestImportFrontMatter(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		description, body string
		bodyLine          int
		isRefused         bool
	}{
		"Hi\n---\n":                                        {body: "Hi\n---\n", bodyLine: 1},
		"---\ndescription: A\n---\nHi":                     {"A", "Hi", 4, false},
		"---\n---\nHi\n":                                   {"", "Hi\n", 3, false},
		"---\ndescription: A\n---":                         {"A", "", 4, false},
		"--- \ndescription: A\n---\t\n":                    {"A", "", 4, false},
		"\ufeff---\r\ndescription: A\r\n---\r\nHi\r\n":     {"A", "Hi\n", 4, false},
		"---\ndescription: \"say: \\\"hi\\\"\"\n---\n":     {`say: "hi"`, "", 4, false},
		"---\ndescription: 'Ada''s'\n---\n":                {"Ada's", "", 4, false},
		"---\ndescription: \"C:\\dir\"\n---\n":             {`C:\dir`, "", 4, false},
		"---\ndescription: >\n  folded\n  text\n---\nHi\n": {"folded text", "Hi\n", 6, false},
		"---\ndescription: A\n":                            {body: "---\ndescription: A\n", bodyLine: 1, isRefused: true},
	} {
		c := &conversion{body: strings.TrimPrefix(strings.ReplaceAll(source, "\r\n", "\n"), "\ufeff"), bodyLine: 1}
		c.isRefused = !c.split()
		assert.Equal(t, want.description, c.front["description"], source)
		assert.Equal(t, want.body, c.body, source)
		assert.Equal(t, want.bodyLine, c.bodyLine, source)
		assert.Equal(t, want.isRefused, c.isRefused, source)
	}
}

// TestImportRefusesOtherEncodings checks that the line of the report is that of the
// source.
func TestImportRefusesOtherEncodings(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{"caf\xe9": 1, "---\ndescription: x\n---\n\nHi\ncaf\xe9\n": 6} {
		c := &conversion{source: "a.md", path: "a.md", root: fstest.MapFS{"a.md": {Data: []byte(text)}}}
		c.run(t.Context(), formatOf("claude", isImported))
		assert.True(t, c.isRefused)
		assert.Equal(t, []note{{line, "file is not valid UTF-8; save the file as UTF-8"}}, c.notes)
	}
}
