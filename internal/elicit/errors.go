package elicit

import (
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// Unavailable is the error of a question that the client cannot answer, or has not answered.
// An application may continue without the answer. If it returns the error instead, ClientError
// makes the response.
type Unavailable struct {
	Why   string // for the client
	Cause error  // for the log; may be nil

	lacking wire.Capabilities // that would help
}

func (e *Unavailable) Error() string {
	text := "cannot ask the client: " + e.Why
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *Unavailable) Unwrap() error { return e.Cause }

// ClientError returns what the client gets (DSC-12, GAP-38, GAP-40). what has asked: a prompt
// or a tool. Only a stateless client can act on the list: it may declare the capabilities in
// the next request.
func (e *Unavailable) ClientError(rev revision.Revision, what string) *transport.Error {
	if rev.Stateless() && e.lacking != (wire.Capabilities{}) {
		return &transport.Error{
			Code:    transport.CodeMissingCapability,
			Message: "the " + what + " needs client capabilities that are not declared: " + strings.Join(e.lacking.Paths(), ", "),
			Data: struct {
				Required map[string]any `json:"requiredCapabilities"`
			}{e.lacking.Object()},
		}
	}
	return wire.InternalError("the " + what + " asks the user for input, but " + e.Why)
}

// Refused is the error of a question that the user declined or dismissed. The answer is kept
// in the State, so the next run of the function gets the same Refused.
type Refused struct {
	Key    string
	Action string // "decline" or "cancel", as in the protocol
}

func (e *Refused) Reason() string {
	if e.Action == "decline" {
		return "the user declined to answer"
	}
	return "the user dismissed the question"
}

func (e *Refused) Error() string { return fmt.Sprintf("question %q: %s", e.Key, e.Reason()) }

// ClientError returns what the client gets. The code is that of invalid params, because the
// protocol has no code for a user who declines.
func (e *Refused) ClientError(what string) *transport.Error {
	done := "rendered"
	if what != "prompt" {
		done = "completed"
	}
	err := wire.InvalidParams("%s not %s: %v", what, done, e)
	err.Data = InputData{Input: e.Key, Action: e.Action}
	return err
}

// Invalid is the error of an answer that does not fit the question. The client gets all of
// the error, so the log does not need it.
type Invalid struct {
	key, reason string
	problems    []argument.Problem // of the fields of a form
}

// Error returns the text for the client, without the values of fields: the application may log it.
func (e *Invalid) Error() string {
	if e.problems != nil {
		return argument.Redacted(e.problems)
	}
	return e.ClientError().Error()
}

func (e *Invalid) ClientError() *transport.Error {
	data, reason := InputData{Input: e.key}, e.reason
	if e.problems != nil {
		// A form may have any number of fields, so the data of the error is limited.
		data.Problems, reason = e.problems[:min(len(e.problems), argument.MaxProblems)], argument.Sentences(e.problems, 0)
	}
	err := wire.InvalidParams("invalid answer to question %s: %s", phrase.Quote(e.key), reason)
	err.Data = data
	return err
}

// InputData is the data of an error about an answer. The problems have the form of those of
// invalid arguments, so that a client handles both in the same way.
type InputData struct {
	Input    string             `json:"input"` // the question's key
	Action   string             `json:"action,omitempty"`
	Problems []argument.Problem `json:"problems,omitempty"`
}

// ReplaceText returns the data with other text: see rpc.Running.Withhold.
func (d InputData) ReplaceText(replace func(string) string) any {
	d.Problems = argument.ReplaceText(d.Problems, replace)
	return d
}
