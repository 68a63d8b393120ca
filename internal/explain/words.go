// Package explain words the mistakes of authors: messages of text/template, YAML and regexp, and the
// words and the syntax of other programs.
//
// The modules that import the package have versions of their own: the package only gets additions.
package explain

import (
	"fmt"
	"slices"
	"strings"

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
	m := meant[strings.ToLower(word)]
	key, value, isPair := strings.Cut(m, ": ")
	switch {
	case slices.Contains(words, m):
		return fmt.Sprintf("did you mean %q?", m)
	case isPair && (value == "false" && slices.Contains(words, key) || value != "false" && slices.Contains(words, "string")): // a key, or a type
		return fmt.Sprintf("did you mean %s?", m)
	}
	return nearest.OneOf(word, words)
}
