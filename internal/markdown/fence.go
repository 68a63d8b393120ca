package markdown

import (
	"strings"

	"github.com/mcp-prompts/prompts/internal/hosts"
)

// Fence returns code as a code block whose fence is longer than every run of
// backticks in code. A language that could end the line is left out.
func Fence(language, code string) string {
	least := 3
	if hosts.HasMark(code) { // the client puts a text with fences in the place of a placeholder
		least = 6
	}
	fence := strings.Repeat("`", max(least, longestRun(code, '`')+1))
	if strings.ContainsFunc(language, breaksInfoString) {
		language = ""
	}
	end := "\n"
	if strings.HasSuffix(code, "\n") {
		end = ""
	}
	return fence + language + "\n" + code + end + fence
}

// breaksInfoString reports whether r could end the line or the fence of a code
// block from its info string.
func breaksInfoString(r rune) bool {
	return r == '`' || r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
