package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDiffPairs compares pairs of folders with known changes: the rules that apply, and
// whether --breaking fails. Each rule has a pair.
func TestDiffPairs(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/diff-pairs.txtar")
	require.NoError(t, err)
	root := t.TempDir()
	var names []string
	for _, f := range archive.Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
		if name, ok := strings.CutSuffix(f.Name, "/want"); ok {
			names = append(names, name)
		}
	}
	require.GreaterOrEqual(t, len(names), 30)
	seen := map[string]bool{}
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(root, name, "want"))
		require.NoError(t, err)
		var out, errOut bytes.Buffer
		code := run(t.Context(), []string{"diff", "--breaking", "--format", "json", filepath.Join(root, name, "a"), filepath.Join(root, name, "b")}, nil, &out, &errOut)
		require.Empty(t, errOut.String(), name)
		var report diffReport
		require.NoError(t, json.Unmarshal(out.Bytes(), &report), name)
		var got []string
		for _, p := range report.Prompts {
			for _, c := range p.Changes {
				line := c.Rule
				if c.Breaking {
					line += " breaking"
				}
				got = append(got, line)
				seen[c.Rule] = true
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		assert.Equal(t, strings.TrimSpace(string(raw)), strings.Join(got, "\n"), name)
		want := exitOK
		if strings.Contains(string(raw), "breaking") {
			want = exitFailed
		}
		assert.Equal(t, want, code, name)
	}
	for _, r := range diffRules {
		assert.True(t, seen[r.id], "no pair has %s", r.id)
	}
}

// TestDiffCommonLines checks that lines that many files have do not say which file was moved.
func TestDiffCommonLines(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("Be kind.\nBe short.\n"+text+"\n"), 0o600))
	}
	write("a/old.md", "Read the code.")
	for i := range maxHolders + 1 {
		write(fmt.Sprintf("b/new%d.md", i), fmt.Sprintf("Write text %d.", i))
	}
	var out, errOut bytes.Buffer
	run(t.Context(), []string{"diff", filepath.Join(root, "a"), filepath.Join(root, "b")}, nil, &out, &errOut)
	assert.Contains(t, out.String(), "[prompt-removed]")
	assert.NotContains(t, out.String(), "[prompt-renamed]")
}

// TestDiffText checks the words that differ, and the lines around them.
func TestDiffText(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("same\n", n) }
	assert.Equal(t, []string{"…", "same", "same", "a [-b-]{+c+} d.", "same", "same", "…"},
		inlineDiff(lines(5)+"a b d.\n"+lines(5), lines(5)+"a c d.\n"+lines(5), false))
	assert.Equal(t, []string{"a", "{+new+}"}, inlineDiff("a", "a\nnew", false))
	assert.Equal(t, []string{"[-\u241b[31m-]"}, inlineDiff("\x1b[31m", "", false), "an escape sequence of a prompt is not sent to the terminal")
	assert.Empty(t, inlineDiff("a", "a", false))
	assert.Equal(t, []string{
		"same                     same",
		"old words that do not  | new",
		"fit                    |",
		"gone                   <",
		"same                     same",
		"                       > added",
	}, sideBySide("same\nold words that do not fit\ngone\nsame", "same\nnew\nsame\nadded", 48, false))
}

// TestDiffMarkdown checks that a long report stays below the size of a comment, and that
// no text of a prompt breaks out of its block.
func TestDiffMarkdown(t *testing.T) {
	t.Parallel()
	r := &diffReport{Old: "a", New: "b", Prompts: []promptDiff{{Name: "p|<script>", Path: "p.md", Texts: []textDiff{{Name: "p.md", Old: "```\nold", New: "```\nnew"}}}}}
	for i := range 100 {
		r.Prompts[0].Cases = append(r.Prompts[0].Cases, textDiff{Name: fmt.Sprint(i), Old: strings.Repeat("old\n", 1000), New: strings.Repeat("new\n", 1000)})
	}
	var b bytes.Buffer
	require.NoError(t, writeDiffMarkdown(&b, r))
	assert.Less(t, b.Len(), 65_536)
	assert.NotContains(t, b.String(), "<script>")
	assert.Contains(t, b.String(), "\n````diff\n")
	assert.Contains(t, b.String(), "left out, because the report is long")
}

// TestDiffWithoutGit checks the error for a revision if there is no program git.
func TestDiffWithoutGit(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := openSide(t.Context(), "HEAD:prompts")
	assert.EqualError(t, err, "HEAD:prompts looks like a Git revision, but the program git is not in the PATH")
}
