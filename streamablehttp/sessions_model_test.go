package streamablehttp

import (
	"container/list"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// known is what the model knows of a session that is there.
type known struct {
	*session
	active int
	isUsed bool
	since  time.Time
}

// model is what sessions are to be, in the order in which they have become idle
// or have begun.
type model []*known

// expired takes out what has been idle for the timeout.
func (m model) expired(now time.Time, timeout time.Duration) (left, gone model) {
	for _, x := range m {
		if x.active == 0 && now.Sub(x.since) >= timeout {
			gone = append(gone, x)
		} else {
			left = append(left, x)
		}
	}
	return left, gone
}

// least returns the one that makes room for another one, or -1.
func (m model) least() int {
	for _, isUsed := range []bool{false, true} {
		if i := slices.IndexFunc(m, func(x *known) bool { return x.active == 0 && x.isUsed == isUsed }); i >= 0 {
			return i
		}
	}
	return -1
}

// assertEqual compares the sessions with those of the model.
func (m model) assertEqual(t *testing.T, s *sessions) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Len(t, s.byID, len(m))
	var unused, used []*session
	for _, x := range m {
		require.Same(t, x.session, s.byID[x.id])
		switch {
		case x.active > 0:
			require.Nil(t, x.place)
		case x.isUsed:
			used = append(used, x.session)
		default:
			unused = append(unused, x.session)
		}
	}
	require.True(t, slices.Equal(unused, inOrder(&s.unused)), "those that have not been used")
	require.True(t, slices.Equal(used, inOrder(&s.used)), "those that have been")
}

// inOrder are the sessions of a list.
func inOrder(idle *list.List) (all []*session) {
	for e := idle.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*session))
	}
	return all
}

// Whatever is done with sessions, they are those of a simple model: the one idle
// for longest makes room, first of those that were never used; one in use never
// does; and nothing is kept of one that has ended.
func TestSessionsAreThoseOfModel(t *testing.T) {
	t.Parallel()
	const most, timeout, steps = 5, 30 * time.Minute, 1000
	server := prompts.NewServer(new(prompts.Registry), prompts.Options{})
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			var s sessions
			var all, gone model
			pick := func(fits func(*known) bool) *known {
				var those model
				for _, x := range all {
					if fits(x) {
						those = append(those, x)
					}
				}
				if len(those) == 0 {
					return nil
				}
				return those[random.IntN(len(those))]
			}
			done := func(x *known) {
				s.done(x.session, timeout)
				if x.active--; x.active == 0 {
					x.since = time.Now()
					i := slices.Index(all, x)
					all = append(slices.Delete(all, i, i+1), x)
				}
			}
			end := func(i int) {
				gone = append(gone, all[i])
				all = slices.Delete(all, i, i+1)
			}
			for range steps {
				switch random.IntN(7) {
				case 0, 1: // initialize
					x := &known{session: &session{Session: server.NewSession(prompts.SessionOptions{Version: "2025-11-25"}), principal: "ada", active: 1}, active: 1}
					i, isFull := all.least(), len(all) == most
					require.Equal(t, !isFull || i >= 0, s.add(x.session, most))
					switch {
					case !isFull:
						all = append(all, x)
					case i >= 0:
						end(i)
						all = append(all, x)
					}
				case 2: // a request begins
					if x := pick(func(*known) bool { return true }); x != nil {
						require.Nil(t, s.use(x.id, "eve"))
						require.Same(t, x.session, s.use(x.id, "ada"))
						x.active++
						x.isUsed = true
					}
				case 3, 4: // one ends
					if x := pick(func(x *known) bool { return x.active > 0 }); x != nil {
						done(x)
					}
				case 5:
					if x := pick(func(*known) bool { return random.IntN(4) == 0 }); x != nil {
						s.end(x.session)
						end(slices.Index(all, x))
					}
				case 6:
					time.Sleep(time.Duration(random.Int64N(int64(timeout / 2))))
					synctest.Wait()
					left, expired := all.expired(time.Now(), timeout)
					all, gone = left, append(gone, expired...)
				}
				all.assertEqual(t, &s)
			}
			for _, x := range gone {
				require.True(t, x.isClosed(t))
				require.Nil(t, s.use(x.id, "ada"))
				for ; x.active > 0; x.active-- {
					s.done(x.session, timeout) // after its end
				}
				require.Nil(t, x.place)
				if x.expiry != nil {
					require.False(t, x.expiry.Stop(), "the timer goes on")
				}
			}
			for _, x := range all {
				require.False(t, x.isClosed(t))
			}
			s.endAll()
			model{}.assertEqual(t, &s)
			for _, x := range all {
				require.True(t, x.isClosed(t))
			}
		})
	}
}
