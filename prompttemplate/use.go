package prompttemplate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// checker compares what the messages of a prompt use with its arguments.
type checker struct {
	set    *Set
	data   data // nil if the arguments are not to be checked
	used   map[string]bool
	partly bool // a text that is used could not be read
	faults []*Error
	said   map[string]bool // the errors, by their text
	called map[*text]bool  // the partials that get the arguments, and were checked
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
		callee := c.set.partials[call.partial]
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

// brokenError is the error of a call to an invalid partial.
type brokenError struct {
	partial string
	err     error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("the partial %q has an error: %v", e.partial, e.err)
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

// use returns an error if a use of the arguments is invalid.
func (c *checker) use(u *use) error {
	switch u.kind {
	case useAll:
		example := ""
		if all := c.arguments(); len(all) > 0 {
			example = ", such as {{" + all[0].action + "}}"
		}
		return fmt.Errorf("this is all arguments at once; write one of them%s", example)
	case useAssign:
		return fmt.Errorf("%s cannot be assigned all arguments, nor another value in their place; declare another variable", u.source)
	case useCall:
		return fmt.Errorf("%s is a value and takes no arguments; write the function first, or a | between them", u.source)
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
	is := c.data.typesOf(argument)
	if u.by == "" || is&u.types != 0 {
		return nil
	}
	advice := "use another argument, or declare its type"
	switch {
	case u.by == "range" && is == aString:
		advice = fmt.Sprintf("write {{range list %s}}, or declare type: array", u.source)
	case u.types == aBoolean:
		advice = "compare it with " + is.String()
	case u.types == aString:
		advice = "write the value without quotes"
	case u.types&anInteger != 0 && is == aString:
		advice = "declare type: integer, or type: number"
	}
	return fmt.Errorf("%s needs %s, and the argument %q is %s; %s", u.by, u.types, argument, is, advice)
}

// done returns all errors. hasMessages says that the prompt has messages, which
// could use the arguments.
func (c *checker) done(hasMessages bool) []*Error {
	if !c.partly && hasMessages {
		for _, a := range c.arguments() {
			if !c.used[a.name] {
				c.used[a.name] = true // the same name twice is for the registry to say
				c.add(&Error{Argument: a.name, Err: fmt.Errorf("no message uses the argument %q; write {{%s}} where its value belongs, or leave the argument out", a.name, a.action)})
			}
		}
	}
	if len(c.faults) >= maxErrors {
		c.faults = append(c.faults, &Error{Err: errors.New("there may be more errors; fix these first")})
	}
	return c.faults
}
