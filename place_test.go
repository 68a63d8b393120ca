package prompts

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holds checks how much of its limits is taken.
func (p *place) holds(t testing.TB, session, server, sessionSlots, serverSlots int) {
	t.Helper()
	assert.Equal(t, session, p.session.inside(), "in the session")
	assert.Equal(t, server, p.server.inside(), "in the server")
	assert.Equal(t, sessionSlots, p.session.taken(), "slots of the session")
	assert.Equal(t, serverSlots, p.server.taken(), "slots of the server")
}

func newPlace(n int) *place { return &place{session: newLimiter(n), server: newLimiter(n)} }

// Whatever is taken is given back, once.
func TestPlace(t *testing.T) {
	t.Parallel()
	p := newPlace(2)
	require.True(t, p.enter(t.Context(), nil))
	p.holds(t, 1, 1, 1, 1)
	require.NoError(t, p.acquire(t.Context(), 0))
	p.holds(t, 1, 1, 1, 1)
	require.True(t, p.yield())
	p.holds(t, 1, 0, 0, 0)
	require.NoError(t, p.resume(t.Context()))
	p.holds(t, 1, 1, 1, 1)
	p.leaveServer()
	p.holds(t, 1, 0, 1, 0)
	assert.False(t, p.yield(), "it is over")
	p.holds(t, 1, 0, 1, 0)
	p.leave()
	p.leave()
	p.holds(t, 0, 0, 0, 0)
}

// A place that is left while a goroutine waits to get its turn back has
// nothing left to be given back later.
func TestPlaceIsLeftMeanwhile(t *testing.T) {
	for name, resume := range map[string]func(t *testing.T, p *place, free func()){
		"before": func(t *testing.T, p *place, free func()) {
			p.leave()
			free()
			assert.NoError(t, p.resume(context.Background()))
		},
		"while it waits": func(t *testing.T, p *place, free func()) {
			done := make(chan error)
			go func() { done <- p.resume(context.Background()) }()
			synctest.Wait()
			p.leave()
			free()
			assert.NoError(t, <-done)
		},
		"its context has ended": func(t *testing.T, p *place, free func()) {
			ctx, cancel := context.WithCancelCause(context.Background())
			done := make(chan error)
			go func() { done <- p.resume(ctx) }()
			synctest.Wait()
			cancel(errDisk)
			assert.Equal(t, errDisk, <-done)
			p.leave()
			free()
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPlace(1)
				require.True(t, p.enter(t.Context(), nil))
				require.NoError(t, p.acquire(t.Context(), 0))
				require.True(t, p.yield())
				other := &place{session: p.session, server: p.server}
				require.True(t, other.enter(t.Context(), nil))
				require.NoError(t, other.acquire(t.Context(), 0))
				resume(t, p, other.leave)
				p.leave()
				p.holds(t, 0, 0, 0, 0)
			})
		})
	}
}

// The limit is that of all that a task waits for, together.
func TestPlaceHasOneLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPlace(1)
		p.client = newShares(1).take("a")
		for _, l := range []*limiter{p.session, p.client.limiter, p.server} {
			l.occupy(t)
		}
		require.True(t, p.enter(t.Context(), nil))
		time.AfterFunc(9*time.Second, func() { p.session.give(false, true) })
		time.AfterFunc(9*time.Second, func() { p.client.give(false, true) })
		began := time.Now()
		assert.Equal(t, errNoTurn, p.acquire(t.Context(), 10*time.Second))
		assert.Equal(t, 10*time.Second, time.Since(began))
		p.leave()
		p.holds(t, 0, 0, 0, 1)
	})
}

// Nothing stays behind of a place that is not to be had.
func TestPlaceWithoutRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPlace(1)
		for range 2 {
			entered, _ := p.server.tryEnter(true)
			require.True(t, entered)
		}
		assert.False(t, p.enter(t.Context(), nil))
		assert.Equal(t, 0, p.session.inside())
		assert.Equal(t, 0, p.session.taken())
		assert.Equal(t, 2, p.server.inside())

		p = newPlace(1)
		p.server.occupy(t)
		require.True(t, p.enter(t.Context(), nil))
		assert.Equal(t, errNoTurn, p.acquire(t.Context(), time.Second))
		p.leave()
		p.holds(t, 0, 0, 0, 1)
	})
}

// What comes to a place that has been left is given back at once: a goroutine
// of the author's may still wait for its turn then.
func TestPlaceThatHasBeenLeft(t *testing.T) {
	t.Parallel()
	p := newPlace(1)
	require.True(t, p.enter(t.Context(), nil))
	require.True(t, p.yield())
	p.leave()
	p.holds(t, 0, 0, 0, 0)
	require.NoError(t, p.resume(t.Context()))
	p.holds(t, 0, 0, 0, 0)
}
