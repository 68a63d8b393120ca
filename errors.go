package prompts

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file has the errors that clients and authors see. internal/rpc has the one
// failure type inside.

// Code is a JSON-RPC error code.
type Code = wire.Code // an int

// The codes that the protocol defines and this package uses. Codes of an
// application lie outside of -32768 to -32000.
const (
	CodeMethodNotFound Code = -32601 // no such method, or not now
	CodeInvalidParams  Code = -32602 // unknown prompt, bad arguments, bad cursor
	CodeInternalError  Code = -32603 // the server's fault, whatever it is
)

// Error is an error that a client gets to see: all three fields are sent to
// it. Wrap one (with %w) to add what only the author's log should have.
//
// A render function may return an Error with [CodeInvalidParams], with
// [CodeInternalError] or with a code of its own outside of -32768 to -32000;
// any other code becomes an internal error. A [Method] may use any code but 0.
// Revision 2026-07-28 has retired two codes and reserves a range: there -32002
// is sent as -32602, and -32042 and -32023 to -32099 as -32603.
//
// An error about arguments has CodeInvalidParams, and as its Data a JSON object
// with the name of the prompt as "prompt" and an array "problems", an object for
// each problem:
//
//   - "argument": the name of the argument;
//   - "reason": what is wrong, in one of the words below, which are all there are;
//   - "message": the same for people, as the end of a sentence that begins with
//     the argument; the text may change;
//   - "allowed": what would have been right, if that can be said;
//   - "more": how many values "allowed" leaves out, if it does;
//   - "suggestion": what may have been meant, if something is near.
//
// The reasons, with what "allowed" is for them:
//
//   - "missing": the argument is required, and not given;
//   - "unknown": the prompt has no such argument;
//   - "not_string": the value is not a JSON string;
//   - "type": the text is not of the argument's type;
//   - "enum": it is not one of the allowed values: an array of the first 100 of
//     them, with the number of the others as the problem's "more";
//   - "format": it is not of the format: a string with the name of that;
//   - "pattern": it does not match the pattern: a string with that;
//   - "length": it is too short or too long, or has too few or too many elements:
//     an object with minLength, maxLength, minItems and maxItems, as they apply;
//   - "range": it is too small or too large, or no multiple of what it should be:
//     an object with minimum, maximum, exclusiveMinimum, exclusiveMaximum and
//     multipleOf, as they apply, unless the type itself is too small;
//   - "schema": it breaks another rule of the argument's schema;
//   - "refused": the render function, or the UnmarshalText of the argument's
//     type, does not want it, see [InvalidArgument].
//
// Of more than 64 problems the others are only counted, as "more". The arguments
// that the prompt does not declare, and that were ignored, are the array "ignored",
// an object for each of the first 64: "argument" is the name, and "suggestion" the
// argument that may have been meant. If a client
// was asked for the arguments, see Options.ElicitArguments, and has not given them,
// "input" is the key of the question, and "action" what the user has done.
type Error struct {
	Code    Code
	Message string // one short sentence
	Data    any    // more, for programs; what encoding/json can encode, nil for none
}

// Error returns the message and the code. The text may change.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, int(e.Code)) }

// ErrExists is what [Registry.Add] returns, wrapped, for a name that is taken.
var ErrExists = errors.New("a prompt of this name exists")

// InvalidArgument returns the error with which a render function blames an
// argument: the client gets invalid params (-32602) that name the argument
// and give the reason, in the form that failed checks have. Several, joined
// by [errors.Join], are reported together.
func InvalidArgument(name, reason string) error {
	return argument.Refuse(name, reason)
}

// renderError returns what the client gets to see of an error of a render
// function, or nil if that is nothing.
func renderError(prompt string, err error) *wire.Error {
	if problems := argument.ArgumentErrors(err, nil); len(problems) > 0 {
		return argumentsError(prompt, problems)
	}
	e := visibleError(err)
	if e == nil {
		return nil
	}
	reserved := -32768 <= e.Code && e.Code <= -32000
	if reserved && e.Code != CodeInvalidParams && e.Code != CodeInternalError {
		return nil
	}
	return e
}

// visibleError returns the Error in err that a client gets to see. One
// without a code is none: 0 says that there was no error.
func visibleError(err error) *wire.Error {
	var e *Error
	if errors.As(err, &e) && e != nil && e.Code != 0 {
		return (*wire.Error)(e)
	}
	return nil
}

// argumentsError returns the one error for all problems of a call.
func argumentsError(prompt string, problems []argument.Problem) *wire.Error {
	const most = 8 // in the message
	sentences := make([]string, 0, most+1)
	for i, p := range problems {
		if i == most {
			sentences = append(sentences, fmt.Sprintf("and %d more", len(problems)-most))
			break
		}
		sentences = append(sentences, p.Sentence())
	}
	more := max(0, len(problems)-argument.MaxProblems)
	return &wire.Error{
		Code:    CodeInvalidParams,
		Message: strings.Join(sentences, "; "),
		Data:    argumentsData{Prompt: prompt, Problems: problems[:len(problems)-more], More: more},
	}
}

// argumentsData is the data of an error about arguments.
type argumentsData struct {
	Prompt   string             `json:"prompt"`
	Input    string             `json:"input,omitempty"`  // the question for them, if that was not answered
	Action   string             `json:"action,omitempty"` // what the user has done instead
	Problems []argument.Problem `json:"problems"`
	More     int                `json:"more,omitempty"` // problems that are left out
	Ignored  []argument.Ignored `json:"ignored,omitempty"`
}

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

// declarationError returns the error about a prompt.
func declarationError(prompt string, err error) error {
	e := &DeclarationError{Prompt: prompt, Err: err}
	if f := (*argument.DeclarationError)(nil); errors.As(err, &f) {
		e.Argument = f.Name
	}
	return e
}

// clientFailure returns a failure that the client gets to see as e. The log gets
// err if that says more.
func clientFailure(e *wire.Error, err error) *rpc.Failure {
	f := &rpc.Failure{Client: e, Cause: err}
	if !isClientSafe(err) {
		f.Title, f.Level, f.Log = "the request was refused", slog.LevelInfo, err
	}
	return f
}

// isClientSafe reports whether all of err is for the client to see.
func isClientSafe(err error) bool {
	switch e := err.(type) {
	case *Error, *argument.Error, *fieldsError, *refusedError:
		return true
	case *unavailableError:
		return e.cause == nil
	case interface{ Unwrap() []error }: // joined, or wrapped with a text of its own
		all := e.Unwrap()
		joined := errors.Join(all...) // nil if there are none
		return joined != nil && err.Error() == joined.Error() && !slices.ContainsFunc(all, func(err error) bool { return !isClientSafe(err) })
	}
	return false
}
