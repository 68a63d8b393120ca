package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesInNFD checks that each command takes a name in NFC and in NFD for a prompt and for a
// partial of files that macOS has stored in NFD or in NFC, and the test file for one of that prompt.
func TestNamesInNFD(t *testing.T) {
	t.Parallel()
	const nfc, nfd = "caf\u00e9", "cafe\u0301"
	folder := func(t *testing.T, file, called, text string) string {
		dir := t.TempDir()
		for name, content := range map[string]string{
			file + ".md":                "---\ndescription: d\n---\n{{if true}}{{template \"" + called + "\"}}{{end}}\n",
			"_partials/" + file + ".md": "{{if true}}" + text + "{{end}}\n",
			file + ".test.yaml":         "cases:\n  - name: a\n    expect: {contains: hi}\n",
			"named.test.yaml":           "prompt: " + called + "\ncases:\n  - name: b\n    expect: {contains: hi}\n",
		} {
			name = filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		}
		return dir
	}
	for _, form := range []struct{ file, called string }{{nfd, nfc}, {nfc, nfc}, {nfd, nfd}, {nfc, nfd}} {
		dir := folder(t, form.file, form.called, "hi")
		other := folder(t, nfc, form.called, "hi, new")
		for _, test := range []struct {
			args []string
			want string // of the output
		}{
			{[]string{"render", dir, nfc}, "hi"},
			{[]string{"render", dir, nfd}, "hi"},
			{[]string{"test", dir}, "2 cases"},
			{[]string{"test", dir, nfd}, "2 cases"},
			{[]string{"test", dir, nfc[:3] + "*"}, "2 cases"},
			{[]string{"test", "--coverage", dir, nfd}, "2 cases"},
			{[]string{"test", "--coverage", dir}, "_partials/" + form.file + ".md:1: not covered: {{if true}} is never false"},
			{[]string{"test", "--coverage", dir}, "/" + form.file + ".md:4: not covered: {{if true}} is never false"},
			{[]string{"check", "--strict", dir}, ""},
			{[]string{"check", "--strict", filepath.Join(dir, form.file+".md")}, ""},
			{[]string{"diff", dir, other, nfd}, "hi, new"},
			{[]string{"diff", other, dir, nfc}, "_partials/" + nfc + ".md"},
		} {
			var out, errOut bytes.Buffer
			assert.Zero(t, run(t.Context(), test.args, nil, &out, &errOut), "%q: %s%s", test.args, out.String(), errOut.String())
			assert.Contains(t, out.String(), test.want, "%q of %+q", test.args, form)
		}
		reg, faults := loadFolders(t.Context(), []string{dir})
		require.Empty(t, faults)
		page := &authorPage{dirs: []string{dir}, renderer: newRenderer(reg)}
		p, ok := reg.Lookup(nfc)
		require.True(t, ok)
		at, file, err := page.file(&p)
		require.NoError(t, err)
		assert.Equal(t, form.file+".test.yaml", page.testFile(at, file, p.Name).Path)
		saved, err := page.saveCase(t.Context(), &p, &asked{Name: "saved"})
		require.NoError(t, err)
		assert.Equal(t, form.file+".test.yaml", saved.(*savedCase).File)
		for _, name := range []string{nfc, nfd} {
			text, err := readText(dir, "_partials/"+name+".md")
			require.NoError(t, err)
			assert.True(t, strings.Contains(text, "hi"))
		}
	}
}
