package streamablehttp

import (
	"container/list"
	cryptorand "crypto/rand"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
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

// of counts the sessions of a client.
func (m model) of(client string) (n int) {
	for _, x := range m {
		if x.client == client {
			n++
		}
	}
	return n
}

// least returns the one that makes room for another one of a client, or -1. With
// ownOnly that is one of its own. A handshake of the last 10 seconds is spared, unless
// there are as many as may be.
func (m model) least(client string, ownOnly bool, most int) int {
	handshakes := 0
	for _, x := range m {
		if x.active == 0 && !x.isUsed && (x.client == client || !ownOnly) {
			handshakes++
		}
	}
	for _, isUsed := range []bool{false, true} {
		for _, isOwn := range []bool{true, false} {
			if i := slices.IndexFunc(m, func(x *known) bool {
				return x.active == 0 && x.isUsed == isUsed && (x.client == client || !isOwn && !ownOnly) &&
					(isUsed || handshakes >= most/4 || time.Since(x.since) >= 10*time.Second)
			}); i >= 0 {
				return i
			}
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
	clients := map[string]int{}
	for _, x := range m {
		clients[x.client]++
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
	require.Len(t, s.clients, len(clients))
	for client, n := range clients {
		own := s.clients[client]
		require.Equal(t, n, own.n)
		isOther := func(x *session) bool { return x.client != client }
		require.True(t, slices.Equal(slices.DeleteFunc(slices.Clone(unused), isOther), inOrder(&own.unused)), "those of a client")
		require.True(t, slices.Equal(slices.DeleteFunc(slices.Clone(used), isOther), inOrder(&own.used)), "those of a client")
	}
}

// inOrder are the sessions of a list.
func inOrder(idle *list.List) (all []*session) {
	for e := idle.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*session))
	}
	return all
}

// Whatever is done with sessions, they are those of a simple model: the one idle
// for longest makes room, first of those that were never used, and of the client's
// own, which alone do when it has as many as one may; one in use never does, nor one of
// the last seconds, unless they are many; and nothing is kept of one that has ended.
func TestSessionsAreThoseOfModel(t *testing.T) {
	t.Parallel()
	const most, mostOfClient, timeout, steps = 16, 8, 30 * time.Minute, 1500
	server := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
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
				switch random.IntN(16) {
				case 0, 1, 9, 10, 11: // initialize
					x := &known{session: &session{Session: server.NewSession(transport.SessionOptions{Version: "2025-11-25"}), id: cryptorand.Text(), principal: "ada", client: string(rune('a' + random.IntN(4))), active: 1}, active: 1}
					ownOnly := all.of(x.client) == mostOfClient
					i, isFull := all.least(x.client, ownOnly, map[bool]int{true: mostOfClient, false: most}[ownOnly]), ownOnly || len(all) == most
					require.Equal(t, !isFull || i >= 0, s.add(x.session, most, mostOfClient))
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
				case 3, 4, 7, 8, 12, 13: // one ends
					if x := pick(func(x *known) bool { return x.active > 0 }); x != nil {
						done(x)
					}
				case 5:
					if x := pick(func(*known) bool { return random.IntN(4) == 0 }); x != nil {
						s.end(x.session)
						end(slices.Index(all, x))
					}
				case 6, 14, 15:
					pause := 4 * time.Second // less than a handshake is spared
					if random.IntN(3) == 0 {
						pause = timeout / 2
					}
					time.Sleep(time.Duration(random.Int64N(int64(pause))))
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
