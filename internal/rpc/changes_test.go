package rpc_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// longestPause is the most that a client waits for a notification while changes go on.
const longestPause = 200 * time.Millisecond

// opened are the ways to be told of changes.
var opened = map[string]func(*servertest.Client) *servertest.Client{
	"session":      func(c *servertest.Client) *servertest.Client { return c.Handshake() },
	"subscription": func(c *servertest.Client) *servertest.Client { return c.Listen("1") },
}

// A burst of changes is one notification for each who listens: the session of
// the handshake, without an id, and each subscription, with its own (GAP-47,
// LCH-01, LCH-03, LCH-04, LCH-06, MET-11, MET-12).
func TestBurstOfChangesIsOneNotification(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		changes int
		apart   time.Duration
	}{
		{"at once", 1000, 0},
		{"one after the other", 1000, 100 * time.Microsecond},
		{"with pauses", 9, notify.MinPause - time.Nanosecond},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			reg := new(prompts.Registry)
			s := prompts.MustNewServer(reg, prompts.Options{})
			old, both, modern := servertest.Connect(t, s).Handshake(), servertest.Connect(t, s).Handshake().Listen("1"), servertest.Connect(t, s).Listen("1", `"1"`)
			for i := range test.changes {
				if i > 0 {
					time.Sleep(test.apart)
				}
				reg.MustAdd(servertest.TextPrompt(fmt.Sprint(i), "x"))
			}
			for _, c := range []*servertest.Client{old, both, modern} {
				assert.Empty(t, c.Received(), "before they pause")
			}
			time.Sleep(notify.MinPause)
			assert.Equal(t, []string{servertest.ListChangedLine}, old.Received())
			assert.ElementsMatch(t, []string{servertest.ListChangedLine, servertest.ChangedLine("1")}, both.Received())
			assert.ElementsMatch(t, []string{servertest.ChangedLine("1"), servertest.ChangedLine(`"1"`)}, modern.Received())
			time.Sleep(time.Hour)
			for _, c := range []*servertest.Client{old, both, modern} {
				assert.Empty(t, c.Received(), "told twice")
				require.NoError(t, c.End())
			}
			servertest.AssertNoTrace(t, s)
		})
	}
}

// A change while the notification of an earlier one is on its way is told by
// another.
func TestChangeInTheMomentOfSending(t *testing.T) {
	t.Parallel()
	for name, open := range opened {
		servertest.InBubble(t, name, func(t *testing.T) {
			reg := new(prompts.Registry)
			c := open(servertest.Connect(t, prompts.MustNewServer(reg, prompts.Options{})))
			left := 3
			c.Wire.OnWrite = func(context.Context, []byte) error {
				if left > 0 {
					left--
					assert.NoError(t, reg.Set(servertest.TextPrompt("text", "x")))
				}
				return nil
			}
			require.NoError(t, reg.Set(servertest.TextPrompt("text", "x")))
			time.Sleep(10 * longestPause)
			assert.Len(t, c.Received(), 4, "the first and one for each that came meanwhile")
		})
	}
}

// Who is slow to read costs nobody else anything, and gets one notification for
// many changes.
func TestSlowSubscriberCostsOthersNothing(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		s := prompts.MustNewServer(reg, prompts.Options{})
		quick, slow := servertest.Connect(t, s).Listen("1"), servertest.Connect(t, s).Listen("1")
		hold := make(chan struct{})
		slow.Wire.OnWrite = func(context.Context, []byte) error { <-hold; return nil }
		for i := range 10 {
			reg.MustAdd(servertest.TextPrompt(fmt.Sprint(i), "x"))
			time.Sleep(2 * notify.MinPause) // the one that is blocked may be the first that is told
			assert.Equal(t, []string{servertest.ChangedLine("1")}, quick.Received())
		}
		close(hold)
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{servertest.ChangedLine("1"), servertest.ChangedLine("1")}, slow.Received(), "the one in hand and one for the rest")
	})
}

// Session.Notifications keeps a change that it has not sent, at whatever point
// it was stopped.
func TestUnsentChangeIsKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		stop func(t *testing.T, session transport.Session, change func())
	}{
		{"while changes go on", func(t *testing.T, session transport.Session, change func()) {
			ctx, cancel := context.WithTimeout(t.Context(), notify.MinPause/2)
			defer cancel()
			l := hear(ctx, session)
			change()
			require.NoError(t, <-l.done)
			assert.Zero(t, l.count.Load())
		}},
		{"before it began", func(t *testing.T, session transport.Session, change func()) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			change()
			require.NoError(t, session.Notifications(ctx, func([]byte) error { return servertest.ErrDisk }))
		}},
		{"in the middle of sending", func(t *testing.T, session transport.Session, change func()) {
			change()
			err := session.Notifications(t.Context(), func([]byte) error {
				change()
				time.Sleep(time.Minute)
				return servertest.ErrDisk
			})
			assert.Equal(t, servertest.ErrDisk, err)
		}},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			reg := new(prompts.Registry)
			session := servertest.NewSession(t, prompts.MustNewServer(reg, prompts.Options{}))
			change := func() { require.NoError(t, reg.Set(servertest.TextPrompt("text", "x"))) }
			test.stop(t, session, change)
			test.stop(t, session, func() {}) // nor is it lost if there is no other
			ctx, cancel := context.WithCancel(t.Context())
			l := hear(ctx, session)
			time.Sleep(longestPause)
			synctest.Wait()
			assert.EqualValues(t, 1, l.count.Load())
			cancel()
			require.NoError(t, <-l.done)
			l = hear(t.Context(), session)
			time.Sleep(longestPause)
			synctest.Wait()
			assert.Zero(t, l.count.Load(), "what has been sent is not kept")
			session.Close()
			require.NoError(t, <-l.done)
		})
	}
}

// With a ChangeDelay the last notification comes when the list has been as it is
// for so long, and it is the only one unless changes go on (LCH-01). During continuous
// changes, clients are notified in time, but not of each change.
func TestChangeDelay(t *testing.T) {
	t.Parallel()
	const delay = 500 * time.Millisecond
	for name, test := range map[string]struct {
		delay   time.Duration
		changes int
		apart   time.Duration
		want    int // notifications
	}{
		"one":                 {delay, 1, 0, 1},
		"some at once":        {delay, 3, delay / 10, 1},
		"some with pauses":    {delay, 3, delay - time.Millisecond, 1 + 1}, // the first before they are over
		"some far apart":      {delay, 3, delay + time.Millisecond, 3},
		"many that go on":     {delay, 200, delay / 10, 10 + 1},
		"many in short order": {delay, 1000, time.Millisecond, 1 + 1},
		"by default":          {0, 500, 9 * time.Millisecond, 22},
	} {
		for era, open := range opened {
			servertest.InBubble(t, name+"/"+era, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.MustNewServer(reg, prompts.Options{ChangeDelay: test.delay})
				c := open(servertest.Connect(t, s))
				var told []time.Time
				c.Wire.OnWrite = func(context.Context, []byte) error { told = append(told, time.Now()); return nil }
				var last time.Time
				for i := range test.changes {
					if i > 0 {
						time.Sleep(test.apart)
					}
					last = time.Now()
					require.NoError(t, reg.Set(servertest.TextPrompt("text", "x")))
				}
				time.Sleep(max(test.delay, notify.MinPause))
				synctest.Wait()
				require.Len(t, told, test.want)
				assert.Equal(t, last.Add(max(test.delay, notify.MinPause)), told[len(told)-1])
				for i := range told[1:] {
					assert.LessOrEqual(t, told[i+1].Sub(told[i]), max(2*test.delay, longestPause+test.apart), "the pause before notification %d", i+1)
				}
				time.Sleep(time.Hour)
				c.Received()
				assert.Len(t, told, test.want, "told once more")
				require.NoError(t, c.End())
				servertest.AssertNoTrace(t, s)
			})
		}
	}
}

// A client that does not read its answers uses up its own bound, and not that
// of all.
func TestStalledClientCostsOthersNothing(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2}})
		unread := make(chan struct{})
		session := servertest.NewSession(t, s)
		x := transport.Exchange{Send: func([]byte, transport.Code, bool) error { <-unread; return nil }}
		for i := range 4 {
			go func() {
				assert.NoError(t, session.Handle(context.Background(), []byte(servertest.GetLine(fmt.Sprint(i), "text")), x))
			}()
		}
		synctest.Wait()
		_, err := s.Call(context.Background(), "prompts/get", []byte(`{"name":"text"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.NoError(t, err)
		close(unread)
		synctest.Wait()
	})
}
