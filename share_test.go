package prompts

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A share lasts for as long as its client has tasks.
func TestShares(t *testing.T) {
	t.Parallel()
	s := newShares(1)
	a, again, b := s.take("a"), s.take("a"), s.take("b")
	assert.Same(t, a, again)
	assert.NotSame(t, a, b)
	assert.Len(t, s.clients, 2)
	a.end()
	assert.Same(t, a, s.take("a"), "it has a task still")
	a.end()
	a.end()
	b.end()
	assert.Empty(t, s.clients)
	assert.Same(t, b, s.take("c"), "one is kept for the next client")
	assert.NotSame(t, b, s.take("d"))
}

// A task counts for its client too, until it is over.
func TestPlaceOfAClient(t *testing.T) {
	t.Parallel()
	shares := newShares(2)
	p := newPlace(2)
	p.client = shares.take("a")
	client := func(tasks, slots int) {
		t.Helper()
		assert.Equal(t, tasks, p.client.inside())
		assert.Equal(t, slots, p.client.taken())
	}
	require.True(t, p.enter(t.Context(), nil))
	client(1, 1)
	require.NoError(t, p.acquire(t.Context(), 0))
	client(1, 1)
	require.True(t, p.yield())
	client(0, 0)
	require.NoError(t, p.resume(t.Context()))
	client(1, 1)
	p.leaveServer()
	client(1, 1)
	p.leaveTurn()
	client(0, 0)
	assert.Len(t, shares.clients, 1)
	p.leave()
	p.leave()
	p.holds(t, 0, 0, 0, 0)
	assert.Empty(t, shares.clients)
}

// One client, in however many sessions or none, cannot keep the others from
// their turn: it is refused, and they are not.
func TestOneClientHasItsShare(t *testing.T) {
	t.Parallel()
	const most = 4
	for _, sessions := range []bool{false, true} {
		t.Run(fmt.Sprintf("sessions: %v", sessions), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := NewServer(registryOf(
					textPrompt("text", "hi"),
					rendered("waits", func(ctx context.Context) (*Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
				), Options{MaxConcurrentTotal: 4 * most, MaxConcurrent: most})
				assert.Equal(t, most, s.options.MaxConcurrentPerClient, "a quarter of all")
				ctx, cancel := context.WithCancel(t.Context())
				send := func(from, id, prompt string) (got string) {
					x := Exchange{Client: from, Send: func(msg []byte, _ Code, _ bool) error { got = string(msg); return nil }}
					if !sessions {
						_ = s.Handle(ctx, []byte(envelopedGet(id, prompt)), x)
						return got
					}
					session := s.NewSession(SessionOptions{Version: "2025-11-25"})
					defer session.Close()
					_ = session.Handle(ctx, []byte(getLine(id, prompt)), x)
					return got
				}
				want := func(id string) string {
					if sessions {
						return textLine(id, "hi")
					}
					return envelopedText(id, "hi")
				}
				// As many run as it may have, and as many again wait.
				for i := range 2 * most {
					go send("a", fmt.Sprint(i), "waits")
				}
				synctest.Wait()
				assert.Equal(t, errorLine("9", CodeInternalError, busy().Message), send("a", "9", "text"))
				assert.Equal(t, want("10"), send("b", "10", "text"))
				assert.Equal(t, want("11"), send("", "11", "text"), "not known")
				cancel()
				synctest.Wait()
				ctx = t.Context()
				assert.Equal(t, want("12"), send("a", "12", "text"))
				assertNoTrace(t, s)
				assert.Empty(t, s.shares.clients)
			})
		})
	}
}

// What is past its time limit still counts for its client until it returns.
func TestOverdueWorkCountsForItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(registryOf(
			textPrompt("text", "hi"),
			rendered("goes on", func(context.Context) (*Result, error) { time.Sleep(time.Hour); return Messages(), nil }),
		), Options{MaxConcurrentPerClient: 1})
		send := func(id, prompt string) (got string) {
			_ = s.Handle(t.Context(), []byte(envelopedGet(id, prompt)), Exchange{
				Client: "a", Overdue: func() {},
				Send: func(msg []byte, _ Code, _ bool) error { got = string(msg); return nil },
			})
			return got
		}
		for i := range 2 {
			go send(fmt.Sprint(i), "goes on")
		}
		time.Sleep(time.Minute)
		assert.Equal(t, errorLine("3", CodeInternalError, busy().Message), send("3", "text"))
		time.Sleep(2 * time.Hour)
		assert.Equal(t, envelopedText("4", "hi"), send("4", "text"))
	})
}
