package prompts_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
)

// Who begins in the midst of a burst is told at its end if there has been a
// change since, and of nothing otherwise.
func TestSubscriberThatBeginsInABurst(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string]int{"no more changes": 0, "one more change": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.NewServer(reg, prompts.Options{})
				first := connect(t, s).listen("1")
				require.NoError(t, reg.Set(textPrompt("text", "x")))
				time.Sleep(notify.MinPause / 2)
				second := connect(t, s).listen("2")
				for range changes {
					require.NoError(t, reg.Set(textPrompt("text", "y")))
				}
				time.Sleep(notify.MinPause)
				assert.Equal(t, []string{changedLine("1")}, first.received())
				assert.Len(t, second.received(), changes)
				require.NoError(t, first.end())
				require.NoError(t, second.end())
				assertNoTrace(t, s)
			})
		})
	}
}

// A subscription that the server ends in the midst of a burst is told of it
// before its answer.
func TestChangeIsToldBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		c := connect(t, prompts.NewServer(reg, prompts.Options{})).listen("1")
		require.NoError(t, reg.Set(textPrompt("text", "x")))
		require.NoError(t, c.end())
		assert.Equal(t, []string{changedLine("1"), listenEndLine("1"), cancelLine("1")}, c.received())
	})
}
