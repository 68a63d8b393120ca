package argument

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// This file accepts placeholders: some clients send "$1" in place of a value, and put
// the value into the result.

// Placeholders marks the texts that are placeholders to be accepted unchecked: those of
// strings that are printed verbatim. For any other placeholder it returns a problem.
// client is the name of the client in the problems.
//
// The caller knows from the client's name that placeholders are possible. Other clients
// never get here, because "$1" may be a value that is meant.
func (p *Plan) Placeholders(texts []Text, client string) (problems []Problem) {
	for i := range p.Arguments {
		a, t := &p.Arguments[i], &texts[i]
		switch {
		case !t.Given || !hosts.IsPlaceholder(t.Value):
		// Only a string reaches the result unchanged. A placeholder of any other type would
		// fail in the conversion, with an error that no user of such a client could understand.
		case a.Verbatim && !a.Sensitive && a.value.kind == schema.String:
			t.IsPlaceholder = true
		default:
			problems = append(problems, a.placeholder(client, t.Value))
		}
	}
	return problems
}

// The value of a sensitive argument is not repeated: a secret may look like a placeholder.
func (a *Argument) placeholder(client, value string) Problem {
	what := phrase.Quote(value)
	if a.Sensitive {
		what = "a placeholder"
	}
	return Problem{
		Argument: a.Name, Reason: problem.Placeholder,
		Message: fmt.Sprintf("%s sends %s instead of the value, but this prompt needs the value itself; use a tool of this server, another prompt or another client", client, what),
	}
}

// ExplainPlaceholders returns a text for the model, and so for the user, of a client that
// shows no errors (GAP-52). It has names, but no value. If a problem has another reason, it
// returns the empty string.
func ExplainPlaceholders(prompt, client string, problems []Problem) string {
	var names []string
	for _, p := range problems {
		if p.Reason != problem.Placeholder {
			return ""
		}
		names = append(names, phrase.Quote(p.Argument))
	}
	return fmt.Sprintf("The prompt %s cannot be used in %s, because %s sends a placeholder instead of the value of %s. Reply that the user needs a tool of this server, another prompt or another client.", phrase.Quote(prompt), client, client, strings.Join(names, ", "))
}

func (t *Text) forRender() string {
	if t.IsPlaceholder {
		return hosts.Mark(t.Value)
	}
	return t.Value
}

// fill reads the text into dst, as read does. A placeholder is not checked.
func (v *value) fill(ctx context.Context, dst reflect.Value, t Text) []Problem {
	if t.IsPlaceholder {
		setPlaceholder(dst, t.forRender())
		return nil
	}
	_, problems := v.read(ctx, dst, t.Value, false)
	return problems
}

// setPlaceholder sets dst, if it is valid, to a text that stands in for a value that the client
// adds later, so that no rule can be checked here.
func setPlaceholder(dst reflect.Value, text string) {
	if !dst.IsValid() {
		return
	}
	// Placeholders has ensured that the Go type is a string, or an interface that is read as one.
	for dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	if dst.Kind() == reflect.Interface {
		dst.Set(reflect.ValueOf(text))
	} else {
		dst.SetString(text)
	}
}
