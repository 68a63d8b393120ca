// Package elicit asks the client for input: it encodes questions in the form of a
// protocol version, sends them, and reads the answers.
//
// In a session, a question is a request to the client, and the handler waits for the response. In
// 2026-07-28, questions are the result of the request (input_required). The answers come with the
// client's next request, and the requestState carries what earlier requests have brought.
//
// The files:
//
//   - elicit.go: questions, and how they are asked;
//   - form.go: questions with a form, also for the arguments of a prompt;
//   - input.go: questions in the protocol's own terms;
//   - state.go: what is known from the client;
//   - requeststate.go: how the client carries it to the next request;
//   - errors.go: the errors of questions and answers.
package elicit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// Question is a request for input to a client, and the function that reads the answer. A
// Question is for one request, and the goroutine that asks owns it.
type Question struct {
	// Refused is the error of an answer that the user declined or dismissed.
	Refused *Refused

	key, method string
	// encode returns the params in the form of a revision and the capabilities that a client must
	// have declared to receive them. It returns an error if the question is invalid.
	encode func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error)
	params json.RawMessage // as encoded
	// read reads the result that a client of the revision has sent. The error is an
	// [*Invalid] if the result does not fit the question, or a [*Refused].
	read func(rev revision.Revision, result string) error
}

// argumentsKey is the key of the question for arguments of the prompt itself. checkKeys
// rejects the key for questions of an application.
const argumentsKey = "prompt.arguments"

// MaxKey is the maximum size of the key of a question or a value in bytes. The keys are part
// of the requestState, whose size is limited.
const MaxKey = 128

func IsKey(key string) bool { return key != "" && len(key) <= MaxKey && utf8.ValidString(key) }

func checkKeys(questions []*Question) error {
	for i, q := range questions {
		if !IsKey(q.key) || q.key == argumentsKey {
			return fmt.Errorf("prompts: invalid question key %q: must be valid UTF-8 of 1 to %d bytes, and not %q", phrase.Clip(q.key, MaxKey), MaxKey, argumentsKey)
		}
		if slices.ContainsFunc(questions[:i], func(other *Question) bool { return other.key == q.key }) {
			return fmt.Errorf("prompts: duplicate question key %q", q.key)
		}
	}
	return nil
}

// Ask asks the questions that have no answer yet, all at once, and reads the answers. It reports
// whether the answers come with another request. If the user did not answer a question, there is no
// error, but the question has the field Refused. A render function runs again from its start when
// answers have come with another request (2026-07-28), and after it was asked for arguments. So Ask
// is called again with the same questions, and must find the answers it has.
func (s *State) Ask(ctx context.Context, r *rpc.Running, questions []*Question) (pending bool, err error) {
	if err := checkKeys(questions); err != nil {
		return false, err
	}
	if !r.Rev.Stateless() {
		// What another goroutine has asked is not asked again.
		if err := r.LockAsking(ctx); err != nil {
			return false, err
		}
		defer r.UnlockAsking()
	}
	var unanswered []*Question
	for _, q := range questions {
		// A key identifies a question over all runs of the function.
		if err := s.noteAsked(q, r.Rev); err != nil {
			return false, err
		}
		result, ok := s.answer(q.key)
		if !ok {
			unanswered = append(unanswered, q)
		} else if err := s.accept(q, r.Rev, result); err != nil {
			return false, err
		}
	}
	if len(unanswered) == 0 {
		return false, nil
	}
	// All questions are encoded before the first is sent: the client is asked all of them or none.
	if err := prepare(r, unanswered); err != nil {
		return false, err
	}
	if r.Rev.Stateless() {
		s.addPending(unanswered)
		return true, nil
	}
	results, err := send(ctx, r, unanswered)
	if err != nil {
		return false, err
	}
	for i, q := range unanswered {
		if err := s.accept(q, r.Rev, results[i]); err != nil {
			return false, err
		}
	}
	return false, nil
}

// noteAsked returns an error if the function has asked another question with the same key:
// the answer of one would be taken for that of the other. The encoded params are compared, so
// that a different message or schema is found.
func (s *State) noteAsked(q *Question, rev revision.Revision) error {
	params, _, err := q.encode(rev)
	if err != nil {
		return nil // which prepare or read reports
	}
	text := q.method
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	if doc.Parse(string(params), jsonenc.MaxDepth) == nil {
		for name, v := range doc.Root().Members() {
			if name != "elicitationId" { // which is random
				text += "\n" + name + ":" + v.Raw()
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.asked[q.key]; ok && before != text {
		return fmt.Errorf("prompts: two different questions have the key %q; give each question a key of its own", q.key)
	}
	put(&s.asked, q.key, text)
	return nil
}

// prepare encodes questions for the client, if it can be asked all of them. The client must
// have declared the capabilities of all (DSC-12).
func prepare(r *rpc.Running, questions []*Question) error {
	var needs wire.Capabilities
	for _, q := range questions {
		params, more, err := q.encode(r.Rev)
		if err == nil && q.method == methodElicit {
			params, err = withhold(r.Secrets(), params)
		}
		if err != nil {
			return fmt.Errorf("prompts: question %q: %w", q.key, err)
		}
		q.params = params
		needs = needs.Union(more)
	}
	if unable := cannotAsk(r, needs); unable != nil {
		return unable
	}
	return nil
}

// withhold replaces the secrets in the message of an elicitation. It returns an error if the
// URL of the elicitation contains a secret (MRT-27). A URL cannot be cleaned by replacing: it
// would point elsewhere.
func withhold(secrets *redact.Secrets, params json.RawMessage) (json.RawMessage, error) {
	if secrets == nil {
		return params, nil
	}
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	if err := doc.Parse(string(params), jsonenc.MaxDepth); err != nil {
		return nil, err
	}
	if err := secrets.CheckURI(doc.Root().Get("url").Text()); err != nil {
		return nil, err
	}
	clean := []byte{'{'}
	for name, v := range doc.Root().Members() {
		if len(clean) > 1 {
			clean = append(clean, ',')
		}
		clean = append(strictjson.AppendString(clean, name), ':')
		if name == "message" {
			clean = strictjson.AppendString(clean, secrets.Text(v.Text()))
		} else {
			clean = append(clean, v.Raw()...)
		}
	}
	return append(clean, '}'), nil
}

// cannotAsk returns nil if the client can be asked for what needs the capabilities. The
// version is checked first: a version without elicitation explains a missing capability.
func cannotAsk(r *rpc.Running, needs wire.Capabilities) *Unavailable {
	switch lacking := needs.Minus(r.Client); {
	case !r.Rev.Elicitation():
		return &Unavailable{Why: "the client's protocol version predates elicitation (2025-06-18)"}
	case needs.URL && !r.Rev.ElicitationModes():
		return &Unavailable{Why: "the client's protocol version does not support URL elicitation"}
	case !r.Rev.Stateless() && !r.CanAsk: // without a session, the capabilities are not known either
		return &Unavailable{Why: "this connection cannot carry requests of the server"}
	case lacking != wire.Capabilities{}:
		return &Unavailable{Why: "the client did not declare the capability " + strings.Join(lacking.Paths(), ", "), lacking: lacking}
	}
	return nil
}

func send(ctx context.Context, r *rpc.Running, questions []*Question) ([]string, error) {
	requests := make([]rpc.ClientRequest, len(questions))
	for i, q := range questions {
		requests[i] = rpc.ClientRequest{Method: q.method, Params: q.params}
	}
	results, err := r.Ask(ctx, requests)
	// Any other error is the cause of a context's end.
	if e, ok := err.(*rpc.NoAnswer); ok {
		return nil, &Unavailable{Why: e.Reason, Cause: e.Err}
	}
	return results, err
}
