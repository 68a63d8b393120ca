package prompttemplate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"text/template"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// Options configures the messages of a prompt.
type Options struct {
	// Funcs are additional functions for the templates. They must be safe for
	// concurrent use. The name of a function of this package is an error.
	// [Set.Prompt] calls the functions with generated arguments. Default: none.
	Funcs template.FuncMap
	// Partials are templates by name. A message or a partial calls one with {{template "name" .}}.
	// A partial that no message calls may use any arguments. Default: none.
	Partials map[string]string
}

// Message is a message of a prompt, with a role and either a template or content.
type Message struct {
	Role prompts.Role
	// Text is the template. Its output is limited to 16 MiB.
	Text string
	// Content is sent unchanged, instead of Text.
	Content prompts.Content
}

// User returns a message of the user with text as its template.
func User(text string) Message { return Message{Role: prompts.RoleUser, Text: text} }

// Assistant returns a message of the assistant with text as its template.
func Assistant(text string) Message { return Message{Role: prompts.RoleAssistant, Text: text} }

// Must returns p, and panics if err is not nil. Wrap [New] or [NewTyped] in Must for
// prompts that are part of the program.
func Must(p prompts.Prompt, err error) prompts.Prompt {
	if err != nil {
		panic(fmt.Errorf("prompttemplate: %w", err))
	}
	return p
}

// checkMessage returns an error if a message is invalid, apart from its text.
func checkMessage(m Message) error {
	if m.Role != prompts.RoleUser && m.Role != prompts.RoleAssistant {
		return hint.New("use User or Assistant", "unknown role %q", m.Role)
	}
	switch {
	case m.Content == nil && m.Text == "":
		return hint.New("set Text or Content", "message is empty")
	case m.Content != nil && m.Text != "":
		return hint.New("split the message in two", "message has both Text and Content")
	case m.Content != nil:
		if v := reflect.ValueOf(m.Content); v.Kind() == reflect.Pointer && v.IsNil() {
			return errors.New("message has a nil pointer as Content")
		}
	}
	return nil
}

// New returns p with a render function that executes the messages. Their data are the arguments in
// p.Arguments, by name. An argument with the schema type integer, number, boolean or array is an
// int, a float64, a bool, or a slice of these types or of strings. Any other argument is a string.
// An absent argument without a default is the zero value of its type.
//
// An argument that the messages only print, as {{.name}} or {{index . "a-b"}}, becomes
// Verbatim: see [prompts.Argument].
//
// If p has no Digest, New sets it: a SHA-256 of the declaration, the messages and the
// partials that they call. A change of Go code does not change the Digest.
//
// New returns all errors in the messages and the options, joined, each an [*Error].
// [prompts.Registry.Add] reports errors in the rest of p.
func New(p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	d := namedOf(p.Arguments)
	c, err := compile(p, newSet(o), messages, d, nil)
	if err != nil {
		return prompts.Prompt{}, err
	}
	return c.named(p, d), nil
}

// NewTyped returns p with the arguments of the struct In, like [prompts.New], and a render function
// that executes the messages. Their data is an In, with the fields under their Go names. Fields of
// embedded structs may be written as in Go, with or without the struct's name.
//
// NewTyped returns all errors in In, the messages and the options, joined.
// [prompts.Registry.Add] reports errors in the rest of p.
func NewTyped[In any](p prompts.Prompt, o Options, messages ...Message) (prompts.Prompt, error) {
	in, faults := structOf[In]()
	var d data
	if faults == nil {
		d = in
	}
	c, err := compile(p, newSet(o), messages, d, faults)
	if err != nil {
		return prompts.Prompt{}, err
	}
	p.Digest = c.digest(p)
	p.Arguments = c.verbatim(p.Arguments, d)
	return prompts.New(p, func(ctx context.Context, value In) (*prompts.Result, error) {
		in.complete(&value)
		return c.render(ctx, &value)
	}), nil
}

// compile compiles the messages with a set of their own. It also returns the errors of the set.
func compile(p prompts.Prompt, s *Set, messages []Message, d data, faults []*Error) (*compiled, error) {
	c, all := s.compile(p, messages, d, slices.Concat(faults, s.all()))
	var own []*Error
	for _, e := range all {
		if broken := (*brokenError)(nil); !errors.As(e.Err, &broken) { // the error of the partial is in all too
			own = append(own, e)
		}
	}
	return c, join(own, p.Name)
}

// digest returns the Digest of a prompt: that of p, or else the SHA-256 of its
// declaration, its messages, and the partials that the messages call, through others too.
// The functions and a struct with the arguments are code, which is not part of it.
func (c *compiled) digest(p prompts.Prompt) string {
	if p.Digest != "" {
		return p.Digest
	}
	h := sha256.New()
	write := func(values ...any) {
		text, err := json.Marshal(values)
		if err != nil { // of a schema or a content, which Registry.Add reports
			text = []byte(err.Error())
		}
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	write(p.Name, p.Title, p.Description, p.Version)
	for _, a := range p.Arguments {
		write("argument", a.Name, a.Title, a.Description, a.Required, a.Sensitive, schemaOf(a))
	}
	for _, m := range c.messages {
		text := ""
		if m.text != nil {
			text = m.text.source
		}
		write("message", m.role, text, fmt.Sprintf("%T", m.content), m.content)
	}
	partials := slices.SortedFunc(slices.Values(c.partials), func(a, b *text) int { return cmp.Compare(a.partial, b.partial) })
	for _, t := range partials {
		write("partial", t.partial, t.source)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
