package prompttemplate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// Error is an error in a template. [New] and [NewTyped] return all errors, joined.
// Programs that read templates from files use the fields to report the place.
type Error struct {
	// Prompt is the name of the prompt. It is empty for an error of a [Set].
	Prompt string
	// Message is the number of the message, counted from 1. It is 0 if the error is
	// not in a message.
	Message int
	// Partial is the name of the partial. It is empty if the error is not in a partial.
	Partial string
	// Line is the line in the message or partial, counted from 1, or 0 if unknown.
	Line int
	// Column is the column in the line, in characters counted from 1, or 0 if unknown.
	Column int
	// CallMessage and CallLine are the message and the line that call a partial with unsuitable
	// placeholders, directly or through other partials. Both are 0 for other errors.
	CallMessage, CallLine int
	// Argument is the name of an argument that no message uses. It is empty for other errors.
	Argument string
	// Err describes the error. The text may change.
	Err error

	isPartial bool // which may have an empty name
}

// Error returns the error with the prompt and the place. The text may change.
func (e *Error) Error() string {
	text := e.Err.Error()
	if at := (place{message: e.Message, isPartial: e.isPartial || e.Partial != "", partial: e.Partial, line: e.Line}); at != (place{}) {
		text = at.String() + ": " + text
	}
	if e.Prompt == "" { // an error of a Set
		return text
	}
	return fmt.Sprintf("prompt %q: %s", e.Prompt, text)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

type place struct {
	message   int // from 1; 0 for none
	isPartial bool
	partial   string
	line      int // from 1; 0 for none
	column    int // from 1; 0 for none
}

// String returns the place as errors name it.
func (p place) String() string {
	of := fmt.Sprintf("message %d", p.message)
	if p.isPartial {
		of = fmt.Sprintf("partial %q", p.partial)
	}
	if p.line == 0 {
		return of
	}
	return fmt.Sprintf("%s, line %d", of, p.line)
}

// error returns err as an Error at the place, without the name of the prompt.
func (p place) error(err error) *Error {
	return &Error{Message: p.message, Partial: p.partial, Line: p.line, Column: p.column, Err: err, isPartial: p.isPartial}
}

// join returns the errors as one error. If prompt is set, each error names it.
func join(faults []*Error, prompt string) error {
	if len(faults) == 0 {
		return nil
	}
	errs := make([]error, len(faults))
	for i, e := range faults {
		own := *e // many prompts may have the error
		own.Prompt, errs[i] = prompt, &own
	}
	return errors.Join(errs...)
}

// joinBlocks explains a block that begins in one message and ends in a later one, as one error.
func joinBlocks(texts []*text) {
	is := func(t *text, begins string) bool {
		return t != nil && t.tree == nil && len(t.faults) == 1 && strings.HasPrefix(t.faults[0].Err.Error(), begins)
	}
	for i, t := range texts {
		if !is(t, explain.MissingEnd) {
			continue
		}
		for _, later := range texts[i+1:] {
			if is(later, "unexpected {{end}}") || is(later, "unexpected {{else}}") {
				t.faults[0].Err = hint.New("end the action in this message, and begin the action again in the next", "message cannot begin inside of an if, range or with")
				later.faults = nil
			}
		}
		return // there is no end for the others
	}
}
