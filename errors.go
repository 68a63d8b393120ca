package prompts

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// Code is a JSON-RPC error code.
type Code int

// The codes that the protocol defines and this package uses. Codes of an
// application lie outside of -32768 to -32000.
const (
	CodeParseError         Code = -32700 // not JSON, or not UTF-8
	CodeInvalidRequest     Code = -32600 // JSON, but no request
	CodeMethodNotFound     Code = -32601 // no such method, or not now
	CodeInvalidParams      Code = -32602 // unknown prompt, bad arguments, bad cursor
	CodeInternalError      Code = -32603 // the server's fault, whatever it is
	CodeMissingCapability  Code = -32021 // revision 2026-07-28: the client has not declared a capability that is needed
	CodeUnsupportedVersion Code = -32022 // revision 2026-07-28: no such protocol version here
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
// Of more than 64 problems the others are only counted, as "more". If a client
// was asked for the arguments, see Options.AskArguments, and has not given them,
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

// ErrInUpdate is what the methods that change a [Registry] return inside the
// function of its own [Registry.Update], which must use its Tx.
var ErrInUpdate = errors.New("the registry is being updated by this goroutine: use the Tx")

// InvalidArgument returns the error with which a render function blames an
// argument: the client gets invalid params (-32602) that name the argument
// and give the reason, in the form that failed checks have. Several, joined
// by [errors.Join], are reported together.
func InvalidArgument(name, reason string) error {
	return &argumentError{problem{
		Argument: strings.ToValidUTF8(name, "\ufffd"),
		Reason:   reasonRefused,
		Message:  strings.ToValidUTF8(reason, "\ufffd"),
	}}
}

type argumentError struct{ problem problem }

func (e *argumentError) Error() string { return e.problem.sentence() }

// invalidParams returns an error about a member of params.
func invalidParams(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func internalError(message string) *Error {
	return &Error{Code: CodeInternalError, Message: message}
}

// renderError returns what the client gets to see of an error of a render
// function, or nil if that is nothing.
func renderError(prompt string, err error) *Error {
	if problems := blamed(err, nil); len(problems) > 0 {
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

// in returns the error of a Method with a code that the revision allows. The
// stateless era has retired two, and keeps a range to itself (JRP-23, JRP-24).
func (e *Error) in(rev revision.Revision) *Error {
	if !rev.Stateless() {
		return e
	}
	code := e.Code
	switch {
	case code == -32002: // a resource that is not found is a param that is not valid
		code = CodeInvalidParams
	case code == -32042, -32099 <= code && code < CodeUnsupportedVersion:
		code = CodeInternalError
	}
	return &Error{Code: code, Message: e.Message, Data: e.Data}
}

// visibleError returns the Error in err that a client gets to see. One
// without a code is none: 0 says that there was no error.
func visibleError(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e != nil && e.Code != 0 {
		return e
	}
	return nil
}

// clip returns s, or its beginning and an ellipsis if it is longer than most
// bytes: a client's own value is repeated to it, but not at any length.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
