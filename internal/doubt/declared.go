package doubt

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
)

var placeholder = regexp.MustCompile(`\{\{\s*\.?([\w-]+)\s*\}\}|\$\{([\w-]+)\}|\{%-?\s*\w[^%{}]*%\}|<%[-=#]?\s*\w[^%<>\n]*%>`)

// Declared returns the doubts about the names of a prompt and its arguments, and about the texts
// that users read. fold returns one name for names that users take for the same. names are the
// names of prompts with the same folded name.
func Declared(p *prompts.Prompt, names []string, fold func(name string) string) []Doubt {
	var all []Doubt
	add := func(argument, fix, format string, args ...any) {
		all = append(all, Doubt{Rule: "text", Argument: argument, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	compare := func(argument, name string, others []string) {
		for _, other := range others {
			if other != name {
				add(argument, "rename one of the two, because users and systems such as macOS and Windows take them for one", "name %q differs from %q only in case or form", name, other)
				return
			}
		}
	}
	isArgument := map[string]bool{}
	for _, a := range p.Arguments {
		isArgument[a.Name] = true
	}
	shown := func(argument, key, text string) {
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if name := m[1] + m[2]; name == "" || isArgument[name] { // other names may be of an example
				add(argument, "write the text without values", "users see %s in the %s, which is no template", m[0], key)
				all[len(all)-1].Key = key
				return
			}
		}
	}
	compare("", p.Name, names)
	if bare := strings.TrimLeft(p.Name, "/"); bare != p.Name {
		add("", "write name: "+bare, "name %q begins with /, which hosts put before the name", p.Name)
	}
	shown("", "title", p.Title)
	shown("", "description", p.Description)
	before := map[string][]string{}
	for _, a := range p.Arguments {
		compare(a.Name, a.Name, before[fold(a.Name)])
		before[fold(a.Name)] = append(before[fold(a.Name)], a.Name)
		shown(a.Name, "title", a.Title)
		shown(a.Name, "description", a.Description)
		isInvisible := strings.ContainsFunc(a.Name, func(r rune) bool { return unicode.In(r, unicode.C) })
		if isInvisible || strings.ContainsAny(a.Name, "={}") || strings.TrimSpace(a.Name) != a.Name {
			add(a.Name, "write a name of letters, digits, _ and -", "argument name %q cannot be typed, as users of Gemini CLI do: --name=value", a.Name)
		}
	}
	return all
}
