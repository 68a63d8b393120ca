package prompts_test

import (
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

func refusalLine(id, message string) string {
	return errorLine(id, transport.CodeInvalidRequest, message)
}

// JRP-28: through Handle, too, the requests of a batch are worked on one after the
// other and answered by one array, or by none; whoever cannot send it says so.
func TestBatchThroughHandle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(sleeper("long", 3*time.Hour), sleeper("short", 2*time.Hour)), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
		session := sessionIn(t, s, batchVersion)
		began := time.Now()
		got := answerTo(t, s, session, batchLine(getLine("1", "long"), getLine("3", "short"), pingLine("2")))
		assert.Equal(t, 5*time.Hour, time.Since(began))
		assert.ElementsMatch(t, []string{textLine("1", "slept"), pongLine("2"), textLine("3", "slept")}, elements(t, got))
		assert.Empty(t, answerTo(t, s, session, batchLine(initializedLine)))
		for _, batch := range []string{batchLine(getLine("1", "short")), batchLine(pingLine("1")), "[]"} {
			r := &recorder{t: t, fail: func(string) error { return errDisk }}
			assert.Equal(t, errDisk, session.Handle(t.Context(), r.hear(session, batch), transport.Exchange{Send: r.send}))
		}
	})
}

// Work that goes on after its time limit holds nobody up: the array is sent, and
// what follows is not begun.
func TestBatchTimeLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(sleeper("deaf", time.Minute), textPrompt("text", "hi")), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})
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

func TestLongBatch(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	session := sessionIn(t, s, batchVersion)
	pings := make([]string, maxBatch)
	for i := range pings {
		pings[i] = pingLine(fmt.Sprint(i))
	}
	got := answerTo(t, s, session, batchLine(pings...))
	assert.Len(t, elements(t, got), maxBatch)
	got = answerTo(t, s, session, batchLine(append(pings, initializedLine)...))
	assert.Equal(t, refusalLine("", "batch has too many messages (limit 1000)"), got)
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
			inBubble(t, test.name+" "+how, func(t *testing.T) {
				s := prompts.MustNewServer(registryOf(textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2}})
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
				got := answerTo(t, s, session, getLine("9", "text"))
				assert.Equal(t, textLine("9", "hi"), got)
				assert.Empty(t, prompts.Peek(session).Leftovers())
				session.Close()
				assertNoTrace(t, s)
			})
		}
	}
}
