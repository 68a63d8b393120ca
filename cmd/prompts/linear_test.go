package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImportIsLinear checks that import allocates about twice as much for a source that is
// twice as long, whatever the source repeats.
func TestImportIsLinear(t *testing.T) { // not parallel: others would allocate in the meantime
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	front := func(body string) string { return "---\ndescription: d\n" + body + "---\nhi\n" }
	for name, test := range map[string]struct {
		format, file string
		text         func(n int) string
	}{
		"lines of a key": {"vscode", "p.prompt.md", func(n int) string { return front("x: >\n" + strings.Repeat("  abc\n", n)) }},
		"keys":           {"vscode", "p.prompt.md", func(n int) string { return front(repeated(n/10, "k%d: v\n")) }},
		"variables":      {"vscode", "p.prompt.md", func(n int) string { return front("") + repeated(n/10, "${x%d}\n") }},
		"files":          {"claude", "p.md", func(n int) string { return front("") + repeated(n/10, "@f%d.md\n") }},
		"blocks":         {"dotprompt", "p.prompt", func(n int) string { return "---\nmodel: x\n---\n" + repeated(n/10, "{{#if v}}%d{{/if}}") }},
	} {
		allocated := func(n int) uint64 {
			src := filepath.Join(t.TempDir(), test.file)
			require.NoError(t, os.WriteFile(src, []byte(test.text(n)), 0o600))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(t.Context(), []string{"import", "--dry-run", test.format, src, filepath.Join(t.TempDir(), "new")}, nil, io.Discard, io.Discard)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		const n = 10_000
		assert.Less(t, allocated(2*n), 3*allocated(n), name)
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
