package prompts

import (
	"errors"
	"fmt"
)

// DeclarationError is a fault of a declaration: what [Registry.Add],
// [Registry.Set] and their like find wrong with a prompt. They return all that
// there are, joined. It is for programs that have read the declaration from
// somewhere, and want to say where the fault is.
type DeclarationError struct {
	// Prompt is the name of the prompt.
	Prompt string
	// Argument is the name of the argument that is at fault; empty if it is
	// none, or one without a name.
	Argument string
	// Err says what is wrong, and with which argument. The text may change.
	Err error
}

// Error returns what is wrong, with the prompt. The text may change.
func (e *DeclarationError) Error() string { return fmt.Sprintf("prompt %q: %v", e.Prompt, e.Err) }

// Unwrap returns Err.
func (e *DeclarationError) Unwrap() error { return e.Err }

// argumentFault is what is wrong with an argument.
type argumentFault struct {
	name string
	err  error
}

func (f *argumentFault) Error() string { return fmt.Sprintf("argument %q: %v", f.name, f.err) }

func (f *argumentFault) Unwrap() error { return f.err }

// declarationFault returns the error about a prompt.
func declarationFault(prompt string, err error) error {
	e := &DeclarationError{Prompt: prompt, Err: err}
	if f := (*argumentFault)(nil); errors.As(err, &f) {
		e.Argument = f.name
	}
	return e
}
