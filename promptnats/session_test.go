package promptnats

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/prompttest"
)

// newWatchSession returns a watchSession without a broker.
func newWatchSession(given Options) *watchSession {
	reg := &prompts.Registry{}
	o := given.filled(place{bucket: "b"}, defaultTiming)
	f := newFollower(reg, place{bucket: "b"}, o)
	f.tell = func(string, []byte) error { return nil }
	close(f.begun)
	s, _ := f.watch(&watcher{info: &jetstream.StreamInfo{Created: time.Unix(1, 0)}}, nil)
	return s
}

func entryOf(path, text string, revision uint64) entry {
	return entry{file: promptfs.File{Path: path, Content: []byte(text), Revision: revision}, isOurs: true, remaining: -1}
}

// Changes that come together are one update, and so one notification for each
// client.
func TestOneNotificationForChangesThatComeTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		s := newWatchSession(Options{Files: promptfs.Options{OnReload: func(promptfs.Report) { reports++ }}})
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- s.apply(ctx) }() // until cancel
		c := prompttest.New(t, s.registry)
		c.Listen()
		for i := range uint64(20) {
			s.entries <- entryOf(fmt.Sprintf("b%02d.md", i), "text", i+1)
			time.Sleep(10 * time.Millisecond)
		}
		c.WaitChanged()
		assert.Len(t, c.List(), 20)
		s.entries <- entryOf("last.md", "text", 21)
		c.WaitChanged()
		assert.Len(t, c.List(), 21, "each was told of once")
		synctest.Wait()
		assert.Equal(t, 2, reports)
		cancel()
		assert.ErrorIs(t, <-ended, context.Canceled)
	})
}

// Changes that go on and on do not keep each other out, and are gathered.
func TestSteadyChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var reported []time.Duration
		s := newWatchSession(Options{Files: promptfs.Options{OnReload: func(promptfs.Report) { reported = append(reported, time.Since(begin)) }}})
		over := errors.New("over")
		go func() { // until apply has taken all of it
			for i := range uint64(350) {
				s.entries <- entryOf(fmt.Sprintf("%d.md", i%10), fmt.Sprint(i), i+1)
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(time.Second)
			s.wrong <- over
		}()
		require.ErrorIs(t, s.apply(t.Context()), over)
		assert.Len(t, reported, 4)
		for i, at := range reported[:3] {
			assert.InDelta(t, i+1, at.Seconds(), 0.1, "ten times Debounce")
		}
	})
}

// What has been gathered when the broker goes is applied.
func TestGatheredIsNotLost(t *testing.T) {
	t.Parallel()
	s := newWatchSession(Options{Files: promptfs.Options{Debounce: time.Hour}})
	gone := errors.New("gone")
	go func() { // until apply has taken all of it
		s.entries <- entryOf("a.md", "a", 1)
		s.entries <- entryOf("b.md", "b", 2)
		s.entries <- entryOf("b.md", "older", 1)
		s.wrong <- gone
	}()
	require.ErrorIs(t, s.apply(t.Context()), gone)
	assert.Equal(t, 2, s.registry.Len())
	assert.Equal(t, uint64(2), s.Status().Revision)
}

// A broker that is behind the one before it is waited for, so that nothing old
// comes back and nothing new goes.
func TestBrokerThatIsBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWatchSession(Options{})
		changes, cancel := signals(s.registry.OnChange)
		defer cancel()
		load := func(entries ...entry) {
			go func() { // until load has taken all of them
				for _, e := range entries {
					s.entries <- e
				}
			}()
			require.NoError(t, s.load(t.Context()))
		}
		s.watcher.pending, s.watcher.info.State.LastSeq = 2, 8
		load(entryOf("a.md", "a", 7), entryOf("b.md", "b", 8))
		<-changes
		load(entryOf("a.md", "older", 3), entryOf("c.md", "c", 4), entryOf("a.md", "a", 7), entryOf("b.md", "b", 8))
		_, isThere := s.registry.Lookup("c")
		assert.True(t, isThere, "it has waited for revision 8")
		assert.Equal(t, uint64(8), s.Status().Revision)
	})
}

// A bucket that ends before what is known has been replaced, also if each of its
// keys is as it was.
func TestBucketThatEndsEarlier(t *testing.T) {
	t.Parallel()
	var told []error
	s := newWatchSession(Options{OnStatus: func(st Status) { told = append(told, st.Err) }})
	load := func(last uint64, entries ...entry) {
		s.watcher.pending, s.watcher.info.State.LastSeq = uint64(len(entries)), last
		go func() { // until load has taken all of them
			for _, e := range entries {
				s.entries <- e
			}
		}()
		require.NoError(t, s.load(t.Context()))
	}
	load(2, entryOf("a.md", "a", 1), entryOf("b.md", "b", 2))
	load(1, entryOf("a.md", "a", 1))
	assert.Equal(t, []error{nil, ErrReplaced, nil}, told)
	assert.Equal(t, 1, s.registry.Len())
}

// A bucket that has been created again takes nothing away while it is empty,
// however long that is, nor while it is being filled.
func TestBucketThatIsFilledAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pause     time.Duration // between two writes
		remaining func(left int) int
		rest      time.Duration // after the last write
	}{
		"by hand":    {3*time.Second - time.Millisecond, func(int) int { return -1 }, 3 * time.Second},
		"by Publish": {30*time.Second - time.Millisecond, func(left int) int { return left }, 0},
		"by Publish and by hand": {30*time.Second - time.Millisecond, func(left int) int {
			if left%2 == 0 && left > 0 {
				return -1
			}
			return left
		}, 0},
		"by a Publish that dies": {30*time.Second - time.Millisecond, func(left int) int { return left + 1 }, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newWatchSession(Options{})
				s.watcher.pending = 2
				go func() { // until load has taken both
					s.entries <- entryOf("a.md", "a", 1)
					s.entries <- entryOf("b.md", "b", 2)
				}()
				require.NoError(t, s.load(t.Context()))
				s.watcher = &watcher{info: &jetstream.StreamInfo{Created: time.Unix(2, 0)}}
				loaded := make(chan error, 1)
				go func() { loaded <- s.load(t.Context()) }()
				time.Sleep(time.Hour)
				other := entryOf("team./x.md", "x", 1)
				other.isOurs = false
				s.entries <- other
				time.Sleep(time.Hour)
				require.ErrorIs(t, s.Status().Err, ErrReplaced)
				const n = 200
				for i := range n {
					time.Sleep(test.pause)
					assert.Equal(t, 2, s.registry.Len(), "after %d writes", i)
					e := entryOf(fmt.Sprintf("b%d.md", i), "new", uint64(2+i))
					e.remaining = test.remaining(n - 1 - i)
					s.entries <- e
				}
				written := time.Now()
				require.NoError(t, <-loaded)
				assert.Equal(t, test.rest, time.Since(written))
				assert.Equal(t, n, s.registry.Len())
				_, isThere := s.registry.Lookup("a")
				assert.False(t, isThere)
			})
		})
	}
}

// A Follower tells others that it has served old prompts, and nothing if it has
// served none, or no others than before.
func TestAnnouncesOldPrompts(t *testing.T) {
	t.Parallel()
	s := newWatchSession(Options{Prefix: "x"})
	s.place, s.id, s.news = place{"b", "x"}, "me", make(chan struct{}, 1)
	var told []string
	s.tell = func(subject string, message []byte) error {
		told = append(told, subject+" "+string(message))
		return nil
	}
	s.begun, s.first = make(chan struct{}), make(chan error, 1) // Follow has not returned
	load := func(e entry) {
		s.watcher.pending = 1
		go func() { s.entries <- e }() // until load has taken it
		require.NoError(t, s.load(t.Context()))
	}
	load(entryOf("a.md", "a", 1))
	assert.Empty(t, told, "it begins")
	close(s.begun)
	load(entryOf("a.md", "a", 1))
	assert.Empty(t, told, "all is as it was")
	load(entryOf("a.md", "b", 2))
	assert.Equal(t, []string{"promptnats.b.x me"}, told)

	s.receiveNews(&nats.Msg{Data: []byte("me")})
	assert.Empty(t, s.news)
	for range 2 {
		s.receiveNews(&nats.Msg{Data: []byte("another")})
	}
	assert.Len(t, s.news, 1)
}

// Attempts are no further apart than documented, and begin again from the first.
func TestBackoff(t *testing.T) {
	t.Parallel()
	b := newBackoff(defaultTiming)
	for range 2 {
		longest := time.Duration(0)
		assert.LessOrEqual(t, b.Next(), 100*time.Millisecond)
		for range 1000 {
			longest = max(longest, b.Next())
		}
		assert.Greater(t, longest, time.Second)
		assert.LessOrEqual(t, longest, 2*time.Second)
		b.Reset()
	}
}

// Status.FileErrors contains errors of files only.
func TestFaultsAreOfFiles(t *testing.T) {
	t.Parallel()
	s := newWatchSession(Options{})
	fault := &promptfs.Error{Path: "a.md", Err: errors.New("bad")}
	s.reloaded(promptfs.Report{Err: fault})
	s.reloaded(promptfs.Report{Err: errors.New("the registry is not to be had")})
	require.ErrorIs(t, s.Status().FileErrors, fault)
	s.reloaded(promptfs.Report{})
	require.NoError(t, s.Status().FileErrors)
}

// A name that is given back between the load and what follows is not missed.
func TestNameThatIsFreeBeforeAnythingIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWatchSession(Options{})
		s.registry.MustAdd(prompts.Prompt{Name: "a", Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }})
		s.watcher.pending = 1
		go func() { s.entries <- entryOf("a.md", "a", 1) }() // until load has taken it
		require.NoError(t, s.load(t.Context()))
		require.Error(t, s.Status().FileErrors)
		s.registry.Remove("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.apply(ctx), context.DeadlineExceeded)
		require.NoError(t, s.Status().FileErrors)
		assert.Equal(t, 1, s.registry.Len())
	})
}

// A broker that sends less than it has counted is not waited for without end.
func TestBrokerThatSendsLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newWatchSession(Options{})
		s.watcher.pending = 2
		go func() { s.entries <- entryOf("a.md", "a", 1) }() // until load has taken it
		require.ErrorIs(t, s.load(t.Context()), errStalled)
		assert.Zero(t, s.registry.Len())
	})
}

// After very many removals all is read again.
func TestForgetsRemovals(t *testing.T) {
	t.Parallel()
	s := newWatchSession(Options{})
	go func() { // until apply has taken all of it
		for i := range uint64(maxRemoved + 1) {
			s.entries <- entry{file: promptfs.File{Path: "a.md", Revision: i + 1, Removed: true}, isOurs: true}
		}
	}()
	require.ErrorIs(t, s.apply(t.Context()), errForget)
}
