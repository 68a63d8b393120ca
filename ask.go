package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file asks the user (elicitation): questions, Ask, and Once for what must not
// happen again when the answers come with another request. internal/elicit sends the
// questions, checks the answers and carries them between requests.

// Question is a question to the user or the client. Only [Answer] implements Question.
type Question interface{ ask() *elicit.Question }

// Answer is a question made by [Form] or [InputRequest]. After [Ask], Answer
// contains the answer too. An Answer must not be copied before Ask has returned.
type Answer[T any] struct {
	// Value is the answer. It is set by Ask.
	Value T

	question elicit.Question
}

// Err returns nil if Ask has received an answer, and an error that wraps
// [ErrDeclined] or [ErrCanceled] if the user did not answer. If Ask returned any
// other error, the result of Err is undefined.
func (a *Answer[T]) Err() error { return refusal(&a.question) }

func (a *Answer[T]) ask() *elicit.Question { return &a.question }

// Elicit asks the user for the fields of the struct T with a form, and returns the answer:
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
// Call Ask from a render function, with the function's ctx or a context made from ctx. A key names
// a question within the prompt, and each question is asked once. Two different questions with one
// key are an error. A key is UTF-8 of 1 to 128 bytes. The key "prompt.arguments" is reserved.
//
// In protocol version 2026-07-28, the answers arrive with the next request:
//
//   - Ask returns [ErrInputRequired], and the render function must return the error.
//   - When the answers arrive, the render function runs again from the start. Wrap
//     side effects and expensive work in [Once].
//   - Earlier answers travel through the client, encrypted: see Options.RequestStateKeys. The
//     limit for this state is 64 KiB in base64. Above the limit, the request fails with an
//     internal error, or with invalid params if answers take most of the space.
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
		return askErrorOf(&elicit.Unavailable{Why: "ctx does not come from a render function"})
	case s.isCached:
		return askErrorOf(&elicit.Unavailable{Why: "a cached prompt cannot ask the user (Prompt.Cache is set)"})
	}
	all := make([]*elicit.Question, len(questions))
	for i, q := range questions {
		if err := option.Check("prompts: Ask", struct{}{}, "question", q); err != nil {
			return err
		}
		all[i] = q.ask()
	}
	s.hasAsked.Store(true)
	switch pending, err := s.knowledge().Ask(ctx, s.request, all); {
	case err != nil:
		return askErrorOf(err)
	case pending:
		return ErrInputRequired
	}
	var refusals []error
	for _, q := range all {
		refusals = append(refusals, refusal(q))
	}
	return errors.Join(refusals...)
}

// Form returns a question with a form for the user. The form has a field for each
// field of the struct T, by the rules of [New], and arguments add to the fields by
// name. The key names the question within the prompt: see [Ask]. The message
// explains the question to the user. Ask reports errors of the declaration.
//
// The protocol's forms are flat. A field is a string, a number, a boolean, or a
// choice from an enum. A list of enum values is a choice of several. An object has one
// field for each member, such as scope.region, unless it has more than 32 members. A
// field of any other type is a string, converted like an argument.
func Form[T any](key, message string, arguments ...Argument) *Answer[T] {
	a := new(Answer[T])
	specs, errs := appendSpecs(nil, arguments)
	a.question = elicit.NewForm(key, message, reflect.ValueOf(&a.Value).Elem(), specs, errs...)
	return a
}

// InputRequest returns a question in the protocol's own terms, for questions that
// [Form] cannot express. method is elicitation/create, sampling/createMessage or
// roots/list. params are the params of the protocol for the method, encoded by
// encoding/json, and may be nil for roots/list. [Ask] reports errors in the params.
// The Value of the answer is the client's result, unchanged: the result has the
// members of the method, and the content of a form is valid by its requestedSchema.
//
// To ask for secrets, use an elicitation in URL mode, since protocol version 2025-11-25:
// {"mode":"url","message":…,"url":…}. If the protocol version requires an elicitationId and the
// params have none, the server adds one. The URL must contain no data about the user, and must
// not sign in anyone who opens the URL: see the protocol's page on elicitation. The answer only
// reports that the user agreed to open the URL.
//
// The protocol has deprecated sampling and roots.
func InputRequest(key, method string, params any) *Answer[json.RawMessage] {
	a := new(Answer[json.RawMessage])
	a.question = elicit.NewInput(key, method, params, func(result string) { a.Value = json.RawMessage(result) })
	return a
}

// Once calls f once for a prompt and its arguments, and returns the result. When the render
// function runs again because of [Ask], Once returns the first result without calling f. Use
// Once for side effects and expensive work before or between questions:
//
//	draft, err := prompts.Once(ctx, "draft", func(ctx context.Context) (string, error) {
//		return write(ctx, topic)
//	})
//
// key names the value within the prompt, and is UTF-8 of 1 to 128 bytes. Between the runs, the
// value travels through the client, as encrypted JSON. encoding/json must be able to encode and
// decode the value. The value counts toward the limit of the state: see Ask. A client may
// return to an earlier state of the prompt, so do not use Once to enforce a limit or a payment.
//
// If f returns an error, Once returns the error and stores nothing. Two calls with the same key
// must not run at the same time. Outside of a render function, Once calls f each time.
func Once[T any](ctx context.Context, key string, f func(ctx context.Context) (T, error)) (T, error) {
	var value T
	if err := option.Check("prompts: Once", struct{}{}, "function", f); err != nil {
		return value, err
	}
	s := scopeOf(ctx)
	if s == nil || s.isCached {
		return f(ctx)
	}
	if !elicit.IsKey(key) {
		return value, fmt.Errorf("prompts: Once: invalid key %q: must be valid UTF-8 of 1 to %d bytes", phrase.Clip(key, elicit.MaxKey), elicit.MaxKey)
	}
	raw, ok := s.knowledge().Load(key)
	if !ok {
		made, err := f(ctx)
		if err != nil {
			return made, err
		}
		if raw, err = jsonenc.Append(nil, made); err != nil {
			return value, fmt.Errorf("prompts: Once(%q): value: %w", key, err)
		}
	}
	// The first run gets the value as later ones do.
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("prompts: Once(%q): value: %w", key, err)
	}
	if !ok {
		s.knowledge().Store(key, raw)
	}
	return value, nil
}
