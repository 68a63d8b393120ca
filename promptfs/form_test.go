package promptfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptfs/promptfstest"
	"github.com/mcp-prompts/prompts/prompttest"
)

const (
	nfc = "caf\u00e9"
	nfd = "cafe\u0301"
)

// A name that macOS has stored in NFD is the same name in NFC: of a prompt and its folder, of a
// SKILL.md, a partial and a file in a message, and of a skill and its files.
func TestNamesInNFD(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		nfd + "/" + nfd + ".md":       {Data: []byte("hi\n")},
		"named.md":                    {Data: []byte("---\nname: " + nfd + "\n---\nhi\n")},
		"skills/" + nfd + "/SKILL.md": {Data: []byte("---\ndescription: d\n---\nhi\n")},
		"_partials/" + nfd + ".md":    {Data: []byte("partial\n")},
		"p.md":                        {Data: []byte(fmt.Sprintf("{{template %q .}}\n--- user: resource files/%s.txt ---\n", nfc, nfc))},
		"files/" + nfd + ".txt":       {Data: []byte("resource\n")},
	}
	var reg prompts.Registry
	f := promptfs.NewFolder(&reg, fsys, promptfs.Options{})
	err := f.Reload(t.Context())
	assert.ErrorContains(t, err, "duplicate prompt name \"caf\u00e9\"", "of a name and of a folder")
	delete(fsys, "named.md")
	require.NoError(t, f.Reload(t.Context()))
	for _, name := range []string{nfc + "/" + nfc, nfc, "p"} {
		_, ok := reg.Lookup(name)
		assert.True(t, ok, "%q", name)
	}
	p, _ := reg.Lookup("p")
	result, err := p.Render(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, result.Messages, 2)
	assert.Equal(t, "partial", result.Messages[0].Content.(*prompts.Text).Text)
	resource := result.Messages[1].Content.(*prompts.EmbeddedResource)
	assert.Equal(t, "resource\n", resource.Text)
	assert.Contains(t, resource.URI, "files/caf%C3%A9.txt")
	all, err := promptfs.Files(fsys, promptfs.Options{})
	require.NoError(t, err)
	assert.Contains(t, all, "files/"+nfd+".txt", "the path is that of the file")

	skills, err := promptfs.LoadSkills(fstest.MapFS{
		nfd + "/tool/SKILL.md":        {Data: []byte("---\nname: tool\ndescription: d\n---\nhi\n")},
		nfd + "/tool/" + nfd + ".txt": {Data: []byte("x")},
	}, promptfs.Options{})
	require.NoError(t, err)
	require.Len(t, skills, 1)
	assert.Equal(t, nfc+"/tool", skills[0].Path)
	assert.Contains(t, skills[0].Files, nfc+".txt")
}

// CheckCases finds the prompt of a test file by the name of the file and by its key prompt, in both
// forms, and a call in NFD the partial, also from another partial.
func TestCallsInNFD(t *testing.T) {
	t.Parallel()
	for _, form := range []struct{ file, called string }{{nfc, nfc}, {nfc, nfd}, {nfd, nfc}, {nfd, nfd}} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "_partials"), 0o700))
		for name, text := range map[string]string{
			form.file + ".md":            "{{- template \"outer\" . -}} {{template `" + form.called + "` .}}\n",
			"_partials/outer.md":         "{{template \"" + form.called + "\" .}}\n",
			"_partials/" + nfd + ".md":   "hi\n",
			form.called + ".test.yaml":   "cases:\n  - name: a\n    expect: {contains: hihi}\n",
			"named.test.yaml":            "prompt: " + form.called + "\ncases:\n  - name: b\n    expect: {messages: 1}\n",
			"upper" + nfd + ".TEST.YAML": "{prompt: " + nfc + ", cases: [{name: c}]}\n",
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		loaded, err := promptfs.Load(os.DirFS(dir), promptfs.Options{})
		require.NoError(t, err, "%+q", form)
		var reg prompts.Registry
		reg.MustAdd(loaded...)
		promptfstest.CheckCases(t, &reg, dir, prompttest.CheckOptions{})
		promptfstest.CheckCases(t, nil, dir, prompttest.CheckOptions{Client: prompttest.New(t, &reg)})
	}
	_, err := promptfs.Load(files(map[string]string{"a.md": "x " + nfd + " {{template \"" + nfd + "\"}}"}), promptfs.Options{})
	assert.ErrorContains(t, err, "unknown partial \""+nfc+"\"")
}

// Two files with one name in both forms are an error, of each kind of file.
func TestNamesInBothForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path, text, want string
	}{
		"prompts":  {"%s.md", "hi\n", "remove one, because the file names differ only in their Unicode form, NFC or NFD"},
		"partials": {"_partials/%s.md", "hi\n", "duplicate partial \"caf\u00e9\""},
		"folders":  {"%s/p.md", "hi\n", "remove one, because the file names differ only in their Unicode form, NFC or NFD"},
	} {
		fsys := fstest.MapFS{}
		for _, form := range []string{nfc, nfd} {
			fsys[fmt.Sprintf(test.path, form)] = &fstest.MapFile{Data: []byte(test.text)}
		}
		_, err := promptfs.Load(fsys, promptfs.Options{})
		assert.ErrorContains(t, err, test.want, name)
	}
	skill := &fstest.MapFile{Data: []byte("---\nname: tool\ndescription: d\n---\nhi\n")}
	_, err := promptfs.LoadSkills(fstest.MapFS{"tool/SKILL.md": skill, "tool/" + nfc: skill, "tool/" + nfd: skill}, promptfs.Options{})
	assert.ErrorContains(t, err, "two files have this name, in different Unicode forms")
	_, err = promptfs.LoadSkills(fstest.MapFS{nfc + "/tool/SKILL.md": skill, nfd + "/tool/SKILL.md": skill}, promptfs.Options{})
	assert.ErrorContains(t, err, "in another Unicode form, NFC or NFD; rename one")
}

// What import escapes, a file has as it was.
func TestEscapedMarks(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"--- user ---", "---  Assistant: image a.png ---", "--- Results ---", "--- a/x.go ---", "-- User --", "----- user -----",
		`\--- user ---`, `\\--- Results ---`, "---user guide---", "--- user notes---", "--- a/x.go", "---", "-- a", `\a`, "a --- user ---",
	} {
		text := "above\n" + line + "\nbelow"
		p, err := promptfs.Parse(fstest.MapFS{}, "a.md", []byte("---\ntemplate: false\n---\n"+promptfile.EscapeMarks(text)), promptfs.Options{})
		require.NoError(t, err, line)
		r, err := p.Render(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, prompts.Messages(prompts.User(text)), r, line)
	}
}
