package promptfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// made is the result of parsing a file: a prompt, or the errors of the file.
type made struct {
	prompt   prompts.Prompt
	compiled *prompts.Registry // that has the prompt; nil if the file has errors
	header   *header           // what check needs; nil if there is nothing to check
	line     int               // of the name; 0 if that is the path
	faults   fileErrors
	// What the prompt is made of: the partials that it calls, those that there
	// are not among them, by the line of the first call, and other files.
	partials map[string]int
	files    []dependency
	parts    []part            // by the messages
	uses     []*partial        // of those that the partials lead to
	sum      [sha256.Size]byte // of all that, and the path
	own      fileSum           // of the file
	// partialErrors has the first error of each partial that has any.
	partialErrors []*Error
}

var unknownDigest = digestOf([sha256.Size]byte{})

func (s *source) parse(ctx context.Context, name string, content []byte, all partials) *made {
	m := &made{faults: fileErrors{path: name}}
	m.prompt.Digest = unknownDigest // until all that the prompt is made of is known
	text, ok := textOf(content, &m.faults)
	if !ok {
		return m
	}
	if strings.TrimSpace(text) == "" {
		m.faults.add(0, hint.New("write the text of the prompt", "file is empty"))
		return m
	}
	if promptfile.IsSkill(name) {
		m.skill(name, text)
		m.prompt.Name = s.promptName(m.prompt.Name)
	} else {
		s.markdown(ctx, m, name, text, all)
	}
	m.prompt.Source = s.options.sourceOf(name)
	if len(m.faults.all) == 0 {
		m.named(name)
	}
	m.sum = m.sumOf(name, content, all)
	m.prompt.Digest = digestOf(m.sum)
	if m.header != nil {
		m.check(m.header)
		m.header = nil // the tree of the YAML; m may wait for its turn
	}
	return m
}

// promptName returns the name of a prompt: with the prefix, and in NFC, because macOS may have stored
// the name of the file in NFD.
func (s *source) promptName(name string) string {
	return norm.NFC.String(s.options.NamePrefix + name)
}

// named makes errors of the render function name the file.
func (m *made) named(name string) {
	render, parts, uses := m.prompt.Render, m.parts, m.uses
	m.prompt.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		r, err := render(ctx, args)
		if err == nil {
			return r, nil
		}
		e := (*prompttemplate.Error)(nil)
		if !errors.As(err, &e) {
			return nil, newError(name, 0, 0, err)
		}
		for _, p := range uses {
			if e.Partial != "" && e.Partial == p.name {
				return nil, p.error(e)
			}
		}
		if e.Message > 0 && e.Line > 0 {
			return nil, newError(name, parts[e.Message-1].line+e.Line-1, e.Column, e.Err)
		}
		return nil, newError(name, 0, 0, e.Err)
	}
}

// sumOf returns the sum of the path and of all that the prompt is made of.
func (m *made) sumOf(name string, content []byte, all partials) [sha256.Size]byte {
	h := sha256.New()
	m.own = fileSumOf(content)
	fmt.Fprintf(h, "%q", name)
	h.Write(m.own.sum[:])
	for _, name := range sortedKeys(m.partials) {
		if p := all.named[name]; p != nil {
			fmt.Fprintf(h, "%q", name)
			h.Write(p.all[:])
		}
	}
	for _, d := range m.files {
		fmt.Fprintf(h, "%q", d.path)
		h.Write(d.sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func (s *source) markdown(ctx context.Context, m *made, name, text string, all partials) {
	front, _, body, line, ok := split(text, &m.faults)
	if !ok {
		return
	}
	mapping, ok := readYAML(front, &m.faults)
	h := decoder{&m.faults, new(int)}.header(mapping)
	parts := parseBody(body, line, &m.faults)
	if len(parts) == 0 {
		m.faults.add(0, hint.New("write the text below the front matter", "prompt has no text"))
	}
	var messages []prompttemplate.Message
	var read []part // what the messages are of
	for _, p := range parts {
		message := prompttemplate.Message{Role: p.role, Text: callsInNFC(p.text)}
		if p.bad || p.text == "" && p.kind == "" {
			continue
		}
		if p.kind != "" {
			isFull := m.faults.isFull()
			content, used, err := s.content(ctx, p, path.Dir(name))
			if used != nil && (err == nil || !isFull) {
				m.files = append(m.files, *used)
			}
			if err != nil {
				fix, bare := hint.Split(err)
				m.faults.add(p.mark, hint.New(fix, "%s: %w", shown(p.file), bare))
				continue
			}
			message = prompttemplate.Message{Role: p.role, Content: content}
		}
		if h.isText && p.kind == "" {
			message = prompttemplate.Message{Role: p.role, Content: &prompts.Text{Text: p.text}}
		}
		messages, read = append(messages, message), append(read, p)
	}
	if h.isText && len(h.arguments) > 0 {
		m.faults.add(h.members.line("arguments"), hint.New("remove template: false, or the arguments", "arguments cannot be used with template: false, which sends the text verbatim"))
		h.lost = true
	}
	h.prompt.Digest = m.prompt.Digest
	m.prompt, m.line = h.prompt, h.members.line("name")
	m.prompt.Name = s.promptName(cmp.Or(h.prompt.Name, strings.TrimSuffix(name, path.Ext(name))))
	for _, a := range h.arguments {
		m.prompt.Arguments = append(m.prompt.Arguments, a.declared)
	}
	if ok {
		m.header = &h
	}
	switch {
	case len(messages) == 0:
	case ok && !h.lost:
		m.render(ctx, &h, read, messages, all, len(read) == len(parts))
	case !h.isText && (ok || !promptfile.IsVerbatim(front)):
		m.syntax(s, read, messages, all)
	}
	for _, e := range m.faults.all {
		s.misplaced(e)
	}
}

// syntax adds the errors of the templates that do not depend on the arguments, which are
// not known if the front matter has errors.
func (m *made) syntax(s *source, parts []part, messages []prompttemplate.Message, all partials) {
	texts := map[string]string{}
	for name := range all.named {
		texts[name] = "" // its errors are reported at its own path
	}
	const name = "message \x00" // which no file has
	for i, message := range messages {
		if message.Content == nil {
			texts[name+strconv.Itoa(i)] = message.Text
		}
	}
	_, err := prompttemplate.NewSet(prompttemplate.Options{Funcs: s.options.Funcs, Partials: texts})
	for _, err := range flat(err) {
		e := (*prompttemplate.Error)(nil)
		if !errors.As(err, &e) {
			continue
		}
		if number, ok := strings.CutPrefix(e.Partial, name); ok {
			i, _ := strconv.Atoi(number)
			m.faults.addAt(parts[i].line+max(e.Line, 1)-1, e.Column, e.Err)
		}
	}
}

func (m *made) check(h *header) {
	p := m.prompt
	if len(m.faults.all) > 0 {
		p.Render = nothing
	}
	compiled, faults := compile(p)
	if len(m.faults.all) == 0 && compiled != nil {
		m.compiled = compiled
		m.prompt, _ = compiled.Lookup(p.Name) // which loses its Digest with its Render
	}
	for _, e := range faults {
		if m.faults.isFull() {
			return
		}
		line := h.lineOf(p, e)
		if line == 0 && h.members.line("name") == 0 {
			m.faults.add(0, hint.New("write another name: in the front matter", "%w", e.Err))
			continue
		}
		m.faults.add(line, hint.New(declarationFix(e.Err), "%w", e.Err))
	}
}

// declarationFixes are the fixes for what a registry finds wrong, by a part of the message.
var declarationFixes = []struct{ part, fix string }{
	{": default: ", "write a default that the argument accepts, or remove the key"},
	{", so no value is allowed", "change one of the two"},
	{" applies to numbers, ", "add type: integer or type: number, or remove the key"},
	{": schema: pattern: ", `correct the regular expression, with \ before a literal bracket`},
}

func declarationFix(err error) string {
	for _, d := range declarationFixes {
		if strings.Contains(err.Error(), d.part) && !strings.Contains(err.Error(), "; ") {
			return d.fix
		}
	}
	return ""
}

// render sets the render function of the prompt, or adds the errors of the
// templates. isWhole says that messages holds all messages of the file.
func (m *made) render(ctx context.Context, h *header, parts []part, messages []prompttemplate.Message, all partials, isWhole bool) {
	prompt, calls, err := all.set.Prompt(ctx, m.prompt, messages...)
	m.parts, m.partials = parts, map[string]int{}
	seen := map[*partial]bool{} // of several calls
	for _, c := range calls {
		line := parts[c.Message-1].line + c.Line - 1
		m.partials[c.Partial] = line
		p := all.named[c.Partial]
		if p == nil {
			continue
		}
		if len(calls) == 1 {
			m.uses = p.uses
		}
		for _, used := range p.uses {
			if seen[used] {
				continue
			}
			if len(calls) > 1 {
				seen[used] = true
				m.uses = append(m.uses, used)
			}
			m.broken(used, line)
		}
	}
	if err == nil {
		m.prompt = prompt
		return
	}
	for _, err := range flat(err) {
		if m.faults.isFull() {
			return
		}
		e := (*prompttemplate.Error)(nil)
		if !errors.As(err, &e) {
			m.faults.add(0, err)
			continue
		}
		if e.Argument != "" && !isWhole {
			continue // a message that could not be read may use it
		}
		m.templateError(e, h, all)
	}
}

// broken adds that a partial is used that has an error, if it has. The error
// itself is reported once, not for each file that uses the partial.
func (m *made) broken(p *partial, line int) {
	if len(p.faults) == 0 {
		return
	}
	first := p.faults[0]
	m.faults.add(line, fmt.Errorf("partial %q is invalid (see %s)", p.name, first.place()))
	if !slices.Contains(m.partialErrors, first) {
		m.partialErrors = append(m.partialErrors, first)
	}
}

// orVerbatim adds to a fix about literal braces that a whole text can be literal. A text
// with arguments cannot.
func orVerbatim(err error, h *header) error {
	fix, bare := hint.Split(err)
	if !strings.HasSuffix(fix, "for a literal {{") || len(h.arguments) > 0 {
		return err
	}
	return hint.New(fix+", or template: false in the front matter for text without templates", "%w", bare)
}

func (m *made) templateError(e *prompttemplate.Error, h *header, all partials) {
	at := func(line int) int { return m.parts[e.Message-1].line + max(line, 1) - 1 }
	inner := (*prompttemplate.Error)(nil)
	switch p := all.named[e.Partial]; {
	case e.Message > 0 && errors.As(e.Err, &inner): // that of a partial
		if p := all.named[inner.Partial]; p != nil {
			m.broken(p, at(e.Line))
		}
	case e.Message > 0:
		m.faults.addAt(at(e.Line), e.Column, orVerbatim(e.Err, h))
	case p != nil && e.CallMessage > 0:
		of := p.error(e)
		m.faults.add(m.parts[e.CallMessage-1].line+e.CallLine-1, hint.New(of.Hint, "partial %q: %s: %w", e.Partial, of.place(), of.Err))
	default:
		line := 0
		for _, a := range h.arguments {
			if e.Argument != "" && a.declared.Name == e.Argument {
				line = a.members.line("name")
			}
		}
		m.faults.add(line, e.Err)
	}
}

// skill makes a prompt of a SKILL.md: its name, its description and its body, which is no template.
func (m *made) skill(name, text string) {
	front, _, body, line, ok := split(text, &m.faults)
	if !ok {
		return
	}
	mapping, ok := readYAML(front, &m.faults)
	d := decoder{&m.faults, new(int)}
	own := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; mapping != nil && i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if key.Kind == yaml.ScalarNode && (key.Value == "name" || key.Value == "description") {
			own.Content = append(own.Content, key, value)
		} else { // other readers of skills may know the key
			d.lostIn(key.Value, value, false)
		}
	}
	known := d.members(own, "front matter", []string{"name", "description"})
	for _, of := range known {
		switch {
		case !d.plain(of.value):
		case of.key == "name":
			m.prompt.Name = d.text(of)
		default:
			m.prompt.Description = d.text(of)
		}
	}
	message, _ := trimmed(body)
	if ok && message == "" {
		m.faults.add(line-1, hint.New("write the body below the front matter", "skill has no body"))
	}
	m.line = known.line("name")
	if dir := path.Dir(name); dir != "." {
		m.prompt.Name = cmp.Or(m.prompt.Name, path.Base(dir))
	}
	if m.prompt.Name == "" {
		m.faults.add(m.line, hint.New("add name: to the front matter", "skill has no name"))
	}
	m.prompt.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(message)), nil
	}
	if ok && m.prompt.Name != "" {
		m.header = &header{members: known}
	}
}
