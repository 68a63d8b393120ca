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
//   - after call, calling, invoke or invoking: call `read_file`, by calling the
//     `read_file`. In this position, a name with "." or "/" is a function or a program, and
//     so is a name before a word such as function, skill or field.
//
// Fenced code does not count, nor a name without backquotes, nor a name after another verb: use
// `gofmt` may mean anything.
func CheckTools(t testing.TB, reg *prompts.Registry, o CheckOptions, tools ...string) {
	t.Helper()
	c := newChecker(t, reg, o)
	for i := range c.prompts {
		p := &c.prompts[i]
		reported := map[string]bool{}
		for _, r := range c.renderings(p) {
			for _, text := range golden.Texts(r.Result) {
				for _, m := range toolsIn(text) {
					if !slices.Contains(tools, m.name) && !reported[m.name] {
						reported[m.name] = true
						c.errorf(p, "unknown tool %q (with %s); %s\n\tThe text is: %s\n\t%s",
							m.name, list(r.Arguments), known(tools), m.line, toolRemedy(m.name, tools))
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

func toolRemedy(name string, tools []string) string {
	if near := nearest.Name(name, tools); near != "" {
		return fmt.Sprintf("Write %q in the prompt, or name the tool in the call of CheckTools.", near)
	}
	return "Correct the name in the prompt, or name the tool in the call of CheckTools."
}

const quotedName = "`([A-Za-z0-9_./-]{1,128})`"

var (
	toolBehind = regexp.MustCompile(`(?i)` + quotedName + `\s+tools?\b`)
	toolsAhead = regexp.MustCompile(`(?i)\btools?:?\s+(` + quotedName + `(?:(?:\s|,|\band\b|\bor\b)*` + quotedName + `)*)`)
	toolCalled = regexp.MustCompile("(?i)\\b(?:call|calling|invoke|invoking)\\s+(?:the\\s+)?`([A-Za-z0-9_-]{1,128})`" + `(\s+(?:functions?|methods?|skills?|fields?|commands?|endpoints?|agents?|scripts?|hooks?)\b)?`)
	oneTool    = regexp.MustCompile(quotedName)
)

type mention struct{ name, line string }

// toolsIn returns the tools that a text mentions; nil for nothing.
func toolsIn(text string) []mention {
	text = withoutBlocks(text)
	var all []mention
	add := func(at []int, offset int) {
		all = append(all, mention{text[offset+at[0] : offset+at[1]], strings.TrimSpace(lineAt(text, offset+at[0]))})
	}
	for _, m := range toolBehind.FindAllStringSubmatchIndex(text, -1) {
		add(m[2:4], 0)
	}
	for _, m := range toolCalled.FindAllStringSubmatchIndex(text, -1) {
		if m[4] < 0 { // no function
			add(m[2:4], 0)
		}
	}
	for _, m := range toolsAhead.FindAllStringSubmatchIndex(text, -1) {
		for _, one := range oneTool.FindAllStringSubmatchIndex(text[m[2]:m[3]], -1) {
			add(one[2:4], m[2])
		}
	}
	return all
}
