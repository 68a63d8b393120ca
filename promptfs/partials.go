package promptfs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// partial is one file of the folder of partials.
type partial struct {
	path   string
	text   string
	before int // blank lines before the text
	stamp  stamp
	sum    [sha256.Size]byte
	calls  []call   // of other partials
	own    []*Error // what is wrong with the file
	faults []*Error // and with the template, where it cannot be otherwise
}

// call is where a text calls a partial.
type call struct {
	partial string
	line    int // of the text
}

// partials are those that can be used, by their names.
type partials map[string]*partial

// newPartial reads a partial.
func newPartial(path string, content []byte) *partial {
	p := &partial{path: path, sum: sha256.Sum256(content)}
	f := faults{path: path}
	text, ok := textOf(content, &f)
	if p.text, p.before = trimmed(text); ok && p.text == "" {
		f.add(0, "the partial is empty; write its text, or remove the file")
	}
	p.calls, p.own, p.faults = callsOf(p.text), f.all, f.all
	return p
}

// callsOf returns the partials that a text calls. Of one that cannot be parsed
// there are none.
func callsOf(text string) []call {
	if !strings.Contains(text, "{{") || !strings.Contains(text, "template") {
		return nil
	}
	trees := map[string]*parse.Tree{}
	t := parse.New("")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(text, "", "", trees); err != nil {
		return nil
	}
	var calls []call
	line, counted := 1, 0 // of the text before the call, which is further back each time
	var walk func(l *parse.ListNode)
	branch := func(n *parse.BranchNode) {
		walk(n.List)
		walk(n.ElseList)
	}
	walk = func(l *parse.ListNode) {
		if l == nil {
			return
		}
		for _, n := range l.Nodes {
			switch n := n.(type) {
			case *parse.TemplateNode:
				at := int(n.Position())
				line += strings.Count(text[counted:at], "\n")
				counted = at
				calls = append(calls, call{n.Name, line})
			case *parse.IfNode:
				branch(&n.BranchNode)
			case *parse.RangeNode:
				branch(&n.BranchNode)
			case *parse.WithNode:
				branch(&n.BranchNode)
			}
		}
	}
	walk(t.Root)
	return calls
}

// used adds to lines the partials that calls lead to, each with the line of the
// first call that does. It reports whether all of them are there.
func (all partials) used(calls []call, line int, lines map[string]int) bool {
	complete := true
	for _, c := range calls {
		at := line
		if at == 0 {
			at = c.line
		}
		if _, ok := lines[c.partial]; ok {
			continue
		}
		lines[c.partial] = at
		p := all[c.partial]
		if p == nil || !all.used(p.calls, at, lines) {
			complete = false
		}
	}
	return complete
}

// sum returns the sum of a partial; that of none is zero.
func (all partials) sum(name string) [sha256.Size]byte {
	if p := all[name]; p != nil {
		return p.sum
	}
	return [sha256.Size]byte{}
}

// texts returns the partials of these names that there are.
func (all partials) texts(names map[string]int) map[string]string {
	texts := make(map[string]string, len(names))
	for name := range names {
		if p := all[name]; p != nil {
			texts[name] = p.text
		}
	}
	return texts
}

// check finds what is wrong with each partial by itself, whatever calls it.
func (all partials) check(o *Options) {
	for _, name := range sortedKeys(all) {
		p := all[name]
		if p.text == "" {
			continue
		}
		f := faults{path: p.path, all: slices.Clone(p.own)}
		lines := map[string]int{name: 1}
		all.used(p.calls, 0, lines)
		_, err := prompttemplate.New(prompts.Prompt{Name: "p"}, prompttemplate.Options{Funcs: o.Funcs, Partials: all.texts(lines)}, prompttemplate.User("text"))
		if err == nil {
			continue
		}
		for _, err := range flat(err) {
			if e := (*prompttemplate.Error)(nil); errors.As(err, &e) && e.Partial == name {
				f.add(p.line(e.Line), "%w", reworded(e.Err))
			}
		}
		p.faults = f.all
	}
}

// line returns the line of the file of one of its text.
func (p *partial) line(line int) int {
	if line == 0 {
		return 0
	}
	return p.before + line
}

// has reports whether the partial has the fault by itself.
func (p *partial) has(e *prompttemplate.Error) bool {
	text := (&Error{p.path, p.line(e.Line), reworded(e.Err)}).Error()
	return slices.ContainsFunc(p.faults, func(e *Error) bool { return e.Error() == text })
}

// reworded returns an error of package prompttemplate that says what to write
// in a file, where it says what to write in a program.
func reworded(err error) error {
	text := inFiles.Replace(err.Error())
	if text == err.Error() {
		return err
	}
	return &rewordedError{text, err}
}

type rewordedError struct {
	text string
	err  error
}

func (e *rewordedError) Error() string { return e.text }
func (e *rewordedError) Unwrap() error { return e.err }

var inFiles = strings.NewReplacer(
	"declare it in Prompt.Arguments", "declare it below arguments in the front matter",
	"add it to Options.Funcs", `write an argument as {{.name}} and a literal {{ as {{"{{"}}, or add the function to Options.Funcs`,
	"add it to Options.Partials", "write it as a file in the folder of partials",
	"put that into Options.Partials", "write that as a file in the folder of partials",
	"missing value for if", "missing value for if; write such as {{if .name}}",
	"missing value for with", "missing value for with; write such as {{with .name}}",
	"missing value for range", "missing value for range; write such as {{range list .name}}",
)

// in returns the fault of a partial in the words of a file that calls it.
func (p *partial) in(name string, e *prompttemplate.Error) error {
	at := (&Error{p.path, p.line(e.Line), reworded(e.Err)}).Error()
	return fmt.Errorf("the partial %q: %s", name, at)
}
