package prompts_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// CAN-01, GAP-15: a batch may cancel what it has begun itself; the others are
// answered all the same.
func TestBatchThatCancelsItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{})
		c := connect(t, s).handshakeIn(batchVersion)
		assert.Equal(t, []string{batchLine(textLine("2", "hi"))},
			c.ask(batchLine(getLine("1", "wait"), cancelLine("1"), getLine("2", "text"))))
		assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), cancelLine("1"))))
		began := time.Now()
		require.NoError(t, c.end())
		assert.Zero(t, time.Since(began), "there is nothing to wait for")
		assertNoTrace(t, s)
	})
}
