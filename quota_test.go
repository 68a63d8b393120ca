package prompts_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// GAP-27: a connection has so many subscriptions and no more; the refusal comes
// before any acknowledgement, and the next has its place when one has ended.
func TestMaxSubscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(nil, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 2}})
		c, other := connect(t, s).listen("1", "2"), connect(t, s)
		refused := errorResponse("3", internalError("there are too many subscriptions on this connection"))
		for range 3 {
			assert.Equal(t, []string{refused}, c.ask(listenLine("3")))
		}
		other.listen("1", "2")
		for range 3 {
			assert.Empty(t, c.ask(cancelLine("2")))
			c.listen("2")
			assert.Equal(t, []string{refused}, c.ask(listenLine("3")))
		}
		require.NoError(t, c.end())
		require.NoError(t, other.end())
		assertNoTrace(t, s)
	})
}

// MaxSubscriptionsTotal is for all connections and what belongs to none; who is
// refused by it has its place in its connection back.
func TestMaxSubscriptionsTotal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(nil, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 2, MaxSubscriptionsTotal: 3}})
		a, b := connect(t, s).listen("1"), connect(t, s).listen("1")
		free := subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		for range 5 {
			for _, c := range []*client{a, b} {
				assert.Equal(t, []string{errorResponse("2", busy())}, c.ask(listenLine("2")))
			}
			got, err := handle(t, s, nil, listenLine("2"))
			require.NoError(t, err)
			assert.Equal(t, errorResponse("2", busy()), got)
		}
		close(free.closing)
		require.NoError(t, <-free.done)
		a.listen("2")
		assert.Equal(t, []string{errorResponse("2", busy())}, b.ask(listenLine("2")))
		require.NoError(t, a.end())
		b.listen("2")
		free = subscribe(t, s, nil, nil)
		assert.Len(t, free.received(), 1)
		free.cancel(nil)
		assert.Error(t, <-free.done)
		require.NoError(t, b.end())
		assertNoTrace(t, s)
	})
}

func TestMaxSubscriptionsDefault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, prompts.NewServer(nil, prompts.Options{}))
		for i := range defaultMaxSubscriptions {
			c.listen(fmt.Sprint(i))
		}
		got := c.ask(listenLine("1000"))
		require.Len(t, got, 1)
		assert.Contains(t, got[0], `"code":-32603`)
		require.NoError(t, c.end())
		assert.Len(t, c.received(), 2*defaultMaxSubscriptions)
	})
}
