package prompts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file seals the requestState, so that a client can neither read nor change
// it. A requestState is bound to the principal, method, prompt and arguments of its
// request, which must be those of the request that brings it back (MRT-12 to
// MRT-15).

const (
	// maxRequestState limits the size of a requestState in bytes.
	maxRequestState = 64 << 10
	// minStateKey is the minimum size of a key of Options.RequestStateKeys in bytes.
	minStateKey = 16
)

var errStateSize = errors.New("answers and values of Once exceed the size of a requestState; store large values on the server")

type sealedState struct {
	requestState
	Expires int64 `json:"e"` // Unix time in milliseconds
}

// errAnswersSize is for a client whose own answers are what is too large.
var errAnswersSize = wire.InvalidParam("inputResponses", "the answers given so far exceed the 64 KiB that requestState can carry")

// sizeOfAnswers returns how much of the state is what the client has said, in
// bytes of JSON.
func (s *requestState) sizeOfAnswers() int {
	said, _ := jsonenc.Marshal(requestState{Answers: s.Answers, Texts: s.Texts})
	return len(said)
}

// bindState returns the binding of a request of a method. parts are the name and the
// arguments of what it runs.
func (s *Server) bindState(ctx context.Context, method string, parts []string) seal.Binding {
	principal := ""
	if s.options.Principal != nil {
		principal = s.options.Principal(ctx)
	}
	var b []byte
	add := func(part string) {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	add(method)
	add(principal)
	for _, part := range parts {
		add(part)
	}
	return sha256.Sum256(b)
}

// stateKeys returns the keys for states, the one to seal with first.
func (s *Server) stateKeys() ([][]byte, error) {
	if s.options.RequestStateKeys == nil {
		return [][]byte{s.ownKey}, nil
	}
	keys := s.options.RequestStateKeys()
	if len(keys) == 0 {
		return nil, errors.New("Options.RequestStateKeys returned no keys")
	}
	for _, k := range keys {
		if len(k) < minStateKey {
			return nil, fmt.Errorf("Options.RequestStateKeys returned a key of %d bytes (minimum %d)", len(k), minStateKey)
		}
	}
	return keys, nil
}

// sealState returns the text that the client gets.
func (s *Server) sealState(state sealedState, to seal.Binding) (string, error) {
	keys, err := s.stateKeys()
	if err != nil {
		return "", err
	}
	plain, err := jsonenc.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("encode requestState: %w", err)
	}
	text, err := seal.Seal(keys[0], plain, to)
	if len(text) > maxRequestState {
		return "", fmt.Errorf("%w: %d bytes (limit %d)", errStateSize, len(text), maxRequestState)
	}
	return text, err
}

// openState returns what a requestState contains. It is not ok if the
// state is forged, of another request, or expired.
func (s *Server) openState(text string, to seal.Binding) (state sealedState, ok bool, err error) {
	if len(text) > maxRequestState {
		return state, false, nil
	}
	plain, ok, err := seal.Open(s.stateKeys, text, to)
	if !ok || json.Unmarshal(plain, &state) != nil || time.Now().UnixMilli() >= state.Expires {
		return sealedState{}, false, err
	}
	return state, true, nil
}
