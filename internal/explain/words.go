// Package explain words the mistakes of authors: messages of text/template, YAML and regexp, and the
// words and the syntax of other programs.
//
// The modules that import the package have versions of their own: the package only gets additions.
package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
)

// meant are words of other programs, and what they are here.
var meant = map[string]string{
	"args": "arguments", "params": "arguments", "parameters": "arguments", "variables": "arguments", "vars": "arguments", "input": "arguments", "inputs": "arguments",
	"summary": "description", "help": "description", "hint": "description", "label": "title", "id": "name", "icon": "icons", "keywords": "tags", "metadata": "meta",
	"options": "enum", "choices": "enum", "values": "enum", "oneof": "enum", "allowed": "enum", "enum": "enum: [one, two]", "select": "enum: [one, two]", "choice": "enum: [one, two]",
	"min": "minimum", "max": "maximum", "regex": "pattern", "regexp": "pattern", "value": "default", "secret": "sensitive", "password": "sensitive",
	"autocomplete": "complete", "suggestions": "complete", "completions": "complete", "example": "examples", "optional": "required: false", "mandatory": "required",
	"text": "string", "str": "string", "float": "number", "double": "number", "decimal": "number", "bool": "boolean", "list": "array", "multiselect": "array", "multiline": "string",
	"file": "resource", "document": "resource", "picture": "image", "photo": "image", "sound": "audio",
	"date": "format: date", "datetime": "format: date-time", "date-time": "format: date-time", "timestamp": "format: date-time", "time": "format: time", "duration": "format: duration",
	"email": "format: email", "url": "format: uri", "uri": "format: uri", "uuid": "format: uuid", "ipv4": "format: ipv4", "ipv6": "format: ipv6",
}

// Role returns the fix for an unknown role: the role that is probably meant, or otherwise.
func Role(word string, roles []string, otherwise string) string {
	switch strings.ToLower(word) {
	case "system", "developer":
		return "use user: MCP prompts have no system role"
	case "ai", "bot", "model", "agent", "llm", "gpt", "claude", "gemini":
		word = "assistant"
	case "human", "me", "customer":
		word = "user"
	}
	return nearest.Fix(word, roles, otherwise)
}

// Suggestion returns the fix for an unknown word of front matter, of which the words are known.
func Suggestion(word string, words []string) string {
	if slices.Contains(words, "array") && strings.ContainsAny(word, "[<") { // string[] and list<string>
		word = "list"
	}
	word = strings.ToLower(word)
	if slices.Contains(words, "arguments") && slices.Contains([]string{"messages", "prompt", "content", "text", "body", "system"}, word) {
		return "write the text below the front matter"
	}
	m := meant[word]
	key, value, isPair := strings.Cut(m, ": ")
	switch {
	case slices.Contains(words, m):
		return fmt.Sprintf("did you mean %q?", m)
	case isPair && (value == "false" && slices.Contains(words, key) || value != "false" && slices.Contains(words, "string")): // a key, or a type
		return fmt.Sprintf("did you mean %s?", m)
	}
	return nearest.OneOf(word, words)
}

// notPaths are texts in the place of the path of a file.
var notPaths = []struct {
	regexp    *regexp.Regexp
	text, fix string
}{
	{regexp.MustCompile(`(?i)^(?:[a-z][a-z0-9+.-]*://|data:)`), "path must be of a file in the folder, got a URL", "save the content as a file, or write the URL in a text"},
	{regexp.MustCompile("^[\"'`<].*[\"'`>]$|^\\[.*\\)$"), "path cannot have quotes or brackets around it", "write the path alone"},
	{regexp.MustCompile(`\{\{|\$\{`), "path cannot have placeholders", "write the path of one file, or a text with the placeholder"},
}

// Path returns an error if a text cannot be the path of a file, such as a URL.
func Path(file string) error {
	for _, p := range notPaths {
		if p.regexp.MatchString(file) {
			return hint.New(p.fix, "%s", p.text)
		}
	}
	return nil
}
