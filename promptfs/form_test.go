package promptfs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
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
		"_partials/calls.md":          {Data: []byte("{{template \"" + nfd + "\"}}\n")},
		"p.md":                        {Data: []byte(fmt.Sprintf("{{template %q .}} {{template \"calls\"}} {{template \""+nfd+"\" .}}\n--- user: resource files/%s.txt ---\n", nfc, nfc))},
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
	assert.Equal(t, "partial partial partial", result.Messages[0].Content.(*prompts.Text).Text)
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

// A client, in every version, gets and completes the prompt of a file by the name in either form,
// alone and behind a middleware, which sees the name of the prompt. The same holds for Lookup and
// for test files. A prompt of code keeps its own form.
func TestClientsThatSendNFD(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		nfd + ".md":        "---\narguments:\n  - name: a\n    enum: [x, y]\n---\nhi {{.a}}\n",
		nfd + ".test.yaml": "cases:\n  - name: a\n    arguments: {a: x}\n    expect: {contains: hi x}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	all, err := promptfs.Load(os.DirFS(dir), promptfs.Options{})
	require.NoError(t, err)
	var reg prompts.Registry
	require.NoError(t, reg.Add(all...))
	code := func(name string) prompts.Prompt {
		return prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("of code")), nil
		}}
	}
	require.NoError(t, reg.Add(code("code "+nfd), code("other "+nfc)))
	for _, name := range []string{nfc, nfd} {
		p, ok := reg.Lookup(name)
		assert.True(t, ok)
		assert.Equal(t, nfc, p.Name)
	}
	seen := func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			assert.Contains(t, []string{nfc, "code " + nfd, "code " + nfc, "other " + nfc}, r.Prompt, r.Method)
			return next(ctx, r)
		}
	}
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, seen} {
		srv := prompts.MustNewServer(&reg, prompts.Options{Middleware: middleware})
		for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
			c := prompttest.Serve(t, srv, prompttest.ClientOptions{Version: version})
			for _, name := range []string{nfc, nfd} {
				assert.Equal(t, "hi y", c.Get(name, map[string]string{"a": "y"}).Messages[0].Content.(*prompts.Text).Text)
				assert.Equal(t, []string{"x", "y"}, c.Complete(name, "a", "", nil))
			}
			for _, name := range []string{"code " + nfd, "other " + nfc, "other " + nfd} {
				assert.Equal(t, "of code", c.Get(name, nil).Messages[0].Content.(*prompts.Text).Text)
			}
			assert.Equal(t, prompts.CodeInvalidParams, c.GetError("code "+nfc, nil).Code)
		}
		prompttest.CheckCases(t, nil, dir, promptfs.ParseYAML, prompttest.CheckOptions{Client: prompttest.Serve(t, srv, prompttest.ClientOptions{})})
	}
	prompttest.CheckCases(t, &reg, dir, promptfs.ParseYAML, prompttest.CheckOptions{})
	var plain prompts.Registry
	require.NoError(t, plain.Add(code(nfc)))
	_, ok := plain.Lookup(nfd)
	assert.False(t, ok, "without files, names are compared unchanged")
}
