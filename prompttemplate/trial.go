package prompttemplate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// The bounds of a trial, beside the size of the messages: one is made of every
// prompt that is loaded.
const (
	trialSteps = 2_000
	trialBytes = 64 << 10
)

// trial is a rendering with made-up values.
type trial struct {
	values map[string]any
	isOpen bool // a value was used whose type may be another with other arguments
}

// checkFormat returns an error if package fmt has found a format unfit for its
// values. A format that is an argument is a generated value itself.
func (t *trial) checkFormat(format string, values []any, made string) error {
	at := strings.Index(made, "%!")
	if at < 0 || strings.Contains(format, "%!") || strings.Contains(fmt.Sprint(values...), "%!") {
		return nil
	}
	for _, v := range t.values {
		if v == format {
			return nil
		}
	}
	return hint.New("write a %v for each value", "%w", never("format %q does not match its values, got %q", shortened(format), shortened(made[at:])))
}

// sample is the arguments of trials. The executor keeps the maps for the next prompt, as
// functions of the application get single arguments, and never the maps.
type sample struct {
	with, without map[string]any
	texts         map[string]string
}

func newSample() sample { return sample{map[string]any{}, map[string]any{}, map[string]string{}} }

func (s *sample) clear() {
	clear(s.with)
	clear(s.without)
	clear(s.texts)
}

// try executes the messages with made-up values, and without those that are
// not required, and returns what never works: what is done with values of a
// type that it is not done with. That a value is too short, say, is not one of
// these, nor is that the trial ends early.
func (c *compiled) try(ctx context.Context, e *executor, arguments []prompts.Argument, d *named) []*Error {
	size := 0
	for _, m := range c.messages {
		if m.text != nil {
			size += len(m.text.source)
		}
	}
	without, with := e.sample.without, e.sample.with
	defer e.sample.clear()
	for i, a := range arguments {
		v := &d.values[i]
		with[a.Name] = v.sample(a.Schema)
		without[a.Name] = v.value
		if a.Required {
			without[a.Name] = with[a.Name]
		}
	}
	for _, values := range []map[string]any{with, without} {
		trial := &trial{values: values}
		var data any = values
		if d.isText {
			texts := e.sample.texts
			for name, value := range values {
				texts[name], _ = value.(string)
			}
			data = texts
		}
		_, err := c.renderWithin(e, run{ctx: ctx, steps: trialSteps + size, bytes: trialBytes + 4*size, trial: trial}, data)
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

// typeError is an error that depends on the type of a value, and not on what
// the value is.
type typeError struct{ text string }

func (e *typeError) Error() string { return e.text }

func never(format string, args ...any) error { return &typeError{fmt.Sprintf(format, args...)} }

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

// sample returns a value of the argument's type: one of the schema's, if it
// has any.
func (v *typed) sample(s *jsonschema.Schema) any {
	if v.types != aList {
		return sampleOf(v.types, s)
	}
	n := 1
	if s.MinItems != nil {
		n = min(max(*s.MinItems, 1), 100)
	}
	switch one := sampleOf(v.items, s.Items).(type) {
	case int:
		return many(one, n)
	case float64:
		return many(one, n)
	case bool:
		return many(one, n)
	case string:
		return many(one, n)
	}
	return v.value
}

func many[T any](one T, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = one
	}
	return all
}

func sampleOf(t types, s *jsonschema.Schema) any {
	if s == nil {
		s = &jsonschema.Schema{}
	}
	number := 1.0
	switch {
	case s.Minimum != nil:
		number = *s.Minimum
	case s.Maximum != nil:
		number = min(number, *s.Maximum)
	}
	if len(s.Enum) > 0 {
		switch first := s.Enum[0].(type) {
		case string:
			if t == aString {
				return first
			}
		case float64:
			number = first
		}
	}
	switch t {
	case anInteger:
		return int(number)
	case aNumber:
		return number
	case aBoolean:
		return true
	}
	n := 1
	if s.MinLength != nil {
		n = min(max(*s.MinLength, 1), 1000)
	}
	return strings.Repeat("x", n)
}
