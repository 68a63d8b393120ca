package prompttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
)

// CheckTools checks that the prompts of the registry name no tool but these. It
// looks at the texts that they render, embedded ones included, with all
// arguments, without the optional ones, with each value of an enum, and with
// the examples of the options, and reports each other name through t.Errorf.
//
// A tool is named by a word in back quotes, of letters, digits and the
// characters _ - . / alone, that stands
//
//   - before the word tool: the `search_issues` tool;
//   - after it, also in a list: the tools `search_issues`, `read_file` and
//     `write_file`;
//   - after the word call or invoke, in any of their forms: call `read_file`,
//     by calling the `read_file`.
//
// Whatever is in a fenced block of code is no such phrase, and neither is a
// name without back quotes, or one after another verb: use `gofmt` may mean
// anything. CheckOptions.ToolPattern is for more.
func CheckTools(t testing.TB, reg *prompts.Registry, o CheckOptions, tools ...string) {
	t.Helper()
	c := newChecker(t, reg, o)
	for i := range c.prompts {
		p := &c.prompts[i]
		reported := map[string]bool{}
		for _, r := range c.renderings(p) {
			for _, text := range textsOf(r.result) {
				for _, name := range toolsIn(text, o.ToolPattern) {
					if !slices.Contains(tools, name) && !reported[name] {
						reported[name] = true
						c.errorf(p, "it names the tool %q, which there is not (with %s); %s\n\tIt says: %s",
							name, list(r.arguments), known(tools), around(text, name))
					}
				}
			}
		}
	}
}

// known returns the tools that there are, for people.
func known(tools []string) string {
	if len(tools) == 0 {
		return "CheckTools was given none"
	}
	return fmt.Sprintf("there are %q", tools)
}

const quotedName = "`([A-Za-z0-9_./-]{1,128})`"

var (
	toolBehind = regexp.MustCompile(`(?i)` + quotedName + `\s+tools?\b`)
	toolsAhead = regexp.MustCompile(`(?i)\btools?:?((?:(?:\s|,|\band\b|\bor\b)*` + quotedName + `)+)`)
	toolCalled = regexp.MustCompile(`(?i)\b(?:call|calls|called|calling|invoke|invokes|invoked|invoking)\s+(?:the\s+)?` + quotedName)
	oneTool    = regexp.MustCompile(quotedName)
)

// toolsIn returns the names of tools in a text, and what more finds, if there is
// that.
func toolsIn(text string, more *regexp.Regexp) []string {
	text = withoutFences(text)
	var names []string
	for _, re := range []*regexp.Regexp{toolBehind, toolCalled} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	for _, m := range toolsAhead.FindAllStringSubmatch(text, -1) {
		for _, one := range oneTool.FindAllStringSubmatch(m[1], -1) {
			names = append(names, one[1])
		}
	}
	if more != nil {
		for _, m := range more.FindAllStringSubmatch(text, -1) {
			names = append(names, m[min(1, len(m)-1)])
		}
	}
	return names
}

// withoutFences returns a text without its fenced blocks of code.
func withoutFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := strings.TrimLeft(line, " ")
		run := fenceOf(mark)
		switch {
		case fence == "" && run != "":
			fence = run
		case fence == "":
			b.WriteString(line)
		case len(run) >= len(fence) && run[0] == fence[0] && strings.TrimSpace(mark[len(run):]) == "":
			fence = ""
		}
	}
	return b.String()
}

// fenceOf returns the fence that a line begins with.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// around returns the line of a text that has a part.
func around(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return strings.TrimSpace(line)
		}
	}
	return part
}
