package rpc_test

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
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// collectingWire is a wire that notes how many messages each call of Write had.
type collectingWire struct {
	*servertest.Wire
	calls []int
}

func (w *collectingWire) Write(ctx context.Context, msgs ...[]byte) error {
	w.calls = append(w.calls, len(msgs))
	for _, msg := range msgs {
		if err := w.Wire.Write(ctx, msg); err != nil {
			return err
		}
	}
	clear(msgs) // nor are they to be looked at again
	return nil
}

// connectCollecting serves a collectingWire.
func connectCollecting(t *testing.T, s *prompts.Server) (*servertest.Client, *collectingWire) {
	t.Helper()
	w := &collectingWire{Wire: servertest.NewWire(t)}
	return servertest.ConnectOver(t, s, w.Wire, w).Handshake(), w
}

// What becomes ready while something is being written is written together, in
// order, and a lone answer at once.
func TestAnswersAreWrittenTogether(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		c, w := connectCollecting(t, prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{}))
		w.calls = nil
		assert.Equal(t, []string{servertest.TextLine("1", "hi")}, c.Ask(servertest.GetLine("1", "text")))
		assert.Equal(t, []int{1}, w.calls)

		next := c.Slowly()
		for i := range 5 {
			assert.Empty(t, c.Ask(servertest.GetLine(fmt.Sprint(i), "text")))
		}
		next <- nil
		assert.Equal(t, []string{servertest.TextLine("0", "hi")}, c.Received())
		assert.Equal(t, []int{1, 1, 4}, w.calls)
		for range 4 {
			next <- nil
		}
		assert.Equal(t, []string{servertest.TextLine("1", "hi"), servertest.TextLine("2", "hi"), servertest.TextLine("3", "hi"), servertest.TextLine("4", "hi")}, c.Received())
	})
}

// While the answer of a prompt is being written, that of a ping waits, and the
// reader does not.
func TestReaderDoesNotWaitForTheWriter(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.TextPrompt("text", "hi")), prompts.Options{})).Handshake()
		next := c.Slowly()
		assert.Empty(t, c.Ask(servertest.GetLine("1", "wait"), servertest.GetLine("2", "text")))
		assert.Empty(t, c.Ask(servertest.PingLine("3"), servertest.PingLine("4"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		assert.ErrorIs(t, <-w.Causes, rpc.ErrCanceled, "it was read")
		for range 3 {
			next <- nil
		}
		assert.Equal(t, []string{servertest.TextLine("2", "hi"), servertest.PongLine("3"), servertest.PongLine("4")}, c.Received())
	})
}

// The outbox is bounded: those who have more to say wait, and count as at work
// meanwhile.
func TestOutboxIsBounded(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		const most, size = 8, servertest.MaxUnsent / 4
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("large", strings.Repeat("x", size))), prompts.Options{Limits: prompts.Limits{MaxConcurrent: most / 2}})
		c := servertest.Connect(t, s).Handshake()
		next := c.Slowly()
		sent := 0
		// Three of this size have room, and the others are at work: one is being
		// written.
		for ; sent < 3+most; sent++ {
			assert.Empty(t, c.Ask(servertest.GetLine(fmt.Sprint(sent), "large")))
		}
		c.Send(servertest.GetLine("99", "large"))
		time.Sleep(time.Second)
		next <- nil
		var got []string
		for range sent {
			next <- nil
			got = append(got, c.Received()...)
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
		"error":  func() error { return servertest.ErrDisk },
		"gone":   func() error { return io.ErrClosedPipe },
		"panic":  func() error { panic("in Write") },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			c, _ := connectCollecting(t, prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{Logger: new(servertest.Journal).Logger()}))
			next := c.Slowly()
			for i := range 3 {
				assert.Empty(t, c.Ask(servertest.GetLine(fmt.Sprint(i), "text")))
			}
			waiting := c.Wire.OnWrite
			c.Wire.OnWrite = func(ctx context.Context, msg []byte) error {
				if err := waiting(ctx, msg); err == nil {
					return nil
				}
				return fail()
			}
			next <- nil
			synctest.Wait()
			assert.Len(t, c.Received(), 1)
			next <- errors.New("now")
			err := c.Wait()
			if name == "gone" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "write message: ")
			}
		})
	}
}
