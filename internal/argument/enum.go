package argument

import (
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/problem"
)

func notOneOfTexts(text string, texts []string) *Problem {
	// Choices are quoted only if they need quotes, so that a list of words stays readable.
	p := notOneOf(phrase.Quote(text), texts, phrase.Choice)
	p.suggest(text, texts)
	return p
}

// maxAllowed limits how many values of an enum a problem lists.
const maxAllowed = 100

// Allowed is for programs and has the values themselves. The message is for people
// and models, and phrase.List shortens it.
func notOneOf[T any](what string, values []T, say func(T) string) *Problem {
	// An enum may have a million values, and each error would repeat them.
	most := min(len(values), maxAllowed)
	return &Problem{
		Reason: problem.Enum, Message: mustBe(oneOf(values, say), what),
		Allowed: values[:most], More: len(values) - most,
	}
}

func oneOf[T any](values []T, say func(T) string) string {
	if len(values) == 1 {
		return say(values[0])
	}
	return "one of " + phrase.List(values, say)
}
