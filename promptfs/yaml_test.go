package promptfs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A YAML file is JSON with the values as written, and each value has its line.
func TestParseYAML(t *testing.T) {
	t.Parallel()
	value, lineOf, err := promptfile.ParseYAML("a.test.yaml", []byte("# cases\r\ncases:\r\n  - name: one\r\n    arguments: {version: 1.10, id: 007, day: 2026-07-28, on: yes, a/b: ~, ok: True}\r\n\r\n  - name: |\r\n      two\r\n"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"cases": [
		{"name": "one", "arguments": {"version": 1.10, "id": "007", "day": "2026-07-28", "on": "yes", "a/b": null, "ok": true}},
		{"name": "two\n"}]}`, string(value))
	assert.Contains(t, string(value), "1.10")
	for pointer, line := range map[string]int{"": 2, "/cases": 2, "/cases/0": 3, "/cases/0/name": 3, "/cases/0/arguments/a~1b": 4, "/cases/1": 6, "/cases/2": 0} {
		assert.Equal(t, line, lineOf(pointer), pointer)
	}
	value, _, err = promptfile.ParseYAML("a.test.yaml", nil)
	require.NoError(t, err)
	assert.Equal(t, "null", string(value))
}

// Errors of a YAML file have its path, the line and the fix.
func TestParseYAMLErrors(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"cases:\n  - name: a: b\n": `a.test.yaml:2: invalid YAML: unquoted ": " in the value of name; write name: "a: b"`,
		"- a\n":                    "a.test.yaml:1: file must be key: value pairs, got a list; write lines such as cases: and the cases below it",
		"a: 1\na: 2\n":             `a.test.yaml:2: duplicate key "a" (first defined on line 1); remove one`,
		"a: &x 1\nb: *x\n":         "a.test.yaml:1: YAML anchor &x is not supported; write the value out\na.test.yaml:2: YAML alias *x is not supported; write the value out",
		"a: .inf\n":                "",
		"\x00":                     "a.test.yaml:1: invalid YAML: ",
		"a: \xff":                  "a.test.yaml:1: file is not valid UTF-8; save the file as UTF-8",
		"a: 1\n---\nb: 1\n":        "a.test.yaml:2: file must be a single YAML document; remove the line that ends the first document",
		strings.Repeat("a: {", 40) + strings.Repeat("}", 40): "a.test.yaml:1: value exceeds the limit of 32 nested levels",
	} {
		_, _, err := promptfile.ParseYAML("a.test.yaml", []byte(content))
		if want == "" {
			assert.NoError(t, err, content)
			continue
		}
		assert.ErrorContains(t, err, want, content)
	}
}

// A test file beside a prompt is neither a prompt nor a part of one.
func TestTestFilesAreNoPrompts(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"a.md": {Data: []byte("Hi")}, "a.test.yaml": {Data: []byte("cases: [")}, "a.golden": {Data: []byte("Hi")}}
	all, err := promptfs.Load(fsys, promptfs.Options{})
	require.NoError(t, err)
	assert.Len(t, all, 1)
	files, err := promptfs.Files(fsys, promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.md"}, slices.Collect(maps.Keys(files)))
}
