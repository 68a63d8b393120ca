package promptfs

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// textOf returns the text of a file: without a byte order mark, and with LF at
// the end of its lines. Content that is not text is an error.
func textOf(content []byte, f *fileErrors) (text string, ok bool) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		line := 1
		for rest := content; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			if r == utf8.RuneError && size == 1 {
				break
			}
			if r == '\n' {
				line++
			}
			rest = rest[size:]
		}
		f.add(line, hint.New("save the file as UTF-8", "file is not valid UTF-8"))
		return "", false
	}
	return strings.ReplaceAll(string(content), "\r\n", "\n"), true
}

// isBlank reports whether a line has nothing but white space.
func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// trimmed returns the text without the blank lines around it and without the
// end of its last line, and how many lines there were before it.
func trimmed(text string) (string, int) {
	before := 0
	for text != "" {
		line, rest, more := strings.Cut(text, "\n")
		if !isBlank(line) {
			break
		}
		if !more {
			return "", before
		}
		text = rest
		before++
	}
	for {
		i := strings.LastIndexByte(text, '\n')
		if i < 0 || !isBlank(text[i+1:]) {
			return text, before
		}
		text = text[:i]
	}
}
