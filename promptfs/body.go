package promptfs

import (
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
)

// part is one message as a file has it: a text, or the file that is sent in its place.
type part struct {
	role prompts.Role
	mark int    // the line that it begins with; 0 if that is the body's beginning
	line int    // the first line of the text
	text string // without the blank lines around it
	kind string // image, audio or resource; empty for a text
	file string // the path, verbatim
	bad  bool   // its mark is invalid
}

// kinds are what a message can hold instead of a text.
var kinds = []string{"image", "audio", "resource"}

var roles = []string{string(prompts.RoleUser), string(prompts.RoleAssistant)}

// markOf returns what a line between messages says, such as "user" in
// "--- user ---", and whether the line is one.
func markOf(line string) (string, bool) {
	line = strings.TrimRight(line, " \t")
	rest, begins := strings.CutPrefix(line, "--- ")
	inner, ends := strings.CutSuffix(rest, " ---")
	inner = strings.TrimSpace(inner)
	return inner, begins && ends && inner != ""
}

// isNearly reports whether a line is probably meant to be a line between messages,
// and is no such line.
func isNearly(line string) bool {
	line = strings.TrimRight(line, " \t")
	if !strings.HasPrefix(line, "--") || !strings.HasSuffix(line, "--") {
		return false
	}
	role, _, _ := strings.Cut(innerOf(line), ":")
	role = strings.TrimSpace(role)
	return strings.EqualFold(role, roles[0]) || strings.EqualFold(role, roles[1])
}

func innerOf(line string) string { return strings.Trim(line, "- \t") }

func malformed(line string) error {
	role, rest, hasMore := strings.Cut(innerOf(line), ":")
	if role = strings.ToLower(strings.TrimSpace(role)); hasMore {
		role += ":" + rest
	}
	return hint.New(fmt.Sprintf(`write --- %s ---, or start the line with \ for literal text`, role), "malformed message separator %q", strings.TrimRight(line, " \t"))
}

func unknownRole(role string) error {
	fix := `write --- user ---, or start the line with \ for literal text`
	if n := nearest.Name(role, roles); n != "" {
		fix = fmt.Sprintf("did you mean %q?", n)
	} else if strings.EqualFold(role, "system") {
		fix = "use user: MCP prompts have no system role"
	}
	return hint.New(fix, "unknown role %q", role)
}

// parseBody parts the body, the first line of which is line of the file, into messages.
func parseBody(body string, line int, f *fileErrors) []part {
	parts := []part{{role: prompts.RoleUser, line: line}}
	var text strings.Builder
	isMisspelt := false  // a line between messages, in the current one
	text.Grow(len(body)) // for one message, as most bodies are
	end := func() {
		p := &parts[len(parts)-1]
		clean, before := trimmed(text.String())
		p.text, p.line = clean, p.line+before
		text.Reset()
		switch {
		case p.bad, isMisspelt:
		case p.kind != "" && p.text != "":
			f.add(p.line, hint.New(fmt.Sprintf("start a new message with --- %s --- above the text", p.role), "message with a file cannot contain text"))
		case p.kind == "" && p.text == "" && p.mark > 0:
			f.add(p.mark, hint.New("add text below this line, or remove the line", "message is empty"))
		}
		isMisspelt = false
	}
	for l := range strings.Lines(body) {
		bare := strings.TrimSuffix(l, "\n")
		if mark, ok := markOf(bare); ok {
			end()
			p := parseMark(mark, line, f)
			p.mark, p.line = line, line+1
			parts = append(parts, p)
		} else {
			if unescaped := strings.TrimLeft(bare, `\`); unescaped != bare {
				if _, ok := markOf(unescaped); ok || isNearly(unescaped) {
					l = l[1:]
				}
			} else if isNearly(bare) {
				isMisspelt = true
				f.add(line, malformed(bare))
			}
			text.WriteString(l)
		}
		line++
	}
	end()
	if parts[0].text == "" {
		parts = parts[1:] // nothing stands before the first mark
	}
	return parts
}

func parseMark(mark string, line int, f *fileErrors) part {
	role, rest, hasMore := strings.Cut(mark, ":")
	role = strings.TrimSpace(role)
	p := part{role: prompts.Role(role)}
	if role != roles[0] && role != roles[1] {
		f.add(line, unknownRole(role))
		p.bad = true
		return p
	}
	if !hasMore {
		return p
	}
	kind, file, _ := strings.Cut(strings.TrimSpace(rest), " ")
	p.kind, p.file = kind, strings.TrimSpace(file)
	switch {
	case kind != kinds[0] && kind != kinds[1] && kind != kinds[2]:
		f.add(line, hint.New(suggestion(kind, kinds), "unknown content type %q", kind))
		p.bad = true
	case p.file == "":
		f.add(line, hint.New(fmt.Sprintf("write --- %s: %s path/to/file ---", role, kind), "missing file path"))
		p.bad = true
	}
	return p
}
