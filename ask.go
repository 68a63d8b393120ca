package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file asks the user (elicitation): Ask and its errors. The questions are made in
// form.go. In a session they are sent while the render function waits; in 2026-07-28
// the result is input_required, and retry.go has the rest.

// ErrInputRequired reports that the answers arrive with the next request, in
// protocol version 2026-07-28. [Ask] and [Elicit] return ErrInputRequired, and the
// render function returns the error to its caller, wrapped or not. The server then
// sends the questions to the client, and runs the function again when the client has
// answered. If the function returns a result instead, the server sends the result
// and asks nothing.
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

// Question is a question to the user or the client. Only [Answer] implements
// Question.
type Question interface{ ask() *question }

// Answer is a question made by [Form] or [InputRequest]. After [Ask], Answer
// contains the answer too.
type Answer[T any] struct {
	// Value is the answer. It is set by Ask.
	Value T

	question question
}

// Err returns nil if Ask has received an answer, and an error that wraps
// [ErrDeclined] or [ErrCanceled] if the user did not answer. If Ask returned any
// other error, the result of Err is undefined.
func (a *Answer[T]) Err() error { return a.question.refused }

func (a *Answer[T]) ask() *question { return &a.question }

// question is a request for input to a client, and the function that reads the answer.
type question struct {
	key    string
	method string
	// encode returns the params in the form of a revision and the capabilities that
	// a client must have declared to receive them. It returns an error if the
	// question is invalid.
	encode func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error)
	params json.RawMessage // as encoded
	// take reads the result that a client of the revision has sent. The error is
	// an [*Error] if the result does not fit the question, or wraps ErrDeclined or
	// ErrCanceled if the user did not answer.
	take    func(rev revision.Revision, result string) error
	refused error // wraps ErrDeclined or ErrCanceled
}

// Elicit asks the user for the fields of the struct T with a form, and returns the
// answer:
//
//	answer, err := prompts.Elicit[Release](ctx, "release", "Which release?")
//	if err != nil {
//		return nil, err
//	}
//
// Elicit is [Ask] with one [Form], and returns the errors of Ask.
func Elicit[T any](ctx context.Context, key, message string, arguments ...Argument) (T, error) {
	form := Form[T](key, message, arguments...)
	err := Ask(ctx, form)
	return form.Value, err
}

// Ask sends questions to the client, all at once, and returns nil when the client
// has answered all of them:
//
//	who := prompts.Form[Audience]("audience", "Who will read the text?")
//	how := prompts.Form[Tone]("tone", "How should the text sound?")
//	if err := prompts.Ask(ctx, who, how); err != nil {
//		return nil, err
//	}
//
// Call Ask from a render function, with the function's ctx or a context made from
// ctx. A key names a question within the prompt, and each question is asked once. A
// key is UTF-8 of 1 to 128 bytes. The key "prompt.arguments" is reserved.
//
// In protocol version 2026-07-28, the answers arrive with the next request:
//
//   - Ask returns [ErrInputRequired], and the render function must return the error.
//   - When the answers arrive, the render function runs again from the start. Wrap
//     side effects and expensive work in [Once].
//   - Earlier answers travel through the client, encrypted: see
//     Options.RequestStateKeys. The limit for this state is 64 KiB in base64. Above
//     the limit, the request fails with an internal error, or with invalid params if
//     answers take most of the space.
//
// In a session of 2025-06-18 or 2025-11-25, Ask waits for the answers, for at most
// Options.Timeouts.Elicit. While Ask waits, the time limit of the function is
// paused, and other requests use its concurrency slot.
//
// Ask returns
//
//   - [ErrDeclined] or [ErrCanceled], joined, for the questions without an answer:
//     see [Answer.Err];
//   - [ErrElicitationUnavailable] if the client cannot answer;
//   - an [*Error] with [CodeInvalidParams] if an answer is invalid;
//   - the error of ctx, if ctx ends;
//   - any other error for an invalid question.
//
// The protocol forbids forms for secrets. Use the URL mode instead: see
// [InputRequest]. A client may never answer, so keep no lock or transaction open.
func Ask(ctx context.Context, questions ...Question) error {
	s := scopeOf(ctx)
	switch {
	case s == nil:
		return &unavailableError{why: "ctx does not come from a render function"}
	case s.isCached:
		return &unavailableError{why: "a cached prompt cannot ask the user (Prompt.Cache is set)"}
	}
	all := make([]*question, len(questions))
	for i, q := range questions {
		all[i] = q.ask()
	}
	if err := checkKeys(all); err != nil {
		return err
	}
	if !s.request.Rev.Stateless() {
		// What another goroutine has asked is not asked again.
		if err := s.request.LockAsking(ctx); err != nil {
			return err
		}
		defer s.request.UnlockAsking()
	}
	s.hasAsked.Store(true)
	var unanswered []*question
	var refusals []error
	for _, q := range all {
		result, ok := s.retry().answer(q.key)
		if !ok {
			unanswered = append(unanswered, q)
			continue
		}
		if err := s.accept(q, result, &refusals); err != nil {
			return err
		}
	}
	if len(unanswered) == 0 {
		return errors.Join(refusals...)
	}
	if err := s.prepare(unanswered); err != nil {
		return err
	}
	if s.request.Rev.Stateless() {
		s.retry().addPending(unanswered)
		return ErrInputRequired
	}
	results, err := s.send(ctx, unanswered)
	if err != nil {
		return err
	}
	for i, q := range unanswered {
		if err := s.accept(q, results[i], &refusals); err != nil {
			return err
		}
	}
	return errors.Join(refusals...)
}

// checkKeys returns an error if two questions have the same key, or a key is invalid.
func checkKeys(questions []*question) error {
	for i, q := range questions {
		if q.key == "" || len(q.key) > maxKey || !utf8.ValidString(q.key) || q.key == argumentsKey {
			return fmt.Errorf("prompts: invalid question key %q: must be valid UTF-8 of 1 to %d bytes, and not %q", phrase.Clip(q.key, maxKey), maxKey, argumentsKey)
		}
		if slices.ContainsFunc(questions[:i], func(other *question) bool { return other.key == q.key }) {
			return fmt.Errorf("prompts: duplicate question key %q", q.key)
		}
	}
	return nil
}

// maxKey is the length of the longest key of a question or of [Once], in bytes.
const maxKey = 128

// accept reads a client's answer to a question. A refusal is put to the others.
func (s *scope) accept(q *question, result string, refusals *[]error) error {
	err := s.retry().accept(q, s.request.Rev, result)
	if !isRefused(err) {
		return err
	}
	q.refused = err
	*refusals = append(*refusals, err)
	return nil
}

// prepare encodes questions for the client, if it can be asked all of them.
func (s *scope) prepare(questions []*question) error {
	var needs wire.Capabilities
	for _, q := range questions {
		params, more, err := q.encode(s.request.Rev)
		if err != nil {
			return fmt.Errorf("prompts: question %q: %w", q.key, err)
		}
		if more.URL {
			if err := s.knownSecrets().checkLink(string(params)); err != nil { // MRT-27
				return fmt.Errorf("prompts: question %q: %w", q.key, err)
			}
		}
		q.params = params
		needs = needs.Union(more)
	}
	return s.canAsk(needs)
}

// canAsk returns nil if the client can be asked for what it takes, or an
// error that wraps ErrElicitationUnavailable.
func (s *scope) canAsk(needs wire.Capabilities) error {
	switch lacking := needs.Minus(s.request.Client); {
	case !s.request.Rev.Elicitation():
		return &unavailableError{why: "the client's protocol version predates elicitation (2025-06-18)"}
	case needs.URL && !s.request.Rev.ElicitationModes():
		return &unavailableError{why: "the client's protocol version does not support URL elicitation"}
	case lacking != wire.Capabilities{}:
		return &unavailableError{why: "the client did not declare the capability " + strings.Join(lacking.Paths(), ", "), lacking: lacking}
	case !s.request.Rev.Stateless() && !s.request.CanAsk:
		return &unavailableError{why: "this connection cannot carry requests of the server"}
	}
	return nil
}

// unavailableError is an ErrElicitationUnavailable.
type unavailableError struct {
	why     string            // for the client
	lacking wire.Capabilities // that would help
	cause   error             // for the author; may be nil
}

func (e *unavailableError) Error() string {
	text := ErrElicitationUnavailable.Error() + ": " + e.why
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *unavailableError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrElicitationUnavailable}
	}
	return []error{ErrElicitationUnavailable, e.cause}
}

// seen returns what the client gets (DSC-12, GAP-38, GAP-40).
func (e *unavailableError) seen(rev revision.Revision, what string) *wire.Error {
	if rev.Stateless() && e.lacking != (wire.Capabilities{}) {
		return &wire.Error{
			Code:    transport.CodeMissingCapability,
			Message: "the " + what + " needs client capabilities that are not declared: " + strings.Join(e.lacking.Paths(), ", "),
			Data: struct {
				Required map[string]any `json:"requiredCapabilities"`
			}{e.lacking.Object()},
		}
	}
	return wire.InternalError("the " + what + " asks the user for input, but " + e.why)
}

// refusedError is an ErrDeclined or an ErrCanceled.
type refusedError struct {
	key    string
	reason error
}

func (e *refusedError) Error() string { return fmt.Sprintf("question %q: %v", e.key, e.reason) }

func (e *refusedError) Unwrap() error { return e.reason }

func isRefused(err error) bool {
	var r *refusedError
	return errors.As(err, &r)
}

// action returns the word that the protocol has for it.
func (e *refusedError) action() string {
	if errors.Is(e.reason, ErrDeclined) {
		return "decline"
	}
	return "cancel"
}

// inputData is the data of an error about an answer.
type inputData struct {
	Input    string             `json:"input"` // the question's key
	Action   string             `json:"action,omitempty"`
	Problems []argument.Problem `json:"problems,omitempty"`
}

// seen returns what the client gets.
func (e *refusedError) seen(what string) *wire.Error {
	done := "rendered"
	if what != "prompt" {
		done = "completed"
	}
	return &wire.Error{
		Code:    CodeInvalidParams,
		Message: fmt.Sprintf("%s not %s: %v", what, done, e),
		Data:    inputData{Input: e.key, Action: e.action()},
	}
}

// elicitationError returns the error for the client if err is an error of [Ask], else
// nil. what has asked: a prompt or a tool.
func elicitationError(rev revision.Revision, what string, err error) *wire.Error {
	var unable *unavailableError
	if errors.As(err, &unable) {
		return unable.seen(rev, what)
	}
	if errors.Is(err, ErrElicitationUnavailable) {
		return (&unavailableError{why: "no answer was received"}).seen(rev, what)
	}
	var refused *refusedError
	if errors.As(err, &refused) {
		return refused.seen(what)
	}
	return nil
}

// ofArguments returns what the client gets if the question was for arguments of
// the prompt itself, which have problems.
func (e *refusedError) ofArguments(prompt string, problems []argument.Problem) *wire.Error {
	refused := argumentsError(prompt, problems)
	data := refused.Data.(argumentsData)
	data.Input, data.Action = e.key, e.action()
	refused.Data = data
	refused.Message = e.reason.Error() + "; " + refused.Message
	return refused
}

// badAnswer returns the error for an answer that is not what was asked for.
func badAnswer(key, format string, args ...any) *Error {
	e := wire.InvalidParams("invalid answer to question %q: %s", key, fmt.Sprintf(format, args...))
	e.Data = inputData{Input: key}
	return (*Error)(e)
}
