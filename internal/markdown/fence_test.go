package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, code, want string }{
		{"go", "x := 1", "```go\nx := 1\n```"},
		{"", "x", "```\nx\n```"},
		{"", "", "```\n\n```"},
		{"go", "x\n", "```go\nx\n```"},
		{"go", "x\n\n", "```go\nx\n\n```"},
		{"go", "x\r\n", "```go\nx\r\n```"},
		{"go", "x\r", "```go\nx\r\n```"},
		{"md", "a `b` c", "```md\na `b` c\n```"},
		{"md", "a ``b`` c", "```md\na ``b`` c\n```"},
		{"md", "```\nx\n```", "````md\n```\nx\n```\n````"},
		{"md", "``` `````` `", "```````md\n``` `````` `\n```````"},
		{"md", "```", "````md\n```\n````"},
		{"md", "~~~~", "```md\n~~~~\n```"},
		{"c++ {.numbered}", "x", "```c++ {.numbered}\nx\n```"},
		{"a`b", "x", "```\nx\n```"},
		{"```", "x", "```\nx\n```"},
		{"a\nb", "x", "```\nx\n```"},
		{"a\rb", "x", "```\nx\n```"},
		{"a\tb", "x", "```\nx\n```"},
		{"a\x00", "x", "```\nx\n```"},
		{"a\u0085b", "x", "```\nx\n```"},
		{"a\u2028b", "x", "```\nx\n```"},
		{"ü", "é", "```ü\né\n```"},
	} {
		assert.Equal(t, c.want, Fence(c.language, c.code))
	}
}

// fenced reads a code block as CommonMark does. It reports false if there is
// anything behind the block.
func fenced(text string) (code string, ok bool) {
	lines := strings.FieldsFunc(strings.NewReplacer("\r\n", "\r\n\x00", "\n", "\n\x00", "\r", "\r\x00").Replace(text), func(r rune) bool { return r == 0 })
	open := len(lines[0]) - len(strings.TrimLeft(lines[0], "`"))
	for i, line := range lines[1:] {
		bare := strings.TrimRight(line, " \t\r\n")
		indented := len(bare) - len(strings.TrimLeft(bare, " "))
		ticks := strings.TrimLeft(bare, " ")
		if indented <= 3 && len(ticks) >= open && strings.Trim(ticks, "`") == "" {
			return strings.Join(lines[1:i+1], ""), i+2 == len(lines)
		}
	}
	return "", false
}

// Whatever is in it, nothing in the code or the language ends the block.
func FuzzFence(f *testing.F) {
	for _, code := range []string{"", "x", "```", "   ````\nx", "a\r```\rb", "`\n``\n```\n````\n", "\t```"} {
		f.Add("go", code)
	}
	f.Add("`\n", "x")
	f.Add("\r", "```")
	f.Fuzz(func(t *testing.T, language, code string) {
		if strings.Contains(language+code, "\x00") {
			t.Skip() // which the reader above uses
		}
		got, ok := fenced(Fence(language, code))
		if !ok || got != code && got != code+"\n" {
			t.Fatalf("%q, %q: %q, %t", language, code, got, ok)
		}
	})
}
