package promptfs_test

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttest"
)

//go:embed all:testdata/good
var embedded embed.FS

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
}

func indented(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, raw, "", "  "))
	b.WriteByte('\n')
	return b.Bytes()
}

// A folder with everything that a file can say, as clients see it, from each
// kind of file system.
func TestLoad(t *testing.T) {
	t.Parallel()
	const dir = "testdata/good"
	inBinary, err := fs.Sub(embedded, dir)
	require.NoError(t, err)
	copied := fstest.MapFS{}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	require.NoError(t, fs.WalkDir(inBinary, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(inBinary, path)
		copied[path] = &fstest.MapFile{Data: data}
		f, _ := w.Create(path)
		_, _ = f.Write(data)
		return err
	}))
	require.NoError(t, w.Close())
	zipped, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()

	for name, fsys := range map[string]fs.FS{"os": os.DirFS(dir), "root": root.FS(), "embed": inBinary, "zip": zipped, "map": copied} {
		loaded, err := promptfs.Load(fsys, promptfs.Options{})
		require.NoError(t, err, name)
		var reg prompts.Registry
		require.NoError(t, reg.Add(loaded...), name)
		list, err := callOn(t, &reg, "prompts/list", nil)
		require.NoError(t, err)
		got := indented(t, list)
		for _, p := range loaded {
			raw, err := callOn(t, &reg, "prompts/get", map[string]any{"name": p.Name, "arguments": map[string]string{"code": "x := {{.y}}"}})
			if p.Name == "named" {
				raw, err = callOn(t, &reg, "prompts/get", map[string]any{"name": p.Name, "arguments": map[string]string{"a": "x"}})
			}
			require.NoError(t, err, p.Name)
			got = append(append(got, p.Name...), '\n')
			got = append(got, indented(t, raw)...)
		}
		golden(t, "good.golden", got)
	}
}

// Tags are the author's alone. Source says where the prompt comes from.
func TestTags(t *testing.T) {
	t.Parallel()
	loaded, err := promptfs.Load(os.DirFS("testdata/good"), promptfs.Options{})
	require.NoError(t, err)
	tags, sources := map[string][]string{}, map[string]string{}
	for _, p := range loaded {
		tags[p.Name], sources[p.Name] = p.Tags, p.Source
	}
	assert.Equal(t, []string{"team", "2024"}, tags["review/code"])
	assert.Equal(t, "promptfs:review/code.md", sources["review/code"])
	assert.Empty(t, tags["pdf-forms"], "a filter that asks for tags sees none")
	assert.Equal(t, "promptfs:skills/pdf/SKILL.md", sources["pdf-forms"])
}

// The arguments are judged as they are declared, and complete.
func TestArguments(t *testing.T) {
	t.Parallel()
	loaded, err := promptfs.Load(os.DirFS("testdata/good"), promptfs.Options{})
	require.NoError(t, err)
	var reg prompts.Registry
	require.NoError(t, reg.Add(loaded...))
	_, err = callOn(t, &reg, "prompts/get", map[string]any{"name": "review/code", "arguments": map[string]string{
		"language": "c", "lines": "11", "strict": "no", "ratio": "x", "focus": "speed, taste", "branch": "X",
	}})
	assert.EqualError(t, err, `invalid arguments for prompt "review/code": code is required; language must be one of go, python, rust, got "c"; lines must be from 1 to 10, got 11; strict must be true or false, got "no"; ratio must be a number, got "x"; focus[1] must be one of speed, style, got "taste"; branch must have 2 to 10 characters, got 1 (-32602)`)

	for argument, want := range map[string]string{
		"language": `{"completion":{"values":["python"],"total":1,"hasMore":false}}`,
		"branch":   `{"completion":{"values":["develop"],"total":1,"hasMore":false}}`,
	} {
		raw, err := callOn(t, &reg, "completion/complete", map[string]any{
			"ref":      map[string]string{"type": "ref/prompt", "name": "review/code"},
			"argument": map[string]string{"name": argument, "value": map[string]string{"language": "py", "branch": "dev"}[argument]},
		})
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
}

// The text "false" would be true in a template.
func TestBoolean(t *testing.T) {
	t.Parallel()
	p, err := promptfs.Parse(nil, "p.md", []byte("---\narguments:\n  - {name: a, type: boolean}\n---\n{{if .a}}yes{{else}}no{{end}} {{.a}}"), promptfs.Options{})
	require.NoError(t, err)
	for text, want := range map[string]string{"true": "yes true", "false": "no false", "": "no false"} {
		assert.Equal(t, want, textsOf(t, p, map[string]string{"a": text})[0], text)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	p, err := promptfs.Parse(nil, "p.md", []byte("---\narguments:\n  - {name: a, type: array, items: {type: integer}}\n---\n{{range list .a}}[{{.}}]{{end}}"), promptfs.Options{})
	require.NoError(t, err)
	for text, want := range map[string]string{"1, 2": "[1][2]", "[1,2]": "[1][2]", "": "", " 3": "[3]"} {
		assert.Equal(t, want, textsOf(t, p, map[string]string{"a": text})[0], text)
	}
	p, err = promptfs.Parse(nil, "p.md", []byte("---\narguments:\n  - {name: a}\n---\n{{range list .a}}[{{.}}]{{end}}"), promptfs.Options{})
	require.NoError(t, err)
	for text, want := range map[string]string{`["a,b", 1]`: "[a,b][1]", "[a": "[[a]", ", a,,b": "[a][b]"} {
		assert.Equal(t, want, textsOf(t, p, map[string]string{"a": text})[0], text)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	fsys := files(map[string]string{
		"p.md":            "{{shout \"hi\"}} {{template \"x\"}}\n--- user: resource a b.txt ---",
		"a b.txt":         "text",
		"shared/x.md":     "shared {{list \"own\"}}",
		"_partials/x.md":  "{{if", // is none
		"shared/large.md": "0123456789012345678901234567890123456789012345678901234567890123456789",
	})
	o := promptfs.Options{
		Funcs:        template.FuncMap{"shout": func(s string) string { return s + "!" }, "list": func(s string) string { return s }},
		Partials:     "shared",
		ResourceBase: "https://example.com/files/",
		MaxFileBytes: 64,
	}
	loaded, err := promptfs.Load(fsys, o)
	assert.EqualError(t, err, "shared/large.md: file exceeds the limit of 64 bytes; shorten the file")
	require.Len(t, loaded, 1)
	var reg prompts.Registry
	require.NoError(t, reg.Add(loaded...))
	raw, err := callOn(t, &reg, "prompts/get", map[string]any{"name": "p"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"messages":[
		{"role":"user","content":{"type":"text","text":"hi! shared own"}},
		{"role":"user","content":{"type":"resource","resource":{"uri":"https://example.com/files/a%20b.txt","mimeType":"text/plain","text":"text"}}}
	]}`, string(raw))

	p, err := promptfs.Parse(fsys, "p.md", fsys["p.md"].Data, o)
	require.NoError(t, err)
	assert.Equal(t, []string{"hi! shared own", ""}, textsOf(t, p, nil))
	_, err = promptfs.Parse(nil, "p.md", fsys["p.md"].Data, o)
	assert.EqualError(t, err, "p.md:1:27: unknown partial \"x\"; create the partial: the file _partials/x.md, or Options.Partials in Go\np.md:2: a b.txt: attachments are not available without a file system")
}

// An error of a template while it runs names the file. If a function rejects an
// argument, the error names the argument too.
func TestErrorsWhileRendering(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	p, err := promptfs.Parse(nil, "review/p.md", []byte("---\narguments: [{name: a}]\n---\n{{check .a}}"), promptfs.Options{Funcs: template.FuncMap{
		"check": func(text string) (string, error) {
			if text == "b" {
				return "", prompts.InvalidArgument("a", "must not be b")
			}
			return "", broken
		},
	}})
	require.NoError(t, err)
	_, err = p.Render(t.Context(), map[string]string{"a": "c"})
	require.ErrorIs(t, err, broken)
	assert.EqualError(t, err, "review/p.md:4:3: error calling check: broken")
	var reg prompts.Registry
	require.NoError(t, reg.Add(p))
	_, err = callOn(t, &reg, "prompts/get", map[string]any{"name": "review/p", "arguments": map[string]string{"a": "b"}})
	assert.EqualError(t, err, `invalid arguments for prompt "review/p": a: must not be b (-32602)`)
}

// The line end that YAML leaves behind a text in several lines is none of it.
// A default is used verbatim.
func TestTextsInSeveralLines(t *testing.T) {
	t.Parallel()
	const text = "---\ndescription: >\n  two\n  lines\ntitle: |\n  title\nname: >+\n  name\n\narguments:\n  - name: a\n    description: |\n      of it\n    default: |\n      b\n---\n{{.a}}"
	p, err := promptfs.Parse(nil, "p.md", []byte(text), promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"name", "title", "two lines", "of it"}, []string{p.Name, p.Title, p.Description, p.Arguments[0].Description})
	schema, err := json.Marshal(p.Arguments[0].Schema)
	require.NoError(t, err)
	assert.Contains(t, string(schema), `"default":"b\n"`)
}

// What looks like a line between messages can be text.
func TestLinesThatAreText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`\--- user ---`:           "--- user ---",
		`\---assistant---`:        "---assistant---",
		`\\---assistant---`:       `\---assistant---`,
		"--- a/user\n+++ b/user":  "--- a/user\n+++ b/user",
		"--users--":               "--users--",
		"--user":                  "--user",
		"\n\n---\nuser, and ----": "---\nuser, and ----",
	} {
		p, err := promptfs.Parse(nil, "p.md", []byte(text), promptfs.Options{})
		require.NoError(t, err, text)
		assert.Equal(t, []string{want}, textsOf(t, p, nil), text)
	}
}

// A key of the _meta that has the digest is an error of its file, and of no other.
func TestReservedMeta(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	f := promptfs.NewFolder(&reg, files(map[string]string{
		"a.md": "---\ntitle: A\nmeta:\n  io.github.mcp-prompts/digest: x\n---\nhello",
		"b.md": "hello",
	}), promptfs.Options{})
	assert.ErrorContains(t, f.Reload(t.Context()), `a.md:3: Meta["io.github.mcp-prompts/digest"] is reserved for Digest`)
	assert.Equal(t, 1, reg.Len())
}

// A file is compiled once: the registry gets what the check has made. The bounds
// are those of a file with a template, a partial and two arguments.
func TestAllocationsOfAFile(t *testing.T) {
	const n = 200
	fsys := inMemory(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var reg prompts.Registry
	require.NoError(t, promptfs.NewFolder(&reg, fsys, promptfs.Options{Logger: slog.New(slog.DiscardHandler)}).Reload(t.Context()))
	runtime.ReadMemStats(&after)
	require.Equal(t, n, reg.Len())
	assert.LessOrEqual(t, (after.Mallocs-before.Mallocs)/n, uint64(480))
	assert.LessOrEqual(t, (after.TotalAlloc-before.TotalAlloc)/n, uint64(44<<10))
}

// A large file leaves no large buffer behind.
func TestLargeBuffersAreNotKept(t *testing.T) { // not parallel: others keep buffers too
	for range 10 {
		_, err := promptfs.Load(files(map[string]string{"p.md": strings.Repeat("x", 2*promptfs.MaxKeptBuffer)}), promptfs.Options{})
		require.NoError(t, err)
		assert.LessOrEqual(t, promptfs.KeptBuffer(), promptfs.MaxKeptBuffer)
	}
}

// A path that is no path of a file system has the error of its text.
func TestParseOfAnAbsolutePath(t *testing.T) {
	t.Parallel()
	_, err := promptfs.Parse(fstest.MapFS{}, "/abs/x.md", []byte(`{{template "style" .}}`), promptfs.Options{})
	assert.ErrorContains(t, err, `unknown partial "style"`)
}
