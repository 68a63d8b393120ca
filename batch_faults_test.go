package prompts_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// A transport whose code panics, or ends its goroutine, in the middle of a batch
// or at its end leaves no place behind.
func TestBatchOfAFaultyTransport(t *testing.T) {
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
