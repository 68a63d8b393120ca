package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// ErrInputRequired is what [Ask] and [Elicit] return when the answers have to
// come with another request (revision 2026-07-28). A render function returns
// it, possibly wrapped; the client is then asked, and the function is run
// again once the client has answered. One that returns a result instead has
// given its answer: nobody is asked.
var ErrInputRequired = errors.New("input from the client is required")

// The answers of a person who does not answer. [Ask] and [Elicit] return them
// wrapped. If a render function passes one on, its client gets invalid params
// (-32602) that say so.
var (
	ErrDeclined  = errors.New("the client has declined to answer")
	ErrDismissed = errors.New("the client has dismissed the question")
)

// ErrCannotAsk is what [Ask] and [Elicit] return, wrapped, if the client has
// no capability for the question, its revision has none, or there is no way to
// send it a request. If a render function passes it on, a client of revision
// 2026-07-28 is told the capability that is missing (-32021), any other gets
// an internal error (-32603) that says so.
var ErrCannotAsk = errors.New("the client cannot be asked")

// Question is something to ask a client: an [Answer] that is still open.
type Question interface{ ask() *question }

// Answer is a question to a client, made by [Form] or [Input], and after [Ask]
// its answer.
type Answer[T any] struct {
	// Value is the answer, once Ask has returned nil.
	Value T

	question question
}

func (a *Answer[T]) ask() *question { return &a.question }

// question is what is sent to a client, and how its answer is read.
type question struct {
	key    string
	method string
	needs  clientCapabilities
	// encode returns the params in the form of a revision, or what is wrong
	// with the question.
	encode func(rev revision.Revision) (json.RawMessage, error)
	params json.RawMessage // as encoded
	// take reads the result that the client has answered with. Its error is
	// an [*Error] if the result is not what was asked for, or wraps
	// ErrDeclined or ErrDismissed.
	take func(result string) error
}

// Elicit asks the client's user for what the struct T holds, by a form, and
// returns the answer. It is [Ask] with one [Form]; the errors are those of Ask.
//
//	answer, err := prompts.Elicit[Release](ctx, "release", "Which release?")
//	if err != nil {
//		return nil, err
//	}
func Elicit[T any](ctx context.Context, key, message string, arguments ...Argument) (T, error) {
	form := Form[T](key, message, arguments...)
	err := Ask(ctx, form)
	return form.Value, err
}

// Ask asks the client questions, all at once, and returns nil when all of them
// are answered. It is for render functions: ctx is that of a [RenderFunc], or
// comes from it. Each key names a question within the prompt: the same key is
// the same question, and its answer is asked for once.
//
// In revision 2026-07-28 the answers come with another request. Ask then
// returns [ErrInputRequired], which the function passes on, and the function
// is run again from its beginning when they have come; what must not be done
// again goes through [Once]. Earlier answers travel along in between, sealed:
// see Options.StateKeys. In a session of revision 2025-06-18 or 2025-11-25 Ask
// waits for the answers, for Options.AskTimeout at most; meanwhile the time
// limit stands still, and others have the function's turn.
//
// A person may decline ([ErrDeclined]) or dismiss ([ErrDismissed]) a question.
// [ErrCannotAsk] says that the client cannot be asked, and nothing was sent.
// An answer that is not what was asked for is an [*Error] with
// [CodeInvalidParams] that says what is wrong with it.
//
// A form must not ask for secrets: the protocol has the URL mode for them, see
// [Input]. Nothing can be relied on to come back: a client may never answer.
func Ask(ctx context.Context, questions ...Question) error {
	c := callerOf(ctx)
	if c == nil || !c.asks {
		return fmt.Errorf("%w: this is not the context of a render function", ErrCannotAsk)
	}
	var unanswered []*question
	var refusals []error
	var needs clientCapabilities
	for _, asked := range questions {
		q := asked.ask()
		if q.key == "" || len(q.key) > maxKey || !utf8.ValidString(q.key) || q.key == argumentsKey {
			return fmt.Errorf("prompts: the key %q of a question must be valid UTF-8 of 1 to %d bytes, and not %q", clip(q.key, maxKey), maxKey, argumentsKey)
		}
		if result, ok := c.round.answer(q.key); ok {
			err := c.round.accept(q, result)
			if err != nil && !isRefusal(err) {
				return err
			}
			refusals = append(refusals, err)
			continue
		}
		var err error
		if q.params, err = q.encode(c.rev); err != nil {
			return fmt.Errorf("prompts: the question %q: %w", q.key, err)
		}
		needs = needs.and(q.needs)
		unanswered = append(unanswered, q)
	}
	if len(unanswered) == 0 {
		return errors.Join(refusals...)
	}
	if err := c.canAsk(needs); err != nil {
		return err
	}
	if c.rev.Stateless() {
		c.round.pend(unanswered)
		return ErrInputRequired
	}
	responses, err := c.peer.request(ctx, unanswered)
	if err != nil {
		return err
	}
	for i, q := range unanswered {
		err := responses[i].err
		if err == nil {
			err = c.round.accept(q, responses[i].result)
		}
		if err != nil && !isRefusal(err) {
			return err
		}
		refusals = append(refusals, err)
	}
	return errors.Join(refusals...)
}

// maxKey is the length of the longest key of a question or of [Once], in bytes.
const maxKey = 128

// canAsk returns nil if the client can be asked for what it takes, or an
// error that wraps ErrCannotAsk.
func (c *caller) canAsk(needs clientCapabilities) error {
	switch lacking := needs.without(c.client); {
	case !c.rev.Elicitation():
		return &cannotAsk{why: "its protocol revision has no such request"}
	case lacking != clientCapabilities{}:
		return &cannotAsk{why: "it has not declared the capability", lacking: lacking}
	case !c.rev.Stateless() && !c.isLive:
		return &cannotAsk{why: "there is no way to send it a request"}
	}
	return nil
}

// cannotAsk is an ErrCannotAsk.
type cannotAsk struct {
	why     string
	lacking clientCapabilities
}

func (e *cannotAsk) Error() string { return ErrCannotAsk.Error() + ": " + e.why }

func (e *cannotAsk) Unwrap() error { return ErrCannotAsk }

// seen returns what the client gets (DSC-12, GAP-38, GAP-40).
func (e *cannotAsk) seen(rev revision.Revision) *Error {
	if rev.Stateless() && e.lacking != (clientCapabilities{}) {
		return &Error{
			Code:    CodeMissingCapability,
			Message: "the prompt needs a capability that the client has not declared",
			Data: struct {
				Required map[string]any `json:"requiredCapabilities"`
			}{e.lacking.declare()},
		}
	}
	return internalError("the prompt needs input, and " + e.Error())
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

// badAnswer returns the error for an answer that is not what was asked for.
func badAnswer(key, format string, args ...any) *Error {
	e := invalidParams("the answer to %q %s", key, fmt.Sprintf(format, args...))
	e.Data = inputData{Input: key}
	return e
}
