package doubt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/doubt"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// Find reports the first doubt of each kind with its place, and none about what authors mean.
func TestFind(t *testing.T) {
	t.Parallel()
	const conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"
	for _, c := range []struct {
		name, text string
		kind       doubt.Kind
		want       string // rule, line and column; empty for none
	}{
		{"a conflict", "---\ntitle: a\n---\nx\n" + conflict + conflict, doubt.Prompt, "text 5:1"},
		{"a conflict in front matter", "---\n" + conflict + "---\nx\n", doubt.Skill, "text 2:1"},
		{"an example of a conflict", "CODE\n" + conflict, doubt.Prompt, ""},
		{"marks of a conflict that is none", "<<<<<<< HEAD\n=======\n", doubt.Prompt, ""},
		{"NUL", "a\x00\x00", doubt.Partial, "text 1:2"},
		{"an escape character", "é\x1b[3m", doubt.Skill, "text 1:2"},
		{"white space", "a\t\r\n\fb", doubt.Prompt, ""},
		{"reversed text", "a\nb\u202ec", doubt.Prompt, "text 2:2"},
		{"isolated Arabic", "a \u2066\u0627\u2069 b", doubt.Prompt, ""},
		{"a role line in code", "CODE\n--- assistant ---\n", doubt.Prompt, "text 2:1"},
		{"a message with an image", "--- user: image x.png ---\n", doubt.Prompt, ""},
		{"a role line in a partial", "a\n--- user ---\n", doubt.Partial, "text 2:1"},
		{"a role line in code of a partial", "CODE\n--- user ---\n", doubt.Partial, ""},
		{"front matter of a partial", "---\ndescription: a\n---\nb", doubt.Partial, "text 1:0"},
		{"a partial between rules", "---\n\na: b\n\n---\nb", doubt.Partial, ""},
		{"an image", "see ![a](x.png \"b\")", doubt.Prompt, "text 1:10"},
		{"an image of HTML", `<img alt="a" src='x.png'/>`, doubt.Partial, "text 1:19"},
		{"an image that does not exist", "![a](y.png)", doubt.Prompt, ""},
		{"an image of a skill", "![a](x.png)", doubt.Skill, ""},
		{"Jinja", "{% if a %}", doubt.Prompt, "syntax 1:1"},
		{"a variable of the environment", "${HOME} ${input:a}", doubt.Prompt, "syntax 1:9"},
		{"ERB", "<%= a %>", doubt.Prompt, "syntax 1:1"},
		{"a comment of Jinja", "{# a #}", doubt.Prompt, "syntax 1:1"},
		{"an image with a space", "![a](<x.png>) ![a](y z.png)", doubt.Prompt, "text 1:7"},
		{"a definition of an image", "![a][b]\n\n[b]: x.png", doubt.Prompt, "text 3:6"},
		{"text behind a role", "--- user --- a", doubt.Prompt, "text 1:1"},
		{"a role with spaces behind", "--- user ---  ", doubt.Prompt, ""},
		{"typographic quotes", "---\ntitle: “a”\n---\ntitle: “a”", doubt.Prompt, "text 2:8"},
		{"quotes in a value", "---\ntitle: a “b”\n---\na", doubt.Prompt, ""},
		{"front matter in a block of YAML", "```yaml\ndescription: a\n```\n", doubt.Prompt, "front-matter 1:1"},
		{"front matter in an indented block", "  ~~~yml\n  arguments:\n  - name: a\n  ~~~\n", doubt.Prompt, "front-matter 1:1"},
		{"a file in a block", "```md\n---\ndescription: a\n---\nb\n```\n", doubt.Prompt, "front-matter 1:1"},
		{"an example of YAML", "```yaml\nname: a\non: push\ndescription: b\n```\n", doubt.Prompt, ""},
		{"an example of JSON", "```json\n{\"description\": 1}\n```\n", doubt.Prompt, ""},
		{"text that is no template", "---\ntemplate: false\n---\n<%= a %>", doubt.Prompt, ""},
		{"false front matter", "+++\nname = 1\n+++\n{% if a %}", doubt.Prompt, "front-matter 1:1, syntax 4:1"},
	} {
		got := []string{}
		codeOf := func(string) func(int) bool {
			return func(offset int) bool { return strings.HasPrefix(c.text, "CODE") && offset > 4 }
		}
		for _, d := range doubt.Find(c.text, c.kind, codeOf, func(path string) bool { return path == "x.png" }) {
			got = append(got, fmt.Sprintf("%s %d:%d", d.Rule, d.Line, d.Column))
			assert.NotEmpty(t, d.Fix)
			assert.NotContains(t, d.Message, "%s")
		}
		assert.Equal(t, c.want, strings.Join(got, ", "), c.name)
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	p := &prompts.Prompt{Name: "/Review", Title: "Review of {{.code}}", Description: "Replaces {{x}}", Arguments: []prompts.Argument{
		{Name: "code", Description: "the {{ code }}"}, {Name: "Code"}, {Name: "a=b"}, {Name: "a b"}, {Name: "größe"}, {Name: "a\u200bb"}, {Name: " c"},
	}}
	got := []string{}
	for _, d := range doubt.Declared(p, []string{"/Review", "/review"}, strings.ToLower) {
		assert.Equal(t, "text", d.Rule)
		got = append(got, d.Argument+": "+d.Message)
	}
	assert.Equal(t, []string{
		`: name "/Review" differs from "/review" only in case or form`,
		`: name "/Review" begins with /, which hosts put before the name`,
		": users see {{.code}} in the title, which is no template",
		"code: users see {{ code }} in the description, which is no template",
		`Code: name "Code" differs from "code" only in case or form`,
		`a=b: argument name "a=b" cannot be typed, as users of Gemini CLI do: --name=value`,
		"a\u200bb: argument name \"a\\u200bb\" cannot be typed, as users of Gemini CLI do: --name=value",
		` c: argument name " c" cannot be typed, as users of Gemini CLI do: --name=value`,
	}, got)
}

// A file with the front matter of a prompt is one that is not read for its extension alone.
func TestUnread(t *testing.T) {
	t.Parallel()
	const front = "---\ndescription: a\n---\nb"
	for name, want := range map[string]string{
		"a.txt": "a.md", "b/a": "b/a.md", "a.md.txt": "a.md", "a.MDX": "a.md", "b.c/a": "b.c/a.md",
		"a.yaml": "", "a.md": "", "a.prompt": "",
	} {
		d, ok := doubt.Unread(name, func() string { return front })
		assert.Equal(t, want != "", ok, name)
		if ok {
			assert.Equal(t, "rename the file to "+want, d.Fix)
		}
	}
	for _, text := range []string{"", "a", "---\nname: a\n---\nb", "---\ndescription: a\nauthor: b\n---\nc", "---\ndescription: a\n"} {
		_, ok := doubt.Unread("a.txt", func() string { return text })
		assert.False(t, ok, text)
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "has the key mode", doubt.Foreign("title: a\nmode : agent\n"))
	assert.Empty(t, doubt.Foreign("model: a\narguments:\n  - name: b\n"))
	assert.Empty(t, doubt.Foreign("description: a\n"))
}

// Each key of front matter is one below a line that is almost ---.
func TestFakeFrontKeys(t *testing.T) {
	t.Parallel()
	for _, key := range promptfile.Keys {
		for _, lines := range [][]string{{"----", key + ": a", "---"}, {key + ": a", "---"}} {
			line, _ := doubt.FakeFront(lines)
			assert.Equal(t, 1, line, key)
		}
	}
}
