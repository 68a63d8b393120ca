package promptfs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// skillFile is the name of a file in the format of Agent Skills.
const skillFile = "SKILL.md"

// Parse makes a prompt of one file's content, for stores that have files
// elsewhere than in a file system. What the file refers to, partials and the
// files that its messages send, is read from fsys; without one there are none.
// A file called SKILL.md is one in the format of Agent Skills.
//
// The error joins everything that is wrong, each an [*Error].
func Parse(fsys fs.FS, path string, content []byte, o Options) (prompts.Prompt, error) {
	o = o.filled()
	s := newSource(fsys, &o)
	all := partials{}
	if fsys != nil {
		found, err := s.scanPartials(context.Background())
		if err != nil {
			return prompts.Prompt{}, err
		}
		_, all, _ = s.readPartials(found, nil, nil) // what is wrong with one is told with what uses it
	}
	m := s.parse(path, content, all)
	if len(m.faults.all) > 0 {
		return prompts.Prompt{}, join(m.faults.all)
	}
	return m.prompt, nil
}

// made is what a file has become: a prompt, or what is wrong with it.
type made struct {
	prompt prompts.Prompt
	line   int // of the name; 0 if that is the path
	faults faults
	// What the prompt is made of: names of partials, those that there are not
	// among them, and other files.
	partials map[string]int
	files    []dependency
	sum      [sha256.Size]byte // of all that
}

// nothing stands for a render function that there is not yet.
func nothing(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }

// parse makes a prompt of a file.
func (s *source) parse(name string, content []byte, all partials) *made {
	m := &made{faults: faults{path: name}}
	text, ok := textOf(content, &m.faults)
	if !ok {
		return m
	}
	if isBlank(text) {
		m.faults.add(0, "the file is empty; write the text of the prompt")
		return m
	}
	if path.Base(name) == skillFile {
		m.skill(name, text)
	} else {
		s.markdown(m, name, text, all)
	}
	m.prompt.Tags = append(slices.Clip(m.prompt.Tags), s.options.tagOf(name))
	if len(m.faults.all) == 0 {
		m.named(name)
	}
	m.sum = m.sumOf(content, all)
	return m
}

// tagOf returns the tag of the prompt from a file.
func (o *Options) tagOf(path string) string { return o.Tag + path }

// named makes errors of the render function name the file.
func (m *made) named(name string) {
	render := m.prompt.Render
	m.prompt.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		r, err := render(ctx, args)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown(name), err)
		}
		return r, nil
	}
}

// sumOf returns the sum of all that the prompt is made of.
func (m *made) sumOf(content []byte, all partials) [sha256.Size]byte {
	h := sha256.New()
	own := sha256.Sum256(content)
	h.Write(own[:])
	for _, name := range sortedKeys(m.partials) {
		if p := all[name]; p != nil {
			fmt.Fprintf(h, "%q", name)
			h.Write(p.sum[:])
		}
	}
	for _, d := range m.files {
		fmt.Fprintf(h, "%q", d.path)
		h.Write(d.sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// markdown makes a prompt of a Markdown file.
func (s *source) markdown(m *made, name, text string, all partials) {
	front, _, body, line, ok := split(text, &m.faults)
	if !ok {
		return
	}
	mapping, ok := readYAML(front, &m.faults)
	h := decoder{&m.faults}.header(mapping)
	parts := parseBody(body, line, &m.faults)
	if len(parts) == 0 {
		m.faults.add(0, "there is no message; write the text of the prompt below the front matter")
	}
	var messages []prompttemplate.Message
	var read []part // what the messages are of
	for _, p := range parts {
		message := prompttemplate.Message{Role: p.role, Text: p.text}
		if p.bad || p.text == "" && p.kind == "" {
			continue
		}
		if p.kind != "" {
			isFull := m.faults.isFull()
			content, used := s.content(p, path.Dir(name), &m.faults)
			if used != nil && (content != nil || !isFull) {
				m.files = append(m.files, *used)
			}
			if content == nil {
				continue
			}
			message = prompttemplate.Message{Role: p.role, Content: content}
		}
		messages, read = append(messages, message), append(read, p)
	}
	m.prompt, m.line = h.prompt, h.lines["name"]
	m.prompt.Name = cmp.Or(h.prompt.Name, strings.TrimSuffix(name, ".md"))
	for _, a := range h.arguments {
		m.prompt.Arguments = append(m.prompt.Arguments, a.declared)
	}
	if ok {
		m.check(&h)
	}
	// Without the arguments nothing can be said of what the templates name.
	if ok && !h.lost && len(messages) > 0 {
		m.render(s, &h, read, messages, all, len(read) == len(parts))
	}
}

// check finds what a registry would find wrong.
func (m *made) check(h *header) {
	p := m.prompt
	p.Render = nothing
	for _, e := range declarationFaults(p) {
		if m.faults.isFull() {
			return
		}
		line := h.lineOf(p, e)
		if line == 0 && h.lines["name"] == 0 {
			m.faults.add(0, "%w; write another name: in the front matter", e.Err)
			continue
		}
		m.faults.add(line, "%w", e.Err)
	}
}

// render gives the prompt its render function, or finds what is wrong with the
// templates. isWhole says that the messages are all that the file has.
func (m *made) render(s *source, h *header, parts []part, messages []prompttemplate.Message, all partials, isWhole bool) {
	m.partials = map[string]int{}
	isComplete := true
	for _, p := range parts {
		lines := map[string]int{}
		if p.kind == "" && !all.used(callsOf(p.text), 0, lines) {
			isComplete = false
		}
		for name, line := range lines {
			if _, ok := m.partials[name]; !ok {
				m.partials[name] = p.line + line - 1
			}
		}
	}
	texts := all.texts(m.partials)
	if !isComplete { // then all of them may be what was meant
		for name, p := range all {
			texts[name] = p.text
		}
	}
	prompt, err := prompttemplate.New(m.prompt, prompttemplate.Options{Funcs: s.options.Funcs, Partials: texts}, messages...)
	for _, name := range sortedKeys(m.partials) {
		if p := all[name]; p != nil && len(p.faults) > 0 {
			m.faults.add(m.partials[name], "the partial %q has a fault itself: %w", name, p.faults[0])
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
			m.faults.add(0, "%w", err)
			continue
		}
		if e.Argument != "" && !isWhole {
			continue // a message that could not be read may use it
		}
		m.templateFault(e, h, parts, all)
	}
}

// templateFault places a fault of a template.
func (m *made) templateFault(e *prompttemplate.Error, h *header, parts []part, all partials) {
	p := all[e.Partial]
	_, isUsed := m.partials[e.Partial]
	switch {
	case e.Message > 0:
		part := parts[e.Message-1]
		m.faults.add(part.line+max(e.Line, 1)-1, "%w", reworded(e.Err))
	case p != nil && (!isUsed || p.has(e)): // of another prompt, or told already
	case p != nil:
		m.faults.add(m.partials[e.Partial], "%w", p.in(e.Partial, e))
	default:
		line := 0
		for _, a := range h.arguments {
			if e.Argument != "" && a.declared.Name == e.Argument {
				line = a.lines["name"]
			}
		}
		m.faults.add(line, "%w", reworded(e.Err))
	}
}
