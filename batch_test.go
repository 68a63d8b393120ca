package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/transport"
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

func refusalLine(id, message string) string {
	return errorLine(id, transport.CodeInvalidRequest, message)
}

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
				errorResponse("1", unknownPrompt("none")), errorLine("2", prompts.CodeInvalidParams, "params is required and must be an object"),
				refusalLine("3", `jsonrpc must be "2.0"`),
			}},
		{name: "no messages", batch: batchLine("1", `"x"`, "null", "[]", `{}`, pingLine("1")), want: []string{
			refusalLine("null", "message must be a JSON object"), refusalLine("null", "message must be a JSON object"),
			refusalLine("null", "message must be a JSON object"), refusalLine("null", "message must be a JSON object"),
			refusalLine("null", `jsonrpc must be "2.0"`), pongLine("1"),
		}},
		{name: "empty", batch: "[]", one: refusalLine("null", "batch must not be empty")},
		{name: "the same id twice", batch: batchLine(getLine("1", "text"), getLine("1", "text")), want: []string{
			textLine("1", "hi"), refusalLine("1", inFlight("1").Message),
		}},
		{name: "initialize", batch: batchLine(initializeLine, pingLine("1")), want: []string{
			refusalLine(`"init"`, "initialize cannot be sent in a batch"), pongLine("1"),
		}},
		{name: "responses", batch: batchLine(result, result)},
		{name: "responses and requests", batch: batchLine(result, pingLine("1")), one: refusalLine("null", "batch must not mix responses with other messages")},
		{name: "responses and notifications", batch: batchLine(initializedLine, result), one: refusalLine("null", "batch must not mix responses with other messages")},
		{name: "a request with an envelope", batch: batchLine(pingLine("1"), envelopedGet("2", "text")), one: refusalLine("null", "2026-07-28 requests (with a protocol version in params._meta) cannot be sent in a batch")},
		{name: "a duplicate key", batch: `[{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}]`, one: refusalLine("null", `duplicate key "id" at byte 25`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{})
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
	s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{})
	for _, batch := range []string{"[]", batchLine(pingLine("1")), batchLine(initializedLine), batchLine(envelopedGet("1", "text")), batchLine(initializeIn(batchVersion))} {
		for _, version := range handshakeVersions {
			if version == batchVersion {
				continue
			}
			got, err := handle(t, s, sessionIn(t, s, version), batch)
			require.NoError(t, err)
			assert.Equal(t, refusalLine("", errNoBatch.Message), got, "%s %s", version, batch)
		}
		fresh := s.NewSession(transport.SessionOptions{})
		defer fresh.Close()
		for _, session := range []transport.Session{nil, fresh} {
			got, err := handle(t, s, session, batch)
			require.NoError(t, err)
			assert.Equal(t, refusalLine("", errNoBatch.Message), got, batch)
		}
	}
}

// Elements are worked on one after the other, and answered at once.
func TestBatchIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("over a connection", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, prompts.NewServer(registryOf(sleeper("long", 3*time.Second), sleeper("short", 2*time.Second)), prompts.Options{})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "long"), pingLine("2"), getLine("3", "short"))))
			time.Sleep(5*time.Second - 1)
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
			s := prompts.NewServer(registryOf(sleeper("long", 3*time.Hour), sleeper("short", 2*time.Hour)), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
			session := sessionIn(t, s, batchVersion)
			began := time.Now()
			got, err := handle(t, s, session, batchLine(getLine("1", "long"), getLine("3", "short"), pingLine("2")))
			require.NoError(t, err)
			assert.Equal(t, 5*time.Hour, time.Since(began))
			assert.ElementsMatch(t, []string{textLine("1", "slept"), pongLine("2"), textLine("3", "slept")}, elements(t, got))
			got, err = handle(t, s, session, batchLine(initializedLine))
			require.NoError(t, err)
			assert.Empty(t, got)
			for _, batch := range []string{batchLine(getLine("1", "short")), batchLine(pingLine("1")), "[]"} {
				r := &recorder{t: t, fail: errDisk}
				assert.Equal(t, errDisk, session.Handle(t.Context(), r.hear(session, batch), transport.Exchange{Send: r.send}))
			}
			assert.Empty(t, prompts.Peek(session).Leftovers())
			assert.Zero(t, s.Tasks())
		})
	})
}

// Work that goes on after its time limit holds nobody up: the array is sent, and
// what follows is not begun.
func TestBatchTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(sleeper("deaf", time.Minute), textPrompt("text", "hi")), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})
		c := connect(t, s).handshakeIn(batchVersion)
		assert.Empty(t, c.ask(batchLine(getLine("1", "text"), getLine("2", "deaf"), getLine("3", "text"))))
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{
			textLine("1", "hi"),
			errorLine("2", prompts.CodeInternalError, requestTimeout),
			errorLine("3", prompts.CodeInternalError, requestTimeout),
		}, elements(t, got[0]))
		assert.Equal(t, 1, s.Tasks(), "it counts until the work returns")
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
			c := connect(t, prompts.NewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Minute)), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), getLine("2", "wait"), getLine("3", "deaf"))))
			assert.Empty(t, c.ask(cancelLine("1"), cancelLine("3"), cancelLine("3")))
			assert.ErrorIs(t, <-w.causes, prompts.ErrCancelled)
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
			s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}})
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
			s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})
			session := sessionIn(t, s, batchVersion)
			done := make(chan error)
			r := &recorder{t: t}
			go func() {
				done <- session.Handle(t.Context(), r.hear(session, batchLine(getLine("1", "wait"), getLine("2", "wait"))), transport.Exchange{Send: r.send})
			}()
			synctest.Wait()
			for _, id := range []string{"1", "2"} {
				_, err := handle(t, s, session, cancelLine(id))
				require.NoError(t, err)
			}
			<-done
			assert.Empty(t, r.messages)
			assert.Empty(t, prompts.Peek(session).Leftovers())
		})
	})
	t.Run("of some that are answered", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{})).handshakeIn(batchVersion)
			assert.Empty(t, c.ask(batchLine(getLine("1", "wait"), pingLine("2"))))
			assert.Equal(t, []string{batchLine(pongLine("2"))}, c.ask(cancelLine("2"), cancelLine("1")))
			require.NoError(t, c.end())
		})
	})
}

func TestLongBatch(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(nil, prompts.Options{})
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
	assert.Equal(t, refusalLine("", "batch has too many messages (limit 1000)"), got)
}

// A batch counts for the limit like one request, whatever it has.
func TestBatchBeyondTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}})
		c := connect(t, s).handshakeIn(batchVersion)
		c.send(batchLine(getLine("1", "wait"), getLine("2", "wait")), getLine("3", "wait"), batchLine(getLine("4", "wait"), pingLine("5"), getLine("6", "none")))
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{errorResponse("4", busy()), pongLine("5"), errorResponse("6", busy())}, elements(t, got[0]))
		for range 3 {
			w.let <- struct{}{}
		}
		got = c.received()
		require.Len(t, got, 2)
		assert.Equal(t, []string{textLine("1", "let go"), textLine("2", "let go")}, elements(t, got[0]))
		assert.Equal(t, textLine("3", "let go"), got[1])
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
			c := connectWire(t, prompts.NewServer(registryOf(sleeper("deaf", 4*time.Second)), prompts.Options{}), w).handshakeIn(batchVersion)
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
			c := connect(t, prompts.NewServer(registryOf(sleeper("deaf", time.Hour)), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})).handshakeIn(batchVersion)
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
			c := connect(t, prompts.NewServer(registryOf(wait.prompt("wait")), prompts.Options{})).handshakeIn(batchVersion)
			c.send(batchLine(getLine("1", "wait"), getLine("2", "wait")))
			began := time.Now()
			require.NoError(t, c.end())
			assert.Equal(t, defaultGrace, time.Since(began))
			assert.Empty(t, c.received())
			<-wait.causes // the other has not begun
		})
	})
}

// LIF-14: notifications count in a batch as they do alone.
func TestInitializedInABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		c := connect(t, prompts.NewServer(reg, prompts.Options{}))
		require.Len(t, c.ask(initializeIn(batchVersion)), 1)
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(time.Hour)
		assert.Empty(t, c.received())
		assert.Equal(t, []string{pongLine("1")}, c.askBatch(initializedLine, pingLine("1")))
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{listChangedLine}, c.received())
		require.NoError(t, c.end())
	})
}

// A batch releases its slots if the transport panics or ends its goroutine in the middle
// or at the end of the batch.
func TestBatchOfABrokenTransport(t *testing.T) {
	t.Parallel()
	gets := batchLine(getLine("1", "text"), getLine("2", "text"), getLine("3", "text"))
	for how, fail := range map[string]func(){"panics": func() { panic(secretPanic) }, "ends its goroutine": runtime.Goexit} {
		for _, test := range []struct {
			name     string
			exchange func() transport.Exchange
		}{
			{"Send", func() transport.Exchange {
				return transport.Exchange{Send: func([]byte, prompts.Code, bool) error { fail(); return nil }}
			}},
			{"CheckVersion", func() transport.Exchange {
				requests := 0
				return transport.Exchange{
					Send: func([]byte, prompts.Code, bool) error { return nil },
					CheckVersion: func(transport.RequestInfo) error {
						if requests++; requests == 3 {
							fail()
						}
						return nil
					},
				}
			}},
		} {
			t.Run(test.name+" "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2}})
					session := s.NewSession(transport.SessionOptions{Version: batchVersion})
					for range 4 {
						go func() {
							defer func() { _ = recover() }()
							x := test.exchange()
							x.ClientKey = "a"
							_ = session.Handle(t.Context(), []byte(gets), x)
						}()
						synctest.Wait()
					}
					got, err := handle(t, s, session, getLine("9", "text"))
					assert.NoError(t, err)
					assert.Equal(t, textLine("9", "hi"), got)
					assert.Empty(t, prompts.Peek(session).Leftovers())
					session.Close()
					assertNoTrace(t, s)
				})
			})
		}
	}
}
