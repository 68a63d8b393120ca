package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each round of a request is answered by another replica, while the keys rotate.
func TestAsk(t *testing.T) {
	t.Parallel()
	var keys atomic.Pointer[[][]byte]
	key := func(b byte) []byte { return append(make([]byte, 31), b) }
	keys.Store(&[][]byte{key(1)})
	s := start(t, 0, nil)
	s.settings.stateKeys = func(context.Context) ([][]byte, error) { return *keys.Load(), nil }
	var err error
	s.fleet, err = startFleet(t.Context(), 3, s.settings)
	require.NoError(t, err)

	ask := func(replica int, params string) answer {
		c := newClient(t, "http://"+s.fleet[replica].host+"/mcp")
		a, err := c.try(t.Context(), "prompts/get", "announce", `"name":"announce",`+params)
		require.NoError(t, err)
		return a
	}
	first := ask(0, "")
	require.Equal(t, "input_required", first.Result.ResultType)
	keys.Store(&[][]byte{key(2), key(1)})
	second := ask(1, `"inputResponses":{"release":{"action":"accept","content":{"version":"v1.2.3"}}},"requestState":`+strconv.Quote(first.Result.RequestState)+`,`)
	require.Equal(t, "input_required", second.Result.ResultType)
	keys.Store(&[][]byte{key(3), key(2)})
	third := ask(2, `"inputResponses":{"channel":{"action":"accept","content":{"channel":"blog"}}},"requestState":`+strconv.Quote(second.Result.RequestState)+`,`)
	require.Nil(t, third.Error)
	require.Len(t, third.Result.Messages, 1)
	assert.Equal(t, "Announce v1.2.3 on the blog.", third.Result.Messages[0].Content.Text)
}
