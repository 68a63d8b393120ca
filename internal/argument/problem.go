package argument

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// Problem is the error of one argument, as the client receives it: see problem.Problem. A problem
// is for three readers: Message for people and models, the other fields with JSON names for
// programs, and Redacted for the log. The part that a problem repeats of a value is clipped.
type Problem struct {
	Argument string `json:"argument"` // empty for all arguments of a tool together
	// Path is the JSON Pointer of the place inside of the argument; empty for all of it.
	Path    string         `json:"path,omitempty"`
	Reason  problem.Reason `json:"reason"`
	Message string         `json:"message"`           // a predicate, such as "is required"
	Allowed any            `json:"allowed,omitempty"` // what would be valid, if that can be said
	More    int            `json:"more,omitempty"`    // how many allowed values are left out
	// Suggestion is the value or name that the client may have meant. It must be in prompts/list.
	Suggestion string `json:"suggestion,omitempty"`

	isUndeclared bool // Locate found no argument of the name

	ofAll  bool   // it is one of all arguments of a tool together
	place  string // of Path in a message, such as .filters[2].name
	logged string // place without the names that the client has chosen
}

// IsUndeclared reports whether code of the application rejects an argument that the prompt
// does not declare.
func (p Problem) IsUndeclared() bool { return p.isUndeclared }

// MaxProblems limits how many problems one response details. More would be of no use to a reader,
// while a value of a megabyte can break a rule in each of its elements.
const MaxProblems = 64

// Sentence returns the message with its subject, the argument. The message is a predicate, so the
// place in a value reads as a part of the subject: "filters[2].name is required".
func (p Problem) Sentence() string {
	subject := phrase.Clip(p.Argument, 64) + p.place
	if p.ofAll {
		subject = "the object"
	}
	if p.Reason == problem.Refused || p.Reason == problem.Placeholder { // words of the application, or another subject
		return subject + ": " + p.Message
	}
	return subject + " " + p.Message
}

// The developer sees it as an error of a default or an example, where the argument is known.
func (p Problem) inside() string {
	return strings.TrimPrefix(phrase.Join(" ", p.place, p.Message), ".")
}

// Sentences joins the sentences of the first problems, and counts the others. The result is one
// line, as the message of a JSON-RPC error. The error data has the problems themselves.
func Sentences(problems []Problem, more int) string {
	const most = 8
	sentences := make([]string, 0, most+1)
	for i, p := range problems {
		if i == most {
			break
		}
		sentences = append(sentences, p.Sentence())
	}
	if more += len(problems) - len(sentences); more > 0 {
		sentences = append(sentences, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(sentences, "; ")
}

// Redacted joins the sentences of problems without the values that clients sent, for the log. The
// log says which argument failed and why, but a value may be personal, also of an argument that is
// not sensitive.
func Redacted(problems []Problem) string {
	sentences := make([]string, len(problems))
	for i, p := range problems {
		p.place = p.logged
		switch {
		// The messages of the first two cases contain no value. The second is only about a name
		// that the prompt does not declare, not about a member inside of a value.
		case p.Reason == problem.Missing:
		case p.Reason == problem.Unknown && p.Path == "":
		default:
			p.Message = fmt.Sprintf("is not valid (%s)", p.Reason)
		}
		sentences[i] = p.Sentence()
	}
	return strings.Join(sentences, "; ")
}

func (p *Problem) suggest(name string, names []string) {
	p.Suggestion = nearest.Name(name, names)
	if p.Suggestion != "" {
		p.Message += didYouMean(p.Suggestion)
	}
}

func didYouMean(name string) string { return fmt.Sprintf(" (did you mean %q?)", name) }

func undeclared(name string) Problem {
	return Problem{Argument: phrase.Clip(name, phrase.MaxEcho), Reason: problem.Unknown, Message: notDeclared}
}

const notDeclared = "is not an argument of this prompt"

// The example is what the string could contain; "" if that is not clear.
func notString(name, example string) Problem {
	message := "must be a JSON string"
	if example != "" {
		message += ", such as " + string(strictjson.AppendString(nil, example))
	}
	return Problem{Argument: phrase.Clip(name, phrase.MaxEcho), Reason: problem.NotString, Message: message}
}

// Error is the error by which code of the application rejects an argument. An Error can come from
// UnmarshalText, from a render function or from middleware, and be wrapped there.
type Error struct{ Problem }

// Refuse returns the Error for the argument with the name, or for a place inside, such as
// filters[2].name. The application may build the reason from any bytes, so both texts are made
// valid UTF-8.
func Refuse(name, reason string) error {
	return &Error{Problem{
		Argument: strings.ToValidUTF8(name, "\ufffd"),
		Reason:   problem.Refused,
		Message:  strings.ToValidUTF8(reason, "\ufffd"),
	}}
}

func (e *Error) Error() string { return e.Sentence() }

// ArgumentErrors appends the problem of each Error in err, through everything that err wraps. It
// ignores an error with a method OfAnotherPrompt: what that wraps is about the arguments of an
// included prompt. errors.As would find only the first Error, but errors.Join may hold one for each
// argument.
func ArgumentErrors(err error, problems []Problem) []Problem {
	switch e := err.(type) {
	case nil:
		return problems
	case *Error:
		return append(problems, e.Problem)
	case interface{ OfAnotherPrompt() }:
		return problems
	case interface{ Unwrap() error }:
		return ArgumentErrors(e.Unwrap(), problems)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			problems = ArgumentErrors(err, problems)
		}
	}
	return problems
}

// DeclarationError is an error of the declaration of an argument.
// Developers read the message, so that it may name Go types.
type DeclarationError struct {
	Name string // of the argument
	Err  error
}

func (e *DeclarationError) Error() string { return fmt.Sprintf("argument %q: %v", e.Name, e.Err) }

func (e *DeclarationError) Unwrap() error { return e.Err }

func mustBe(expected, got string) string { return "must be " + expected + ", got " + got }

// Rename returns copies of problems with other names of arguments. names has them by the names in
// the problems. A tool has keys for some arguments, and its client knows those. An unknown name may
// be misspelled, or the misspelled other name.
func Rename(problems []Problem, names map[string]string) []Problem {
	problems = slices.Clone(problems)
	for i := range problems {
		p := &problems[i]
		renamed := cmp.Or(names[p.Argument], p.Argument)
		if p.Reason == problem.Unknown && p.Path == "" && p.Argument != "" {
			known := didYouMean(p.Suggestion)
			if p.Suggestion == "" {
				p.Suggestion = nearest.Name(p.Argument, append(slices.Sorted(maps.Values(names)), sortedKeys(names)...))
			}
			p.Message = strings.TrimSuffix(p.Message, known)
			// The client may have sent the argument by both names.
			if p.Suggestion = cmp.Or(names[p.Suggestion], p.Suggestion); p.Suggestion == renamed {
				p.Suggestion = ""
			}
			if p.Suggestion != "" {
				p.Message += didYouMean(p.Suggestion)
			}
		}
		p.Argument = renamed
	}
	return problems
}

// ReplaceText returns copies of problems with other text.
// The server uses ReplaceText to remove secrets from everything that it sends.
// Allowed is not replaced: its values come from the declaration.
func ReplaceText(problems []Problem, replace func(string) string) []Problem {
	problems = slices.Clone(problems)
	for i := range problems {
		p := &problems[i]
		p.Argument, p.Message, p.Suggestion = replace(p.Argument), replace(p.Message), replace(p.Suggestion)
		p.Path, p.place = replace(p.Path), replace(p.place)
	}
	return problems
}
