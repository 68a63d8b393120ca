package promptfs_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// Any content of a file is either a prompt that a registry accepts, or gives
// errors, each with the path and a line of the file. Parsing the same file again
// gives the same result.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"review/code.md", "plain.md", "other-name.md", "skills/pdf/SKILL.md"} {
		content, err := os.ReadFile("testdata/good/" + name)
		require.NoError(f, err)
		f.Add(content, strings.HasSuffix(name, "SKILL.md"))
	}
	for _, text := range []string{
		"---\n", "---\n---\n", "---\na: *b\n---\nx", "---\n? [a]\n: &x b\n---\nx", "---\narguments:\n  - name: a\n    type: array\n    items: {enum: [1]}\n    default: [2]\n---\n{{.a}}",
		"--- user: image a.png ---\n--- assistant ---\n\\--- user ---", "{{template \"tone\" .}}{{if}}", "---\rname: a\u0085b\u2028c: [\n---\nx", "---\n%YAML 1.1\n---\nx", "\ufeff\xff",
		"---\nmeta: {a: {b: [1, 0x1, 1e999]}}\nicons: [{src: 'https://a', sizes: [1x1]}]\n---\nx", "---\n--- a\n...\nb: c\n---\nx", "---\narguments:\n  - {name: a, pattern: '(', default: 1, required: true}\n---\nx",
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	fsys := files(map[string]string{"_partials/tone.md": "be {{.tone}}", "_partials/x.md": "x", "a.png": "\x89PNG"})
	f.Fuzz(func(t *testing.T, content []byte, isSkill bool) {
		path := "dir/p.md"
		if isSkill {
			path = "dir/SKILL.md"
		}
		before := bytes.Clone(content)
		p, err := promptfs.Parse(fsys, path, content, promptfs.Options{})
		assert.Equal(t, before, content)
		again, errAgain := promptfs.Parse(fsys, path, content, promptfs.Options{})
		if err != nil {
			assert.EqualError(t, errAgain, err.Error())
			lines := bytes.Count(content, []byte("\n")) + 1
			joined, ok := err.(interface{ Unwrap() []error })
			require.True(t, ok)
			for _, err := range joined.Unwrap() {
				var e *promptfs.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, path, e.Path)
				assert.GreaterOrEqual(t, e.Line, 0)
				assert.LessOrEqual(t, e.Line, lines, "%v", err)
			}
			// Of many invalid files, each has its own errors and no others.
			_, loadErr := promptfs.Load(with(fsys, path, content), promptfs.Options{})
			assert.EqualError(t, loadErr, err.Error())
			return
		}
		require.NoError(t, errAgain)
		var reg, regAgain prompts.Registry
		require.NoError(t, reg.Add(p))
		require.NoError(t, regAgain.Add(again))
		list, err := callOn(t, &reg, "prompts/list", nil)
		require.NoError(t, err)
		listAgain, err := callOn(t, &regAgain, "prompts/list", nil)
		require.NoError(t, err)
		assert.Equal(t, string(list), string(listAgain))
	})
}

// with returns the files and one more.
func with(fsys fstest.MapFS, path string, content []byte) fs.FS {
	all := fstest.MapFS{path: {Data: content}}
	for path, f := range fsys {
		all[path] = f
	}
	return all
}
