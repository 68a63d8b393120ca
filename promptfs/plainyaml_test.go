package promptfs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// outline is what this package reads of a node.
func outline(n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d %s %q style=%d anchor=%q\n", n.Line, n.Kind, n.ShortTag(), n.Value, n.Style, n.Anchor)
	for _, c := range n.Content {
		b.WriteString(outline(c))
	}
	return b.String()
}

// compareYAML fails if plainYAML reads text in another way than the library. It reports whether
// plainYAML has read it.
func compareYAML(t *testing.T, text string) bool {
	t.Helper()
	got := plainYAML(text)
	if got == nil {
		return false
	}
	f := &fileErrors{path: "a.md"}
	want, ok := readAnyYAML(text, f)
	require.True(t, ok, "%q: %v", text, f.all)
	require.Equal(t, outline(want), outline(got), "%q", text)
	return true
}

// What plainYAML reads, the library reads in the same way.
func TestPlainYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"title: Review\n", "title: Review", "\n\ntitle:   Review  \n\n", "a: 1\nb: true\nc: \"x: # y\"\nd: 'it'\n", "tags: [a, b c, 3]\n",
		"arguments:\n  - name: code\n    required: true\n  - name: language\n    enum: [go, rust]\nversion: x1.0\n",
		"arguments:\n- name: code\n- name: b\ntitle: x\n", "tags:\n  - a\n  - b c\n", "a: x é—ü 漢字\n", "a: b:c\nd: e#f\n", "a: \"\"\n", "tags:\n -  a: 1\n    b: x\n",
	} {
		assert.True(t, compareYAML(t, text), "%q is left to the library", text)
	}
	for _, text := range []string{
		"", "# x\n", "a:\n", "a: b\n  c\n", "a: |\n  b\n", "a: &x b\n", "a: *x\n", "a: !!str b\n", "a: yes\n", "a: null\n", "a: ~\n", "a: 1.5\n", "a: 007\n", "a: 2024-01-01\n",
		"a: {b: c}\n", "a: [b: c]\n", "a: [b, [c]]\n", "a: [b,\n  c]\n", "a: b # c\n", "a: b: c\n", "a: b:\n", "a: \"b\\n\"\n", "a: 'b''c'\n", "a: \"b\n", "a:\tb\n", "\ta: b\n", " a: b\n",
		"a: b\n---\nc: d\n", "a: b\n...\n", "? a\n: b\n", "- a\n", "a: b\u2028c\n", "a: b\u0085c\n", "a: b\x00\n", "a: b\rc\n", "<<: a\n", "true: a\n", "1: a\n", "a: b\n c: d\n",
		"a:\n  - b\n - c\n", "a:\n  - b: c\n   d: e\n", "a:\n  - b: c\n     d: e\n", "a:\n  -\n", "a:\n  - - b\n", "a:\n  b: c\n", "a: []\n", "a: [b, ]\n", "a: [b,,c]\n", "a: @b\n", "a: -\n", "a: - b\n",
	} {
		assert.False(t, compareYAML(t, text), "%q", text)
	}
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{
		"a", "b", "title", "name", ":", ": ", ": ", ": ", "- ", "- ", "-", "\n", "\n", "\n", "\n  ", "\n  ", "\n    ", "\n- ", "\n  - ", "\n  - ", " ", "  ", "[", "]", ", ", "\"", "'", "#", " #",
		"true", "no", "null", "1", "12", "-3", "0x1", "1e3", ".5", "~", "é", "\u2028", "\ufeff", "\t", "\\", "|", ">", "{", "}", "&", "*", "!", "%", "@", "---", "...", "x y", "a: b", "\na: b", "\nc: [d, e]",
	}
	lines := []string{"a: b\n", "c:\n", "d: [e, f g]\n", "h: \"i: #\"\n", "", "- j\n", "- k: l\n", "  ", " ", "\n", "m: 12\n", "n: true\n", "    "}
	read := 0
	for i := range 30_000 {
		var b strings.Builder
		b.WriteString("k")
		some := parts
		if i%2 == 0 {
			b.WriteString(": v\n")
			some = lines
		}
		for range r.IntN(12) {
			b.WriteString(some[r.IntN(len(some))])
		}
		if compareYAML(t, b.String()) {
			read++
		}
	}
	assert.Greater(t, read, 2000)
}

func FuzzPlainYAML(f *testing.F) {
	f.Add("title: Review\narguments:\n  - name: a\n    enum: [b, c]\n")
	f.Fuzz(func(t *testing.T, text string) { compareYAML(t, text) })
}
