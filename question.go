package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// ErrInputRequired is what [Ask] and [Elicit] return when the answers have to
// come with another request (revision 2026-07-28). A render function returns
// it, possibly wrapped; the client is then asked, and the function is run
// again once the client has answered. One that returns a result instead has
// given its answer: nobody is asked.
var ErrInputRequired = errors.New("input from the client is required")

// What [Ask] and [Elicit] return, wrapped, when a person does not answer. The
// protocol calls it decline and cancel. If a render function passes one on, its
// client gets invalid params (-32602) that say so.
var (
	ErrDeclined  = errors.New("the client has declined to answer")
	ErrDismissed = errors.New("the client has dismissed the question")
)

// ErrCannotAsk is what [Ask] and [Elicit] return, wrapped, if there will be no
// answer: the client has no capability for the question or its revision has
// none; there is no way to send it a request; it has answered with an error, is
// gone, or has not answered within Options.AskTimeout. A render function may
// then do without the answer. If it passes the error on, a client of revision
// 2026-07-28 is told the capability that is missing (-32021), any other gets an
// internal error (-32603) that says that it could not be asked, and why.
var ErrCannotAsk = errors.New("the client cannot be asked")

// Question is something to ask a client: an [Answer] that is still open.
type Question interface{ ask() *question }

// Answer is a question to a client, made by [Form] or [InputRequest], and after
// [Ask] its answer.
type Answer[T any] struct {
	// Value is the answer, if Ask has got one.
	Value T

	question question
}

// Err returns what has become of the question, after Ask: nil if it was
// answered, and an error that wraps [ErrDeclined] or [ErrDismissed] if it was
// not. Where Ask has returned another error, there is no saying.
func (a *Answer[T]) Err() error { return a.question.refused }

func (a *Answer[T]) ask() *question { return &a.question }

// question is what is sent to a client, and how its answer is read.
type question struct {
	key    string
	method string
	// encode returns the params in the form of a revision and what a client
	// must have declared to be sent them, or what is wrong with the question.
	encode func(rev revision.Revision) (json.RawMessage, clientCapabilities, error)
	params json.RawMessage // as encoded
	// take reads the result that a client of the revision has answered with.
	// Its error is an [*Error] if the result is not what was asked for, or
	// wraps ErrDeclined or ErrDismissed.
	take    func(rev revision.Revision, result string) error
	refused error // of those, the latter
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
// the same question, and its answer is asked for once. A key is UTF-8 of 1 to
// 128 bytes; "prompt.arguments" is reserved.
//
// In revision 2026-07-28 the answers come with another request. Ask then
// returns [ErrInputRequired], which the function passes on, and the function
// is run again from its beginning when they have come; what must not be done
// again goes through [Once]. Earlier answers travel along in between, sealed:
// see Options.StateKeys. All of that may be 64 KiB in base64; more is an
// internal error, or invalid params if most of it is answers. In a session of revision 2025-06-18 or 2025-11-25 Ask waits
// for all the answers, for Options.AskTimeout at most; meanwhile the time limit
// stands still, and others have the function's turn.
//
// A person may decline ([ErrDeclined]) or dismiss ([ErrDismissed]) a question,
// see [Answer.Err]; Ask returns these joined. [ErrCannotAsk] says that there
// will be no answers, for one of several reasons. An answer that is not what
// was asked for is an [*Error] with [CodeInvalidParams] that says what is wrong
// with it. Any other error is the context's, or says what is wrong with the
// question.
//
// A form must not ask for secrets: the protocol has the URL mode for them, see
// [InputRequest]. Nothing can be relied on to come back: a client may never
// answer.
func Ask(ctx context.Context, questions ...Question) error {
	c := callerOf(ctx)
	if c != nil && c.isCached {
		return &cannotAsk{why: "the prompt is kept for other clients, too (see Cache)"}
	}
	if c == nil || !c.asks {
		return &cannotAsk{why: "this is not the context of a render function"}
	}
	all := make([]*question, len(questions))
	for i, q := range questions {
		all[i] = q.ask()
	}
	if err := checkKeys(all); err != nil {
		return err
	}
	if !c.rev.Stateless() {
		// What another goroutine has asked is not asked again.
		if err := c.base().asking.take(ctx, c.own); err != nil {
			return err
		}
		defer c.base().asking.give()
	}
	c.hasAsked.Store(true)
	var unanswered []*question
	var refusals []error
	for _, q := range all {
		result, ok := c.round().answer(q.key)
		if !ok {
			unanswered = append(unanswered, q)
			continue
		}
		if err := c.accept(q, result, &refusals); err != nil {
			return err
		}
	}
	if len(unanswered) == 0 {
		return errors.Join(refusals...)
	}
	if err := c.prepare(unanswered); err != nil {
		return err
	}
	if c.rev.Stateless() {
		c.round().pend(unanswered)
		return ErrInputRequired
	}
	results, err := c.peer.request(ctx, unanswered)
	if err != nil {
		return err
	}
	for i, q := range unanswered {
		if err := c.accept(q, results[i], &refusals); err != nil {
			return err
		}
	}
	return errors.Join(refusals...)
}

// checkKeys refuses questions that cannot be told apart.
func checkKeys(questions []*question) error {
	for i, q := range questions {
		if q.key == "" || len(q.key) > maxKey || !utf8.ValidString(q.key) || q.key == argumentsKey {
			return fmt.Errorf("prompts: the key %q of a question must be valid UTF-8 of 1 to %d bytes, and not %q", clip(q.key, maxKey), maxKey, argumentsKey)
		}
		if slices.ContainsFunc(questions[:i], func(other *question) bool { return other.key == q.key }) {
			return fmt.Errorf("prompts: two questions with the key %q", q.key)
		}
	}
	return nil
}

// maxKey is the length of the longest key of a question or of [Once], in bytes.
const maxKey = 128

// accept reads a client's answer to a question. A refusal is put to the others.
func (c *caller) accept(q *question, result string, refusals *[]error) error {
	err := c.round().accept(q, c.rev, result)
	if !isRefusal(err) {
		return err
	}
	q.refused = err
	*refusals = append(*refusals, err)
	return nil
}

// prepare encodes questions for the client, if it can be asked all of them.
func (c *caller) prepare(questions []*question) error {
	var needs clientCapabilities
	for _, q := range questions {
		params, more, err := q.encode(c.rev)
		if err != nil {
			return fmt.Errorf("prompts: the question %q: %w", q.key, err)
		}
		q.params = params
		needs = needs.and(more)
	}
	return c.canAsk(needs)
}

// canAsk returns nil if the client can be asked for what it takes, or an
// error that wraps ErrCannotAsk.
func (c *caller) canAsk(needs clientCapabilities) error {
	switch lacking := needs.without(c.client); {
	case !c.rev.Elicitation():
		return &cannotAsk{why: "its protocol revision is older than 2025-06-18"}
	case needs.url && !c.rev.ElicitationModes():
		return &cannotAsk{why: "its protocol revision has no elicitation by URL"}
	case lacking != clientCapabilities{}:
		return &cannotAsk{why: "it has not declared the capability " + strings.Join(lacking.names(), ", "), lacking: lacking}
	case !c.rev.Stateless() && !c.isLive:
		return &cannotAsk{why: "there is no way to send it a request"}
	}
	return nil
}
