package prompttemplate

import (
	"errors"
	"fmt"
	"reflect"
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
