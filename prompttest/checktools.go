package prompttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/nearest"
)

// CheckTools checks that the prompts of the registry mention no tools except these.
// It searches the rendered texts, including embedded resources: with all arguments,
// without optional arguments, with each value of an enum, and with the examples of
// the options. It reports each other name through t.Errorf.
//
// A mention of a tool is a name in backquotes, made of letters, digits, "_", "-", "."
// and "/", in one of these positions:
//
//   - before the word tool: the `search_issues` tool;
//   - after the word tool or tools, also in a list: the tools `search_issues`,
//     `read_file` and `write_file`;
//   - after a form of the verbs call and invoke: call `read_file`, by calling the
//     `read_file`.
//
// Fenced code does not count, nor a name without backquotes, nor a name after
// another verb: use `gofmt` may mean anything. For other forms, set
// CheckOptions.ToolPattern.
func CheckTools(t testing.TB, reg *prompts.Registry, o CheckOptions, tools ...string) {
	t.Helper()
	c := newChecker(t, reg, o)
	for i := range c.prompts {
		p := &c.prompts[i]
		reported := map[string]bool{}
		for _, r := range c.renderings(p) {
			for _, text := range golden.Texts(r.Result) {
				for _, name := range toolsIn(text, o.ToolPattern) {
					if !slices.Contains(tools, name) && !reported[name] {
						reported[name] = true
						c.errorf(p, "unknown tool %q (with %s); %s\n\tThe text is: %s\n\t%s",
							name, list(r.Arguments), known(tools), strings.TrimSpace(lineAt(text, strings.Index(text, name))), toolRemedy(name, tools))
					}
				}
			}
		}
	}
}

// known names the tools that CheckTools was given, for people.
func known(tools []string) string {
	if len(tools) == 0 {
		return "CheckTools knows no tools"
	}
	return fmt.Sprintf("CheckTools knows %q", tools)
}

// toolRemedy returns the likely fix of an unknown tool.
func toolRemedy(name string, tools []string) string {
	if near := nearest.Name(name, tools); near != "" {
		return fmt.Sprintf("Write %q in the prompt, or name the tool in the call of CheckTools.", near)
	}
	return "Correct the name in the prompt, or name the tool in the call of CheckTools."
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
	text = withoutBlocks(text)
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
