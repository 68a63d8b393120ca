package rpc_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

func refusalLine(id, message string) string {
	return servertest.ErrorLine(id, transport.CodeInvalidRequest, message)
}

// JRP-28: through Handle, too, the requests of a batch are worked on one after the
// other and answered by one array, or by none; whoever cannot send it says so.
func TestBatchThroughHandle(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("long", 3*time.Hour), servertest.Sleeper("short", 2*time.Hour)), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
		session := servertest.SessionIn(t, s, servertest.BatchVersion)
		began := time.Now()
		got := servertest.AnswerTo(t, s, session, servertest.BatchLine(servertest.GetLine("1", "long"), servertest.GetLine("3", "short"), servertest.PingLine("2")))
		assert.Equal(t, 5*time.Hour, time.Since(began))
		assert.ElementsMatch(t, []string{servertest.TextLine("1", "slept"), servertest.PongLine("2"), servertest.TextLine("3", "slept")}, servertest.Elements(t, got))
		assert.Empty(t, servertest.AnswerTo(t, s, session, servertest.BatchLine(servertest.InitializedLine)))
		for _, batch := range []string{servertest.BatchLine(servertest.GetLine("1", "short")), servertest.BatchLine(servertest.PingLine("1")), "[]"} {
			r := &servertest.Recorder{T: t, Fail: func(string) error { return servertest.ErrDisk }}
			assert.Equal(t, servertest.ErrDisk, session.Handle(t.Context(), r.Hear(session, batch), transport.Exchange{Send: r.Send}))
		}
	})
}

// Work that goes on after its time limit holds nobody up: the array is sent, and
// what follows is not begun.
func TestBatchTimeLimit(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("deaf", time.Minute), servertest.TextPrompt("text", "hi")), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})
		c := servertest.Connect(t, s).HandshakeIn(servertest.BatchVersion)
		assert.Empty(t, c.Ask(servertest.BatchLine(servertest.GetLine("1", "text"), servertest.GetLine("2", "deaf"), servertest.GetLine("3", "text"))))
		time.Sleep(time.Second)
		got := c.Received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{
			servertest.TextLine("1", "hi"),
			servertest.ErrorLine("2", prompts.CodeInternalError, servertest.RequestTimeout),
			servertest.ErrorLine("3", prompts.CodeInternalError, servertest.RequestTimeout),
		}, servertest.Elements(t, got[0]))
		assert.Equal(t, 1, servertest.Tasks(s), "it counts until the work returns")
		time.Sleep(time.Hour)
		assert.Empty(t, c.Received())
		require.NoError(t, c.End())
		servertest.AssertNoTrace(t, s)
	})
}

// CAN-09: a request that was canceled while it runs, and ignores its context, keeps the array
// until its time limit and no longer.
func TestBatchOfACanceledRequest(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("deaf", time.Minute), servertest.TextPrompt("text", "hi")), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})
		c := servertest.Connect(t, s).HandshakeIn(servertest.BatchVersion)
		assert.Empty(t, c.Ask(servertest.BatchLine(servertest.GetLine("1", "text"), servertest.GetLine("2", "deaf"), servertest.GetLine("3", "text"))))
		assert.Empty(t, c.Ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
		time.Sleep(time.Second)
		got := c.Received()
		require.Len(t, got, 1)
		assert.ElementsMatch(t, []string{
			servertest.TextLine("1", "hi"),
			servertest.ErrorLine("3", prompts.CodeInternalError, servertest.RequestTimeout),
		}, servertest.Elements(t, got[0]))
		time.Sleep(time.Hour)
		assert.Empty(t, c.Received())
		require.NoError(t, c.End())
		servertest.AssertNoTrace(t, s)
	})
}

func TestLongBatch(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	session := servertest.SessionIn(t, s, servertest.BatchVersion)
	pings := make([]string, servertest.MaxBatch)
	for i := range pings {
		pings[i] = servertest.PingLine(fmt.Sprint(i))
	}
	got := servertest.AnswerTo(t, s, session, servertest.BatchLine(pings...))
	assert.Len(t, servertest.Elements(t, got), servertest.MaxBatch)
	got = servertest.AnswerTo(t, s, session, servertest.BatchLine(append(pings, servertest.InitializedLine)...))
	assert.Equal(t, refusalLine("", "batch has too many messages (limit 1000)"), got)
}

// A batch releases its slots if the transport panics or ends its goroutine in the middle
// or at the end of the batch.
func TestBatchOfABrokenTransport(t *testing.T) {
	t.Parallel()
	gets := servertest.BatchLine(servertest.GetLine("1", "text"), servertest.GetLine("2", "text"), servertest.GetLine("3", "text"))
	for how, fail := range map[string]func(){"panics": func() { panic(secretPanic) }, "ends its goroutine": runtime.Goexit} {
		for _, test := range []struct {
			name     string
			exchange func() transport.Exchange
		}{
			{"Send", func() transport.Exchange {
				return transport.Exchange{Send: func([]byte, transport.Code, bool) error { fail(); return nil }}
			}},
			{"CheckVersion", func() transport.Exchange {
				requests := 0
				return transport.Exchange{
					Send: func([]byte, transport.Code, bool) error { return nil },
					CheckVersion: func(transport.RequestInfo) error {
						if requests++; requests == 3 {
							fail()
						}
						return nil
					},
				}
			}},
		} {
			servertest.InBubble(t, test.name+" "+how, func(t *testing.T) {
				s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2}})
				session := s.NewSession(transport.SessionOptions{Version: servertest.BatchVersion})
				for range 4 {
					go func() {
						defer func() { _ = recover() }()
						x := test.exchange()
						x.ClientKey = "a"
						_ = session.Handle(t.Context(), []byte(gets), x)
					}()
					synctest.Wait()
				}
				got := servertest.AnswerTo(t, s, session, servertest.GetLine("9", "text"))
				assert.Equal(t, servertest.TextLine("9", "hi"), got)
				assert.Empty(t, servertest.SessionLeftovers(session))
				session.Close()
				servertest.AssertNoTrace(t, s)
			})
		}
	}
}
