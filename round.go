package prompts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// round is what a prompt has learnt from its client so far. Where the answers
// come with another request it travels between the requests.
type round struct {
	mu sync.Mutex // protects the fields below
	roundState
	// unread is the JSON of the answers that this request brings; empty if
	// there are none, or they are in responses.
	unread    string
	responses strictjson.Value
	expires   int64           // when the state expires that this request brings, 0 without one
	hasLearnt bool            // whether there are more answers and values than that state has
	newTexts  map[string]bool // arguments that it does not have
	taken     bool            // whether the one for arguments has been looked at
	pending   []*question     // not answered yet
}

// roundState is the part of a round that travels.
type roundState struct {
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
func (r *round) answer(key string) (result string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.Answers[key]; ok {
		return a, true
	}
	return r.fresh(key)
}

// fresh returns what this request answers to a question. What was not asked
// for is never looked at (MRT-21). The caller holds r.mu.
func (r *round) fresh(key string) (result string, ok bool) {
	if r.unread != "" {
		doc := new(strictjson.Doc)
		_ = doc.Parse(r.unread, maxDepth) // it was parsed as part of the request
		r.unread, r.responses = "", doc.Root()
	}
	if v := r.responses.Get(key); v.Kind() > strictjson.Null { // nor absent
		return v.Raw(), true
	}
	return "", false
}

// accept reads the answer to a question, and keeps it if it is one.
func (r *round) accept(q *question, rev revision.Revision, result string) error {
	err := q.take(rev, result)
	if err != nil && !isRefusal(err) {
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
	r.Answers[q.key], r.hasLearnt = result, true
	return err
}

// restart forgets what the render function has learnt and asked, because it is
// to be run with other arguments.
func (r *round) restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Answers, r.Kept, r.hasLearnt = nil, nil, false
	r.unread, r.responses = "", strictjson.Value{}
	r.pending = slices.DeleteFunc(r.pending, func(q *question) bool { return q.key != argumentsKey })
}

// pend notes questions that are to be answered with another request.
func (r *round) pend(questions []*question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range questions {
		if !slices.ContainsFunc(r.pending, func(p *question) bool { return p.key == q.key }) {
			r.pending = append(r.pending, q)
		}
	}
}

// asked returns the questions that are to be answered, and the state for then.
// It expires with the one that it came from, unless there is something new in
// it: nobody is to keep a state alive by showing it.
func (r *round) asked(ttl time.Duration) ([]*question, sealedState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := sealedState{
		roundState: roundState{Answers: maps.Clone(r.Answers), Kept: maps.Clone(r.Kept), Texts: maps.Clone(r.Texts)},
		Expires:    r.expires,
	}
	if r.expires == 0 || r.hasLearnt || len(r.newTexts) > 0 {
		state.Expires = time.Now().Add(ttl).UnixMilli()
	}
	return slices.Clone(r.pending), state
}

// Once returns what f returns, and calls f only once for a prompt and its
// arguments, however often the render function is run again for the sake of
// [Ask]: in later runs it returns the value of the first. key names the value
// within the prompt; it is UTF-8 of 1 to 128 bytes. The value travels to the
// client and back in the meantime, as JSON and encrypted, so it must survive
// encoding/json, be small (see Ask), and be worth no more than the answers: a
// client may go back to an earlier state of the prompt.
//
// If f fails, so does Once, and nothing is kept. Two calls with the same key
// must not run at the same time. Outside of a render function Once calls f.
func Once[T any](ctx context.Context, key string, f func(ctx context.Context) (T, error)) (T, error) {
	c := callerOf(ctx)
	if c == nil || !c.asks {
		return f(ctx)
	}
	var value T
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) {
		return value, fmt.Errorf("prompts: the key %q of Once must be valid UTF-8 of 1 to %d bytes", clip(key, maxKey), maxKey)
	}
	raw, ok := c.round().kept(key)
	if !ok {
		made, err := f(ctx)
		if err != nil {
			return made, err
		}
		if raw, err = appendJSON(nil, made); err != nil {
			return value, fmt.Errorf("prompts: the value of Once(%q): %w", key, err)
		}
	}
	// The first run gets the value as later ones do.
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("prompts: the value of Once(%q): %w", key, err)
	}
	if !ok {
		c.round().keep(key, raw)
	}
	return value, nil
}

func (r *round) kept(key string) (json.RawMessage, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, ok := r.Kept[key]
	return raw, ok
}

func (r *round) keep(key string, raw json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Kept == nil {
		r.Kept = map[string]json.RawMessage{}
	}
	r.Kept[key], r.hasLearnt = raw, true
}
