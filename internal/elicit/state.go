package elicit

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// State is what a handler knows from its client so far. If the answers come with another request,
// the State travels between the requests. The zero value knows nothing. Safe for concurrent use.
// The application may ask on several goroutines, so the methods take the lock. Resume and Restore
// need no lock, because they are called before the function runs.
type State struct {
	mu sync.Mutex // protects the fields below
	requestState
	// rawResponses is the JSON of the answers in this request. It is empty if the
	// request has no answers, or if responses has them.
	rawResponses string
	responses    strictjson.Value
	expires      int64             // when the received state expires, 0 without a received state
	dirty        bool              // whether there are answers or values that the received state does not contain
	newTexts     map[string]bool   // names of arguments that the received state does not contain
	consumed     bool              // whether the answer to the question for arguments has been read
	pending      []*Question       // questions without an answer
	asked        map[string]string // what the function has asked, by key
}

// requestState is the part of a State that travels. The names in JSON are short, because each
// retry carries them.
type requestState struct {
	// Answers are the results that clients have answered with, by the key of the question.
	Answers map[string]string `json:"a,omitempty"`
	// Kept are the values of Once, by key.
	Kept map[string]json.RawMessage `json:"k,omitempty"`
	// Texts are the arguments that have been asked for, by name; nil for one that was left empty.
	Texts map[string]*string `json:"t,omitempty"`
}

// pendingState returns the questions to answer, and the state for the next request. The
// state expires with the state of this request, unless the new state contains something
// new: a client must not keep a state alive by repeating it.
func (s *State) pendingState(ttl time.Duration) ([]*Question, sealedState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := sealedState{
		requestState: requestState{Answers: maps.Clone(s.Answers), Kept: maps.Clone(s.Kept), Texts: maps.Clone(s.Texts)},
		Expires:      s.expires,
	}
	if s.expires == 0 || s.dirty || len(s.newTexts) > 0 {
		state.Expires = time.Now().Add(ttl).UnixMilli()
	}
	return slices.Clone(s.pending), state
}

// answer returns the client's answer to a question. An answer that was accepted before
// wins over a new one, because later steps may depend on it.
func (s *State) answer(key string) (result string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.Answers[key]; ok {
		return a, true
	}
	return s.takeAnswer(key)
}

// takeAnswer returns what this request answers to a question. What was not asked for is never
// looked at (MRT-21). The caller holds s.mu. The answers are parsed when the first is needed,
// because a function may end without asking.
func (s *State) takeAnswer(key string) (result string, ok bool) {
	if s.rawResponses != "" {
		doc := new(strictjson.Doc)
		_ = doc.Parse(s.rawResponses, jsonenc.MaxDepth) // it was parsed as part of the request
		s.rawResponses, s.responses = "", doc.Root()
	}
	if v := s.responses.Get(key); v.Kind() > strictjson.Null { // nor absent
		return v.Raw(), true
	}
	return "", false
}

// accept reads the answer to a question, and keeps it if it is one. A refusal is stored too,
// so that the next run does not ask the user again.
func (s *State) accept(q *Question, rev revision.Revision, result string) error {
	err := q.read(rev, result)
	refused, isRefused := err.(*Refused)
	if err != nil && !isRefused {
		return err
	}
	q.Refused = refused
	s.mu.Lock()
	defer s.mu.Unlock()
	// An answer that came with requestState is not new: it must not extend the time that the
	// state is valid.
	if _, known := s.Answers[q.key]; !known {
		put(&s.Answers, q.key, result)
		s.dirty = true
	}
	return nil
}

func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// Unsent returns the keys of the questions without an answer, except the question for arguments.
func (s *State) Unsent() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.pending {
		if q.key != argumentsKey {
			keys = append(keys, q.key)
		}
	}
	return keys
}

// addPending notes questions that are to be answered with another request. Two goroutines may
// ask the same question, which is sent once.
func (s *State) addPending(questions []*Question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range questions {
		if !slices.ContainsFunc(s.pending, func(p *Question) bool { return p.key == q.key }) {
			s.pending = append(s.pending, q)
		}
	}
}

func (s *State) Load(key string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.Kept[key]
	return raw, ok
}

func (s *State) Store(key string, raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	put(&s.Kept, key, raw)
	s.dirty = true
}

// reset forgets what the render function has learnt and asked, because it is to be run with
// other arguments. The texts of arguments are kept, and so is the question for arguments.
func (s *State) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Answers, s.Kept, s.dirty = nil, nil, false
	s.rawResponses, s.responses, s.asked = "", strictjson.Value{}, nil
	s.pending = slices.DeleteFunc(s.pending, func(q *Question) bool { return q.key != argumentsKey })
}

// takeArguments returns what this request answers to the question for arguments, once. If the
// answer is invalid, the next call must ask again rather than read the same answer.
func (s *State) takeArguments() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.consumed {
		return "", false
	}
	s.consumed = true
	return s.takeAnswer(argumentsKey)
}

// forgetTexts is for arguments that are asked for again. Otherwise Restore would bring back
// the invalid texts in the next request.
func (s *State) forgetTexts(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		delete(s.Texts, name)
		delete(s.newTexts, name)
	}
}

// Restore replaces the texts of the arguments that earlier requests have asked for. The
// client sends the same arguments with each retry. The user was asked because of these, so
// the answers replace them.
func (s *State) Restore(plan *argument.Plan, texts []argument.Text) {
	for i := range texts {
		if text, ok := s.Texts[plan.Arguments[i].Name]; ok {
			texts[i] = argument.Text{}
			if text != nil {
				texts[i] = argument.Text{Value: *text, Given: true}
			}
		}
	}
}

// Record keeps the texts of the arguments that were asked for and have no problem.
func (s *State) Record(plan *argument.Plan, texts []argument.Text, asked []int, problems []argument.Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range asked {
		name := plan.Arguments[i].Name
		if slices.ContainsFunc(problems, func(p argument.Problem) bool { return p.Argument == name }) {
			continue
		}
		var text *string
		if texts[i].Given {
			value := texts[i].Value
			text = &value
		}
		put(&s.Texts, name, text)
		put(&s.newTexts, name, true)
	}
}
