package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// OpenQuote is in the library's message about quotes that are not closed.
const OpenQuote = "unexpected end of stream"

// NoColon is in the library's message about a line without a key.
const NoColon = "could not find expected ':'"

// explanations are the errors and their fixes, by what is in the library's message.
var explanations = []struct{ part, text, fix string }{
	{mappingValue, "unexpected colon", "write a space after the colon of a key, and quote a value with a colon"},
	{"cannot start any token", "value starts with a reserved character such as @ or `", "quote the value"},
	{"did not find expected key", "expected a key", "align the keys, and quote a value that starts with a quote or bracket"},
	{"did not find expected '-' indicator", "expected a list item", "align the keys of each list item"},
	{"did not find expected comment or line break", "unexpected text after > or |", "quote a value that starts with > or |"},
	{"block sequence entries are not allowed", "unexpected list item", `quote a value that starts with "- ", or put the list on the lines below`},
	{"did not find expected ',' or", "missing closing bracket", "close the bracket"},
	{OpenQuote, "unterminated quoted string", "close the quotes"},
	{"unknown escape character", "unknown escape in double quotes", "use single quotes for a literal backslash"},
	{"unknown anchor", "value starts with *, which begins a YAML alias", "quote the value"},
	{NoColon, `missing ": " after a key`, "write a colon and a space after the key"},
}

// mappingValue is in the library's message about a second colon.
const mappingValue = "mapping values are not allowed"

// withColon is a line with a key and a plain value that contains a colon.
var withColon = regexp.MustCompile(`^(?:\s*- )?\s*([\pL\pN_-]+): +([^\s"'|>&*!%@#\x60\[{].*?: .*)$`)

// Above is the fix for text above front matter.
const Above = "move the text above the front matter below it, or to a line # in it, or write *** for a horizontal rule"

var (
	// comments is text above front matter that its author takes for comments.
	comments = regexp.MustCompile(`^(?:\s*(?:<!--(?s:.*?)-->|\{\{-?\s*/\*(?s:.*?)\*/\s*-?\}\}|(?:#|//)[^\n]*)[ \t]*\n)+\s*$`)
	// example is text that announces an example of front matter, begins a code block, or has paragraphs.
	example = regexp.MustCompile("(?m):\\s*\\z|^\\s*(?:```|~~~)|\\S\\s*\n\\s*\n\\s*\\S")
)

// IsFront reports whether a text has only keys of front matter, and one of them is typical.
func IsFront(text string) bool {
	is := false
	for line := range strings.Lines(text) {
		key, _, hasColon := strings.Cut(line, ":")
		switch {
		case hasColon && slices.Contains(promptfile.Keys, key):
			is = is || key == "description" || key == "arguments"
		case !strings.ContainsAny(line[:1], " \t\r\n-#"):
			return false
		}
	}
	return is
}

// Below returns the line of a text without front matter at which front matter begins below other text, or 0.
func Below(text string) int {
	above, _, ok := strings.Cut(text, "\n---")
	if !ok {
		return 0
	}
	above += "\n"
	front, _, end := promptfile.Split(text[len(above):])
	isFront := comments.MatchString(above) && !strings.HasPrefix(front, "\n") && promptfile.HasKey(front) || IsFront(front) && !example.MatchString(above)
	if end < 2 || !isFront {
		return 0
	}
	return 1 + strings.Count(above, "\n")
}

var (
	keyLine   = regexp.MustCompile(`^([ -]*)([\pL\pN_-]+):(?:\s|$)`)
	firstWord = regexp.MustCompile(`^[ -]*([\pL\pN_-]+)(:?)`)
)

// YAML returns the error of a text that is not YAML, and its line. at is the line that the library
// found. keys are those of the text.
func YAML(message string, lines []string, at int, keys []string) (int, error) {
	line := lines[at-1]
	if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		return at, hint.New("indent with spaces", "invalid YAML: tab in the indentation")
	}
	if m := withColon.FindStringSubmatch(line); m != nil && strings.Contains(message, mappingValue) {
		const most = 80
		quoted := `"` + m[2] + `"`
		if strings.ContainsAny(m[2], `"\`) {
			quoted = "'" + strings.ReplaceAll(m[2], "'", "''") + "'"
		}
		fix := fmt.Sprintf("write %s: %s", m[1], quoted)
		if len(fix) > most {
			fix = "quote the value"
		}
		return at, hint.New(fix, `invalid YAML: unquoted ": " in the value of %s`, m[1])
	}
	if key := continued(lines, at, keys); key != "" && strings.Contains(message, NoColon) {
		return at, hint.New("indent the line, or quote the whole value", "invalid YAML: line without indentation does not continue the value of %s", key)
	}
	if at > 1 && strings.Contains(message, "did not find expected key") && strings.Contains(lines[at-2], " #") {
		return at - 1, hint.New("quote the whole value", `invalid YAML: " #" begins a comment, after which a value cannot continue`)
	}
	for _, e := range explanations {
		if strings.Contains(message, e.part) {
			return at, hint.New(e.fix, "invalid YAML: %s", e.text)
		}
	}
	return at, fmt.Errorf("invalid YAML: %s", message)
}

// continued returns the key whose value a line probably continues, but for the indentation.
// A line that begins with a known key, or with a word and a colon, has a key of its own.
func continued(lines []string, at int, keys []string) string {
	m := firstWord.FindStringSubmatch(lines[at-1])
	if m != nil && (m[2] != "" || slices.Contains(keys, strings.ToLower(m[1]))) {
		return ""
	}
	indentation := len(lines[at-1]) - len(strings.TrimLeft(lines[at-1], " "))
	for _, line := range slices.Backward(lines[:at-1]) {
		if m := keyLine.FindStringSubmatch(line); m != nil {
			if len(m[1]) < indentation {
				return ""
			}
			return m[2]
		}
	}
	return ""
}
