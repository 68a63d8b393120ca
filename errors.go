package prompts

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has the errors that clients and applications see. The error for an unknown
// prompt is in request.go. Inside, every failure of a request is an rpc.Failure.

// The codes that an application may use, next to codes of its own outside of -32768 to
// -32000. CodeMethodNotFound is for middleware and methods: of a render function it becomes an
// internal error. Package transport has all codes of the protocol.
const (
	CodeMethodNotFound = transport.CodeMethodNotFound // no such method, or not now
	CodeInvalidParams  = transport.CodeInvalidParams  // unknown prompt, bad arguments, bad cursor
	CodeInternalError  = transport.CodeInternalError  // an error of the server, or of the application's code
)

// Error is an error for the client, which gets all three fields. To add details for
// the log only, wrap the Error with %w.
//
// A render function may return an Error with [CodeInvalidParams], [CodeInternalError], or a
// code outside of -32768 to -32000. Any other code becomes an internal error. A method of
// a feature may use any code except 0. Protocol version 2026-07-28 has retired two codes and reserved a
// range: there the server sends -32002 as -32602, and -32042 and -32023 to -32099 as -32603.
//
// An error about arguments has CodeInvalidParams. Its Data is a JSON object with the
// name of the prompt as "prompt", and an array "problems", which package problem reads.
//
// Data lists 64 problems, and the member "more" counts the others. The array "ignored" lists the
// first 64 undeclared arguments: "argument" is the name, and "suggestion" a similar declared
// argument. If the server asked the user for the arguments (see Options.ElicitArguments) and got no
// answer, "input" is the key of the question, and "action" the user's action.
type Error = transport.Error

// ErrExists is the error of [Registry.Add], wrapped, for a name in use.
var ErrExists = errors.New("prompt already exists; use Set to replace the prompt")

// ErrInputRequired reports that the answers arrive with the next request, in protocol version
// 2026-07-28. [Ask] and [Elicit] return ErrInputRequired, and the render function returns the
// error to its caller, wrapped or not. The server then sends the questions to the client, and
// runs the function again when the client has answered. If the function returns a result
// instead, the server sends the result and asks nothing: it logs the warning "questions not
// sent", and a test with package prompttest fails.
var ErrInputRequired = errors.New("input required")

// Errors of [Ask] and [Elicit], wrapped, if the user does not answer. The protocol
// calls the two actions decline and cancel. If a render function returns such an
// error, the client gets invalid params (-32602) with the action.
var (
	ErrDeclined = errors.New("the user declined to answer")
	ErrCanceled = errors.New("the user dismissed the question")
)

// ErrElicitationUnavailable reports that [Ask] and [Elicit] get no answer, because
//
//   - the client did not declare the capability for the question, or the protocol
//     version has no such capability;
//   - the transport cannot send requests to the client;
//   - the client responded with an error, disconnected, or did not respond within
//     Options.Timeouts.Elicit.
//
// A render function may continue without the answer. If the function returns the
// error, a client of protocol version 2026-07-28 gets the missing capability
// (-32021). Any other client gets an internal error (-32603) with the reason.
var ErrElicitationUnavailable = errors.New("cannot ask the client")

// InvalidArgument returns an error for a render function that rejects an argument.
// The client gets invalid params (-32602) with the argument and the message, in the
// same form as for failed checks. To reject a value inside of the argument, add its place to
// the name, as in filters[2].name. The server logs a name that the prompt does not declare.
// To reject several arguments, join the errors with [errors.Join].
func InvalidArgument(name, reason string) error {
	return argument.Refuse(name, reason)
}

func renderError(prompt string, plan *argument.Plan, err error) *Error {
	if problems := plan.Locate(err); len(problems) > 0 {
		return argumentsError(prompt, problems)
	}
	e := wire.ClientError(err)
	if e == nil {
		return nil
	}
	reserved := -32768 <= e.Code && e.Code <= -32000
	if reserved && e.Code != CodeInvalidParams && e.Code != CodeInternalError {
		return nil
	}
	return e
}

func argumentsError(prompt string, problems []argument.Problem) *Error {
	more := max(0, len(problems)-argument.MaxProblems)
	return argumentsData{Prompt: prompt, Problems: problems[:len(problems)-more], More: more}.error()
}

func declinedArguments(prompt string, problems []argument.Problem, refused *elicit.Refused) *Error {
	e := argumentsError(prompt, problems)
	data := e.Data.(argumentsData)
	data.Input, data.Action = refused.Key, refused.Action
	return data.error()
}

type argumentsData struct {
	Prompt   string             `json:"prompt"`
	Input    string             `json:"input,omitempty"`  // the question for them, if that was not answered
	Action   string             `json:"action,omitempty"` // what the user has done instead
	Problems []argument.Problem `json:"problems"`
	More     int                `json:"more,omitempty"` // problems that are left out
	Ignored  []argument.Ignored `json:"ignored,omitempty"`
}

// error returns the error with the data. It does not name the ignored arguments.
func (d argumentsData) error() *Error {
	message := "invalid arguments for prompt " + phrase.Quote(d.Prompt) + ": " + argument.Sentences(d.Problems, d.More)
	if d.Action != "" {
		message = (&elicit.Refused{Key: d.Input, Action: d.Action}).Reason() + "; " + message
	}
	return &Error{Code: CodeInvalidParams, Message: message, Data: d}
}

// ReplaceText returns the data with other text: see rpc.Running.Withhold.
func (d argumentsData) ReplaceText(replace func(string) string) any {
	d.Problems = argument.ReplaceText(d.Problems, replace)
	return d
}

// DeclarationError is an error in the declaration of a prompt. [Registry.Add], [Registry.Set]
// and similar functions return all such errors of a prompt, joined. With package prompttools, a
// prompt that cannot be a tool is such an error, too. Programs that read declarations from
// files use the fields to report the place of the error.
type DeclarationError struct {
	// Prompt is the name of the prompt.
	Prompt string
	// Argument is the name of the invalid argument. It is empty if the error is not
	// about an argument, or if the argument has no name.
	Argument string
	// Err describes the error and names the argument. The text may change.
	Err error
}

// Error returns the error with the name of the prompt. The text may change.
func (e *DeclarationError) Error() string { return fmt.Sprintf("prompt %q: %v", e.Prompt, e.Err) }

// Unwrap returns Err.
func (e *DeclarationError) Unwrap() error { return e.Err }

func declarationError(prompt string, err error) error {
	e := &DeclarationError{Prompt: prompt, Err: err}
	if f := (*argument.DeclarationError)(nil); errors.As(err, &f) {
		e.Argument = f.Name
	}
	return e
}

// askError is an error of internal/elicit as the application gets it. It is a value, so
// that errors.Is finds the same error again.
type askError struct {
	err    error
	public error // ErrDeclined, ErrCanceled, ErrElicitationUnavailable or an *Error
}

func (e askError) Error() string { return e.err.Error() }

func (e askError) Unwrap() []error { return []error{e.public, e.err} }

func askErrorOf(err error) error {
	var refused *elicit.Refused
	var unable *elicit.Unavailable
	var invalid *elicit.Invalid
	switch {
	case errors.As(err, &unable):
		return askError{err, ErrElicitationUnavailable}
	case errors.As(err, &invalid):
		return askError{err, invalid.ClientError()}
	case !errors.As(err, &refused):
		return err
	case refused.Action == "decline":
		return askError{err, ErrDeclined}
	}
	return askError{err, ErrCanceled}
}

func refusal(q *elicit.Question) error {
	if q.Refused == nil {
		return nil
	}
	return askErrorOf(q.Refused)
}

// elicitationError returns nil if err is no error of [Ask]. what has asked: a prompt or a tool.
func elicitationError(rev revision.Revision, what string, err error) *Error {
	var refused *elicit.Refused
	var unable *elicit.Unavailable
	switch {
	case errors.As(err, &unable):
		return unable.ClientError(rev, what)
	case errors.Is(err, ErrElicitationUnavailable):
		return (&elicit.Unavailable{Why: "no answer was received"}).ClientError(rev, what)
	case errors.As(err, &refused):
		return refused.ClientError(what)
	}
	return nil
}

// requestRejected is the event of an error about which the log has more than the client gets.
const requestRejected = "request rejected"

// clientFailure returns a failure that the client gets to see as e. The log gets
// err if that says more, or rejects an argument that the prompt does not declare.
func clientFailure(e *Error, err error) *rpc.Failure {
	f := &rpc.Failure{Client: e, Cause: err}
	data, _ := e.Data.(argumentsData)
	switch {
	case slices.ContainsFunc(data.Problems, argument.Problem.IsUndeclared):
		f.Event, f.Level, f.Log = "unknown argument refused", slog.LevelWarn, err
	case !isClientSafe(err):
		f.Event, f.Level, f.Log = requestRejected, slog.LevelInfo, err
	}
	return f
}

func isClientSafe(err error) bool {
	switch e := err.(type) {
	case *Error, *argument.Error, *elicit.Invalid, *elicit.Refused:
		return true
	case *elicit.Unavailable:
		return e.Cause == nil
	case askError:
		return isClientSafe(e.err)
	case interface{ Unwrap() []error }: // joined, or wrapped with a text of its own
		all := e.Unwrap()
		joined := errors.Join(all...) // nil if there are none
		return joined != nil && err.Error() == joined.Error() && !slices.ContainsFunc(all, func(err error) bool { return !isClientSafe(err) })
	}
	return false
}
