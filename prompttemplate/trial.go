package prompttemplate

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sample"
)

// The bounds of a trial, beside the size of the messages: one is made of every
// prompt that is loaded.
const (
	trialSteps = 2_000
	trialBytes = 64 << 10
)

// trier executes the messages of prompts with made-up values, of one prompt at a time. It keeps
// the maps for the next prompt, as functions of the application get single arguments, and never
// the maps.
type trier struct {
	*executor
	with, without map[string]any
	texts         map[string]string
}

func (t *trier) clear() {
	clear(t.with)
	clear(t.without)
	clear(t.texts)
}

// try executes the messages with made-up values, and without those that are not required, and
// returns what never works: what is done with values of a type that it is not done with. That a
// value is too short, say, is not one of these, nor is that the trial ends early.
func (t *trier) try(ctx context.Context, c *compiled, arguments []prompts.Argument, d *named) []*Error {
	t.prepare(c)
	defer t.clear()
	size := 0
	for _, m := range c.messages {
		if m.text != nil {
			size += len(m.text.source)
		}
	}
	for i, a := range arguments {
		v := &d.values[i]
		t.with[a.Name] = v.sample(schemaOf(a))
		t.without[a.Name] = v.value
		if a.Required {
			t.without[a.Name] = t.with[a.Name]
		}
	}
	for _, values := range []map[string]any{t.with, t.without} {
		trial := &trial{values: values}
		var data any = values
		if d.isText {
			for name, value := range values {
				t.texts[name], _ = value.(string)
			}
			data = t.texts
		}
		_, err := c.renderWithin(t.executor, run{ctx: ctx, steps: trialSteps + size, bytes: trialBytes + 4*size, trial: trial}, data)
		var failed *Error
		if errors.As(err, &failed) && isNever(failed.Err) && !trial.isOpen {
			c.place(failed)
			return []*Error{failed}
		}
	}
	return nil
}

// place adds the call to an error in a partial.
func (c *compiled) place(e *Error) {
	for _, m := range c.messages {
		if m.text == nil || e.Partial == "" {
			continue
		}
		for _, call := range m.text.calls {
			for _, p := range c.partials {
				if p.partial == call.partial && slices.ContainsFunc(p.reach, func(t *text) bool { return t.partial == e.Partial }) {
					at := m.text.at(call.pos)
					e.CallMessage, e.CallLine = at.message, at.line
					return
				}
			}
		}
	}
}

// typeErrors are those of text/template, by how they begin.
var typeErrors = []string{
	"can't evaluate field", "can't give argument to non-function", "wrong number of args", "wrong type for value", "can't use ",
	"range can't iterate", "can't handle", "expected ", "cannot assign", "error calling slice: can't slice item of type",
	"error calling slice: cannot index slice/array with type", "error calling len: len of type",
}

// isNever reports whether an error is one of a template that never works.
func isNever(err error) bool {
	if e := (*typeError)(nil); errors.As(err, &e) {
		return true
	}
	for _, begin := range typeErrors {
		if strings.HasPrefix(err.Error(), begin) {
			return true
		}
	}
	return false
}

// sample returns a value of the argument's type: one of the schema's, if it has any.
func (v *typed) sample(s *jsonschema.Schema) any {
	if v.types != aList {
		value, _ := scalar(v.types, textFor(v.types, s)) // zero without a number in the bounds
		return value
	}
	n := 1
	if s.MinItems != nil {
		n = min(max(*s.MinItems, 1), 100)
	}
	texts := slices.Repeat([]string{textFor(v.items, s.Items)}, n)
	if v.items == aString {
		return texts
	}
	if list, err := v.list(strings.Join(texts, ",")); err == nil {
		return list
	}
	return v.value
}

// textFor returns the text of a value: the first that the schema names, or the least.
func textFor(t types, s *jsonschema.Schema) string {
	if s == nil {
		return "x"
	}
	if all := sample.Finite(s); all != nil {
		return all[0]
	}
	if t == aString {
		n := 1
		if s.MinLength != nil {
			n = min(max(*s.MinLength, 1), 1000)
		}
		return strings.Repeat("x", n)
	}
	number := 1.0
	switch {
	case s.Minimum != nil:
		number = *s.Minimum
	case s.Maximum != nil:
		number = min(number, *s.Maximum)
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}
