package prompttemplate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// checker compares what the messages of a prompt use with its arguments.
type checker struct {
	partials map[string]*text
	data     data // nil if the arguments are not to be checked
	used     map[string]bool
	tested   map[string]bool // used for more than to print the value
	partly   bool            // a text that is used could not be read
	faults   []*Error
	said     map[string]bool // the errors, by their text
	called   map[*text]bool  // the partials that get the arguments, and were checked
}

func (c *checker) add(err *Error) {
	if text := err.Error(); !c.said[text] && len(c.faults) < maxErrors {
		c.said[text] = true
		c.faults = append(c.faults, err)
	}
}

func (c *checker) arguments() []argument {
	if c.data == nil {
		return nil
	}
	return c.data.all()
}

// message checks a message, and the partials that it gives the arguments to.
func (c *checker) message(t *text) {
	before := len(c.faults)
	for _, err := range t.faults {
		c.add(err)
	}
	c.partly = c.partly || t.tree == nil
	c.uses(t, nil)
	slices.SortStableFunc(c.faults[before:], func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	for _, call := range t.calls {
		callee := c.partials[call.partial]
		if callee == nil || callee.why != nil {
			c.partly = true
		}
		if callee == nil {
			continue
		}
		if callee.why != nil && len(c.faults) < maxErrors {
			c.add(t.at(call.pos).error(&brokenError{call.partial, callee.why}))
		}
		if call.given != same {
			continue
		}
		for _, p := range callee.given {
			if !c.called[p] {
				c.called[p] = true
				c.uses(p, func() place { return t.at(call.pos) })
			}
		}
	}
}

type brokenError struct {
	partial string
	err     error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("partial %q is invalid: %v", e.partial, e.err)
}

func (e *brokenError) Unwrap() error { return e.err }

// uses checks what a text does with the arguments. from returns where it is
// called, if it is a partial.
func (c *checker) uses(t *text, from func() place) {
	found := 0 // with those that are there already: each takes counting lines
	for i := range t.uses {
		if found >= maxErrors || len(c.faults) >= maxErrors {
			c.partly = true
			return
		}
		u := &t.uses[i]
		err := c.use(u)
		if err == nil {
			continue
		}
		found++
		e := t.at(u.pos).error(err)
		if from != nil {
			at := from()
			e.CallMessage, e.CallLine = at.message, at.line
		}
		c.add(e)
	}
}

func (c *checker) use(u *use) error {
	switch u.kind {
	case useAll:
		fix := "use a single argument"
		if all := c.arguments(); len(all) > 0 {
			fix += ", for example {{" + all[0].action + "}}"
		}
		return hint.New(fix, "{{.}} means all arguments")
	case useAssign:
		return hint.New("declare another variable", "cannot assign {{.}} (all arguments) to %s, or replace {{.}} in %[1]s", u.source)
	case useCall:
		for _, a := range c.arguments() {
			if strings.HasPrefix(a.name, u.source[1:]+" ") {
				return hint.New("write {{"+a.action+"}}", "name after a dot must have no space")
			}
		}
		return notFunction(u.source)
	}
	if c.data == nil {
		return nil
	}
	find := c.data.selected
	if u.kind == useIndex {
		find = func(names []string) (string, error) { return c.data.indexed(names[0]) }
	}
	argument, err := find(u.names)
	if err != nil {
		return err
	}
	c.used[argument] = true
	if !u.printed {
		c.tested[argument] = true
	}
	is := c.data.typesOf(argument)
	if u.by == "" || is&u.types != 0 {
		return nil
	}
	fix := "use another argument, or declare its type"
	switch {
	case u.by == "range" && is == aString:
		fix = fmt.Sprintf("use {{range list %s}}, or declare type: array", u.source)
	case u.types == aBoolean:
		fix = "compare the argument with " + is.String()
	case u.types == aString:
		fix = "write the value without quotes"
	case u.types&anInteger != 0 && is == aString:
		fix = "declare type: integer, or type: number"
	}
	return hint.New(fix, "%s needs %s, but argument %q is %s", u.by, u.types, argument, is)
}

// done returns all errors. hasMessages says that the prompt has messages, which
// could use the arguments.
func (c *checker) done(hasMessages bool) []*Error {
	if !c.partly && hasMessages {
		for _, a := range c.arguments() {
			if !c.used[a.name] {
				c.used[a.name] = true // the same name twice is for the registry to say
				c.add(&Error{Argument: a.name, Err: hint.New(fmt.Sprintf("add {{%s}} to a message, or remove the argument", a.action), "argument %q is never used", a.name)})
			}
		}
	}
	if len(c.faults) >= maxErrors {
		c.faults = append(c.faults, &Error{Err: hint.New("fix these first", "too many errors (%d)", maxErrors)})
	}
	return c.faults
}
