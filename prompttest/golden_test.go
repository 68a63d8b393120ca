package prompttest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
)

// all is a result with everything that the form of one shows.
func all() *prompts.Result {
	size, priority := int64(5), 0.25
	return &prompts.Result{
		Description: "All there is",
		Meta:        prompts.Meta{"org.example/a": 1},
		Messages: []prompts.Message{
			prompts.User("two\nlines\n"),
			prompts.Assistant(""),
			{Role: prompts.RoleUser, Content: &prompts.Text{Text: "noted", Meta: prompts.Meta{"b": true}, Annotations: &prompts.Annotations{
				Audience: []prompts.Role{prompts.RoleUser, prompts.RoleAssistant}, Priority: &priority, LastModified: time.Unix(0, 0),
			}}},
			{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte{1, 2, 3}, MIMEType: "image/png"}},
			{Role: prompts.RoleUser, Content: &prompts.Audio{Data: nil, MIMEType: "audio/wav"}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "note://1", MIMEType: "text/plain", Text: "a note", ResourceMeta: prompts.Meta{"c": 2}}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "note://2", MIMEType: "application/x", Blob: []byte{1}}},
			{Role: prompts.RoleUser, Content: &prompts.ResourceLink{
				URI: "note://3", Name: "n", Title: "t", Description: "d", MIMEType: "text/html", Size: &size, Icons: []prompts.Icon{{Src: "https://example.com/i"}},
			}},
		},
	}
}

const allText = `=== description
All there is
=== meta {"org.example/a":1}
=== user: text
two
lines

=== assistant: text

=== user: text, annotations, for user, for assistant, priority 0.25, modified 1970-01-01T00:00:00Z, meta {"b":true}
noted
=== user: image image/png, 3 bytes, sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81
=== user: audio audio/wav, 0 bytes, sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
=== user: resource note://1, text/plain, resource meta {"c":2}
a note
=== user: resource note://2, application/x, 1 bytes, sha256 4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a
=== user: resource link note://3, name "n", title "t", description "d", text/html, 5 bytes, icon {"Src":"https://example.com/i","MIMEType":"","Sizes":null,"Theme":""}
`

func TestFormat(t *testing.T) {
	t.Parallel()
	assert.Equal(t, allText, golden.Format(all()))
	assert.Equal(t, "=== no messages\n", golden.Format(new(prompts.Result)))
	// A text cannot pass for a head line: those have a longer rule then.
	assert.Equal(t, "==== user: text\na\n=== user: text\nb\n", golden.Format(prompts.Messages(prompts.User("a\n=== user: text\nb"))))
	assert.Equal(t, "===== user: text\n==== a\n===== user: text\n=== b\n", golden.Format(prompts.Messages(prompts.User("==== a"), prompts.User("=== b"))))
	assert.NotEqual(t, golden.Format(prompts.Messages(prompts.User("a"), prompts.User("b"))), golden.Format(prompts.Messages(prompts.User("a\n=== user: text\nb"))))
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		result     *prompts.Result
		want       []string
	}{
		{"the same", allText, all(), nil},
		{"the line ends of Windows", strings.ReplaceAll(allText, "\n", "\r\n"), all(), nil},
		{"a line that differs", "=== user: text\na\nb\nc\nd\n", prompts.Messages(prompts.User("a\nb\nx\nd")), []string{
			"(- wanted, + got)\nline 4:\n    a\n    b\n  - c\n  - d\n  + x\n  + d\nIf the result is right, run:\n\tgo test -run \"^TestRecorded$\" -update",
		}},
		{"one line of many", "=== user: text\na\nb\nc\nd\ne\n", prompts.Messages(prompts.User("a\nx\nc\nd\ne")), []string{
			"line 3:\n    === user: text\n    a\n  - b\n  - c\n  + x\n  + c\nIf",
		}},
		{"many lines that differ", "=== user: text\n" + strings.Repeat("a\n", 10), prompts.Messages(prompts.User("b")), []string{
			"line 2:\n    === user: text\n  - a\n  - a\n  - a\n  - a\n  - a\n  - a\n  - … (5 more lines)\n  + b\n",
		}},
		{"nothing more", "=== user: text\na\nb\n", prompts.Messages(prompts.User("a")), []string{"  - b\n  + (the end)\n"}},
		{"an empty file", "", prompts.Messages(prompts.User("a")), []string{"line 1:\n  - (the end)\n  + === user: text\n  + a\n"}},
		{"a blank at the end", "=== user: text\na\n", prompts.Messages(prompts.User("a ")), []string{"  - a\n  + a  (with blanks at its end)\n"}},
		{"a carriage return", "=== user: text\na\nb\n", prompts.Messages(prompts.User("a\r\nb")), []string{"  - a\n", "  + a\\r\n"}},
		{"binary data", "=== user: image image/png, 1 bytes, sha256 0\n", prompts.Messages(prompts.Message{Role: prompts.RoleUser, Content: &prompts.Image{MIMEType: "image/png"}}), []string{
			"  + === user: image image/png, 0 bytes",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.golden")
			require.NoError(t, os.WriteFile(path, []byte(test.file), 0o600))
			r := record(t, func(t testing.TB) { Golden(t, path, test.result) })
			if test.want == nil {
				assert.Empty(t, r.errors)
			} else {
				require.Len(t, r.errors, 1)
			}
			for _, want := range test.want {
				assert.Contains(t, r.all(), want)
			}
		})
	}
}

// Without a file a test says how to make it, and shows what will be in it.
func TestGoldenMissing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.golden")
	r := record(t, func(t testing.TB) { Golden(t, path, all()) })
	assert.Equal(t, "prompttest: golden file "+path+" does not exist. To create the file, run:\n\tgo test -run \"^TestRecorded$\" -update\nThe result is:\n"+allText, r.all())
	r = record(t, func(t testing.TB) { Golden(t, filepath.Dir(path), all()) })
	assert.Contains(t, r.all(), "prompttest: open ")
}

// With -update files are written, and only then.
func TestUpdate(t *testing.T) { // not parallel: the flag is the program's
	assert.False(t, Updating())
	require.NoError(t, flag.Set(updateFlag, "true"))
	defer func() { require.NoError(t, flag.Set(updateFlag, "false")) }()
	assert.True(t, Updating())

	dir := t.TempDir()
	golden := filepath.Join(dir, "new", "a.golden")
	Golden(t, golden, all())
	assert.Equal(t, allText, read(t, golden))
	r := record(t, func(t testing.TB) { Golden(t, filepath.Join(golden, "b"), all()) })
	assert.Contains(t, r.all(), "prompttest: mkdir ")

	shared := writeCases(t, map[string]string{"greet.test.yaml": `{"cases": [
		{"name": "a", "arguments": {"name": "Ada"}, "expect": {"equals": "a.golden"}},
		{"name": "b", "arguments": {"name": "Grace"}, "expect": {"equals": "a.golden"}}]}`})
	reg := caseRegistry(t)
	r = record(t, func(t testing.TB) { checkCases(t, reg, shared, parseJSON, CheckOptions{}) })
	assert.Contains(t, r.all(), `case "b": equals: messages differ from a.golden, which another case has with other messages; give each case a file of its own`)
	assert.Equal(t, "=== user: text\nHello Ada\n", read(t, filepath.Join(shared, "a.golden")))

	for _, newline := range []string{"\n", "\r\n"} {
		readme := filepath.Join(dir, "README.md")
		const text = "# A\n<!-- prompts -->\nold\n<!-- end of prompts -->\nB\n"
		require.NoError(t, os.WriteFile(readme, []byte(strings.ReplaceAll(text, "\n", newline)), 0o600))
		CheckDoc(t, catalogue(), readme)
		assert.Equal(t, strings.ReplaceAll("# A\n<!-- prompts -->\n"+prompts.MarkdownTable(catalogue())+"<!-- end of prompts -->\nB\n", "\n", newline), read(t, readme))
		require.NoError(t, flag.Set(updateFlag, "false"))
		CheckDoc(t, catalogue(), readme) // now it is current
		require.NoError(t, flag.Set(updateFlag, "true"))
	}

	// What is around the table stays as it is, line ends too.
	for _, newline := range []string{"\n", "\r\n"} {
		readme := filepath.Join(dir, "MIXED.md")
		before, after := "a\r\nb\n<!-- prompts -->"+newline, "<!-- end of prompts -->\r\nc\nd\r\n"
		require.NoError(t, os.WriteFile(readme, []byte(before+after), 0o600))
		CheckDoc(t, catalogue(), readme)
		assert.Equal(t, before+strings.ReplaceAll(prompts.MarkdownTable(catalogue()), "\n", newline)+after, read(t, readme))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}
