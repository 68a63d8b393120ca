package prompttemplate

import "fmt"

// Error is a fault of a prompt: what [New] and [NewTyped] find wrong. They
// return all that there are, joined. It is for programs that have read the
// templates from somewhere, and want to say where the fault is.
type Error struct {
	// Prompt is the name of the prompt; empty for an error of a [Set].
	Prompt string
	// Message is the message with the fault, counted from 1; 0 if it is in
	// none.
	Message int
	// Partial is the name of the partial with the fault; empty if it is in
	// none.
	Partial string
	// Line is the line of the message or of the partial, counted from 1; 0 if
	// the fault is in no line of it.
	Line int
	// Column is the column of the line, in characters counted from 1; 0 if it is
	// not known.
	Column int
	// CallMessage and CallLine are the message and its line that call a partial
	// whose placeholders do not fit the arguments, directly or through others;
	// 0 for other faults.
	CallMessage, CallLine int
	// Argument is the name of the argument that no message uses; empty if that
	// is not the fault.
	Argument string
	// Err says what is wrong. The text may change.
	Err error

	isPartial bool // which may have an empty name
}

// Error returns what is wrong, with the prompt and the place. The text may
// change.
func (e *Error) Error() string {
	text := e.Err.Error()
	if at := (place{message: e.Message, isPartial: e.isPartial || e.Partial != "", partial: e.Partial, line: e.Line}); at != (place{}) {
		text = at.String() + ": " + text
	}
	if e.Prompt == "" { // a Set has none
		return text
	}
	return fmt.Sprintf("prompt %q: %s", e.Prompt, text)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// place is where in the templates of a prompt something is.
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

// fault returns what is wrong at the place, of a prompt yet to be named.
func (p place) fault(err error) *Error {
	return &Error{Message: p.message, Partial: p.partial, Line: p.line, Column: p.column, Err: err, isPartial: p.isPartial}
}
