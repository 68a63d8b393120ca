package prompttemplate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts"
	declared "github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/trace"
)

// compiled is the messages of a prompt, ready to be executed.
type compiled struct {
	funcs    template.FuncMap // the author's
	prompt   string
	messages []message
	partials []*text         // that the messages lead to
	tested   map[string]bool // arguments that the templates do more with than to print them
	pool     sync.Pool       // of *executor
}

type message struct {
	role    prompts.Role
	content prompts.Content
	text    *text // nil for content
}

// executor executes the templates of one prompt, one rendering at a time: the functions of
// text/template belong to the templates, and not to an execution.
type executor struct {
	run
	all      *template.Template   // has the functions and the partials
	messages []*template.Template // nil for content
}

func newExecutor(author template.FuncMap) *executor {
	e := &executor{}
	e.all = template.New("").Funcs(author).Funcs(e.functions(author)).Option("missingkey=zero")
	return e
}

func (e *executor) prepare(c *compiled) *executor {
	for _, p := range c.partials {
		if e.all.Lookup(p.partial) == nil {
			template.Must(e.all.AddParseTree(p.partial, p.tree)) // which only fails for html/template
		}
	}
	e.messages = e.messages[:0]
	for _, m := range c.messages {
		var t *template.Template
		if m.text != nil {
			t = e.all.New(m.text.label)
			t.Tree = m.text.tree
		}
		e.messages = append(e.messages, t)
	}
	return e
}

func (c *compiled) named(p prompts.Prompt, n *named) prompts.Prompt {
	p.Digest = c.digest(p)
	p.Arguments = c.verbatim(p.Arguments, n)
	return prompts.New(p, func(ctx context.Context, args declared.Map) (*prompts.Result, error) {
		data, err := n.data(args)
		if err != nil {
			return nil, err
		}
		return c.render(ctx, data)
	})
}

// verbatim returns a copy of the arguments that says of which the templates only print the value.
func (c *compiled) verbatim(arguments []prompts.Argument, d data) []prompts.Argument {
	arguments = slices.Clone(arguments)
	at := map[string]int{}
	for i, a := range arguments {
		at[a.Name] = i
	}
	for _, used := range d.all() {
		if c.tested[used.name] || !d.isString(used.name) {
			continue
		}
		i, ok := at[used.name]
		if !ok { // of a struct
			i, arguments = len(arguments), append(arguments, prompts.Argument{Name: used.name})
		}
		arguments[i].Verbatim = true
	}
	return arguments
}

func (c *compiled) render(ctx context.Context, data any) (*prompts.Result, error) {
	e, ok := c.pool.Get().(*executor)
	if !ok {
		e = newExecutor(c.funcs).prepare(c)
	}
	defer c.pool.Put(e)
	return c.renderWithin(e, run{ctx: ctx, steps: maxSteps, bytes: maxMade}, data)
}

func (c *compiled) renderWithin(e *executor, within run, data any) (*prompts.Result, error) {
	e.run = within
	defer func() { e.run = run{} }()
	r := &prompts.Result{Messages: make([]prompts.Message, len(c.messages))}
	for i, m := range c.messages {
		content := m.content
		if m.text != nil {
			e.message = i
			text, err := e.execute(m.text, e.messages[i], data)
			if err != nil {
				return nil, c.failed(i, err)
			}
			content = &prompts.Text{Text: text}
		}
		r.Messages[i] = prompts.Message{Role: m.role, Content: content}
	}
	return r, nil
}

func (e *executor) execute(t *text, with *template.Template, data any) (string, error) {
	if err := e.take(t.weight); err != nil {
		return "", err
	}
	o := output{run: &e.run}
	if e.trial == nil {
		o.text.Grow(len(t.source))
	}
	if recorded := trace.From(e.ctx); recorded != nil && e.trial == nil {
		e.output = &o
		recorded.Begin(e.message, t.source)
	}
	err := with.Execute(&o, data)
	if o.err != nil {
		err = &writeError{o.err, &o}
	}
	return o.text.String(), err
}

// writeError is an error of an output, which text/template gives no place.
type writeError struct {
	err    error
	output *output
}

func (e *writeError) Error() string { return e.err.Error() }

// find returns the text that has this memory, and the node behind it.
func find(l *parse.ListNode, memory *byte) (text, next parse.Node) {
	if l == nil {
		return nil, nil
	}
	for i, n := range l.Nodes {
		if n, ok := n.(*parse.TextNode); ok && memoryOf(n.Text) == memory {
			return n, l.Nodes[min(i+1, len(l.Nodes)-1)]
		}
		if b := branchOf(n); b != nil {
			for _, l := range []*parse.ListNode{b.List, b.ElseList} {
				if text, next = find(l, memory); text != nil {
					return text, next
				}
			}
		}
	}
	return nil, nil
}

func memoryOf(text []byte) *byte {
	if cap(text) == 0 {
		return nil
	}
	return &text[:1][0]
}

func (c *compiled) failed(i int, err error) error {
	at := place{message: i + 1}
	if write := (*writeError)(nil); errors.As(err, &write) {
		at, err = c.placeOf(i, write.output), write.err
	}
	var exec template.ExecError
	if !errors.As(err, &exec) {
		e := at.error(err)
		e.Prompt = c.prompt
		return e
	}
	// The text is "template: NAME:LINE:COLUMN: executing "..." at <...>: MESSAGE",
	// and the names are ours.
	rest, _ := strings.CutPrefix(exec.Error(), "template: ")
	name, rest, _ := strings.Cut(rest, ":")
	line, rest, _ := strings.Cut(rest, ":")
	column, rest, _ := strings.Cut(rest, ":")
	in := c.messages[i].text
	for _, p := range c.partials {
		if p.tree.ParseName == name {
			in, at = p, p.place
		}
	}
	at.line, _ = strconv.Atoi(line)
	offset, _ := strconv.Atoi(column)
	at.column = in.column(at.line, offset)
	rest = strings.TrimPrefix(rest, " executing ")
	quoted, _ := strconv.QuotedPrefix(rest)
	_, message, _ := strings.Cut(rest[len(quoted):], ">: ") // which the bounder leaves in nothing that it quotes
	inner := errors.Unwrap(exec.Err)
	if inner == nil {
		inner = errors.New(explain.Short(message))
	} else if before, _, ok := strings.Cut(message, ": "+inner.Error()); ok && !strings.Contains(before, " _") {
		inner = fmt.Errorf("%s: %w", before, inner)
	}
	e := at.error(inner)
	e.Prompt = c.prompt
	return e
}

// placeOf returns where the bytes are that a message could not write: a text, or
// the action behind the text that was written last. A text is known by its memory,
// and each action that writes is behind one, which may be empty.
func (c *compiled) placeOf(i int, o *output) place {
	texts := append([]*text{c.messages[i].text}, c.partials...)
	for _, t := range texts {
		if n, _ := find(t.tree.Root, memoryOf(o.failed)); n != nil {
			return t.at(n.Position())
		}
	}
	for _, t := range texts {
		if n, next := find(t.tree.Root, memoryOf(o.last)); n != nil {
			return t.at(next.Position())
		}
	}
	return place{message: i + 1}
}
