package promptfs_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Text after " #" in a title, a description, a default, an element of a list or a text of a case
// is a comment of YAML: each is said with its line and the fix. Comments elsewhere are comments.
func TestLostText(t *testing.T) {
	t.Parallel()
	const fix = "; quote the value, or write the comment on a line of its own"
	front := func(lines string) string { return "---\n" + lines + "---\ntext {{.a}}\n" }
	const a = "arguments:\n  - name: a\n"
	for text, want := range map[string]string{
		front("description: fix #12 in C #\n" + a):                                                         `:2: " #" begins a comment, so description ends before "#12 in C #"`,
		front("title: C # review\n" + a):                                                                   `:2: " #" begins a comment, so title ends before "# review"`,
		front("description: two\n  lines #12\n" + a):                                                       `:3: " #" begins a comment, so description ends before "#12"`,
		front(a + "    description: x #y\n"):                                                               `:4: " #" begins a comment, so description ends before "#y"`,
		front(a + "    default: main #1\n"):                                                                `:4: " #" begins a comment, so default ends before "#1"`,
		front(a + "    title: x # y\n"):                                                                    `:4: " #" begins a comment, so title ends before "# y"`,
		front("arguments:\n  - {name: a, default: b #c\n    }\n"):                                          `:3: " #" begins a comment, so default ends before "#c"`,
		front("description: 'fix' # a comment\n# another\ntitle: C#\n" + a + "    default: \"x\" # c\n"):   "",
		front("description: >- # a comment\n  fix #12\n" + a):                                              "",
		front("name: p # a comment\n" + a + "    required: true # a comment\n    enum: [b] # a comment\n"): "",
		front(a + "    type: integer\n    default: 1 # a comment\n"):                                       "",
		front("tags:\n  - C # and C++\n" + a):                                                              `:3: " #" begins a comment, so element of tags ends before "# and C++"`,
		front(a + "    enum:\n      - issue #12\n      - b\n"):                                             `:5: " #" begins a comment, so element of enum ends before "#12"`,
		front(a + "    examples:\n      - b\n      - issue #12\n"):                                         `:6: " #" begins a comment, so example ends before "#12"`,
		front(a + "    complete:\n      - b\n      - issue #12\n"):                                         `:6: " #" begins a comment, so element of complete ends before "#12"`,
		front(a + "    enum: # a comment\n      # another\n      - 'a #1' # quoted\n"):                     "",
		front(a + "    type: integer\n    enum:\n      - 1 # a number\n"):                                  "",
		front("tags: [a, b] # a comment\n" + a):                                                            "",
	} {
		var got []string
		for _, e := range promptfs.Warnings("p.md", []byte(text)) {
			got = append(got, e.Error())
		}
		if want != "" {
			want = "p.md" + want + fix
		}
		assert.Equal(t, want, strings.Join(got, "\n"), text)
		_, err := promptfs.Parse(nil, "p.md", []byte(text), promptfs.Options{})
		assert.NoError(t, err, "the prompt is served: %s", text)
	}
	many := promptfs.Warnings("p.md", []byte(front("arguments:\n"+strings.Repeat("  - name: a\n    description: b # c\n", 101))))
	assert.Len(t, many, 100, "as many as errors")
	skill := []byte("---\nname: s\ndescription: fix #12\nlicense: MIT # a comment\n---\ntext\n")
	if all := promptfs.Warnings("s/SKILL.md", skill); assert.Len(t, all, 1) {
		assert.Equal(t, `s/SKILL.md:3: " #" begins a comment, so description ends before "#12"`+fix, all[0].Error())
	}
	lists := []byte("---\nname: s\ndescription: d\nmetadata:\n  title: C # x\n  list:\n    - fix #12\n  other: a # comment\n---\ntext\n")
	if all := promptfs.Warnings("s/SKILL.md", lists); assert.Len(t, all, 2) {
		assert.Equal(t, `s/SKILL.md:5: " #" begins a comment, so title ends before "# x"`+fix, all[0].Error())
		assert.Equal(t, `s/SKILL.md:7: " #" begins a comment, so element of list ends before "#12"`+fix, all[1].Error())
	}
	for text, want := range map[string]string{
		"cases:\n  - name: issue #12\n":                                                      `:2: " #" begins a comment, so name ends before "#12"`,
		"prompt: p # q\ncases: []\n":                                                         `:1: " #" begins a comment, so prompt ends before "# q"`,
		"cases:\n  - name: a\n    arguments:\n      role: b #1\n":                            `:4: " #" begins a comment, so role ends before "#1"`,
		"cases:\n  - name: a\n    arguments:\n      list:\n        - b #1\n":                 `:5: " #" begins a comment, so element of list ends before "#1"`,
		"cases:\n  - name: a\n    expect:\n      contains: fix #1\n":                         `:4: " #" begins a comment, so contains ends before "#1"`,
		"cases:\n  - name: a\n    expect:\n      contains:\n        - b\n        - fix #1\n": `:6: " #" begins a comment, so element of contains ends before "#1"`,
		"cases:\n  - name: a\n    answers:\n      - {message: b #1\n        }\n":             `:4: " #" begins a comment, so message ends before "#1"`,
		"cases: # a comment\n  - name: 'a #1' # b\n    expect:\n      roles: user # c\n      maxCharacters: 1 # d\n      json: true # e\n  - name: e\n    expect: {error: {a: missing}} # f\n": "",
		"cases:\n  - name: e\n    expect:\n      error:\n        a: missing # g\n":                                                                                                             "",
	} {
		var got []string
		for _, e := range promptfs.Warnings("p.Test.YAML", []byte(text)) {
			got = append(got, e.Error())
		}
		if want != "" {
			want = "p.Test.YAML" + want + fix
		}
		assert.Equal(t, want, strings.Join(got, "\n"), text)
	}
	for _, invalid := range []string{"\xff", "---\n", "---\na: [\n---\n", ""} {
		assert.Empty(t, promptfs.Warnings("p.md", []byte(invalid)))
		assert.Empty(t, promptfs.Warnings("p.test.yaml", []byte(invalid)))
	}
	for text, want := range map[string]string{
		front("description: #12\n" + a):  "p.md:2: description is empty, because # begins a comment; quote the value",
		front(a + "    default: #fff\n"): `p.md:4: default must match type: string, got no value; quote the value`,
		front("title:\n" + a):            "p.md:2: title is empty; write a value, or remove the key",
	} {
		_, err := promptfs.Parse(nil, "p.md", []byte(text), promptfs.Options{})
		assert.ErrorContains(t, err, want)
	}
}

// A folder logs the texts that a file loses once, when the file is read, of prompts and of
// skills alike.
func TestLostTextIsLogged(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"p.md":       {Data: []byte("---\ndescription: a #1\n---\ntext\n")},
		"s/SKILL.md": {Data: []byte("---\nname: s\ndescription: b #2\n---\ntext\n")},
	}
	for _, isAlone := range []bool{false, true} {
		var log strings.Builder
		reg := new(prompts.Registry)
		f := promptfs.NewFolder(reg, fsys, promptfs.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)), Skills: new(promptskills.Registry), DisableSkillPrompts: isAlone,
		})
		for range 2 {
			require.NoError(t, f.Reload(t.Context()))
			reg.Remove("p") // the file is read again, with the same warning
		}
		for path, line := range map[string]int{"p.md": 2, "s/SKILL.md": 3} {
			assert.Equal(t, 1, strings.Count(log.String(), fmt.Sprintf(`level=WARN msg="prompt file loses text" path=%s line=%d `, path, line)), log.String())
		}
	}
}

// A line that continues a value, but for its indentation, is reported at the line itself.
func TestLinesWithoutIndentation(t *testing.T) {
	t.Parallel()
	const fix = "invalid YAML: line without indentation does not continue the value of description; indent the line, or quote the whole value"
	for front, want := range map[string]string{
		"description: a\nover SSH\ntitle: x\n":                      "p.md:3: " + fix,
		"description: a\nover SSH\n":                                "p.md:3: " + fix,
		"description: >-\nover SSH\ntitle: x\n":                     "p.md:3: " + fix,
		"description: >-\n  a\nover SSH\nand more\ntitle: x\n":      "p.md:4: " + fix,
		"arguments:\n  - name: a\n    description: b\n  over SSH\n": "p.md:5: " + fix,
		"description: a\ntitle Code review\nname: b\n":              `p.md:3: invalid YAML: missing ": " after a key; write a colon and a space after the key`,
		"description: a\nlabel:Code\nname: b\n":                     `p.md:3: invalid YAML: missing ": " after a key; write a colon and a space after the key`,
		"description: a\nover SSH: b\n":                             `p.md:3: unknown key "over SSH" in front matter; to continue the value of description, indent the line and quote the whole value`,
		"description: a\n  b #12\n  c\ntitle: x\n":                  `p.md:3: invalid YAML: " #" begins a comment, after which a value cannot continue; quote the whole value`,
	} {
		_, err := promptfs.Parse(nil, "p.md", []byte("---\n"+front+"---\ntext\n"), promptfs.Options{})
		assert.EqualError(t, err, want, front)
	}
	_, err := promptfs.ParseFrontmatter([]byte("---\nname: s\ndescription: a\nover SSH\n---\n"))
	assert.ErrorContains(t, err, ":4: "+fix)
}
