package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestImportKeepsText checks that each converted file, rendered with values, has the
// text that Claude Code and VS Code send for the same values.
func TestImportKeepsText(t *testing.T) {
	t.Parallel()
	values := map[string]string{"arguments": "one two", "lang": "Go", "fields": "a, b", "formName": "Login", "audience": "experts", "kind": "unit tests"}
	for name, value := range vscodeValues {
		values[name] = "the " + value
	}
	words := []string{"W0", "W1", "W2", "W3"}
	replacer := func(isZeroBased bool) *strings.Replacer {
		pairs := []string{"$ARGUMENTS[0]", words[1], "$ARGUMENTS[1]", words[2], "$ARGUMENTS", values["arguments"], "$100", "$100"}
		for n := range 3 {
			word := words[n+1]
			if !isZeroBased {
				pairs = append(pairs, "$"+string(rune('1'+n)), word)
			} else {
				pairs = append(pairs, "$"+string(rune('0'+n)), word)
			}
		}
		for _, hint := range []string{":the name of the form", ":the language", ":beginners or experts", ":unit tests|integration tests", ""} {
			for name, value := range values {
				pairs = append(pairs, "${input:"+name+hint+"}", value)
			}
		}
		for name := range vscodeValues {
			pairs = append(pairs, "${"+name+"}", values[name])
		}
		return strings.NewReplacer(pairs...)
	}
	for _, kind := range []string{"claude", "vscode"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "import_"+kind+".txtar"))
		require.NoError(t, err)
		compared := 0
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "src/") {
				continue
			}
			c := &conversion{path: "p.md"}
			c.split(string(f.Data))
			if !c.isRefused {
				importFormats[kind].convert(c)
				c.finish(t.Context())
			}
			if c.isRefused {
				continue
			}
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "p.md"), c.result, 0o600))
			name := c.prompt.Name
			if name == "" {
				name = "p"
			}
			args := []string{"render", dir, name}
			for n, a := range c.prompt.Arguments {
				value, ok := values[a.Name]
				if digit, isWord := strings.CutPrefix(a.Name, "arg"); !ok && isWord {
					value = words[digit[0]-'0']
				} else if !ok {
					value = words[n+1]
				}
				args = append(args, a.Name+"="+value)
			}
			var out, errOut bytes.Buffer
			require.Equal(t, exitOK, run(context.Background(), args, nil, &out, &errOut), "%s: %s", f.Name, errOut.String())
			want := replacer(strings.Contains(c.body, "$0")).Replace(strings.TrimSpace(c.body))
			assert.Equal(t, want, strings.TrimSpace(out.String()), f.Name)
			compared++
		}
		assert.Greater(t, compared, 6, kind)
	}
}

// FuzzImport checks that no file makes import fail other than by a report, and that
// what it converts can be rendered.
func FuzzImport(f *testing.F) {
	for _, kind := range []string{"claude", "vscode"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "import_"+kind+".txtar"))
		require.NoError(f, err)
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, "src/") {
				f.Add(kind == "claude", string(file.Data))
			}
		}
	}
	f.Add(true, "---\r\ndescription: Windows\r\n---\r\nFix $ARGUMENTS.\r\n")
	f.Fuzz(func(t *testing.T, isClaude bool, text string) {
		c := &conversion{path: "p.md"}
		c.split(text)
		if c.isRefused {
			return
		}
		if isClaude {
			convertClaude(c)
		} else {
			convertVSCode(c)
		}
		c.finish(t.Context())
		if c.isRefused {
			for _, n := range c.notes {
				require.NotContains(t, n.text, "cannot be rendered", "%s", c.result)
			}
			return
		}
		c.front = nil
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
		c := &conversion{}
		c.split(source)
		assert.Equal(t, want.description, c.front["description"], source)
		assert.Equal(t, want.body, c.body, source)
		assert.Equal(t, want.bodyLine, c.bodyLine, source)
		assert.Equal(t, want.isRefused, c.isRefused, source)
	}
}
