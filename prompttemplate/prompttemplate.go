package prompttemplate

import (
	"fmt"
	"text/template"

	"github.com/mcp-prompts/prompts"
)

// Options configures the messages of a prompt.
type Options struct {
	// Funcs are additional functions for the templates. They must be safe for
	// concurrent use. The name of a function of this package is an error.
	// [Set.Prompt] calls the functions with generated arguments. Default: none.
	Funcs template.FuncMap
	// Partials are templates by name. A message or a partial calls one with
	// {{template "name" .}}. A partial that no message calls may use any arguments.
	// Default: none.
	Partials map[string]string
	// PartialName, if not nil, returns the name of the partial that a call means, such as the
	// Unicode form NFC of the name in the call. Default: nil, the name in the call.
	PartialName func(name string) string
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
