package rpc

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/transport"
)

// A message that was taken cannot be appended to over the next one, and is not kept
// alive once it is written. The queue itself costs no allocations, which the
// test counts: so it is not parallel.
func TestWriteQueueKeepsNothing(t *testing.T) {
	var q writeQueue
	push := func() {
		for _, msg := range []string{"a", "bc", "def"} {
			if !q.push([]byte(msg)) {
				t.Fatal(msg)
			}
		}
	}
	push()
	msgs := q.take(nil)
	require.Len(t, msgs, 3)
	for i, msg := range msgs {
		assert.Equal(t, []string{"a", "bc", "def"}[i], string(msg))
		assert.Equal(t, len(msg), cap(msg))
	}
	q.done()
	assert.Equal(t, make([][]byte, 3), msgs)
	allocs := testing.AllocsPerRun(100, func() {
		push()
		q.take(nil)
		q.done()
	})
	if !raceEnabled { // the race detector allocates, and drops what is pooled
		assert.Zero(t, allocs)
	}
}

// discard is a connection that writes to nowhere.
type discard struct{ transport.Conn }

func (discard) Write(context.Context, ...[]byte) error { return nil }

func newDiscard(t *testing.T) *connection {
	return &connection{server: newTestServer(t, Config{}), conn: discard{}, ctx: t.Context(), writeLock: make(chan struct{}, 1)}
}

// A message that is written with others belongs to its sender, and is not kept.
func TestWriteQueueKeepsNoMessageBesideIt(t *testing.T) {
	t.Parallel()
	c := newDiscard(t)
	for range 3 { // after which there is room for one more
		require.True(t, c.queue.push([]byte("a")))
	}
	require.NoError(t, c.write([]byte("b")))
	assert.Equal(t, make([][]byte, 4), c.queue.msgs[:4])
}

// A message that is queued just when the writer unlocks is written by its
// sender.
func TestNothingStaysInTheWriteQueue(t *testing.T) {
	t.Parallel()
	c := newDiscard(t)
	for range 20 {
		require.True(t, c.tryLock())
		c.queue.mu.Lock()
		sent := make(chan error)
		go func() { sent <- c.send([]byte("a"), 0, true) }()
		for range 100 { // until it waits for the queue, as a rule
			runtime.Gosched()
		}
		<-c.writeLock // unlock, for which the queue was empty
		c.queue.mu.Unlock()
		require.NoError(t, <-sent)
		require.True(t, c.queue.isEmpty())
	}
}
