package main

import (
	"regexp"
	"strings"

	"github.com/mcp-prompts/prompts"
)

var (
	fakeSeparator = regexp.MustCompile("^(?:--|-{4,}|[\u2012-\u2015\u2212]{1,3}|\\+\\+\\+|;;;|(?:```|~~~)ya?ml)$")
	anyKey        = regexp.MustCompile(`^\s*[\w-]+\s*[:=]`)
	jinja         = regexp.MustCompile(`\{%-?\s*\w[^%{}]*%\}`)
	shellVariable = regexp.MustCompile(`\$\{(?:input:[^}]*|[A-Za-z_]\w*)\}`)
	verbatimText  = regexp.MustCompile(`(?m)^template:[ \t]*(?:false|no|off)\b`)
)

// syntax reports text that an author probably meant to be something else. isFront is
// false if that is the front matter.
func (i *inspection) syntax(p *prompts.Prompt, lines []string) (isFront bool) {
	if len(lines) == 0 || strings.HasSuffix(p.Source, "/SKILL.md") {
		return true
	}
	text := strings.TrimPrefix(strings.Join(lines, "\n"), "\ufeff")
	bodyLine := 0 // lines before the body
	if strings.TrimRight(lines[0], " \t") == "---" {
		front := string(frontOf([]byte(text)))
		if verbatimText.MatchString(front) {
			return true
		}
		bodyLine = 2 + strings.Count(front, "\n")
	} else if n := fakeFront(lines); n > 0 {
		i.hint(p, n, 1, "front-matter", "write --- at the start of the lines above and below the keys", "front matter is sent as text, because line %d is %q", n, lines[n-1])
		return false
	}
	body := strings.Join(lines[min(bodyLine, len(lines)):], "\n")
	code := codeSpans(body)
	for _, pattern := range []struct {
		regexp *regexp.Regexp
		fix    string
	}{
		{jinja, "write {{if .name}}, {{range list .names}} and {{end}}"},
		{shellVariable, "write {{.name}} for the value of an argument, or put code between backticks"},
	} {
		for _, at := range pattern.regexp.FindAllStringIndex(body, -1) {
			found := body[at[0]:at[1]]
			if isIn(code, at[0]) || strings.ToUpper(found) == found { // a variable of the environment
				continue
			}
			line := bodyLine + 1 + strings.Count(body[:at[0]], "\n")
			column := 1 + len([]rune(body[1+strings.LastIndexByte(body[:at[0]], '\n'):at[0]]))
			i.hint(p, line, column, "syntax", pattern.fix, "%s is sent as text", found)
			break
		}
	}
	return true
}

// fakeFront returns the line with which a text begins that looks like front matter without
// being front matter, or 0 for other texts.
func fakeFront(lines []string) int {
	for n, line := range lines {
		bare := strings.TrimSpace(line)
		if bare == "" {
			continue
		}
		isIndented := bare == "---" && line[0] != '-'
		hasKey := n+1 < len(lines) && (anyKey.MatchString(lines[n+1]) || strings.TrimSpace(lines[n+1]) == "---")
		if hasKey && (isIndented || fakeSeparator.MatchString(bare)) {
			return n + 1
		}
		return 0
	}
	return 0
}
