package prompttemplate

import (
	"fmt"
	"text/template"

	"github.com/mcp-prompts/prompts"
)

// Options are what the messages of a prompt have in common. The zero value
// has nothing.
type Options struct {
	// Funcs are more functions for the templates. A name that this package
	// uses itself is an error. They must be safe for concurrent use.
	// [Set.Prompt] calls them too, with made-up arguments.
	Funcs template.FuncMap
	// Partials are templates by name, which the messages and each other may
	// call with {{template "name" .}}. One that no message calls may use any
	// arguments.
	Partials map[string]string
}

// Message is a message of a prompt: a role, and either a template of its text
// or its content.
type Message struct {
	Role prompts.Role
	// Text is the template. What it writes may have 16 MiB.
	Text string
	// Content is sent as it is, instead of Text.
	Content prompts.Content
}

// User returns a message of the user with text as its template.
func User(text string) Message { return Message{Role: prompts.RoleUser, Text: text} }

// Assistant returns a message of the assistant with text as its template.
func Assistant(text string) Message { return Message{Role: prompts.RoleAssistant, Text: text} }

// Must returns p and panics if err is not nil. It is for prompts that are
// part of the program, around [New] or [NewTyped].
func Must(p prompts.Prompt, err error) prompts.Prompt {
	if err != nil {
		panic(fmt.Errorf("prompttemplate: %w", err))
	}
	return p
}
