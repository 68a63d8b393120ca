package prompts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// cannotAsk is an ErrCannotAsk.
type cannotAsk struct {
	why     string             // for the client
	lacking clientCapabilities // that would help
	cause   error              // for the author; may be nil
}

func (e *cannotAsk) Error() string {
	text := ErrCannotAsk.Error() + ": " + e.why
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *cannotAsk) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrCannotAsk}
	}
	return []error{ErrCannotAsk, e.cause}
}

// seen returns what the client gets (DSC-12, GAP-38, GAP-40).
func (e *cannotAsk) seen(rev revision.Revision) *Error {
	if rev.Stateless() && e.lacking != (clientCapabilities{}) {
		return &Error{
			Code:    CodeMissingCapability,
			Message: "the prompt needs a capability that the client has not declared: " + strings.Join(e.lacking.names(), ", "),
			Data: struct {
				Required map[string]any `json:"requiredCapabilities"`
			}{e.lacking.declare()},
		}
	}
	return internalError("the prompt needs input, and the client cannot be asked: " + e.why)
}

// refusal is an ErrDeclined or an ErrDismissed.
type refusal struct {
	key    string
	reason error
}

func (e *refusal) Error() string { return fmt.Sprintf("%q: %s", e.key, e.reason) }

func (e *refusal) Unwrap() error { return e.reason }

func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r)
}

// action returns the word that the protocol has for it.
func (e *refusal) action() string {
	if errors.Is(e.reason, ErrDeclined) {
		return "decline"
	}
	return "cancel"
}

// inputData is the data of an error about an answer.
type inputData struct {
	Input    string    `json:"input"` // the question's key
	Action   string    `json:"action,omitempty"`
	Problems []problem `json:"problems,omitempty"`
}

// seen returns what the client gets.
func (e *refusal) seen() *Error {
	return &Error{
		Code:    CodeInvalidParams,
		Message: "the prompt cannot go on: " + e.Error(),
		Data:    inputData{Input: e.key, Action: e.action()},
	}
}

// ofArguments returns what the client gets if the question was for arguments of
// the prompt itself, which have problems.
func (e *refusal) ofArguments(prompt string, problems []problem) *Error {
	refused := argumentsError(prompt, problems)
	data := refused.Data.(argumentsData)
	data.Input, data.Action = e.key, e.action()
	refused.Data = data
	refused.Message = e.reason.Error() + "; " + refused.Message
	return refused
}

// badAnswer returns the error for an answer that is not what was asked for.
func badAnswer(key, format string, args ...any) *Error {
	e := invalidParams("the answer to %q %s", key, fmt.Sprintf(format, args...))
	e.Data = inputData{Input: key}
	return e
}
