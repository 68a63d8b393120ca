package prompttemplate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
)

// value is what is known of a value: its kind, or the argument that it is, or
// the type of a literal.
type value struct {
	kind     kind
	argument *use
	literal  types
}

// reader walks a parse tree once, and notes what it uses and calls.
type reader struct {
	funcs     template.FuncMap // the author's
	text      *text
	arguments []argument // of the prompt; nil for a partial
	levels    int
	dot       value
	scope     *variable       // declared or assigned last
	uses      map[string]bool // that are noted, of a partial
	isPrinted bool            // the next use is printed
	calls     map[call]int    // without place, by their index
}

// variable is a variable in scope, of which there are at most maxVariables.
type variable struct {
	name   string
	kind   kind
	before *variable // declared or assigned before
}

func (r *reader) variable(name string) kind {
	for v := r.scope; v != nil; v = v.before {
		if v.name == name {
			return v.kind
		}
	}
	return other
}

func walk(t *text, arguments []argument, funcs template.FuncMap) {
	t.set = map[string]int{}
	r := &reader{funcs: funcs, text: t, arguments: arguments, dot: value{kind: same}, scope: &variable{name: "$", kind: same}, uses: map[string]bool{}, calls: map[call]int{}}
	r.list(t.tree.Root)
}

func (r *reader) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		if len(r.text.faults) >= maxErrors {
			return
		}
		switch n := n.(type) {
		case *parse.ActionNode:
			r.isPrinted = r.isPlain(n.Pipe)
			v := r.pipe(n.Pipe)
			r.isPrinted = false // a field of another value is no use
			if v.kind == same && len(n.Pipe.Decl) == 0 {
				r.use(use{kind: useAll, pos: n.Pos}, n.Pipe)
			}
		case *parse.TemplateNode:
			r.call(n)
		default:
			if b := branchOf(n); b != nil {
				r.branch(b)
			}
		}
	}
}

// plain are the functions that print a string unchanged, or ask only whether it is empty.
var plain = []string{"and", "fence", "not", "or", "untrusted"}

// isPlain reports whether a pipeline only selects values and literals, or calls functions of
// plain with them.
func (r *reader) isPlain(p *parse.PipeNode) bool {
	return len(p.Decl) == 0 && !slices.ContainsFunc(p.Cmds, func(cmd *parse.CommandNode) bool {
		args := cmd.Args
		if function, ok := args[0].(*parse.IdentifierNode); ok && slices.Contains(plain, function.Ident) && r.funcs[function.Ident] == nil {
			args = args[1:]
		} else if len(args) > 1 {
			return !r.isSelection(args)
		}
		return slices.ContainsFunc(args, func(n parse.Node) bool {
			switch n := n.(type) {
			case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
				return false
			case *parse.PipeNode:
				return !r.isPlain(n)
			}
			return !r.isSelection([]parse.Node{n})
		})
	})
}

// isSelection reports whether a command only selects a field of {{.}} or of a variable, or
// an argument by its name, as in {{index . "a-b"}}.
func (r *reader) isSelection(command []parse.Node) bool {
	switch n := command[0].(type) {
	case *parse.FieldNode:
		return len(command) == 1
	case *parse.VariableNode:
		return len(command) == 1 && len(n.Ident) > 1
	case *parse.IdentifierNode:
		return n.Ident == "index" && len(command) == 3 && r.isSame(command[1])
	}
	return false
}

func (r *reader) block(l *parse.ListNode, dot value) {
	outer, scope := r.dot, r.scope
	r.dot = dot
	r.list(l)
	r.dot, r.scope = outer, scope
}

// branch walks if, with and range. The branch for else has the dot of outside.
func (r *reader) branch(n *parse.BranchNode) {
	r.levels++
	r.text.levels = max(r.text.levels, r.levels)
	scope := r.scope
	r.isPrinted = n.NodeType == parse.NodeIf && r.isPlain(n.Pipe)
	v := r.pipe(n.Pipe)
	r.isPrinted = false
	r.whole(v, n.Pipe)
	dot := r.dot
	switch n.NodeType {
	case parse.NodeWith:
		dot = v
	case parse.NodeRange:
		r.needs("range", v, aList|anInteger)
		dot = value{}
	}
	r.block(n.List, dot)
	r.block(n.ElseList, r.dot)
	r.scope = scope
	r.levels--
}

func (r *reader) call(n *parse.TemplateNode) {
	c := call{partial: n.Name, given: nothing}
	if n.Pipe != nil {
		c.given = r.pipe(n.Pipe).kind
	}
	i, known := r.calls[c]
	if !known {
		i = len(r.text.calls)
		r.calls[c] = i
		c.pos = n.Pos
		r.text.calls = append(r.text.calls, c)
	}
	r.text.calls[i].levels = max(r.text.calls[i].levels, r.levels+1)
}

func (r *reader) pipe(p *parse.PipeNode) value {
	var v value
	for i, cmd := range p.Cmds {
		r.whole(v, cmd)
		v = r.command(cmd, v, i > 0)
	}
	for _, d := range p.Decl {
		name := d.Ident[0]
		if p.IsAssign && (v.kind == same || r.variable(name) == same) {
			r.use(use{kind: useAssign, pos: d.Pos}, d)
		}
		r.scope = &variable{name, v.kind, r.scope}
		if r.text.set[name]++; p.IsAssign {
			r.text.set[name]++
		}
	}
	return v
}

// command walks one command of a pipeline and returns what it is. before is
// what the pipeline is up to there.
func (r *reader) command(cmd *parse.CommandNode, before value, isPiped bool) value {
	first, rest := cmd.Args[0], cmd.Args[1:]
	if len(rest) == 0 && !isPiped {
		if first.Type() == parse.NodeNil {
			r.text.add(first.Position(), errors.New("nil is not a value"))
		}
		return r.operand(first)
	}
	function, isFunction := first.(*parse.IdentifierNode)
	if isFunction {
		r.function(function, true)
		if _, replaced := r.funcs["index"]; function.Ident == "index" && !replaced {
			if v, ok := r.index(rest); ok {
				return v
			}
		}
	} else {
		r.operand(first)
		r.called(first)
	}
	var args []value
	for _, arg := range rest {
		v := r.operand(arg)
		r.whole(v, arg)
		args = append(args, v)
	}
	if isPiped {
		args = append(args, before)
	}
	if isFunction {
		return r.result(function.Ident, args)
	}
	return value{}
}

// called adds an error for a value that is called with arguments and is certainly
// not a method: an argument of the prompt, or a literal.
func (r *reader) called(n parse.Node) {
	switch n := n.(type) {
	case *parse.FieldNode:
		if len(n.Ident) == 1 && r.dot.kind == same {
			r.use(use{kind: useCall, pos: n.Pos}, n)
		}
		return
	case *parse.VariableNode:
		if len(n.Ident) == 2 && r.variable(n.Ident[0]) == same {
			r.use(use{kind: useCall, pos: n.Pos}, n)
		}
		if len(n.Ident) > 1 {
			return
		}
	case *parse.ChainNode:
		return
	}
	r.text.add(n.Position(), notFunction(explain.Short(n.String())))
}

func notFunction(value string) error {
	return hint.New(fmt.Sprintf("write {{function %s}} or {{%[1]s | function}}", value), "%s is a value and not a function", value)
}

// index walks the arguments of the function index if they are the arguments of
// the prompt and a literal, and reports whether they are.
func (r *reader) index(args []parse.Node) (value, bool) {
	if len(args) < 2 || !r.isSame(args[0]) {
		return value{}, false
	}
	key, ok := args[1].(*parse.StringNode)
	if !ok {
		return value{}, false
	}
	v := r.use(use{kind: useIndex, names: []string{key.Text}, pos: key.Pos}, key)
	for _, arg := range args[2:] {
		r.whole(r.operand(arg), arg)
	}
	if len(args) > 2 {
		r.needs("index", v, aString|aList)
		return value{}, true
	}
	return v, true
}

// isSame reports whether n is what the text was called with.
func (r *reader) isSame(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.DotNode:
		return r.dot.kind == same
	case *parse.VariableNode:
		return len(n.Ident) == 1 && r.variable(n.Ident[0]) == same
	case *parse.PipeNode:
		return len(n.Cmds) == 1 && len(n.Cmds[0].Args) == 1 && r.isSame(n.Cmds[0].Args[0])
	}
	return false
}

func (r *reader) operand(n parse.Node) value {
	switch n := n.(type) {
	case *parse.DotNode:
		return r.dot
	case *parse.FieldNode:
		return r.field(n, r.dot.kind, n.Ident)
	case *parse.VariableNode:
		v := r.variable(n.Ident[0])
		if len(n.Ident) == 1 {
			return value{kind: v}
		}
		return r.field(n, v, n.Ident[1:])
	case *parse.ChainNode:
		return r.field(n, r.operand(n.Node).kind, n.Field)
	case *parse.PipeNode:
		return r.pipe(n)
	case *parse.IdentifierNode:
		r.function(n, false)
		return r.result(n.Ident, nil)
	case *parse.StringNode:
		return value{literal: aString}
	case *parse.NumberNode:
		return value{literal: aNumber | anInteger}
	case *parse.BoolNode:
		return value{literal: aBoolean}
	}
	return value{}
}

func (r *reader) field(n parse.Node, of kind, names []string) value {
	if of != same {
		return value{}
	}
	return r.use(use{kind: useField, names: names, pos: n.Position()}, n)
}

func (r *reader) use(u use, n parse.Node) value {
	u.source, u.printed = explain.Short(n.String()), r.isPrinted
	r.note(u)
	return value{argument: &u}
}

// whole notes that n uses all arguments at once, if v is that.
func (r *reader) whole(v value, n parse.Node) {
	if v.kind == same {
		r.use(use{kind: useAll, pos: n.Position()}, n)
	}
}

// note notes a use: of a partial the first of its kind, because prompts that
// call it check all of them.
func (r *reader) note(u use) {
	if r.text.isPartial {
		key := fmt.Sprintf("%d %q %s %d %t", u.kind, u.names, u.by, u.types, u.printed)
		if r.uses[key] {
			return
		}
		r.uses[key] = true
	}
	r.text.uses = append(r.text.uses, u)
}

func (r *reader) needs(by string, v value, types types) {
	if v.argument != nil {
		u := *v.argument
		u.by, u.types = by, types
		r.note(u)
	}
}

// result notes what a function needs of the arguments of the prompt, and
// returns what it makes of them.
func (r *reader) result(name string, args []value) value {
	if _, replaced := r.funcs[name]; replaced {
		return value{}
	}
	switch name {
	case "len":
		for _, v := range args {
			r.needs(name, v, aString|aList)
		}
		return value{literal: aNumber | anInteger}
	case "index", "slice":
		if len(args) == 0 {
			return value{}
		}
		r.needs(name, args[0], aString|aList)
		if args[0].argument != nil || args[0].literal != 0 { // else it may be a map
			for _, v := range args[1:] {
				r.needs(name+" at a place", v, anInteger)
			}
		}
	case "eq", "ne", "lt", "le", "gt", "ge":
		r.comparison(name, args)
		return value{literal: aBoolean}
	case "print", "printf", "println", "html", "js", "urlquery", "fence", "untrusted", "json":
		return value{literal: aString}
	case "not":
		return value{literal: aBoolean}
	}
	return value{}
}

// comparison notes what a comparison needs: eq compares the first with each of the others.
func (r *reader) comparison(name string, args []value) {
	comparable := aString | anInteger | aNumber | aBoolean
	if name != "eq" && name != "ne" {
		comparable = aString | anInteger | aNumber
	}
	for i, v := range args {
		with := types(0)
		if i > 0 {
			with = args[0].literal
		}
		for _, w := range args[1:] {
			if i == 0 {
				with |= w.literal
			}
		}
		switch with {
		case aString, anInteger | aNumber, aBoolean:
			r.needs(name+" with "+with.String(), v, with)
		case 0:
			r.needs(name, v, comparable)
		}
	}
}

// function reports a function that is unknown. isCalled says that it gets a value.
func (r *reader) function(n *parse.IdentifierNode, isCalled bool) {
	if isFunction(r.funcs, n.Ident) || len(r.text.faults) >= maxErrors {
		return
	}
	fix := explain.Keyword(n.Ident)
	for _, a := range r.arguments {
		if n.Ident == a.name || "."+n.Ident == a.action {
			fix = fmt.Sprintf("did you mean {{%s}}?", a.action)
		}
	}
	if fix == "" {
		names := slices.Concat(ours, []string{"list"}, slices.Collect(maps.Keys(r.funcs)))
		slices.Sort(names)
		fix = "use {{.name}} for an argument, or " + explain.Literal
		if isCalled {
			all := slices.Concat(names, slices.DeleteFunc(slices.Collect(maps.Keys(builtins)), func(name string) bool { return name == "call" }))
			fix = "use one of the functions " + strings.Join(nearest.Sorted(n.Ident, all), ", ") + "; or " + explain.Literal
		}
		fix = nearest.Fix(n.Ident, names, fix)
	}
	r.text.add(n.Pos, hint.New(fix, "unknown function %q", n.Ident))
}
