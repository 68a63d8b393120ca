package prompttemplate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// kind is what the check knows of a value in a template.
type kind uint8

const (
	other kind = iota // anything; what is done with it is not checked
	root              // the arguments as a whole
	none              // nothing: what a partial has that is called without a value
)

// checker walks the templates of a prompt as text/template executes them.
type checker struct {
	set       *set
	data      data // nil if the arguments are not to be checked
	arguments []argument
	used      map[string]bool
	partly    bool // a text that is reached could not be walked
	walked    map[visit]bool
	within    []string // the partials that the walk is inside of
	faults    []error
	said      map[string]bool // the faults, by their text
	builtins  map[string]bool // whether text/template has a function, once it was asked
}

// maxFaults is how many faults are looked for: there is no end to those of a
// long text, and each is compared with all arguments.
const maxFaults = 100

// visit is a partial with what it is called with.
type visit struct {
	partial string
	dot     kind
}

// scope is where in the templates the walk is.
type scope struct {
	text      *text
	dot       kind
	variables map[string]kind // "$" among them
	caller    string          // who has called the partial without a value
}

func (s scope) inner() scope {
	s.variables = maps.Clone(s.variables)
	return s
}

// check returns everything that is wrong with what has been parsed.
func (s *set) check(d data) []error {
	c := &checker{set: s, data: d, used: map[string]bool{}, walked: map[visit]bool{}, said: map[string]bool{}, builtins: map[string]bool{}}
	if d != nil {
		c.arguments = d.all()
	}
	for _, t := range s.texts {
		if t != nil {
			c.template(t, root, "")
		}
	}
	if !c.partly && len(s.messages) > 0 {
		c.unused()
	}
	for _, name := range slices.Sorted(maps.Keys(s.partials)) {
		if !c.walked[visit{name, root}] && !c.walked[visit{name, none}] {
			c.partial(name, other, "")
		}
	}
	if len(c.faults) >= maxFaults {
		c.fault(&Error{Err: errors.New("there may be more faults; mend these first")})
	}
	return c.faults
}

func (c *checker) unused() {
	for _, a := range c.arguments {
		if !c.used[a.name] {
			c.used[a.name] = true // the same name twice is for the registry to say
			c.fault(&Error{Argument: a.name, Err: fmt.Errorf("no message uses the argument %q; write {{%s}} where its value belongs, or leave the argument out", a.name, a.action)})
		}
	}
}

func (c *checker) fault(err *Error) {
	if !c.said[err.Error()] { // for a partial that is called with different values
		c.said[err.Error()] = true
		c.faults = append(c.faults, err)
	}
}

func (c *checker) faultAt(s scope, n parse.Node, format string, args ...any) {
	c.fault(s.text.at(n).fault(fmt.Errorf(format, args...)))
}

// template walks a text that is called with dot.
func (c *checker) template(t *text, dot kind, caller string) {
	if t.tree == nil {
		c.partly = true
		return
	}
	c.list(scope{t, dot, map[string]kind{"$": dot}, caller}, t.tree.Root)
}

// partial walks a partial, which is done once for each kind of value.
func (c *checker) partial(name string, dot kind, caller string) {
	c.walked[visit{name, dot}] = true
	c.within = append(c.within, name)
	c.template(c.set.partials[name], dot, caller)
	c.within = c.within[:len(c.within)-1]
}

func (c *checker) list(s scope, l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		if len(c.faults) >= maxFaults {
			c.partly = true
			return
		}
		switch n := n.(type) {
		case *parse.ActionNode:
			if c.pipe(s, n.Pipe) == root && len(n.Pipe.Decl) == 0 {
				c.bare(s, n)
			}
		case *parse.IfNode:
			c.branch(s, &n.BranchNode)
		case *parse.WithNode:
			c.branch(s, &n.BranchNode)
		case *parse.RangeNode:
			c.branch(s, &n.BranchNode)
		case *parse.TemplateNode:
			c.call(s, n)
		}
	}
}

// branch walks if, with and range. The branch for else has the dot of
// outside.
func (c *checker) branch(s scope, n *parse.BranchNode) {
	s = s.inner()
	v := c.pipe(s, n.Pipe)
	if v == root {
		c.bare(s, n.Pipe)
	}
	then := s.inner()
	switch n.NodeType {
	case parse.NodeWith:
		then.dot = v
	case parse.NodeRange:
		then.dot = other
	}
	c.list(then, n.List)
	c.list(s.inner(), n.ElseList)
}

// call walks {{template "name" pipe}}.
func (c *checker) call(s scope, n *parse.TemplateNode) {
	dot := none
	if n.Pipe != nil {
		dot = c.pipe(s, n.Pipe)
	}
	if c.set.partials[n.Name] == nil {
		c.partly = true
		c.faultAt(s, n, "there is no partial %q; %s", n.Name,
			advice(n.Name, slices.Sorted(maps.Keys(c.set.partials)), "add it to Options.Partials"))
		return
	}
	if i := slices.Index(c.within, n.Name); i >= 0 {
		path := append(slices.Clone(c.within[i:]), n.Name)
		c.faultAt(s, n, "the partial %q calls itself (%s); write what repeats with range", n.Name, strings.Join(path, " -> "))
		return
	}
	if !c.walked[visit{n.Name, dot}] { // where the call stands takes counting
		c.partial(n.Name, dot, s.text.at(n).String())
	}
}

// pipe walks a pipeline and returns what it is.
func (c *checker) pipe(s scope, p *parse.PipeNode) kind {
	v := other
	for i, cmd := range p.Cmds {
		if v == root {
			c.bare(s, cmd)
		}
		v = c.command(s, cmd, i > 0)
	}
	for _, d := range p.Decl {
		name := d.Ident[0]
		if p.IsAssign && (v == root || s.variables[name] == root) {
			c.faultAt(s, d, "%s cannot be assigned all arguments, nor another value in their place; declare another variable", name)
		}
		s.variables[name] = v
	}
	return v
}

// command walks one command of a pipeline and returns what it is.
func (c *checker) command(s scope, cmd *parse.CommandNode, piped bool) kind {
	first, rest := cmd.Args[0], cmd.Args[1:]
	if len(rest) == 0 && !piped {
		if first.Type() == parse.NodeNil {
			c.faultAt(s, first, "nil is no value by itself")
		}
		return c.operand(s, first)
	}
	function, isFunction := first.(*parse.IdentifierNode)
	if isFunction {
		c.function(s, function)
		if _, replaced := c.set.funcs["index"]; function.Ident == "index" && !replaced && c.index(s, rest) {
			return other
		}
	} else if c.operand(s, first); c.isValue(s, first) {
		c.faultAt(s, first, "%s is a value and takes no arguments; write the function first, or a | between them", first)
	}
	for _, arg := range rest {
		if c.operand(s, arg) == root {
			c.bare(s, arg)
		}
	}
	return other
}

// isValue reports whether n is no method for certain: the arguments, one of
// them, or a literal.
func (c *checker) isValue(s scope, n parse.Node) bool {
	switch n := n.(type) {
	case *parse.FieldNode:
		return s.dot == root && len(n.Ident) == 1
	case *parse.VariableNode:
		return len(n.Ident) == 1 || len(n.Ident) == 2 && s.variables[n.Ident[0]] == root
	case *parse.ChainNode:
		return false
	}
	return true
}

// index walks the arguments of the function index if they are the arguments of
// the prompt and a literal, and reports whether they are.
func (c *checker) index(s scope, args []parse.Node) bool {
	if len(args) < 2 || !c.isRoot(s, args[0]) {
		return false
	}
	key, ok := args[1].(*parse.StringNode)
	if !ok {
		return false
	}
	if c.data != nil {
		c.use(s, key)(c.data.indexed(key.Text))
	}
	for _, arg := range args[2:] {
		if c.operand(s, arg) == root {
			c.bare(s, arg)
		}
	}
	return true
}

// isRoot reports whether n is the arguments as a whole.
func (c *checker) isRoot(s scope, n parse.Node) bool {
	switch n := n.(type) {
	case *parse.DotNode:
		return s.dot == root
	case *parse.VariableNode:
		return len(n.Ident) == 1 && s.variables[n.Ident[0]] == root
	case *parse.PipeNode:
		return len(n.Cmds) == 1 && len(n.Cmds[0].Args) == 1 && c.isRoot(s, n.Cmds[0].Args[0])
	}
	return false
}

// operand walks one word of a command and returns what it is.
func (c *checker) operand(s scope, n parse.Node) kind {
	switch n := n.(type) {
	case *parse.DotNode:
		return c.known(s, n, s.dot)
	case *parse.FieldNode:
		return c.field(s, n, s.dot, n.Ident)
	case *parse.VariableNode:
		v := s.variables[n.Ident[0]]
		if len(n.Ident) == 1 {
			return c.known(s, n, v)
		}
		return c.field(s, n, v, n.Ident[1:])
	case *parse.ChainNode:
		return c.field(s, n, c.operand(s, n.Node), n.Field)
	case *parse.PipeNode:
		return c.pipe(s, n)
	case *parse.IdentifierNode:
		c.function(s, n)
	}
	return other
}

// known faults a value that is none.
func (c *checker) known(s scope, n parse.Node, v kind) kind {
	if v == none {
		c.faultAt(s, n, `%s has no value, because %s calls the partial without one; write {{template "name" .}} there`, n, s.caller)
		return other
	}
	return v
}

// field walks the fields of a value.
func (c *checker) field(s scope, n parse.Node, of kind, names []string) kind {
	if c.known(s, n, of) == root && c.data != nil {
		c.use(s, n)(c.data.selected(names))
	}
	return other
}

// use notes the use of an argument at n, or what is wrong with it.
func (c *checker) use(s scope, n parse.Node) func(argument string, err error) {
	return func(argument string, err error) {
		if err != nil {
			c.faultAt(s, n, "%w", err)
		}
		c.used[argument] = true
	}
}

// bare faults the arguments as a whole where one value is meant.
func (c *checker) bare(s scope, n parse.Node) {
	example := ""
	if len(c.arguments) > 0 {
		example = ", such as {{" + c.arguments[0].action + "}}"
	}
	c.faultAt(s, n, "this is all arguments at once; write one of them%s", example)
}

// function faults a function that there is not.
func (c *checker) function(s scope, n *parse.IdentifierNode) {
	if _, ok := c.set.funcs[n.Ident]; ok || c.isBuiltin(n.Ident) {
		return
	}
	for _, a := range c.arguments {
		if n.Ident == a.name || "."+n.Ident == a.action {
			c.faultAt(s, n, "there is no function %q; write {{%s}} for the argument", n.Ident, a.action)
			return
		}
	}
	names := slices.Collect(maps.Keys(c.set.funcs))
	names = slices.DeleteFunc(names, func(name string) bool { return name == orEmpty })
	slices.Sort(names)
	c.faultAt(s, n, "there is no function %q; %s", n.Ident, advice(n.Ident, names, "add it to Options.Funcs"))
}

// isBuiltin reports whether text/template has the function itself.
func (c *checker) isBuiltin(name string) bool {
	is, known := c.builtins[name]
	if !known {
		_, err := template.New("").Parse("{{" + name + "}}")
		is = err == nil
		c.builtins[name] = is
	}
	return is
}
