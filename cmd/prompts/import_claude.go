package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	claudeShell       = regexp.MustCompile("!`[^`]*`|(?m)^```!")
	claudePlaceholder = regexp.MustCompile(`\$ARGUMENTS\[\d+\]|\$ARGUMENTS\b|\$\d+|\$\{CLAUDE_[A-Z_]+\}`)
	claudeFile        = regexp.MustCompile(`(?:^|[\s("'` + "`" + `])(@(?:~?/|\.{1,2}/)?[\w-]+(?:[./][\w-]+)+)`)
	hintName          = regexp.MustCompile(`[\[<]([A-Za-z][\w -]*)(?:\.\.\.)?[\]>]`)
)

// convertClaude converts a command of Claude Code: $ARGUMENTS is what the user writes
// after the name of the command, and $1 is its first word.
func convertClaude(c *conversion) {
	c.prompt.Description = c.front["description"]
	if c.prompt.Description == "" {
		c.prompt.Description = firstLine(c.body)
	}
	c.leaveOut("description", "argument-hint", "name")
	if name := c.front["name"]; name != "" {
		c.prompt.Name = name
	}
	for _, at := range claudeShell.FindAllStringIndex(c.body, -1) {
		c.refuse(c.line(at[0]), "command runs a program of the shell: %s", firstLine(c.body[at[0]:at[1]]))
	}
	for _, at := range claudeFile.FindAllStringSubmatchIndex(c.body, -1) {
		c.note(c.line(at[2]), "%s stays as text; Claude Code would insert the content of the file", c.body[at[2]:at[3]])
	}
	hint := c.front["argument-hint"]
	names := claudeNames(hint)
	isZeroBased := strings.Contains(c.body, "$0")
	usesAll, usesWords := false, false
	last := 0
	for _, at := range claudePlaceholder.FindAllStringIndex(c.body, -1) {
		c.prompt.literal(c.body[last:at[0]])
		last = at[1]
		text := c.body[at[0]:at[1]]
		switch {
		case text == "$ARGUMENTS":
			usesAll = true
			c.prompt.placeholder(fileArgument{Name: "arguments", Description: cmp.Or(hint, "the text after the command")})
		case strings.HasPrefix(text, "${"):
			c.note(c.line(at[0]), "%s stays as text; it has no meaning outside of Claude Code", text)
			c.prompt.literal(text)
		default:
			n, err := strconv.Atoi(strings.Trim(text, "$ARGUMENTS[]"))
			if strings.HasPrefix(text, "$ARGUMENTS") || isZeroBased {
				n++
			}
			if err != nil || n < 1 || n > 9 {
				c.note(c.line(at[0]), "%s stays as text; a command has nine words at most", text)
				c.prompt.literal(text)
				continue
			}
			usesWords = true
			a := fileArgument{Name: fmt.Sprintf("arg%d", n), Description: fmt.Sprintf("word %d after the command", n)}
			if n <= len(names) {
				a.Name = names[n-1]
			}
			c.prompt.placeholder(a)
		}
	}
	c.prompt.literal(c.body[last:])
	switch {
	case usesAll && usesWords:
		c.note(0, "$ARGUMENTS and its words are separate arguments; Claude Code fills them from the same text")
	case !usesAll && !usesWords && hint != "":
		c.note(c.frontLine["argument-hint"], "argument %q is left out, because the text does not use it", hint)
	}
}

// claudeNames returns the names in a hint such as "[file] [line]", if it has no
// alternatives and all names differ.
func claudeNames(hint string) []string {
	if strings.Contains(hint, "|") {
		return nil
	}
	var names []string
	seen := map[string]bool{"arguments": true}
	for _, m := range hintName.FindAllStringSubmatch(hint, -1) {
		name := strings.ReplaceAll(strings.TrimSpace(m[1]), " ", "_")
		if seen[name] {
			return nil
		}
		seen[name] = true
		names = append(names, name)
	}
	return names
}
