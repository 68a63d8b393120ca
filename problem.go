package prompts

import (
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/suggest"
)

// reason says in one word what is wrong with an argument. The set is part of
// the wire: clients may decide by it.
type reason string

const (
	reasonMissing   reason = "missing"    // required, not given
	reasonUnknown   reason = "unknown"    // given, not declared
	reasonNotString reason = "not_string" // a JSON value other than a string
	reasonType      reason = "type"       // the text is not of the argument's type
	reasonEnum      reason = "enum"       // not one of the allowed values
	reasonPattern   reason = "pattern"    // does not match the pattern
	reasonLength    reason = "length"     // too short or too long
	reasonRange     reason = "range"      // too small or too large
	reasonSchema    reason = "schema"     // breaks any other rule of its schema
	reasonRefused   reason = "refused"    // the prompt itself does not want it
)

// problem is what is wrong with one argument, as a client gets it.
type problem struct {
	Argument string `json:"argument"`
	Reason   reason `json:"reason"`
	Message  string `json:"message"`           // a predicate: "is required"
	Allowed  any    `json:"allowed,omitempty"` // what would have been right, where it can be said
	More     int    `json:"more,omitempty"`    // of the allowed values that are left out
	// Suggestion is what the client may have meant to write. Nothing that it
	// could not learn from a list is suggested.
	Suggestion string `json:"suggestion,omitempty"`
}

// suggest adds the one of the names that name may have been meant to be.
func (p *problem) suggest(name string, names []string) {
	p.Suggestion = suggest.Near(name, names)
	if p.Suggestion != "" {
		p.Message += "; did you mean " + choice(p.Suggestion) + "?"
	}
}

func (p problem) sentence() string { return clip(p.Argument, 64) + ": " + p.Message }

// argumentsError returns the one error for all problems of a call.
func argumentsError(prompt string, problems []problem) *Error {
	const most = 8 // in the message
	sentences := make([]string, 0, most+1)
	for i, p := range problems {
		if i == most {
			sentences = append(sentences, fmt.Sprintf("and %d more", len(problems)-most))
			break
		}
		sentences = append(sentences, p.sentence())
	}
	more := max(0, len(problems)-maxProblems)
	return &Error{
		Code:    CodeInvalidParams,
		Message: strings.Join(sentences, "; "),
		Data:    argumentsData{Prompt: prompt, Problems: problems[:len(problems)-more], More: more},
	}
}

// withoutValues says what is wrong with which arguments, for the log, where their
// values are not to be.
func withoutValues(problems []problem) string {
	sentences := make([]string, len(problems))
	for i, p := range problems {
		switch p.Reason {
		case reasonMissing, reasonUnknown, reasonNotString:
		default:
			p.Message = fmt.Sprintf("is not valid (%s)", p.Reason)
		}
		sentences[i] = p.sentence()
	}
	return strings.Join(sentences, "; ")
}

// argumentsData is the data of an error about arguments.
type argumentsData struct {
	Prompt   string    `json:"prompt"`
	Input    string    `json:"input,omitempty"`  // the question for them, if that was not answered
	Action   string    `json:"action,omitempty"` // what the user has done instead
	Problems []problem `json:"problems"`
	More     int       `json:"more,omitempty"` // problems that are left out
}

// maxProblems is how many problems one answer details: a client that sends a
// thousand unknown arguments must not be sent a thousand paragraphs.
const maxProblems = 64

// blamed collects the arguments that err blames, through all that it wraps.
func blamed(err error, problems []problem) []problem {
	switch e := err.(type) {
	case nil:
		return problems
	case *argumentError:
		return append(problems, e.problem)
	case *includeError:
		return problems // they are arguments of another prompt
	case interface{ Unwrap() error }:
		return blamed(e.Unwrap(), problems)
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			problems = blamed(err, problems)
		}
	}
	return problems
}
