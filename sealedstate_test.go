package prompts

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/seal"
)

func TestStateRoundTrip(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, Options{})
	to := seal.Binding{1, 2, 3}
	for _, state := range []requestState{
		{},
		{Answers: map[string]string{"a": `{"action":"decline"}`}},
		{
			Answers: map[string]string{"a": `{ "<": 1 }`, "é": `{"x":[1]}`},
			Kept:    map[string]json.RawMessage{"a": json.RawMessage(`1`)},
			Texts:   map[string]*string{"a": ptr(""), "b": ptr("\x00"), "c": nil},
		},
	} {
		state := lasting(state)
		text, err := s.sealState(state, to)
		require.NoError(t, err)
		got, ok, err := s.openState(text, to)
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, state, got)
		to[31]++
		_, ok, err = s.openState(text, to)
		require.NoError(t, err)
		assert.False(t, ok, "bound to something else")
	}
}

// lasting returns a state that is good for long.
func lasting(state requestState) sealedState {
	return sealedState{state, time.Now().Add(100 * 365 * 24 * time.Hour).UnixMilli()}
}

// A state holds what a client has said in hardly more room than that took.
func TestStateDoesNotSwell(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, Options{})
	text := `{"action":"accept","content":{"x":"` + strings.Repeat("<", 9000) + `"}}`
	sealed, err := s.sealState(lasting(requestState{Answers: map[string]string{"k": text}}), seal.Binding{})
	require.NoError(t, err)
	assert.Less(t, len(sealed), 13_000)
}
