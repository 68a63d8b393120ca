package streamablehttp

import (
	"context"
	"crypto/rand"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// opened adds a session that is in use, as one is that initialize opens.
func (s *sessions) opened(t *testing.T) *session {
	t.Helper()
	server := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	x := &session{Session: server.NewSession(transport.SessionOptions{Version: "2025-11-25"}), id: rand.Text(), principal: "a", active: 1}
	require.True(t, s.add(x, 100, 100))
	return x
}

// isClosed reports whether the session takes no requests any more.
func (x *session) isClosed(t *testing.T) (closed bool) {
	t.Helper()
	err := x.Handle(t.Context(), []byte(listBody), transport.Exchange{Send: func(_ []byte, code transport.Code, _ bool) error {
		closed = code != 0
		return nil
	}})
	require.NoError(t, err)
	return closed
}

const idle = 30 * time.Minute

// A session expires when it has been idle for the timeout, to the moment, and
// no sooner.
func TestSessionExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x, other := s.opened(t), s.opened(t)
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		pass(10 * idle) // in use
		assert.True(t, s.has(x.id, "a"))
		s.done(x, idle)
		pass(idle - 1)
		assert.True(t, s.has(x.id, "a"))
		assert.False(t, x.isClosed(t))
		pass(1)
		assert.False(t, s.has(x.id, "a"))
		assert.True(t, x.isClosed(t))
		assert.Nil(t, s.use(x.id, "a"))
		assert.True(t, s.has(other.id, "a"))
		s.endAll()
	})
}

// The time begins anew when the last use is done, with the one timer that there
// is.
func TestSessionInUse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x := s.opened(t)
		s.done(x, idle)
		timer := x.expiry
		require.NotNil(t, timer)
		for range 1000 {
			time.Sleep(idle - 1)
			require.Same(t, x, s.use(x.id, "a"))
			s.done(x, idle)
			assert.Same(t, timer, x.expiry)
		}
		synctest.Wait()
		assert.True(t, s.has(x.id, "a"))

		// Several uses are over with the last one.
		require.Same(t, x, s.use(x.id, "a"))
		require.Same(t, x, s.use(x.id, "a"))
		s.done(x, idle)
		time.Sleep(10 * idle)
		synctest.Wait()
		assert.True(t, s.has(x.id, "a"))
		s.done(x, idle)

		// Somebody else's request is no use.
		time.Sleep(idle - 1)
		assert.Nil(t, s.use(x.id, "b"))
		assert.Nil(t, s.use("other", "a"))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.False(t, s.has(x.id, "a"))
	})
}

// A timer that has fired, but that a use has come before, ends nothing.
func TestSessionUsedAtExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x := s.opened(t)
		s.done(x, idle)
		s.mu.Lock() // what use does, at the moment of the timer
		time.Sleep(idle)
		x.active++
		s.mu.Unlock()
		synctest.Wait()
		assert.True(t, s.has(x.id, "a"))
		assert.False(t, x.isClosed(t))
		s.done(x, idle)
		s.endAll()
	})
}

// The end of a session stops its timer, and what was in use then starts none.
func TestSessionEndStopsTimer(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sessions, *session){
		"end":    func(s *sessions, x *session) { s.end(x) },
		"endAll": func(s *sessions, _ *session) { s.endAll() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s sessions
				resting, used := s.opened(t), s.opened(t)
				s.done(resting, idle)
				timer := resting.expiry
				end(&s, resting)
				end(&s, used)
				assert.False(t, timer.Stop(), "the timer goes on")
				for _, x := range []*session{resting, used} {
					assert.False(t, s.has(x.id, "a"))
					assert.True(t, x.isClosed(t))
					assert.Nil(t, s.use(x.id, "a"))
				}
				s.done(used, idle)
				assert.Nil(t, used.expiry)
				end(&s, resting) // may come twice
			})
		})
	}
}

// A negative timeout is none.
func TestSessionWithoutExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x := s.opened(t)
		s.done(x, -1)
		assert.Nil(t, x.expiry)
		time.Sleep(1000 * time.Hour)
		synctest.Wait()
		assert.True(t, s.has(x.id, "a"))
		s.endAll()
		assert.False(t, s.add(&session{}, 100, 100), "none begins after the end")
	})
}

// HTO-26, HTO-27: no two ids are the same, and there is room for as many as
// there may be.
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	var s sessions
	seen := map[string]bool{}
	for range 1000 {
		x := &session{id: newID()}
		require.True(t, s.add(x, 1000, 1000))
		assert.Regexp(t, `^[A-Z2-7]{52}$`, x.id)
		assert.False(t, seen[x.id])
		seen[x.id] = true
	}
	assert.False(t, s.add(&session{}, 1000, 1000))
}

// A timer that expires while the session's client is told of changes ends that.
func TestSessionEndEndsNotifications(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		x := s.opened(t)
		ended := make(chan error, 1)
		go func() { ended <- x.Notifications(context.Background(), func([]byte) error { return nil }) }()
		s.done(x, idle)
		time.Sleep(idle)
		assert.NoError(t, <-ended)
	})
}
