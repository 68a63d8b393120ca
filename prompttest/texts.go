package prompttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/markdown"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

func lineAt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	if at-begin > 40 {
		line = "…" + strings.ToValidUTF8(text[at-20:at-begin+begin], "") + line[at-begin:]
	}
	return line
}

func list(arguments map[string]string) string {
	if len(arguments) == 0 {
		return "no arguments"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		parts = append(parts, name+" "+phrase.Quote(arguments[name]))
	}
	return strings.Join(parts, ", ")
}

func withoutBlocks(text string) string {
	var b strings.Builder
	at := 0
	for _, block := range markdown.Blocks(text) {
		b.WriteString(text[at:block.Begin])
		at = block.End
	}
	return b.String() + text[at:]
}

// excerptBytes is how much of a message a failure repeats.
const excerptBytes = 2048

func excerpt(msg []byte) string {
	text := phrase.Clip(string(msg), excerptBytes)
	if len(msg) > excerptBytes {
		text += fmt.Sprintf(" (%d bytes)", len(msg))
	}
	return text
}
