package main

import (
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

	text strings.Builder // a template, or verbatim if there are no arguments
}

type fileArgument struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description,omitempty"`
	Required    bool   `yaml:"required,omitempty"`
}

// literal appends text that is not a placeholder.
func (p *promptFile) literal(s string) { p.text.WriteString(strings.ReplaceAll(s, "{{", `{{"{{"}}`)) }

// identifier is a name that a template can have after a dot.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// placeholder appends the value of an argument, and adds the argument unless it is
// there.
func (p *promptFile) placeholder(a fileArgument) {
	if !slices.ContainsFunc(p.Arguments, func(b fileArgument) bool { return b.Name == a.Name }) {
		p.Arguments = append(p.Arguments, a)
	}
	if text := p.text.String(); strings.HasSuffix(text, "{") { // or the template would begin a brace earlier
		p.text.Reset()
		p.text.WriteString(strings.TrimSuffix(text, "{") + `{{"{"}}`)
	}
	if identifier.MatchString(a.Name) {
		p.text.WriteString("{{." + a.Name + "}}")
		return
	}
	p.text.WriteString("{{index . " + strconv.Quote(a.Name) + "}}")
}

// separator is a line that would begin a message, or an escaped one.
var separator = regexp.MustCompile(`(?m)^(\\*--- *(?i:user|assistant)\b.*---[ \t]*)$`)

// content returns the file. A prompt without arguments is verbatim.
func (p *promptFile) content() []byte {
	text := p.text.String()
	if len(p.Arguments) == 0 {
		no := false
		p.Template = &no
		text = strings.ReplaceAll(text, `{{"{{"}}`, "{{")
	}
	front, err := yaml.Marshal(p)
	if err != nil { // strings and booleans can be marshaled
		panic(err)
	}
	return []byte("---\n" + string(front) + "---\n\n" + strings.TrimSpace(separator.ReplaceAllString(text, `\$1`)) + "\n")
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

// firstLine returns the first line of a text, without the marks of a heading.
func firstLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
			runes := []rune(line)
			return string(runes[:min(len(runes), 100)])
		}
	}
	return ""
}
