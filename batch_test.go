package prompts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Batches are part of one revision.
const batchVersion = "2025-03-26"

func batchLine(msgs ...string) string { return "[" + strings.Join(msgs, ",") + "]" }

// elements returns the messages of an array.
func elements(t testing.TB, array string) []string {
	t.Helper()
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(array), &raw), array)
	var all []string
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

// askBatch sends a batch and returns the messages of the one array that
// answers it.
func (c *client) askBatch(msgs ...string) []string {
	c.t.Helper()
	got := c.ask(batchLine(msgs...))
	require.Len(c.t, got, 1)
	return elements(c.t, got[0])
}

func refusalLine(id, message string) string { return errorLine(id, CodeInvalidRequest, message) }

// JRP-27, JRP-28, GAP-15, STD-05: what a batch is answered with, over a stream.
func TestBatch(t *testing.T) {
	t.Parallel()
	const (
		listLine   = `{"jsonrpc":"2.0","id":9,"method":"prompts/list"}`
		listAnswer = `{"jsonrpc":"2.0","id":9,"result":{"prompts":[{"name":"text"}]}}`
		result     = `{"jsonrpc":"2.0","id":"prompts-1","result":{}}`
	)
	for _, test := range []struct {
		name  string
		batch string
		want  []string // of the array, or nil
		one   string   // or the one answer
	}{
		{name: "one", batch: batchLine(pingLine("1")), want: []string{pongLine("1")}},
		{name: "several", batch: batchLine(pingLine("1"), getLine(`"a"`, "text"), listLine), want: []string{pongLine("1"), textLine(`"a"`, "hi"), listAnswer}},
		{name: "requests and notifications", batch: batchLine(initializedLine, getLine("1", "text"), cancelLine("7"), `{"jsonrpc":"2.0","method":"no/such"}`), want: []string{textLine("1", "hi")}},
		{name: "only notifications", batch: batchLine(initializedLine, cancelLine("7"))},
		{name: "a malformed notification", batch: batchLine(`{"jsonrpc":"1.0","method":"x"}`, pingLine("1")), want: []string{pongLine("1")}},
		{name: "errors", batch: batchLine(getLine("1", "none"), `{"jsonrpc":"2.0","id":2,"method":"prompts/get"}`, `{"jsonrpc":"1.0","id":3,"method":"ping"}`),
			want: []string{
				string(errorAnswer("1", unknownPrompt("none")).msg), errorLine("2", CodeInvalidParams, "params are required, an object"),
				refusalLine("3", `jsonrpc must be "2.0"`),
			}},
		{name: "no messages", batch: batchLine("1", `"x"`, "null", "[]", `{}`, pingLine("1")), want: []string{
			refusalLine("null", "a message must be an object"), refusalLine("null", "a message must be an object"),
			refusalLine("null", "a message must be an object"), refusalLine("null", "a message must be an object"),
			refusalLine("null", `jsonrpc must be "2.0"`), pongLine("1"),
		}},
		{name: "empty", batch: "[]", one: refusalLine("null", "a batch must not be empty")},
		{name: "the same id twice", batch: batchLine(getLine("1", "text"), getLine("1", "text")), want: []string{
			textLine("1", "hi"), refusalLine("1", errInFlight.Message),
		}},
		{name: "initialize", batch: batchLine(initializeLine, pingLine("1")), want: []string{
			refusalLine(`"init"`, "initialize cannot be part of a batch"), pongLine("1"),
		}},
		{name: "responses", batch: batchLine(result, result)},
		{name: "responses and requests", batch: batchLine(result, pingLine("1")), one: refusalLine("null", "a batch must not mix responses with other messages")},
		{name: "responses and notifications", batch: batchLine(initializedLine, result), one: refusalLine("null", "a batch must not mix responses with other messages")},
		{name: "a request with an envelope", batch: batchLine(pingLine("1"), envelopedGet("2", "text")), one: refusalLine("null", "a message with its own protocol version cannot be part of a batch")},
		{name: "a duplicate key", batch: `[{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}]`, one: refusalLine("null", `duplicate key "id" at byte 25`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := NewServer(registryOf(textPrompt("text", "hi")), Options{})
				c := connect(t, s).handshakeIn(batchVersion)
				got := c.ask(test.batch)
				switch {
				case test.want != nil:
					require.Len(t, got, 1)
					assert.ElementsMatch(t, test.want, elements(t, got[0]))
				case test.one == "":
					assert.Empty(t, got)
				default:
					assert.Equal(t, []string{test.one}, got)
				}
				assert.Equal(t, []string{pongLine("1")}, c.ask(pingLine("1")), "nothing is left in flight")
				require.NoError(t, c.end())
				assert.Empty(t, c.received())
				assertNoTrace(t, s)
			})
		})
	}
}

// JRP-29, GAP-15: in no other revision there is a batch, nor without a session.
func TestBatchElsewhere(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(textPrompt("text", "hi")), Options{})
	for _, batch := range []string{"[]", batchLine(pingLine("1")), batchLine(initializedLine), batchLine(envelopedGet("1", "text")), batchLine(initializeIn(batchVersion))} {
		for _, version := range handshakeVersions {
			if version == batchVersion {
				continue
			}
			got, err := handle(t, s, sessionIn(t, s, version), batch)
			require.NoError(t, err)
			assert.Equal(t, refusalLine("", errNoBatch.Message), got, "%s %s", version, batch)
		}
		fresh := s.NewSession(SessionOptions{})
		defer fresh.Close()
		for _, session := range []*Session{nil, fresh} {
			got, err := handle(t, s, session, batch)
			require.NoError(t, err)
			assert.Equal(t, refusalLine("", errNoBatch.Message), got, batch)
		}
	}
}

// Elements are worked on at the same time, and answered at once.
func TestBatchIsConcurrent(t *testing.T) {
	t.Parallel()
	t.Run("over a connection", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, NewServer(registryOf(sleeper("long", 3*time.Second), sleeper("short", 2*time.Second)), Options{})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "long"), pingLine("2"), getLine("3", "short"))))
			time.Sleep(3*time.Second - 1)
			assert.Empty(t, c.received(), "part of the array")
			assert.Equal(t, []string{pongLine("4")}, c.ask(pingLine("4")), "the connection waits for nothing")
			time.Sleep(time.Nanosecond)
			got := c.received()
			require.Len(t, got, 1)
			assert.ElementsMatch(t, []string{textLine("1", "slept"), pongLine("2"), textLine("3", "slept")}, elements(t, got[0]))
			require.NoError(t, c.end())
		})
	})
	t.Run("through Handle", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := NewServer(registryOf(sleeper("long", 3*time.Hour), sleeper("short", 2*time.Hour)), Options{})
			session := sessionIn(t, s, batchVersion)
			began := time.Now()
			got, err := handle(t, s, session, batchLine(getLine("1", "long"), getLine("3", "short"), pingLine("2")))
			require.NoError(t, err)
			assert.Equal(t, 3*time.Hour, time.Since(began))
			assert.ElementsMatch(t, []string{textLine("1", "slept"), pongLine("2"), textLine("3", "slept")}, elements(t, got))
			got, err = handle(t, s, session, batchLine(initializedLine))
			require.NoError(t, err)
			assert.Empty(t, got)
			for _, batch := range []string{batchLine(getLine("1", "short")), batchLine(pingLine("1")), "[]"} {
				r := &recorder{t: t, fail: errDisk}
				assert.Equal(t, errDisk, session.Handle(t.Context(), r.hear(session, batch), Exchange{Send: r.send}))
			}
			assert.Zero(t, session.answers.wait(t.Context()))
			assert.Zero(t, s.limit.inside())
		})
	})
}

// The time limit is each element's own: the array comes with it, whatever the
// render does.
func TestBatchTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(sleeper("deaf", time.Minute), w.prompt("wait"), textPrompt("text", "hi")), Options{RenderTimeout: time.Second})
		c := connect(t, s).handshakeIn(batchVersion)
		assert.Empty(t, c.ask(batchLine(getLine("1", "deaf"), getLine("2", "wait"), getLine("3", "text"))))
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{
			errorLine("1", CodeInternalError, "the request took too long"),
			errorLine("2", CodeInternalError, "the request took too long"),
			textLine("3", "hi"),
		}, elements(t, got[0]))
		assert.ErrorIs(t, <-w.causes, errTimeLimit)
		time.Sleep(time.Hour)
		assert.Empty(t, c.received())
		require.NoError(t, c.end())
		assertNoTrace(t, s)
	})
}

// CAN-01, CAN-09: an element that is cancelled is not in the array; an array
// without elements is not sent.
func TestBatchCancellation(t *testing.T) {
	t.Parallel()
	t.Run("of one", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, NewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Minute)), Options{RenderTimeout: -1})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), getLine("2", "wait"), getLine("3", "deaf"))))
			assert.Empty(t, c.ask(cancelLine("1"), cancelLine("3"), cancelLine("3")))
			assert.ErrorIs(t, <-w.causes, errCancelled)
			assert.Empty(t, c.received())
			w.let <- struct{}{}
			assert.Equal(t, []string{batchLine(textLine("2", "let go"))}, c.received(), "it waits for no render that is cancelled")
			time.Sleep(time.Hour)
			assert.Empty(t, c.received())
			require.NoError(t, c.end())
		})
	})
	t.Run("of all", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			s := NewServer(registryOf(w.prompt("wait")), Options{MaxConcurrent: 1})
			c := connect(t, s).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), getLine("2", "wait"))))
			assert.Empty(t, c.ask(batchLine(cancelLine("2"), cancelLine("1"))))
			time.Sleep(time.Hour)
			assert.Empty(t, c.received())
			began := time.Now()
			require.NoError(t, c.end())
			assert.Zero(t, time.Since(began), "there is nothing to wait for")
			assertNoTrace(t, s)
		})
	})
	t.Run("of all through Handle", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			s := NewServer(registryOf(w.prompt("wait")), Options{})
			session := sessionIn(t, s, batchVersion)
			done := make(chan error)
			r := &recorder{t: t}
			go func() {
				done <- session.Handle(t.Context(), r.hear(session, batchLine(getLine("1", "wait"), getLine("2", "wait"))), Exchange{Send: r.send})
			}()
			synctest.Wait()
			for _, id := range []string{"1", "2"} {
				_, err := handle(t, s, session, cancelLine(id))
				require.NoError(t, err)
			}
			<-done
			assert.Empty(t, r.messages)
			assert.Zero(t, session.answers.wait(t.Context()))
		})
	})
	t.Run("of some that are answered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, NewServer(registryOf(w.prompt("wait")), Options{})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), pingLine("2"))))
			assert.Equal(t, []string{batchLine(pongLine("2"))}, c.ask(cancelLine("2"), cancelLine("1")))
			require.NoError(t, c.end())
		})
	})
}

// The id of an element is free when the client has the array, and taken before.
func TestBatchIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		c := connect(t, NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), Options{})).handshakeIn(batchVersion)
		assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), getLine("2", "text"))))
		assert.Equal(t, []string{refusalLine("1", errInFlight.Message)}, c.ask(pingLine("1")))
		var free atomic.Bool
		c.wire.onWrite = func(_ context.Context, msg []byte) error {
			if msg[0] == '[' {
				free.Store(true)
				c.send(batchLine(getLine("1", "text"), getLine("2", "text")))
				c.wire.onWrite = nil
			}
			return nil
		}
		w.let <- struct{}{}
		got := c.received()
		require.Len(t, got, 2)
		assert.True(t, free.Load())
		assert.ElementsMatch(t, []string{textLine("1", "let go"), textLine("2", "hi")}, elements(t, got[0]))
		assert.ElementsMatch(t, []string{textLine("1", "hi"), textLine("2", "hi")}, elements(t, got[1]))
		require.NoError(t, c.end())
	})
}

func TestLongBatch(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, Options{})
	session := sessionIn(t, s, batchVersion)
	pings := make([]string, maxBatch)
	for i := range pings {
		pings[i] = pingLine(fmt.Sprint(i))
	}
	got, err := handle(t, s, session, batchLine(pings...))
	require.NoError(t, err)
	assert.Len(t, elements(t, got), maxBatch)
	got, err = handle(t, s, session, batchLine(append(pings, initializedLine)...))
	require.NoError(t, err)
	assert.Equal(t, refusalLine("", "a batch must not have more than 1000 messages"), got)
}

// Progress is sent when it is reported, and is no part of the array.
func TestBatchProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		reg := registryOf(rendered("reports", func(ctx context.Context) (*Result, error) {
			Progress(ctx, 1, 2, "begun")
			<-w.let
			Progress(ctx, 2, 2, "done")
			return Messages(User("hi")), nil
		}))
		s := NewServer(reg, Options{})
		reporting := func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"reports","_meta":{"progressToken":` + id + `}}}`
		}
		progress := func(id, n, message string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id + `,"progress":` + n + `,"total":2,"message":"` + message + `"}}`
		}
		array := []string{textLine("1", "hi"), textLine("2", "hi")}

		c := connect(t, s).handshakeIn(batchVersion)
		assert.ElementsMatch(t, []string{progress("1", "1", "begun"), progress("2", "1", "begun")}, c.ask(batchLine(reporting("1"), reporting("2"))))
		w.let <- struct{}{}
		assert.Len(t, c.received(), 1)
		w.let <- struct{}{}
		got := c.received()
		require.Len(t, got, 2)
		assert.Contains(t, got[0], `"progress":2`)
		assert.ElementsMatch(t, array, elements(t, got[1]))
		require.NoError(t, c.end())

		session := sessionIn(t, s, batchVersion)
		r := &recorder{t: t}
		done := make(chan error)
		go func() {
			done <- session.Handle(t.Context(), r.hear(session, batchLine(reporting("1"), reporting("2"))), Exchange{Send: r.send})
		}()
		synctest.Wait()
		w.let <- struct{}{}
		w.let <- struct{}{}
		require.NoError(t, <-done)
		require.Len(t, r.messages, 5)
		for _, m := range r.messages[:4] {
			assert.Contains(t, m.msg, "notifications/progress")
			assert.False(t, m.last)
		}
		assert.ElementsMatch(t, array, elements(t, r.messages[4].msg))
		assert.True(t, r.messages[4].last)
	})
}

// Elements count for the limit like any other requests.
func TestBatchBeyondTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait")), Options{MaxConcurrent: 1})
		c := connect(t, s).handshakeIn(batchVersion)
		c.send(batchLine(getLine("1", "wait"), getLine("2", "wait"), getLine("3", "wait"), pingLine("4"), getLine("5", "none")))
		time.Sleep(time.Second)
		assert.Empty(t, c.received())
		w.let <- struct{}{}
		w.let <- struct{}{}
		got := c.received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{
			textLine("1", "let go"), textLine("2", "let go"), string(errorAnswer("3", busy()).msg), pongLine("4"),
			string(errorAnswer("5", unknownPrompt("none")).msg),
		}, elements(t, got[0]))
		assert.EqualValues(t, 1, w.most.Load())
		require.NoError(t, c.end())
		assertNoTrace(t, s)
	})
}

// GAP-46: the end of input waits for the array as for any other answer.
func TestBatchAtTheEndOfInput(t *testing.T) {
	t.Parallel()
	t.Run("within the grace", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWire(t)
			c := connectWire(t, NewServer(registryOf(sleeper("deaf", 4*time.Second)), Options{}), w).handshakeIn(batchVersion)
			w.onWrite = func(context.Context, []byte) error { time.Sleep(time.Second / 2); return nil }
			c.send(batchLine(getLine("1", "deaf"), pingLine("2")))
			require.NoError(t, c.end())
			got := c.received()
			require.Len(t, got, 1)
			assert.ElementsMatch(t, []string{textLine("1", "slept"), pongLine("2")}, elements(t, got[0]))
		})
	})
	t.Run("a render that goes on after the answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, NewServer(registryOf(sleeper("deaf", time.Hour)), Options{RenderTimeout: time.Second})).handshakeIn(batchVersion)
			c.send(batchLine(getLine("1", "deaf")))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, time.Second+stragglers, time.Since(began), "there is nothing more to answer")
			assert.Len(t, c.received(), 1)
			time.Sleep(time.Hour)
		})
	})
	t.Run("beyond the grace", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			wait := newWaiter()
			c := connect(t, NewServer(registryOf(wait.prompt("wait")), Options{})).handshakeIn(batchVersion)
			c.send(batchLine(getLine("1", "wait"), getLine("2", "wait")))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, defaultGrace, time.Since(began))
			assert.Empty(t, c.received())
			<-wait.causes
			<-wait.causes
		})
	})
}

// LIF-14: notifications count in a batch as they do alone.
func TestInitializedInABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(Registry)
		c := connect(t, NewServer(reg, Options{}))
		require.Len(t, c.ask(initializeIn(batchVersion)), 1)
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(time.Hour)
		assert.Empty(t, c.received())
		assert.Equal(t, []string{pongLine("1")}, c.askBatch(initializedLine, pingLine("1")))
		time.Sleep(changeQuiet)
		assert.Equal(t, []string{listChangedLine}, c.received())
		require.NoError(t, c.end())
	})
}

// A batch has no slots while it is read: its reader may have to wait for room
// for the rest of it, and others need them meanwhile.
func TestBatchThatIsReadHasNoSlots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewServer(registryOf(textPrompt("text", "hi")), Options{MaxConcurrent: 2, MaxConcurrentTotal: 2})
		c := connect(t, s).handshakeIn(batchVersion)
		var gets []string
		for i := range 5 {
			gets = append(gets, getLine(fmt.Sprint(i), "text"))
		}
		c.send("[" + strings.Join(gets, ",") + "]")
		synctest.Wait()
		assert.Equal(t, 4, s.limit.inside(), "and the reader waits")
		assert.Zero(t, s.limit.taken())
		time.Sleep(mostPatience)
		got := c.received()
		require.Len(t, got, 1)
		assert.Equal(t, 4, strings.Count(got[0], `"hi"`))
		assert.Equal(t, 1, strings.Count(got[0], "busy"))
		assert.NoError(t, c.end())
	})
}
