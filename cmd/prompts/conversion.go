package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

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

const openBraces = `{{"{{"}}`

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

func (p *promptFile) placeholder(a fileArgument) {
	p.argument(a)
	p.action("", value(a.Name), "")
}

func (p *promptFile) placeholderOr(a fileArgument, text string) {
	p.argument(a)
	p.action("or ", operand(a.Name), " "+strconv.Quote(text))
}

func (p *promptFile) appended(a fileArgument, label string) {
	p.argument(a)
	p.literal("\n\n")
	p.action("- if ", value(a.Name), "") // without the blank lines above it
	p.literal("\n\n" + label)
	p.action("", value(a.Name), "")
	p.literal("\n")
	p.action("- end", "", "")
}

func (p *promptFile) action(before, value, after string) {
	if p.hasBrace { // or the template would begin a brace earlier
		p.text.WriteString(`{{"{"}}`)
		p.hasBrace = false
	}
	p.text.WriteString("{{" + before + value + after + "}}")
}

func value(name string) string {
	if identifier.MatchString(name) {
		return "." + name
	}
	return "index . " + strconv.Quote(name)
}

func operand(name string) string {
	v := value(name)
	if v[0] == '.' {
		return v
	}
	return "(" + v + ")"
}

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
	return []byte("---\n" + string(front) + "---\n\n" + withoutBlankLines(promptfile.EscapeMarks(text)) + "\n")
}

func withoutBlankLines(text string) string {
	text = strings.TrimRight(text, " \t\n")
	blank := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	return text[1+strings.LastIndexByte(text[:blank], '\n'):]
}

func checkLoaded(name string) error {
	switch {
	case promptfile.IsReadme(name), promptfile.IsSkill(name):
		return fmt.Errorf("%s is not loaded as a prompt; rename the file", path.Base(name))
	case promptfile.IsHidden(name):
		return errors.New("names that begin with . or _ are not loaded; rename the file or folder")
	}
	return nil
}

const maxFirstLine = 100 // characters of a first line in a description

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

type conversion struct {
	source string // the path of the file in root
	folder string // of which root is the content
	root   fs.FS
	path   string // of the prompt, from the root of the folder of prompts

	front     map[string]string // the keys of the source's front matter
	frontLine map[string]int
	frontText string
	body      string
	bodyLine  int  // of the source
	isOneLine bool // the body is on one line of the source, with escapes

	prompt    promptFile
	parsed    prompts.Prompt // of the result
	result    []byte
	notes     []note
	noted     map[note]bool
	isRefused bool

	lined  string // the body whose lines are known
	breaks []int  // offsets of its line breaks
}

// note is something that the prompt does not express, or why a file is refused.
type note struct {
	line int
	text string
}

const anyLine = -1

func (c *conversion) note(line int, format string, args ...any) {
	n := note{line, fmt.Sprintf(format, args...)}
	c.noteUnless(n, n)
}

// noteOnce is note for a text that one line of the report is enough for.
func (c *conversion) noteOnce(line int, format string, args ...any) {
	n := note{line, fmt.Sprintf(format, args...)}
	c.noteUnless(n, note{anyLine, n.text})
}

func (c *conversion) noteUnless(n, other note) {
	if c.noted[other] {
		return
	}
	if c.noted == nil {
		c.noted = map[note]bool{}
	}
	c.noted[n], c.noted[note{anyLine, n.text}] = true, true
	c.notes = append(c.notes, n)
}

func (c *conversion) refuse(line int, format string, args ...any) {
	c.isRefused = true
	c.note(line, format, args...)
}

// read reads the body as on Unix. It follows no link, because a collection may link to any file.
func (c *conversion) read() (ok bool) {
	if info, err := fs.Lstat(c.root, c.source); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		c.refuse(0, "%s is a symbolic link; copy what the link points to", c.source)
		return false
	}
	content, err := regular.Read(context.Background(), c.root, c.source, maxReadBytes)
	if err != nil {
		fix := ""
		if errors.As(err, new(regular.LimitError)) {
			fix = "split the file"
		}
		c.refuse(0, "cannot read file: %s", withHint(err.Error(), fix))
		return false
	}
	isInvalid := func(line []byte) bool { return !utf8.Valid(line) }
	if n := slices.IndexFunc(bytes.SplitAfter(content, []byte("\n")), isInvalid); n >= 0 {
		c.refuse(n+1, "file is not valid UTF-8; save the file as UTF-8")
		return false
	}
	c.body, c.bodyLine = promptfile.Text(content), 1
	return true
}

// split reads one line "key: value" for each key; more lines, as of a list, belong to the key above.
// Front matter is not read as YAML, because hints of arguments such as "[file] [line]" are not.
func (c *conversion) split() (ok bool) {
	c.front, c.frontLine = map[string]string{}, map[string]int{}
	front, body, at := promptfile.Split(c.body)
	first := 2                                      // line of the front matter
	if at == 1 && path.Ext(c.source) == ".prompt" { // of Continue, whose keys may begin at once
		if front, body, at = promptfile.Split("---\n" + c.body); at > 0 {
			first, at = 1, at-1
		} else {
			return true
		}
	}
	switch at {
	case 0:
		c.refuse(1, "front matter is not closed; write a line --- below it")
		return false
	case 1:
		return true
	}
	c.body, c.bodyLine, c.frontText = body, at, strings.TrimSuffix(front, "\n")
	last, more := "", map[string][]string{} // lines that belong to a key above
	for n, line := range strings.Split(c.frontText, "\n") {
		key, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case ok && key != "" && strings.TrimLeft(key, " \t-") == key:
			last = strings.TrimSpace(key)
			c.front[last], c.frontLine[last] = unquoted(strings.TrimSpace(value)), n+first
			delete(more, last)
		case last != "":
			more[last] = append(more[last], strings.TrimSpace(line))
		}
	}
	for key, rest := range more {
		all := append([]string{c.front[key]}, rest...)
		for i := range len(rest) {
			all[i] = strings.TrimRight(all[i], "|>-")
		}
		c.front[key] = strings.TrimSpace(strings.Join(all, " "))
	}
	return true
}

func unquoted(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' {
		return s
	}
	var text string
	if yaml.Unmarshal([]byte(s), &text) != nil {
		return s[1 : len(s)-1]
	}
	return text
}

func (c *conversion) leaveOut(known []string) {
	for _, key := range slices.Sorted(maps.Keys(c.frontLine)) {
		if !slices.Contains(known, key) {
			c.note(c.frontLine[key], "key %q is left out", key)
			delete(c.front, key)
		}
	}
}

func (c *conversion) line(offset int) int {
	if c.isOneLine {
		return c.bodyLine
	}
	if c.lined != c.body {
		c.lined, c.breaks = c.body, nil
		for i := range len(c.body) {
			if c.body[i] == '\n' {
				c.breaks = append(c.breaks, i)
			}
		}
	}
	n, _ := slices.BinarySearch(c.breaks, offset)
	return c.bodyLine + n
}

func (c *conversion) finish(ctx context.Context) {
	if err := checkLoaded(c.path); err != nil {
		c.refuse(0, "%v", err)
		return
	}
	c.result = c.prompt.content()
	if len(c.result) > maxReadBytes {
		c.refuse(0, "prompt would have %d bytes (limit %d)", len(c.result), maxReadBytes)
		return
	}
	p, err := promptfs.Parse(nil, c.path, c.result, promptfs.Options{})
	if err != nil {
		for _, err := range all(err) {
			c.refuse(0, "prompt would be invalid: %v", err)
		}
		return
	}
	c.parsed = p
	reg := new(prompts.Registry)
	if err := reg.Add(p); err != nil {
		c.refuse(0, "prompt would be invalid: %v", err)
		return
	}
	if _, failures := newRenderer(reg).try(ctx, &p); len(failures) > 0 {
		c.refuse(0, "prompt cannot be rendered: %v", errors.Join(failures...))
	}
}
