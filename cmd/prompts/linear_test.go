package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkIsLinear checks that each command allocates about twice as much for a source that is
// twice as long, whatever the source repeats.
func TestWorkIsLinear(t *testing.T) { // not parallel: others would allocate in the meantime
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	front := func(body string) string { return "---\ndescription: d\n" + body + "---\nhi\n" }
	arguments := func(form, body string) func(n int) string {
		return func(n int) string {
			return "---\ndescription: d\narguments:\n" + repeated(n, "  - name: a%d\n    description: d\n"+form) + "---\n" + repeated(n, body)
		}
	}
	const one = "---\narguments:\n  - name: a\n---\n"
	vscode, claude := "import --dry-run vscode DIR NEW", "import --dry-run claude DIR NEW"
	for name, test := range map[string]struct {
		n             int
		command, file string // DIR has the file
		text          func(n int) string
	}{
		"import lines of a key": {10_000, vscode, "p.prompt.md", func(n int) string { return front("x: >\n" + strings.Repeat("  abc\n", n)) }},
		"import keys":           {1000, vscode, "p.prompt.md", func(n int) string { return front(repeated(n, "k%d: v\n")) }},
		"import variables":      {1000, vscode, "p.prompt.md", func(n int) string { return front("") + repeated(n, "${x%d}\n") }},
		"import inputs":         {500, vscode, "p.prompt.md", func(n int) string { return front("") + repeated(n, "${input:x%d}\n") }},
		"import files":          {1000, claude, "p.md", func(n int) string { return front("") + repeated(n, "@f%d.md\n") }},
		"import names": {500, claude, "p.md", func(n int) string {
			return front("arguments: "+repeated(n, "a%d ")+"\n") + repeated(n, "$a%d\n")
		}},
		"import hints": {1000, claude, "p.md", func(n int) string {
			return front("argument-hint: "+repeated(n, "[a%d] ")+"\n") + repeated(n, "$%d\n")
		}},
		"import numbers": {1000, "import --dry-run opencode DIR NEW", "p.md", func(n int) string { return repeated(n, "$1 $2 x%d\n") }},
		"import dollars": {1000, "import --dry-run codex DIR NEW", "p.md", func(n int) string { return repeated(n, "$$ $X%d\n") }},
		"import tags":    {1000, "import --dry-run continue DIR NEW", "p.prompt", func(n int) string { return repeated(n, "k%d: v\n") + "---\n" + repeated(n, "<system> {{ v%d }}\n") }},
		"import slashes": {1000, claude, "p.md", func(n int) string { return strings.Repeat(`\`, n) + repeated(n, "x%d\n") + "$1" }},
		"import shell":   {1000, claude, "p.md", func(n int) string { return strings.Repeat("```! ", n) }},
		"export literals": {300, "export claude DIR NEW", "p.md", func(n int) string {
			return "---\ndescription: d\ntemplate: false\n---\n" + repeated(n, "$%d @f%[1]d.md\n")
		}},
		"export places":     {500, "export claude DIR NEW", "p.md", func(n int) string { return one + repeated(n, "{{.a}}%d {{untrusted \"x\" .a}}\n") }},
		"export arguments":  {40, "export claude DIR NEW", "p.md", arguments("", "{{.a%d}}\n")},
		"import values":     {500, "import --dry-run fabric DIR NEW", "p/system.md", func(n int) string { return repeated(n, "{{v%d}}\n") }},
		"import args":       {1000, "import --dry-run gemini DIR NEW", "p.toml", func(n int) string { return "prompt = '''" + repeated(n, "{{args}}%d\n") + "'''\n" }},
		"import injections": {1000, "import --dry-run gemini DIR NEW", "p.toml", func(n int) string { return "prompt = '''" + repeated(n, "@{f%d}\n") + "'''\n" }},

		"check arguments":      {300, "check DIR", "p.md", arguments("", "{{.a%d}}\n")},
		"check dead arguments": {300, "check DIR", "p.md", arguments("", "%d\n")},
		"check lists":          {300, "check DIR", "p.md", arguments("    type: array\n", "{{.a%d}}\n")},
		"check values": {500, "check DIR", "p.md", func(n int) string {
			return "---\ndescription: d\narguments:\n  - name: a\n    enum: [" + repeated(n, "v%d, ") + "]\n---\n{{.a}}\n"
		}},
		"check messages": {500, "check DIR", "p.md", func(n int) string { return repeated(n, "--- user ---\nx%d\n") }},
		"check branches": {500, "check DIR", "p.md", func(n int) string { return one + repeated(n, "{{if .a}}%d{{end}}\n") }},
		"check secrets":  {500, "check DIR", "p.md", func(n int) string { return repeated(n, "ghp_012345678901234567890123456789%06d\n") }},
		"list arguments": {500, "list DIR", "p.md", arguments("", "{{.a%d}}\n")},
		"diff arguments": {200, "diff DIR EMPTY", "p.md", arguments("", "{{.a%d}}\n")},
		"test branches":  {500, "test --coverage DIR", "p.md", func(n int) string { return one + repeated(n, "{{if .a}}%d{{end}}\n") }},
		"test messages":  {500, "test --coverage DIR", "p.md", func(n int) string { return one + repeated(n, "--- user ---\n{{if .a}}%d{{end}}\n\\--- user ---\n") }},
	} {
		allocated := func(n int) uint64 {
			dir := t.TempDir()
			src := filepath.Join(dir, filepath.FromSlash(test.file))
			require.NoError(t, os.MkdirAll(filepath.Dir(src), 0o755))
			require.NoError(t, os.WriteFile(src, []byte(test.text(n)), 0o600))
			if strings.HasPrefix(test.command, "test") {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "p.test.yaml"), []byte("cases:\n  - name: c\n"), 0o600))
			}
			args := strings.Fields(strings.NewReplacer("DIR", dir, "NEW", filepath.Join(t.TempDir(), "new"), "EMPTY", t.TempDir()).Replace(test.command))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(t.Context(), args, nil, io.Discard, io.Discard)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		assert.Less(t, 2*allocated(2*test.n), 5*allocated(test.n), name)
	}
}

// TestDeepMarkdown checks that lines in very many lists have no code, and that the code around
// them is found.
func TestDeepMarkdown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(strings.Repeat("  ", i) + "- `a`\n")
	}
	text := "`b`\n\n" + b.String() + "\nc\n\n```\nd\n```\n"
	spans := codeSpans(text)
	assert.Equal(t, 101, len(spans), "b, d and 99 times a")
	for _, want := range []string{"b", "d\n"} {
		assert.True(t, slices.ContainsFunc(spans, func(s span) bool { return text[s.from:s.to] == want }), want)
	}
}

// repeated returns a format with the numbers below n, one after the other.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestArgumentLines checks that the lines of all arguments are found in one pass over the
// front matter.
func TestArgumentLines(t *testing.T) {
	t.Parallel()
	lines := strings.Split(`---
name: prompt
arguments:
  - name: a
    description: "name: x"
  - {name: b, required: true}
  - { "name" : "c d" }
  -
    name:   'e#f' # the last
  - name: g # comment
  - name: a
---
name: body
  name: text`, "\n")
	assert.Equal(t, map[string]int{"a": 4, "b": 6, "c d": 7, "e#f": 9, "g": 10}, argumentLines(lines))
	assert.Empty(t, argumentLines(nil))
}

// TestNotesOfImport checks that a note is reported once for each line, and a note for a whole
// file once.
func TestNotesOfImport(t *testing.T) {
	t.Parallel()
	c := &conversion{body: "a\nb\nc", bodyLine: 3}
	for _, line := range []int{c.line(4), c.line(0), c.line(2), c.line(4)} {
		c.note(line, "x")
		c.noteOnce(line, "y")
	}
	c.noteOnce(9, "x")
	c.note(9, "y")
	assert.Equal(t, []note{{5, "x"}, {5, "y"}, {3, "x"}, {4, "x"}, {9, "y"}}, c.notes)
}

// The files that a command names beside their folder cost no more than each its own reading.
func TestNamedFilesAreLinear(t *testing.T) { // not parallel: others would allocate in the meantime
	if testing.Short() {
		t.Skip("a measurement")
	}
	allocated := func(n int) uint64 {
		dir := t.TempDir()
		args := []string{"check", dir}
		for i := range n {
			args = append(args, filepath.Join(dir, fmt.Sprintf("p%d.md", i)))
			require.NoError(t, os.WriteFile(args[i+2], []byte("x"), 0o600))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(t.Context(), args, nil, io.Discard, io.Discard)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, 2*allocated(400), 5*allocated(200))
}
