package prompts_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// Who has updated waits for others like anybody else.
func TestUpdateIsOver(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	require.NoError(t, r.Update(func(tx *prompts.Tx) error { return tx.Add(barePrompt("a", "")) }))
	inside := make(chan struct{})
	go func() {
		assert.NoError(t, r.Update(func(tx *prompts.Tx) error { // as a slow Add does
			close(inside)
			for range 10_000 {
				runtime.Gosched()
			}
			return tx.Add(barePrompt("b", ""))
		}))
	}()
	<-inside
	assert.NoError(t, r.Add(barePrompt("c", "")))
	assert.Equal(t, []string{"a", "b", "c"}, namesOf(&r))
}
