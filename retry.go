package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file has what travels between the requests of one prompt in 2026-07-28: the
// answers of the user and the values of Once. requeststate.go seals them.

// scope is the context of one run of a render function, and what the run knows
// of its client. A request may have several: each call of a middleware's next
// is a run.
type scope struct {
	context.Context
	server     *Server
	request    *rpc.Request // nil for a run that is cached
	prompt     string
	isCached   bool // the run works for several clients
	hasAsked   atomic.Bool
	retryState atomic.Pointer[retryState] // nil until there is anything
}

type scopeKey struct{}

func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// scopeOf returns the scope of the render function that ctx is for, or nil. The
// context may also be that of another function, which another server runs for
// the render function.
func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	if s == nil || s.request != rpc.FromContext(ctx) {
		return nil
	}
	return s
}

// retry returns what the run has learnt from its client. Most learn nothing.
func (s *scope) retry() *retryState {
	if r := s.retryState.Load(); r != nil {
		return r
	}
	s.retryState.CompareAndSwap(nil, new(retryState)) // or another goroutine has done so
	return s.retryState.Load()
}

// openState takes over what a requestState has from earlier requests.
func (s *scope) openState(text string, to seal.Binding) *rpc.Failure {
	state, ok, err := s.server.openState(text, to)
	if err != nil {
		return rpc.InternalFailure(s.request.Subject(), err)
	}
	if !ok {
		return &rpc.Failure{Client: errState}
	}
	r := s.retry()
	r.requestState, r.expires = state.requestState, state.Expires
	return nil
}

// appendInputRequired appends the result that asks the pending questions.
func (s *scope) appendInputRequired(dst []byte, to seal.Binding) ([]byte, *rpc.Failure) {
	questions, state := s.retry().pendingState(s.server.options.RequestStateTTL)
	if len(questions) == 0 {
		return nil, rpc.InternalFailure(s.request.Subject(), errors.New("function returned ErrInputRequired without a question"))
	}
	sealed, err := s.server.sealState(state, to)
	if err != nil {
		if errors.Is(err, errStateSize) && state.sizeOfAnswers() > maxRequestState/2 {
			return nil, &rpc.Failure{Client: errAnswersSize}
		}
		return nil, rpc.InternalFailure(s.request.Subject(), err)
	}
	dst = append(dst, `{"resultType":"input_required","inputRequests":{`...)
	for i, q := range questions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, q.key)
		dst = append(dst, `:{"method":"`...)
		dst = append(dst, q.method...)
		dst = append(dst, `","params":`...)
		dst = append(dst, q.params...)
		dst = append(dst, '}')
	}
	dst = append(dst, `},"requestState":"`...)
	dst = append(dst, sealed...)
	dst = append(dst, `","_meta":{`...)
	dst = append(dst, s.server.serverInfo...)
	return append(dst, "}}"...), nil
}

// send sends questions to a client of a session, all at once, and returns the
// results that the client has answered with, as JSON.
func (s *scope) send(ctx context.Context, questions []*question) ([]string, error) {
	requests := make([]rpc.ClientRequest, len(questions))
	for i, q := range questions {
		requests[i] = rpc.ClientRequest{Method: q.method, Params: q.params}
	}
	results, err := s.request.Ask(ctx, requests)
	if e, ok := err.(*rpc.NoAnswer); ok {
		return nil, &unavailableError{why: e.Reason, cause: e.Err}
	}
	return results, err
}

// retryState is what a prompt has learnt from its client so far. Where the answers
// come with another request it travels between the requests.
type retryState struct {
	mu sync.Mutex // protects the fields below
	requestState
	// unread is the JSON of the answers that this request brings; empty if
	// there are none, or they are in responses.
	rawResponses string
	responses    strictjson.Value
	expires      int64           // when the state expires that this request brings, 0 without one
	dirty        bool            // whether there are more answers and values than that state has
	newTexts     map[string]bool // arguments that it does not have
	consumed     bool            // whether the one for arguments has been looked at
	pending      []*question     // not answered yet
	secrets      secrets         // of the prompt, and of those that it includes
}

// requestState is the part of a retryState that travels.
type requestState struct {
	// Answers are the results that clients have answered with, by the key of
	// the question.
	Answers map[string]string `json:"a,omitempty"`
	// Kept are the values of Once, by key.
	Kept map[string]json.RawMessage `json:"k,omitempty"`
	// Texts are the arguments that have been asked for, by name; nil for one
	// that was left empty.
	Texts map[string]*string `json:"t,omitempty"`
}

// answer returns the client's answer to a question. One that was accepted
// before stands, whatever the client says now: later steps have followed from
// it.
func (r *retryState) answer(key string) (result string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.Answers[key]; ok {
		return a, true
	}
	return r.takeAnswer(key)
}

// takeAnswer returns what this request answers to a question. What was not asked
// for is never looked at (MRT-21). The caller holds r.mu.
func (r *retryState) takeAnswer(key string) (result string, ok bool) {
	if r.rawResponses != "" {
		doc := new(strictjson.Doc)
		_ = doc.Parse(r.rawResponses, jsonenc.MaxDepth) // it was parsed as part of the request
		r.rawResponses, r.responses = "", doc.Root()
	}
	if v := r.responses.Get(key); v.Kind() > strictjson.Null { // nor absent
		return v.Raw(), true
	}
	return "", false
}

// accept reads the answer to a question, and keeps it if it is one.
func (r *retryState) accept(q *question, rev revision.Revision, result string) error {
	err := q.take(rev, result)
	if err != nil && !isRefused(err) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.Answers[q.key]; known {
		return err
	}
	if r.Answers == nil {
		r.Answers = map[string]string{}
	}
	r.Answers[q.key], r.dirty = result, true
	return err
}

// reset forgets what the render function has learnt and asked, because it is
// to be run with other arguments.
func (r *retryState) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Answers, r.Kept, r.dirty = nil, nil, false
	r.rawResponses, r.responses = "", strictjson.Value{}
	r.pending = slices.DeleteFunc(r.pending, func(q *question) bool { return q.key != argumentsKey })
}

// addPending notes questions that are to be answered with another request.
func (r *retryState) addPending(questions []*question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range questions {
		if !slices.ContainsFunc(r.pending, func(p *question) bool { return p.key == q.key }) {
			r.pending = append(r.pending, q)
		}
	}
}

// pendingState returns the questions to answer, and the state for the next request. The
// state expires with the state of this request, unless the new state contains something
// new: a client must not keep a state alive by repeating it.
func (r *retryState) pendingState(ttl time.Duration) ([]*question, sealedState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := sealedState{
		requestState: requestState{Answers: maps.Clone(r.Answers), Kept: maps.Clone(r.Kept), Texts: maps.Clone(r.Texts)},
		Expires:      r.expires,
	}
	if r.expires == 0 || r.dirty || len(r.newTexts) > 0 {
		state.Expires = time.Now().Add(ttl).UnixMilli()
	}
	return slices.Clone(r.pending), state
}

// Once calls f once for a prompt and its arguments, and returns the result. When the
// render function runs again because of [Ask], Once returns the first result without
// calling f. Use Once for side effects and expensive work before or between
// questions:
//
//	draft, err := prompts.Once(ctx, "draft", func() (string, error) { return write(ctx, topic) })
//
// key names the value within the prompt, and is UTF-8 of 1 to 128 bytes. Between the
// runs, the value travels through the client, as encrypted JSON. encoding/json must
// be able to encode and decode the value. The value counts toward the limit of the
// state: see Ask. A client may return to an earlier state of the prompt, so do not
// use Once to enforce a limit or a payment.
//
// If f returns an error, Once returns the error and stores nothing. Two calls with
// the same key must not run at the same time. Outside of a render function, Once
// calls f each time.
func Once[T any](ctx context.Context, key string, f func(ctx context.Context) (T, error)) (T, error) {
	s := scopeOf(ctx)
	if s == nil || s.isCached {
		return f(ctx)
	}
	var value T
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) {
		return value, fmt.Errorf("prompts: Once: invalid key %q: must be valid UTF-8 of 1 to %d bytes", phrase.Clip(key, maxKey), maxKey)
	}
	raw, ok := s.retry().kept(key)
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
		s.retry().keep(key, raw)
	}
	return value, nil
}

func (r *retryState) kept(key string) (json.RawMessage, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, ok := r.Kept[key]
	return raw, ok
}

func (r *retryState) keep(key string, raw json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Kept == nil {
		r.Kept = map[string]json.RawMessage{}
	}
	r.Kept[key], r.dirty = raw, true
}

// takeResponse returns what this request answers to a question, once.
func (r *retryState) takeResponse(key string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.consumed {
		return "", false
	}
	r.consumed = true
	return r.takeAnswer(key)
}

// forgetTexts is for arguments that are asked for again.
func (r *retryState) forgetTexts(d *definition, positions []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range positions {
		delete(r.Texts, d.plan.Arguments[i].Name)
		delete(r.newTexts, d.plan.Arguments[i].Name)
	}
}

// recordArguments keeps the arguments that were asked for and have no problem.
func (r *retryState) recordArguments(d *definition, texts []argument.Text, asked []int, problems []argument.Problem) {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[p.Argument] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Texts == nil {
		r.Texts = map[string]*string{}
	}
	if r.newTexts == nil {
		r.newTexts = map[string]bool{}
	}
	for _, i := range asked {
		if name := d.plan.Arguments[i].Name; !wrong[name] {
			r.Texts[name], r.newTexts[name] = nil, true
			if text := texts[i].Value; texts[i].Given {
				r.Texts[name] = &text
			}
		}
	}
}
