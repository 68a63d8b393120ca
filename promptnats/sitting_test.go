package promptnats

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// newSitting returns a sitting without a broker.
func newSitting(o Options) *sitting {
	reg := &prompts.Registry{}
	o = o.filled(place{bucket: "b"})
	f := &Follower{registry: reg, options: o, mirror: promptfs.NewMirror(reg, o.Files), begun: make(chan struct{}), known: map[string]uint64{}}
	close(f.begun)
	return &sitting{Follower: f, feed: &feed{info: &jetstream.StreamInfo{Created: time.Unix(1, 0)}}, entries: make(chan entry), wrong: make(chan error)}
}

func entryOf(path, text string, revision uint64) entry {
	return entry{file: promptfs.File{Path: path, Content: []byte(text), Revision: revision}, isOurs: true}
}

// What has been gathered when the broker goes is applied.
func TestGatheredIsNotLost(t *testing.T) {
	t.Parallel()
	s := newSitting(Options{Files: promptfs.Options{Debounce: time.Hour}})
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
	s := newSitting(Options{})
	changes, cancel := s.registry.Subscribe()
	defer cancel()
	load := func(entries ...entry) {
		go func() { // until load has taken all of them
			for _, e := range entries {
				s.entries <- e
			}
		}()
		require.NoError(t, s.load(t.Context()))
	}
	s.feed.pending, s.feed.info.State.LastSeq = 2, 8
	load(entryOf("a.md", "a", 7), entryOf("b.md", "b", 8))
	<-changes
	load(entryOf("a.md", "older", 3), entryOf("c.md", "c", 4), entryOf("b.md", "b", 8), entryOf("a.md", "a", 7))
	_, isThere := s.registry.Lookup("c")
	assert.True(t, isThere, "it has waited for revision 8")
	assert.Equal(t, uint64(8), s.Status().Revision)
}

// After very many removals all is read again.
func TestForgetsRemovals(t *testing.T) {
	t.Parallel()
	s := newSitting(Options{})
	go func() { // until apply has taken all of it
		for i := range uint64(maxRemoved + 1) {
			s.entries <- entry{file: promptfs.File{Path: "a.md", Revision: i + 1, Removed: true}, isOurs: true}
		}
	}()
	require.ErrorIs(t, s.apply(t.Context()), errForget)
}
