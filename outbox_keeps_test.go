package prompts

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is taken out cannot be appended to over the next message, and is not
// kept alive once it has been written; and the outbox itself costs nothing.
func TestOutboxKeepsNothing(t *testing.T) {
	var o outbox
	put := func() {
		for _, msg := range []string{"a", "bc", "def"} {
			if !o.put([]byte(msg)) {
				t.Fatal(msg)
			}
		}
	}
	put()
	msgs := o.take()
	require.Len(t, msgs, 3)
	for i, msg := range msgs {
		assert.Equal(t, []string{"a", "bc", "def"}[i], string(msg))
		assert.Equal(t, len(msg), cap(msg))
	}
	o.sent()
	assert.Equal(t, make([][]byte, 3), msgs)
	allocs := testing.AllocsPerRun(100, func() {
		put()
		o.take()
		o.sent()
	})
	if !raceEnabled { // the race detector allocates, and drops what is pooled
		assert.Zero(t, allocs)
	}
}

// nowhere is a transport that writes to nowhere.
type nowhere struct{ Transport }

func (nowhere) Write(context.Context, []byte) error { return nil }

// A message that is written with others is its sender's, and is not kept.
func TestOutboxKeepsNoMessageBesideIt(t *testing.T) {
	c := &connection{server: NewServer(registryOf(), Options{}), transport: nowhere{}, ctx: t.Context(), writing: make(chan struct{}, 1)}
	for range 3 { // after which there is room for one more
		require.True(t, c.outbox.put([]byte("a")))
	}
	require.NoError(t, c.write([]byte("b")))
	assert.Equal(t, make([][]byte, 4), c.outbox.msgs[:4])
}

// What comes to the outbox just when nobody writes any more is written by who
// has brought it.
func TestNothingStaysInTheOutbox(t *testing.T) {
	t.Parallel()
	c := &connection{server: NewServer(registryOf(), Options{}), transport: nowhere{}, ctx: t.Context(), writing: make(chan struct{}, 1)}
	for range 20 {
		require.True(t, c.mayWrite())
		c.outbox.mu.Lock()
		sent := make(chan error)
		go func() { sent <- c.send([]byte("a"), 0, true) }()
		for range 100 { // until it waits for the outbox, as a rule
			runtime.Gosched()
		}
		<-c.writing // release, for which the outbox was empty
		c.outbox.mu.Unlock()
		require.NoError(t, <-sent)
		require.True(t, c.outbox.isEmpty())
	}
}

// One that waits alone is written as any other.
func TestOneInTheOutbox(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w := connectCollecting(t, NewServer(registryOf(textPrompt("text", "hi")), Options{}))
		next := c.slowly()
		assert.Empty(t, c.ask(getLine("1", "text")))
		assert.Empty(t, c.ask(getLine("2", "text")))
		for range 2 {
			next <- nil
		}
		assert.Equal(t, []string{textLine("1", "hi"), textLine("2", "hi")}, c.received())
		assert.Empty(t, w.calls)
		assert.NoError(t, c.end())
	})
}

// Whoever waits for a transport that does not return ends with the connection.
func TestNobodyWaitsForAStuckWrite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var r Registry
		r.MustAdd(textPrompt("text", "hi"))
		var j journal
		c := connect(t, NewServer(&r, Options{Logger: j.logger()})).handshake()
		stuck := make(chan struct{})
		c.wire.onWrite = func(context.Context, []byte) error {
			<-stuck
			return errDisk
		}
		assert.Empty(t, c.ask(getLine("1", "text")))
		r.MustAdd(textPrompt("other", "hi"))
		time.Sleep(changeLongest)
		c.cancel()
		require.NoError(t, c.wait())
		assert.Contains(t, j.String(), "goroutines=1")
		close(stuck)
		synctest.Wait()
	})
}
