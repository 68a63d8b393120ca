package argument

import (
	"fmt"
	"reflect"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file accepts placeholders: some clients send "$1" in place of a value, and put
// the value into the result.

// Placeholders marks the texts that are placeholders to be accepted unchecked: those of
// strings that are printed verbatim. For any other placeholder it returns a problem.
// client is the name of the client in the problems.
func (p *Plan) Placeholders(texts []Text, client string, isPlaceholder func(string) bool) (problems []Problem) {
	for i := range p.Arguments {
		a, t := &p.Arguments[i], &texts[i]
		switch {
		case !t.Given || !isPlaceholder(t.Value):
		case a.Verbatim && !a.Sensitive && a.value.kind == schema.String:
			t.unchecked = true
		default:
			problems = append(problems, a.placeholder(client, t.Value))
		}
	}
	return problems
}

// placeholder returns the problem of a placeholder that the prompt cannot use.
func (a *Argument) placeholder(client, value string) Problem {
	what := Quote(value)
	if a.Sensitive {
		what = "a placeholder"
	}
	return Problem{
		Argument: a.Name, Reason: reasonPlaceholder,
		Message: fmt.Sprintf("%s sends %s instead of the value, but this prompt needs the value itself; use a tool of this server, another prompt or another client", client, what),
	}
}

// fill reads the text into dst, as read does. A placeholder is not checked.
func (v *value) fill(dst reflect.Value, t Text) []Problem {
	if !t.unchecked {
		_, problems := v.read(dst, t.Value, false)
		return problems
	}
	if !dst.IsValid() {
		return nil
	}
	for dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	if dst.Kind() == reflect.Interface {
		dst.Set(reflect.ValueOf(t.Value))
	} else {
		dst.SetString(t.Value)
	}
	return nil
}
