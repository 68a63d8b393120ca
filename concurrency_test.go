package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A burst of short requests is served, although it is more than may wait.
func TestABurstIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, prompts.NewServer(registryOf(sleeper("doze", time.Millisecond)), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2}})).handshake()
		for i := range 100 {
			c.send(getLine(fmt.Sprint(i), "doze"))
		}
		require.NoError(t, c.end())
		got := c.received()
		assert.Len(t, got, 100)
		assert.NotContains(t, strings.Join(got, "\n"), "busy")
	})
}

// A client that has as many requests in flight as there is room for, and
// sends the next one when it has an answer, is never told that the server is
// busy.
func TestRoomIsFreeWithTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 2
		w := newWire(t)
		var next atomic.Int64
		next.Store(2 * n)
		w.onWrite = func(_ context.Context, msg []byte) error {
			if strings.Contains(string(msg), "hi") {
				if i := next.Add(1); i < 1000 {
					w.in <- []byte(getLine(fmt.Sprint(i), "text"))
				}
			}
			return nil
		}
		c := connectWire(t, prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: n}}), w).handshake()
		for i := range 2 * n {
			c.send(getLine(fmt.Sprint(i), "text"))
		}
		got := c.received()
		assert.Greater(t, len(got), 900)
		assert.NotContains(t, strings.Join(got, "\n"), "busy")
		assert.NoError(t, c.end())
	})
}

// Who is refused by the bound for all sessions does not count for its own.
func TestRefusedByTheTotalBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 1}})
		a, b := newSession(t, s), newSession(t, s)
		done := make(chan struct{})
		for i := range 2 {
			go func() {
				_, err := handle(t, s, a, getLine(fmt.Sprint(i), "wait"))
				assert.NoError(t, err)
				done <- struct{}{}
			}()
		}
		synctest.Wait()
		for range 10 {
			got, err := handle(t, s, b, getLine("1", "text"))
			require.NoError(t, err)
			assert.Contains(t, got, "busy")
		}
		for range 2 {
			w.let <- struct{}{}
			<-done
		}
		got, err := handle(t, s, b, getLine("1", "text"))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "hi"), got)
	})
}
