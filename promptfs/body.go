package promptfs

import (
	"strings"

	"github.com/mcp-prompts/prompts"
)

// part is one message as a file has it: a text, or the file that is sent in
// its place.
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

// isNearly reports whether a line is what somebody writes who means one
// between messages, and no such line.
func isNearly(line string) bool {
	line = strings.TrimRight(line, " \t")
	if !strings.HasPrefix(line, "--") || !strings.HasSuffix(line, "--") {
		return false
	}
	role, _, _ := strings.Cut(strings.Trim(line, "- \t"), ":")
	role = strings.TrimSpace(role)
	return strings.EqualFold(role, roles[0]) || strings.EqualFold(role, roles[1])
}

// parseBody parts the body, the first line of which is line of the file, into
// messages.
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
			f.add(p.line, "there is text below a file, which is a message of its own; write --- %s --- above the text", p.role)
		case p.kind == "" && p.text == "" && p.mark > 0:
			f.add(p.mark, "the message is empty; write its text below this line, or remove the line")
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
				f.add(line, `a message begins with a line such as --- user ---, with three dashes and a space on either side; write that, or put a \ in front of a line that is text`)
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

// parseMark reads a line between messages.
func parseMark(mark string, line int, f *fileErrors) part {
	const otherwise = `write --- user ---, or put a \ in front of a line that is text`
	role, rest, hasMore := strings.Cut(mark, ":")
	role = strings.TrimSpace(role)
	p := part{role: prompts.Role(role)}
	if role != roles[0] && role != roles[1] {
		advice := otherwise
		if n := closest(role, roles); n != "" {
			advice = "did you mean " + n + "?"
		}
		f.add(line, "there is no role %q; %s", role, advice)
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
		f.add(line, "a message holds no %q; %s", kind, suggest(kind, kinds))
		p.bad = true
	case p.file == "":
		f.add(line, "the %s has no file; write its path, from the folder of this file, behind the word", kind)
		p.bad = true
	}
	return p
}
