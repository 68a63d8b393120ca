// Package markdown writes Markdown that no text inside it can break out of.
package markdown

import (
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

func Row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("|")
		if c != "" {
			b.WriteString(" " + c)
		}
		b.WriteString(" ")
	}
	b.WriteString("|\n")
}

// Cell returns plain text for a table cell, with every Markdown character
// escaped and line breaks as <br>.
func Cell(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = inline(strings.TrimSpace(line))
	}
	return phrase.Join("<br>", lines...)
}

func inline(line string) string {
	runes := []rune(line)
	isWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch r {
		case '_': // within a word it means nothing
			if !isWord(i-1) || !isWord(i+1) {
				b.WriteByte('\\')
			}
		case '\\', '`', '*', '[', ']', '<', '>', '|', '~', '&':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CellCode returns a name as inline code for a table cell.
func CellCode(name string) string {
	fence := strings.Repeat("`", 1+longestRun(name, '`'))
	if strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") {
		name = " " + name + " " // which is not shown
	}
	return fence + strings.ReplaceAll(name, "|", `\|`) + fence
}
