// Package promptfile defines which files of a folder are prompts, and the two parts of a prompt file.
//
// The modules that import the package have versions of their own: the package only gets additions.
package promptfile

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ParseYAML returns a YAML file as JSON, and the line in the file of each value, by its JSON
// pointer, such as /cases/0/name; 0 if there is no such value. The line of a member is that of its
// key. It parses test files, and prompts.yaml for the command prompts. Package promptfs sets it,
// because this module has no parser of YAML.
//
// Values have the types of YAML 1.2. A number that JSON writes in another way, such as 007, is a
// string. An empty file is null. The error joins all errors, each with the path: anchors, aliases,
// tags, merge keys, duplicate keys, and text that is not YAML.
//
// In a test file, *.test.yaml, the name of the prompt is in NFC, as in a folder of promptfs. If the
// name of the file is in NFD, the value has the key prompt.
var ParseYAML func(path string, content []byte) (value json.RawMessage, lineOf func(pointer string) int, err error)

// IsHidden reports whether a name of a path begins with a dot or an underscore. Such files and
// folders are skipped, except for the folder of partials and for underscores in skills.
func IsHidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part != "." && strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// IsPrompt reports whether a file that is not hidden is a prompt: a Markdown file other than a README.
func IsPrompt(name string) bool { return IsMarkdown(name) && !IsReadme(name) }

// IsMarkdown reports whether the extension of a name is .md or .markdown.
func IsMarkdown(name string) bool {
	extension := path.Ext(name)
	return strings.EqualFold(extension, ".md") || strings.EqualFold(extension, ".markdown")
}

// IsReadme reports whether a path is of a README in Markdown.
func IsReadme(name string) bool {
	base := path.Base(name)
	return IsMarkdown(base) && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), "README")
}

// SkillFile is the name of the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// IsSkill reports whether a path is of a SKILL.md.
func IsSkill(name string) bool { return strings.EqualFold(path.Base(name), SkillFile) }

// HasSkill reports whether the entries of a folder make the folder a skill.
func HasSkill(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return IsSkill(e.Name()) && !e.IsDir() })
}

// ErrDuplicateName is wrapped by the error of each file of module promptfs whose prompt has the
// name of another prompt in the folder.
var ErrDuplicateName = errors.New("duplicate prompt name")

// Mark is a line of a body that begins a message, such as "--- user: image plan.png ---".
type Mark struct {
	Role, Kind, File string // as written, without the spaces around them
	HasFile          bool   // the role has a colon behind it
}

// ParseMark returns the mark of a line, which may have any role and kind, and whether the line is one.
func ParseMark(line string) (m Mark, ok bool) {
	rest, begins := strings.CutPrefix(strings.TrimRight(line, " \t"), "--- ")
	inner, ends := strings.CutSuffix(rest, " ---")
	m.Role, inner, m.HasFile = strings.Cut(strings.TrimSpace(inner), ":")
	m.Kind, m.File, _ = strings.Cut(strings.TrimSpace(inner), " ")
	m.Role, m.File = strings.TrimSpace(m.Role), strings.TrimSpace(m.File)
	return m, begins && ends && (m.Role != "" || m.HasFile)
}

// NearlyMark returns what is between the hyphens of a line that is probably meant to be a mark.
func NearlyMark(line string) (inner string, ok bool) {
	line = strings.TrimRight(line, " \t")
	inner = strings.Trim(line, "- \t")
	role, _, _ := strings.Cut(inner, ":")
	role = strings.ToLower(strings.TrimSpace(role))
	return inner, strings.HasPrefix(line, "--") && strings.HasSuffix(line, "--") && (role == "user" || role == "assistant")
}

// EscapeMarks returns a text with a backslash before each line that a body would read as a mark,
// or as an escaped one.
func EscapeMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if IsMarkLike(strings.TrimLeft(strings.TrimSuffix(line, "\n"), `\`)) {
			b.WriteByte('\\')
		}
		b.WriteString(line)
	}
	return b.String()
}

// IsMarkLike reports whether a line is a mark or nearly one, so that a backslash before the line
// means the line itself.
func IsMarkLike(line string) bool {
	_, isMark := ParseMark(line)
	_, isNearly := NearlyMark(line)
	return isMark || isNearly
}

// Text returns the content of a file without a byte order mark, and with LF at the end of lines.
func Text(content []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(content), "\ufeff"), "\r\n", "\n")
}

// Split returns the front matter of a text of [Text], which begins on line 2, and the body with its
// first line. The line is 1 without front matter. If the front matter is not closed, the line
// is 0 and the body is the text.
func Split(text string) (front, body string, line int) {
	first, rest, _ := strings.Cut(text, "\n")
	if !isSeparator(first) {
		return "", text, 1
	}
	line = 2
	for at := 0; at < len(rest); line++ {
		l, after, _ := strings.Cut(rest[at:], "\n")
		if isSeparator(l) {
			return rest[:at], after, line + 1
		}
		at += len(l) + 1
	}
	return "", text, 0
}

// Keys are the keys of front matter.
var Keys = []string{"name", "title", "description", "version", "tags", "icons", "meta", "_meta", "hints", "template", "arguments"}

var (
	key      = regexp.MustCompile(`(?m)^(?:` + strings.Join(Keys, "|") + `):`)
	verbatim = regexp.MustCompile(`(?m)^template:[ \t]*(?:false|no|off)\b`)
)

// HasKey reports whether a line of a text begins with one of the keys.
func HasKey(text string) bool { return key.MatchString(text) }

// IsVerbatim reports whether front matter says that the messages are no templates.
func IsVerbatim(front string) bool { return verbatim.MatchString(front) }

func isSeparator(line string) bool { return strings.TrimRight(line, " \t") == "---" }
