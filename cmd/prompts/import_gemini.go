package main

import (
	"cmp"
	"errors"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// gemini converts a command of Gemini CLI: {{args}} is what the user writes after the name
// of the command.
func (c *conversion) gemini() {
	source := c.body
	var keys map[string]any
	if err := toml.Unmarshal([]byte(source), &keys); err != nil {
		line := 0
		if e := (*toml.DecodeError)(nil); errors.As(err, &e) {
			line, _ = e.Position()
		}
		c.refuse(line, "file is not valid TOML: %v", err)
		return
	}
	if at := geminiPrompt.FindStringSubmatchIndex(source); at != nil {
		c.bodyLine = 1 + strings.Count(source[:at[1]], "\n")
		c.isOneLine = at[2] < 0
	}
	text, ok := keys["prompt"].(string)
	if !ok {
		c.refuse(c.bodyLine, `key "prompt" must be a string`)
		return
	}
	c.body = text
	description, _ := keys["description"].(string)
	c.prompt.Description = cmp.Or(description, firstLine(text))
	c.frontLine = map[string]int{}
	for key := range keys {
		c.frontLine[key] = 0
	}
	c.leaveOut("prompt", "description")
	for _, at := range c.injections("!{") {
		c.refuse(c.line(at.from), "command runs a program of the shell: %s", firstLine(text[at.from:at.to]))
	}
	for _, at := range c.injections("@{") {
		c.noteOnce(c.line(at.from), "%s stays as text; Gemini CLI would insert the content of the file", firstLine(text[at.from:at.to]))
	}
	parts := strings.Split(text, "{{args}}")
	if len(parts) == 1 && strings.TrimSpace(text) != "" {
		c.prompt.literal(strings.TrimRight(text, " \t\n"))
		c.prompt.appended(fileArgument{Name: "args", Description: "the text after the command"}, "/"+geminiName(c.source)+" ")
		return
	}
	for i, part := range parts {
		if i > 0 {
			c.prompt.placeholder(fileArgument{Name: "args", Description: "the text after the command"})
		}
		c.prompt.literal(part)
	}
}

// geminiName returns the name of a command.
func geminiName(source string) string {
	segments := strings.Split(strings.TrimSuffix(source, path.Ext(source)), "/")
	for i, s := range segments {
		segments[i] = geminiSegment.ReplaceAllString(s, "_")
	}
	return strings.Join(segments, ":")
}

// injections returns the parts of the text from a trigger to the brace that closes it.
func (c *conversion) injections(trigger string) []span {
	var all []span
	for at := 0; ; {
		i := strings.Index(c.body[at:], trigger)
		if i < 0 {
			return all
		}
		from := at + i
		at = from + len(trigger)
		for depth := 1; depth > 0; at++ {
			if at == len(c.body) {
				c.refuse(c.line(from), "%s is not closed; Gemini CLI does not run the command", trigger)
				return all
			}
			switch c.body[at] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		all = append(all, span{from, at})
	}
}
