package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// promptFile is a prompt that import writes.
type promptFile struct {
	Name        string         `yaml:"name,omitempty"`
	Description string         `yaml:"description,omitempty"`
	Template    *bool          `yaml:"template,omitempty"`
	Arguments   []fileArgument `yaml:"arguments,omitempty"`

	at       map[string]int  // positions of the arguments by name
	text     strings.Builder // a template, or verbatim if there are no arguments
	hasBrace bool            // the text continues with a {, which an action must not follow
}

type fileArgument struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description,omitempty"`
	Required    bool   `yaml:"required,omitempty"`
}

// literal appends text that is not a placeholder.
func (p *promptFile) literal(s string) {
	if s == "" {
		return
	}
	if p.hasBrace {
		s = "{" + s
	}
	s = strings.ReplaceAll(s, "{{", openBraces)
	s, p.hasBrace = strings.CutSuffix(s, "{")
	p.text.WriteString(s)
}

// openBraces is a template of two braces.
const openBraces = `{{"{{"}}`

// identifier is a name that a template can have after a dot.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// argument adds an argument. If one of the name is there, it may get the description.
func (p *promptFile) argument(a fileArgument) {
	i, ok := p.at[a.Name]
	if !ok {
		if p.at == nil {
			p.at = map[string]int{}
		}
		p.at[a.Name] = len(p.Arguments)
		p.Arguments = append(p.Arguments, a)
	} else if p.Arguments[i].Description == "" {
		p.Arguments[i].Description = a.Description
	}
}

// placeholder appends the value of an argument, and adds the argument.
func (p *promptFile) placeholder(a fileArgument) {
	p.argument(a)
	p.action("", value(a.Name), "")
}

// placeholderOr appends the value of an argument, or the text if there is no value, and
// adds the argument.
func (p *promptFile) placeholderOr(a fileArgument, text string) {
	p.argument(a)
	p.action("or ", operand(a.Name), " "+strconv.Quote(text))
}

// appended appends a paragraph with the value of an argument, if it has one, and adds
// the argument.
func (p *promptFile) appended(a fileArgument, label string) {
	p.argument(a)
	p.literal("\n\n")
	p.action("- if ", value(a.Name), "") // without the blank lines above it
	p.literal("\n\n" + label)
	p.action("", value(a.Name), "")
	p.literal("\n")
	p.action("- end", "", "")
}

// action appends an action of a template.
func (p *promptFile) action(before, value, after string) {
	if p.hasBrace { // or the template would begin a brace earlier
		p.text.WriteString(`{{"{"}}`)
		p.hasBrace = false
	}
	p.text.WriteString("{{" + before + value + after + "}}")
}

// value returns what a template has for the value of an argument.
func value(name string) string {
	if identifier.MatchString(name) {
		return "." + name
	}
	return "index . " + strconv.Quote(name)
}

// operand returns the value of an argument as an operand of a function.
func operand(name string) string {
	v := value(name)
	if v[0] == '.' {
		return v
	}
	return "(" + v + ")"
}

// separator is a line that would begin a message, or an escaped one.
var separator = regexp.MustCompile(`(?m)^(\\*--- *(?i:user|assistant)\b.*---[ \t]*)$`)

// content returns the file. A prompt without arguments is verbatim.
func (p *promptFile) content() []byte {
	for i, a := range p.Arguments {
		p.Arguments[i].Description = cmp.Or(a.Description, "the value of "+a.Name)
	}
	text := p.text.String()
	if p.hasBrace {
		text += "{"
	}
	if len(p.Arguments) == 0 {
		no := false
		p.Template = &no
		text = strings.ReplaceAll(text, openBraces, "{{")
	}
	front, err := yaml.Marshal(p)
	if err != nil { // strings and booleans can be marshaled
		panic(err)
	}
	return []byte("---\n" + string(front) + "---\n\n" + withoutBlankLines(separator.ReplaceAllString(text, `\$1`)) + "\n")
}

// withoutBlankLines returns a text without the blank lines around it.
func withoutBlankLines(text string) string {
	text = strings.TrimRight(text, " \t\n")
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// checkLoaded returns an error for the path of a Markdown file that is not loaded as a
// prompt.
func checkLoaded(name string) error {
	base := path.Base(name)
	isHidden := func(s string) bool { return s[0] == '.' || s[0] == '_' }
	switch {
	case strings.EqualFold(base, "README.md"), strings.EqualFold(base, "SKILL.md"):
		return fmt.Errorf("%s is not loaded as a prompt; rename the file", base)
	case slices.ContainsFunc(strings.Split(name, "/"), isHidden):
		return errors.New("names that begin with . or _ are not loaded; rename the file or folder")
	}
	return nil
}

// maxFirstLine is how many characters of a first line a description has.
const maxFirstLine = 100

// firstLine returns the first line of a text, without the marks of a heading.
func firstLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
			runes := []rune(line)
			if len(runes) > maxFirstLine {
				return string(runes[:maxFirstLine-3]) + "..."
			}
			return line
		}
	}
	return ""
}
