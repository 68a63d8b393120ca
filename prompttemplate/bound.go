package prompttemplate

import (
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/trace"
)

// maxWeight is the maximum number of steps between two looks at the context: of a text, with the
// partials that it calls, but for what its ranges repeat, and of one repetition.
const maxWeight = 1_000_000

// repetition is what one repetition costs beside what is repeated, in steps.
const repetition = 4

// bounder counts the nodes of a parse tree, and puts calls into it that count when it is executed:
// at the beginning of what a range repeats, behind what a range goes through, behind calls of code
// that is not ours, and behind values that are written.
type bounder struct {
	funcs     template.FuncMap   // the author's
	partials  map[string]*text   // linked
	coverage  *coverage.Coverage // nil for none
	isTraced  bool
	text      *text
	prompt    string          // for a coverage; empty for a partial
	arguments *named          // nil for a partial and for a struct
	scalars   map[string]bool // variables that are elements of a list, or their indexes
	sources   sources         // for a trace
}

type sources struct {
	dot       []string            // of the dot, if it is a value of them
	isElement bool                // the dot is one, and has no arguments itself
	variables map[string][]string // of a variable
}

// dot is what is known of the dot of a list.
type dot uint8

const (
	anyDot    dot = iota
	argsDot       // the arguments of a prompt without a struct
	scalarDot     // a string, an integer or a boolean
)

func (b *bounder) list(l *parse.ListNode, dot dot) int {
	if l == nil {
		return 0
	}
	weight, nodes := 0, make([]parse.Node, 0, len(l.Nodes))
	for i, n := range l.Nodes {
		if action, ok := n.(*parse.ActionNode); ok && len(action.Pipe.Decl) == 0 && (i == 0 || l.Nodes[i-1].Type() != parse.NodeText) {
			nodes = append(nodes, &parse.TextNode{NodeType: parse.NodeText, Pos: n.Position(), Text: make([]byte, 0, 1)}) // see placeOf
		}
		if noted := b.note(n); noted != nil {
			nodes = append(nodes, noted)
		}
		weight, nodes = min(weight+b.node(n, dot), 2*maxWeight), append(nodes, n)
	}
	l.Nodes = nodes
	return weight
}

func (b *bounder) node(n parse.Node, dot dot) int {
	switch n := n.(type) {
	case *parse.ActionNode:
		weight := 1 + b.pipe(n.Pipe)
		if len(n.Pipe.Decl) == 0 && !b.isText(n.Pipe, dot) {
			then(n.Pipe, orEmpty)
		}
		return weight
	case *parse.IfNode:
		return b.branch(&n.BranchNode, dot, dot)
	case *parse.WithNode:
		return b.branch(&n.BranchNode, anyDot, dot)
	case *parse.RangeNode:
		action := actionOf(&n.BranchNode)
		from := b.sourcesOf(n.Pipe)
		weight, element := 1+b.pipe(n.Pipe), scalarDot
		switch v := b.argument(n.Pipe, dot); {
		case v != nil && (v.types == anInteger || v.types == aList):
			if v.items == aNumber {
				element = anyDot
			}
		default:
			element = anyDot
			if !b.isListCall(n.Pipe) {
				then(n.Pipe, rangeFunc)
			}
		}
		for _, v := range n.Pipe.Decl {
			if name := v.Ident[0]; element == scalarDot && b.text.set[name] == 1 {
				b.scalars[name] = true
			}
		}
		b.declare(n.Pipe, from)
		each := repetition + b.within(from, n.List, element)
		b.check(n.Pos, each)
		n.List.Nodes = slices.Insert(n.List.Nodes, 0, step(n.Pos, each))
		weight += b.list(n.ElseList, dot)
		b.cover(&n.BranchNode, action)
		return weight
	case *parse.TemplateNode:
		weight := 2
		if n.Pipe != nil {
			weight += b.pipe(n.Pipe)
		}
		return weight + b.partials[n.Name].weight
	}
	return 1
}

func (b *bounder) branch(n *parse.BranchNode, then, otherwise dot) int {
	action := actionOf(n)
	from := b.sourcesOf(n.Pipe)
	weight := 1 + b.pipe(n.Pipe)
	b.declare(n.Pipe, from)
	inside := 0
	if n.NodeType == parse.NodeWith {
		inside = b.within(from, n.List, then)
	} else {
		inside = b.list(n.List, then)
	}
	weight += max(inside, b.list(n.ElseList, otherwise))
	b.cover(n, action)
	return weight
}

// within returns the steps of a list whose dot comes from arguments.
func (b *bounder) within(from []string, l *parse.ListNode, dot dot) int {
	before, wasElement := b.sources.dot, b.sources.isElement
	b.sources.dot, b.sources.isElement = from, true
	defer func() { b.sources.dot, b.sources.isElement = before, wasElement }()
	return b.list(l, dot)
}

// declare notes that the variables of a pipeline have values of arguments.
func (b *bounder) declare(p *parse.PipeNode, from []string) {
	if !b.isTraced {
		return
	}
	if b.sources.variables == nil {
		b.sources.variables = map[string][]string{}
	}
	for _, v := range p.Decl {
		b.sources.variables[v.Ident[0]] = from
	}
}

// sourcesOf returns the names of the arguments that the value of a pipeline comes from, for
// a trace.
func (b *bounder) sourcesOf(n parse.Node) (names []string) {
	if !b.isTraced {
		return nil
	}
	add := func(all ...string) {
		for _, name := range all {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch n := n.(type) {
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			for _, arg := range c.Args {
				add(b.sourcesOf(arg)...)
			}
		}
	case *parse.ChainNode:
		add(b.sourcesOf(n.Node)...)
	case *parse.DotNode:
		add(b.sources.dot...)
	case *parse.FieldNode:
		if b.sources.isElement {
			add(b.sources.dot...)
		} else {
			add(n.Ident[0])
		}
	case *parse.VariableNode:
		if n.Ident[0] != "$" {
			add(b.sources.variables[n.Ident[0]]...)
		} else if len(n.Ident) > 1 {
			add(n.Ident[1])
		}
	}
	return names
}

// note returns a node that notes where a part of a text begins, for a trace; nil without
// one, and for a node that writes nothing itself.
func (b *bounder) note(n parse.Node) parse.Node {
	if !b.isTraced {
		return nil
	}
	at := b.text.at(n.Position())
	part := trace.Place{Partial: at.partial, Line: at.line}
	switch n := n.(type) {
	case *parse.TextNode:
	case *parse.ActionNode:
		from := b.sourcesOf(n.Pipe)
		if len(n.Pipe.Decl) > 0 {
			b.declare(n.Pipe, from)
			return nil
		}
		part.Action, part.Arguments = "{{"+n.Pipe.String()+"}}", from
	default:
		return nil
	}
	text := part.String()
	return silent(n.Position(), traceFunc,
		&parse.StringNode{NodeType: parse.NodeString, Pos: n.Position(), Quoted: strconv.Quote(text), Text: text})
}

// actionOf returns the action that begins a block, as its author may have written it.
func actionOf(n *parse.BranchNode) string {
	return "{{" + actionNames[n.NodeType] + " " + n.Pipe.String() + "}}"
}

// cover lets a coverage note which of the two lists is executed. A missing one is one
// that writes nothing. The lists have been counted, and so have the calls that they get.
func (b *bounder) cover(n *parse.BranchNode, action string) {
	if b.coverage == nil {
		return
	}
	b.coverList(n.List, n.Pos, action, false)
	if n.ElseList == nil {
		n.ElseList = &parse.ListNode{NodeType: parse.NodeList, Pos: n.Pos}
	}
	if len(n.ElseList.Nodes) != 1 || actionNames[n.ElseList.Nodes[0].Type()] == "" { // an else if has lists of its own
		b.coverList(n.ElseList, n.Pos, action, true)
	}
}

var actionNames = map[parse.NodeType]string{parse.NodeIf: "if", parse.NodeWith: "with", parse.NodeRange: "range"}

func (b *bounder) coverList(l *parse.ListNode, pos parse.Pos, action string, isElse bool) {
	at := b.text.at(pos)
	number := b.coverage.Add(coverage.Block{
		Prompt: b.prompt, Message: at.message, Partial: at.partial, Text: b.text.source,
		Line: at.line, Action: action, IsElse: isElse,
	})
	l.Nodes = slices.Insert(l.Nodes, 0, silent(pos, coverFunc,
		&parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(number), Text: strconv.Itoa(number)}))
}

func (b *bounder) check(pos parse.Pos, weight int) {
	if weight > maxWeight {
		b.text.add(pos, hint.New("call partials less often", "template exceeds the limit of %d steps, those of called partials included", maxWeight))
	}
}

func (b *bounder) pipe(p *parse.PipeNode) int {
	weight := 1
	for _, c := range p.Cmds {
		weight += 1 + len(c.Args)
		for i, arg := range c.Args {
			switch arg := arg.(type) {
			case *parse.StringNode:
				if strings.Contains(arg.Quoted, ">: ") { // which is what errors are cut at
					arg.Quoted = strings.ReplaceAll(arg.Quoted, ">", `\x3e`)
				}
			case *parse.PipeNode:
				weight += b.pipe(arg)
			case *parse.ChainNode:
				weight += len(arg.Field)
				if inner, ok := arg.Node.(*parse.PipeNode); ok {
					weight += b.pipe(inner)
				}
			case *parse.FieldNode:
				weight += len(arg.Ident)
			case *parse.VariableNode:
				weight += len(arg.Ident)
			case *parse.IdentifierNode:
				if i > 0 && !b.isOurs(arg.Ident) { // called without arguments
					pipe := &parse.PipeNode{NodeType: parse.NodePipe, Pos: arg.Pos, Cmds: []*parse.CommandNode{command(arg.Pos, arg.Ident)}}
					then(pipe, b.made(arg))
					c.Args[i] = pipe
				}
			}
		}
	}
	for i := len(p.Cmds) - 1; i >= 0; i-- {
		if b.isForeign(p.Cmds[i]) {
			made := command(p.Cmds[i].Pos, b.made(p.Cmds[i].Args[0]))
			p.Cmds = slices.Insert(slices.Clip(p.Cmds), i+1, made)
		}
	}
	return weight
}

// made returns the function that counts what a call of n returns.
func (b *bounder) made(n parse.Node) string {
	if name, ok := n.(*parse.IdentifierNode); ok && (b.funcs[name.Ident] == nil || !isFixed(reflect.TypeOf(b.funcs[name.Ident]).Out(0))) {
		return openFunc
	}
	return madeFunc
}

// isFixed reports whether all that templates can do with values of a type depends
// on the type alone: strings, numbers and booleans, and lists and maps of these.
func isFixed(t reflect.Type) bool {
	switch k := t.Kind(); {
	case t.PkgPath() != "":
		return false
	case k == reflect.Slice, k == reflect.Array:
		return isFixed(t.Elem())
	case k == reflect.Map:
		return isFixed(t.Key()) && isFixed(t.Elem())
	default:
		return k == reflect.String || k >= reflect.Bool && k <= reflect.Complex128
	}
}

// isForeign reports whether a command may call code that is not ours: a
// function of the author's, or a method.
func (b *bounder) isForeign(c *parse.CommandNode) bool {
	switch n := c.Args[0].(type) {
	case *parse.IdentifierNode:
		return n.Ident == "call" || !b.isOurs(n.Ident)
	case *parse.FieldNode:
		return len(c.Args) > 1 || len(n.Ident) > 1
	case *parse.VariableNode:
		return len(n.Ident) > 2 || len(n.Ident) == 2 && (len(c.Args) > 1 || n.Ident[0] != "$")
	case *parse.ChainNode:
		return true
	}
	return false
}

func (b *bounder) isOurs(name string) bool {
	if _, ok := b.funcs[name]; ok {
		return false
	}
	return isFunction(b.funcs, name) || isInternal(name)
}

// isText reports whether text/template writes the value of a pipeline as [run.textOf] does: an
// argument of a prompt without a struct, or an element of a list, that is a string, an integer or a
// boolean; or what one of our functions returns.
func (b *bounder) isText(p *parse.PipeNode, dot dot) bool {
	if v := b.argument(p, dot); v != nil {
		return v.types == aString || v.types == anInteger || v.types == aBoolean
	}
	c := p.Cmds[len(p.Cmds)-1]
	switch n := c.Args[0].(type) {
	case *parse.DotNode:
		return dot == scalarDot && len(p.Cmds) == 1
	case *parse.VariableNode:
		return len(n.Ident) == 1 && b.scalars[n.Ident[0]] && len(p.Cmds) == 1
	case *parse.IdentifierNode:
		switch n.Ident {
		case "fence", "untrusted", "json", "print", "println", "printf":
			return b.isOurs(n.Ident)
		}
	}
	return false
}

func (b *bounder) argument(p *parse.PipeNode, dot dot) *typed {
	field, ok := p.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok || dot != argsDot || len(field.Ident) != 1 || len(p.Cmds) != 1 {
		return nil
	}
	return b.arguments.byName[field.Ident[0]]
}

func (b *bounder) isListCall(p *parse.PipeNode) bool {
	n, ok := p.Cmds[len(p.Cmds)-1].Args[0].(*parse.IdentifierNode)
	return ok && n.Ident == "list" && b.isOurs("list")
}

func then(p *parse.PipeNode, name string) {
	p.Cmds = append(slices.Clip(p.Cmds), command(p.Pos, name))
}

func command(pos parse.Pos, function string, args ...parse.Node) *parse.CommandNode {
	name := parse.NewIdentifier(function).SetPos(pos)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: append([]parse.Node{name}, args...)}
}

// step returns {{if _stepN}}{{end}}, which writes nothing. N is the number of
// bits of the steps, so that no number has to be evaluated.
func step(pos parse.Pos, n int) parse.Node {
	return silent(pos, stepFunc+strconv.Itoa(bits.Len(uint(n))))
}

// silent returns {{if FUNCTION ARGUMENTS}}{{end}}, which writes nothing.
func silent(pos parse.Pos, function string, args ...parse.Node) parse.Node {
	return &parse.IfNode{BranchNode: parse.BranchNode{
		NodeType: parse.NodeIf, Pos: pos,
		Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command(pos, function, args...)}},
		List: &parse.ListNode{NodeType: parse.NodeList, Pos: pos},
	}}
}
