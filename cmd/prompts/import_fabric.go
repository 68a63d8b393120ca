package main

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// fabricVariable is a variable in a pattern of fabric.
var fabricVariable = regexp.MustCompile(`\{\{([^{}]+)\}\}`)

// fabricTarget returns the path of the prompt for the system.md of a pattern.
func fabricTarget(name string) (string, bool) {
	dir, base := path.Split(name)
	return strings.TrimSuffix(dir, "/") + ".md", base == "system.md"
}

// fabric converts a pattern of fabric: the text of system.md and user.md, and the user's
// input, below the text or in the place of {{input}}.
func (c *conversion) fabric() {
	c.prompt.Description = firstSentence(c.body)
	c.variables(c.body)
	hasInput := strings.Contains(c.body, "{{input}}")
	user := path.Join(path.Dir(c.source), "user.md")
	if _, err := fs.Lstat(c.root, user); err == nil {
		text, ok := c.read(user)
		if !ok {
			return
		}
		if strings.TrimSpace(text) != "" {
			c.note(0, "user.md is added; fabric's program reads system.md alone")
			c.prompt.literal("\n\n")
			c.variables(withoutBlankLines(text))
			hasInput = hasInput || strings.Contains(text, "{{input}}")
		}
	}
	if !hasInput {
		c.prompt.literal("\n")
		c.prompt.placeholder(fabricInput)
	}
}

var fabricInput = fileArgument{Name: "input", Description: "the text to work on", Required: true}

// variables appends a text with variables.
func (c *conversion) variables(text string) {
	last := 0
	for _, at := range fabricVariable.FindAllStringSubmatchIndex(text, -1) {
		c.prompt.literal(text[last:at[0]])
		last = at[1]
		switch name := text[at[2]:at[3]]; {
		case name == "input":
			c.prompt.placeholder(fabricInput)
		case identifier.MatchString(name):
			c.prompt.placeholder(fileArgument{Name: name, Description: "the value of " + name, Required: true})
		default:
			c.note(c.lineOf(text, at[0]), "%s stays as text; it is no variable", text[at[0]:at[1]])
			c.prompt.literal(text[at[0]:at[1]])
		}
	}
	c.prompt.literal(strings.TrimRight(text[last:], " \t\n"))
}

// lineOf returns the line of an offset in a text, or 0 if the text is not the body.
func (c *conversion) lineOf(text string, offset int) int {
	if text != c.body {
		return 0
	}
	return c.line(offset)
}

// firstSentence returns the first line of a text that is no heading.
func firstSentence(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return firstLine(line)
		}
	}
	return firstLine(text)
}
