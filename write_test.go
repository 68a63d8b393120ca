package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// collectingWire is a wire that notes how many messages each call of Write had.
type collectingWire struct {
	*wire
	calls []int
}

func (w *collectingWire) Write(ctx context.Context, msgs ...[]byte) error {
	w.calls = append(w.calls, len(msgs))
	for _, msg := range msgs {
		if err := w.wire.Write(ctx, msg); err != nil {
			return err
		}
	}
	clear(msgs) // nor are they to be looked at again
	return nil
}

// slowly has each write of a client's wire wait for a value; one of an error is
// what it returns.
func (c *client) slowly() chan<- error {
	next := make(chan error)
	c.wire.onWrite = func(ctx context.Context, _ []byte) error {
		select {
		case err := <-next:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return next
}

// connectCollecting serves a collectingWire.
func connectCollecting(t *testing.T, s *prompts.Server) (*client, *collectingWire) {
	t.Helper()
	w := &collectingWire{wire: newWire(t)}
	return connectOver(t, s, w.wire, w).handshake(), w
}

// What becomes ready while something is being written is written together, in
// order, and a lone answer at once.
func TestAnswersAreWrittenTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w := connectCollecting(t, prompts.MustNewServer(registryOf(textPrompt("text", "hi")), prompts.Options{}))
		w.calls = nil
		assert.Equal(t, []string{textLine("1", "hi")}, c.ask(getLine("1", "text")))
		assert.Equal(t, []int{1}, w.calls)

		next := c.slowly()
		for i := range 5 {
			assert.Empty(t, c.ask(getLine(fmt.Sprint(i), "text")))
		}
		next <- nil
		assert.Equal(t, []string{textLine("0", "hi")}, c.received())
		assert.Equal(t, []int{1, 1, 4}, w.calls)
		for range 4 {
			next <- nil
		}
		assert.Equal(t, []string{textLine("1", "hi"), textLine("2", "hi"), textLine("3", "hi"), textLine("4", "hi")}, c.received())
	})
}

// While the answer of a prompt is being written, that of a ping waits, and the
// reader does not.
func TestReaderDoesNotWaitForTheWriter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		c := connect(t, prompts.MustNewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{})).handshake()
		next := c.slowly()
		assert.Empty(t, c.ask(getLine("1", "wait"), getLine("2", "text")))
		assert.Empty(t, c.ask(pingLine("3"), pingLine("4"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		assert.ErrorIs(t, <-w.causes, prompts.ErrCancelled, "it was read")
		for range 3 {
			next <- nil
		}
		assert.Equal(t, []string{textLine("2", "hi"), pongLine("3"), pongLine("4")}, c.received())
	})
}

// The outbox is bounded: those who have more to say wait, and count as at work
// meanwhile.
func TestOutboxIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const most, size = 8, maxUnsent / 4
		s := prompts.MustNewServer(registryOf(textPrompt("large", strings.Repeat("x", size))), prompts.Options{Limits: prompts.Limits{MaxConcurrent: most / 2}})
		c := connect(t, s).handshake()
		next := c.slowly()
		sent := 0
		// Three of this size have room, and the others are at work: one is being
		// written.
		for ; sent < 3+most; sent++ {
			assert.Empty(t, c.ask(getLine(fmt.Sprint(sent), "large")))
		}
		c.send(getLine("99", "large"))
		time.Sleep(time.Second)
		next <- nil
		var got []string
		for range sent {
			next <- nil
			got = append(got, c.received()...)
		}
		assert.Equal(t, sent+1, len(got))
		assert.Equal(t, 1, count(got, "at capacity"))
		assert.Equal(t, sent, count(got, "xxx"))
	})
}

// count returns how many of the texts contain a word.
func count(texts []string, word string) (n int) {
	for _, text := range texts {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// A write that fails ends the connection, whoever's messages it was for.
func TestOutboxThatCannotBeWritten(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error":  func() error { return errDisk },
		"gone":   func() error { return io.ErrClosedPipe },
		"panic":  func() error { panic("in Write") },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := connectCollecting(t, prompts.MustNewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Logger: new(journal).logger()}))
			next := c.slowly()
			for i := range 3 {
				assert.Empty(t, c.ask(getLine(fmt.Sprint(i), "text")))
			}
			waiting := c.wire.onWrite
			c.wire.onWrite = func(ctx context.Context, msg []byte) error {
				if err := waiting(ctx, msg); err == nil {
					return nil
				}
				return fail()
			}
			next <- nil
			synctest.Wait()
			assert.Len(t, c.received(), 1)
			next <- errors.New("now")
			err := c.wait()
			if name == "gone" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "write message: ")
			}
		})
	}
}
