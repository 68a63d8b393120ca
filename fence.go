package prompts

import "strings"

// Fence returns code as a Markdown code block in the language, which may be
// empty. The fence is longer than any run of backticks in code, so nothing in
// code can end the block, and a language that could is left out.
func Fence(language, code string) string {
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	if strings.ContainsFunc(language, breaksInfoString) {
		language = ""
	}
	end := "\n"
	if strings.HasSuffix(code, "\n") {
		end = ""
	}
	return fence + language + "\n" + code + end + fence
}

// breaksInfoString reports whether r in the info string of a code block could
// end the line or the fence.
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
