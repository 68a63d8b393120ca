//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// TestFormsOfFrontMatter checks that commands print the same for each form of a file that package
// promptfs reads in the same way.
func TestFormsOfFrontMatter(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"old/p.md":               "---\ntitle: One\ndescription: d\ntemplate: false\n---\n{% if x %}\n",
		"new/p.md":               "---\ntitle: Two\ndescription: d\ntemplate: false\n---\n{% if x %}\n",
		"old/_partials/p.md":     "---\na\n---\nb\n",
		"new/_partials/p.md":     "---\nb\n---\nb\n",
		"old/calls.md":           "---\ndescription: d\n---\n{{template \"p\"}}\n",
		"new/calls.md":           "---\ndescription: d\n---\n{{template \"p\"}}\n",
		"check/argument.md":      "---\ndescription: d\narguments:\n  - name: q\n---\n{{.q}} {% if y %}\n",
		"check/skill/SKILL.md":   "---\nname: skill\ndescription: d\n---\n{% if y %}\n",
		"check/other/skill.md":   "---\nname: other\ndescription: d\n---\n{% if y %}\n",
		"test/branch.md":         "---\ndescription: \"{{if .q}}a{{end}}\"\narguments:\n  - name: q\n---\n{{if .q}}a{{end}}\n",
		"test/branch.test.yaml":  "cases:\n  - name: without\n",
		"foreign/review.md":      "---\nallowed-tools: Bash\n---\nReview\n",
		"foreign/more/review.md": "---\nallowed-tools: Bash\n---\nReview\n",
	}
	outputs := func(form func(name, text string) string) string {
		dir := t.TempDir()
		for name, text := range files {
			file := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(form(name, text)), 0o600))
		}
		var out bytes.Buffer
		for _, args := range []string{
			"diff --format json DIR/old DIR/new", "check --format json DIR/new", "check --format json DIR/check",
			"test --coverage --format json DIR/test", "check --format json DIR/foreign",
		} {
			run(t.Context(), strings.Fields(strings.ReplaceAll(args, "DIR", dir)), nil, &out, &out)
		}
		return regexp.MustCompile(`"seconds": [0-9.e-]+`).ReplaceAllString(strings.ReplaceAll(out.String(), dir, "DIR"), "")
	}
	want := outputs(func(_, text string) string { return text })
	for _, part := range []string{`"text-changed"`, `"name": "_partials/p.md"`, `"argument \"q\" has no description`, `"syntax"`, `"branch"`, `"format"`} {
		assert.Contains(t, want, part)
	}
	spaces := func(text string) string { return strings.ReplaceAll(text, "---\n", "--- \t\n") }
	mark := func(text string) string { return "\ufeff" + text }
	for name, form := range map[string]func(text string) string{
		"spaces": spaces,
		"mark":   mark,
		"CRLF":   func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
		"all":    func(text string) string { return mark(strings.ReplaceAll(spaces(text), "\n", "\r\n")) },
	} {
		assert.Equal(t, want, outputs(func(name, text string) string {
			if promptfile.IsSkill(name) || strings.Contains(name, "_partials") { // where --- with spaces is an error, or text
				return text
			}
			return form(text)
		}), name)
	}
}

// TestServedFiles checks that commands look at the files that package promptfs serves, and at no others.
func TestServedFiles(t *testing.T) {
	t.Parallel()
	const secret = "AKIAABCDEFGHIJKLMNOP\n"
	dir := t.TempDir()
	prompt, other, none := "prompt", "other", "none" // other files are served with prompts
	want := map[string][]string{}
	for name, kind := range map[string]string{
		"a.md": prompt, "b.MARKDOWN": prompt, "d/c.md": prompt, ".notes.md": none, "_drafts/n.md": none, "d/.x/y.md": none, "d/_z.md": none,
		"_partials/old/o.md": none, "README.md": none, "d/Readme.markdown": none, "notes.txt": none, "old/o.md": none,
		"skills/s/SKILL.md": prompt, "skills/s/_ref.md": other, "skills/s/README.md": other, "skills/s/.env.md": none,
		"_partials/p.md": other, "_partials/k.txt": other, "_partials/d/k.md": other, "_partials/_x.md": none, "_partials/.x.md": none, "_partials/README.md": none,
		"..data/link.md": none, "link.md": prompt, "..data/sub/in.md": none, "sub/in.md": prompt, "sub/_in.md": none,
		"..data/partials/l.md": none, "_partials/l/l.md": other, ".env/x.md": none, "env.md": none,
	} {
		switch kind {
		case prompt:
			want[prompt] = append(want[prompt], name)
			fallthrough
		case other:
			want["secret"] = append(want["secret"], name)
		}
		if strings.HasPrefix(name, "sub/") || strings.HasPrefix(name, "_partials/l/") || name == "link.md" || name == "env.md" {
			continue // through a link
		}
		text := secret
		if strings.HasSuffix(name, "SKILL.md") {
			text = "---\nname: s\ndescription: d\n---\n" + secret
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for name, target := range map[string]string{
		"link.md": "..data/link.md", "sub": "..data/sub", "_partials/l": "../..data/partials", "env.md": ".env/x.md",
		"loop": ".", "again": "d", "sub2": "..data/sub", "_partials/loop": ".", "..data/sub/loop": ".", "..data/sub/up": "../..", "broken.md": "nothing.md",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..data/sub/in.test.yaml"), []byte("no cases"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..data/sub/_in.md"), []byte(secret), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prompts.yaml"), []byte("ignore: [old, _partials/old]\n"), 0o600))
	want["case"] = []string{"sub/in.test.yaml"}

	var listed []struct{ File string }
	var found struct{ Findings []struct{ Path, Rule string } }
	for command, into := range map[string]any{"list --json": &listed, "check --format json": &found} {
		var out, errOut bytes.Buffer
		run(t.Context(), append(strings.Fields(command), dir), nil, &out, &errOut)
		require.NoError(t, json.Unmarshal(out.Bytes(), into), errOut.String())
	}
	got := map[string][]string{}
	relative := func(path string) string { return strings.TrimPrefix(path, prefixOf(dir)) }
	for _, l := range listed {
		got[prompt] = append(got[prompt], relative(l.File))
	}
	for _, f := range found.Findings {
		if f.Rule == "secret" || f.Rule == "case" {
			got[f.Rule] = append(got[f.Rule], relative(f.Path))
		}
	}
	for _, paths := range []map[string][]string{want, got} {
		for kind := range maps.Keys(paths) {
			slices.Sort(paths[kind])
		}
	}
	assert.Equal(t, want, got)
}
