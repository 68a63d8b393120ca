package prompts

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A requestState is a round, encrypted and authenticated, so that a client can
// neither read nor change it. What it is bound to is authenticated with it and
// not in it: principal, method, prompt and arguments must be those of the
// request that brings it back (MRT-12…15).
//
//	base64url( version, salt, AES-256-GCM( JSON of sealedState ) )
//
// The key and the nonce of each state come from one of the server's keys and
// the salt, which is random and long enough never to repeat.
const (
	stateVersion = 1
	stateSalt    = 32
	stateKey     = 32
	stateNonce   = 12
	// maxState is the size in bytes of the longest requestState.
	maxState = 64 << 10
	// minStateKey is the size in bytes of the shortest key of an author's.
	minStateKey = 16
)

var errStateSize = errors.New("the answers and the values of Once are too large to travel in a requestState")

type sealedState struct {
	roundState
	Expires int64 `json:"e"` // Unix time in milliseconds
}

// errAnswersSize is for a client whose own answers are what is too large.
var errAnswersSize = invalidParam("inputResponses", "the answers so far are too large to go on with")

// sizeOfAnswers returns how much of the state is what the client has said, in
// bytes of JSON.
func (s *roundState) sizeOfAnswers() int {
	said, _ := encodeJSON(roundState{Answers: s.Answers, Texts: s.Texts})
	return len(said)
}

// binding is what a state belongs to.
type binding [sha256.Size]byte

// bindState returns the binding of a request for a prompt.
func (s *Server) bindState(ctx context.Context, d *definition, texts []given) binding {
	principal := ""
	if s.options.Principal != nil {
		principal = s.options.Principal(ctx)
	}
	var b []byte
	add := func(part string) {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	add("prompts/get")
	add(principal)
	add(d.prompt.Name)
	for i, g := range texts {
		if g.ok {
			add(d.plan.arguments[i].Name)
			add(g.text)
		}
	}
	return sha256.Sum256(b)
}

// stateKeys returns the keys for states, the one to seal with first.
func (s *Server) stateKeys() ([][]byte, error) {
	if s.options.StateKeys == nil {
		return [][]byte{s.ownKey}, nil
	}
	keys := s.options.StateKeys()
	if len(keys) == 0 {
		return nil, errors.New("Options.StateKeys has returned no keys")
	}
	for _, k := range keys {
		if len(k) < minStateKey {
			return nil, fmt.Errorf("Options.StateKeys has returned a key of %d bytes; it must have %d at least", len(k), minStateKey)
		}
	}
	return keys, nil
}

// sealState returns the requestState of a round.
func (s *Server) sealState(state sealedState, to binding) (string, error) {
	keys, err := s.stateKeys()
	if err != nil {
		return "", err
	}
	plain, err := encodeJSON(state)
	if err != nil {
		return "", fmt.Errorf("encoding the state: %w", err)
	}
	sealed := make([]byte, 1+stateSalt, 1+stateSalt+len(plain)+16)
	sealed[0] = stateVersion
	_, _ = rand.Read(sealed[1:]) // never fails
	aead, nonce, err := stateCipher(keys[0], sealed[1:])
	if err != nil {
		return "", err
	}
	sealed = aead.Seal(sealed, nonce, plain, to[:])
	text := opaqueEncoding.EncodeToString(sealed)
	if len(text) > maxState {
		return "", fmt.Errorf("%w: %d bytes, of %d at most", errStateSize, len(text), maxState)
	}
	return text, nil
}

// openState returns the round that a requestState holds. ok is false if the
// state is not ours, not of this request, or too old. The error is the
// author's.
func (s *Server) openState(text string, to binding) (state sealedState, ok bool, err error) {
	if len(text) > maxState || strings.ContainsAny(text, "\r\n") {
		return state, false, nil
	}
	sealed, err := opaqueEncoding.DecodeString(text)
	if err != nil || len(sealed) <= 1+stateSalt || sealed[0] != stateVersion {
		return state, false, nil
	}
	keys, err := s.stateKeys()
	if err != nil {
		return state, false, err
	}
	for _, key := range keys {
		aead, nonce, err := stateCipher(key, sealed[1:1+stateSalt])
		if err != nil {
			return state, false, err
		}
		plain, err := aead.Open(nil, nonce, sealed[1+stateSalt:], to[:])
		if err != nil {
			continue
		}
		var opened sealedState
		if json.Unmarshal(plain, &opened) != nil || time.Now().UnixMilli() >= opened.Expires {
			return state, false, nil
		}
		return opened, true, nil
	}
	return state, false, nil
}

// stateCipher returns the cipher and the nonce of the one state with this salt.
func stateCipher(key, salt []byte) (cipher.AEAD, []byte, error) {
	derived, err := hkdf.Key(sha256.New, key, salt, "github.com/mcp-prompts/prompts requestState", stateKey+stateNonce)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(derived[:stateKey])
	if err != nil {
		return nil, nil, err
	}
	aead, err := cipher.NewGCM(block)
	return aead, derived[stateKey:], err
}
