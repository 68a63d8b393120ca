package prompts

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// A transport whose code panics, or ends its goroutine, in the middle of a batch
// or at its end leaves no place behind.
func TestBatchOfAFaultyTransport(t *testing.T) {
	t.Parallel()
	gets := batchLine(getLine("1", "text"), getLine("2", "text"), getLine("3", "text"))
	for how, fail := range map[string]func(){"panics": func() { panic(secretPanic) }, "ends its goroutine": runtime.Goexit} {
		for _, test := range []struct {
			name     string
			exchange func() Exchange
		}{
			{"Send", func() Exchange {
				return Exchange{Send: func([]byte, Code, bool) error { fail(); return nil }}
			}},
			{"Check", func() Exchange {
				n := 0
				return Exchange{
					Send: func([]byte, Code, bool) error { return nil },
					Check: func(Envelope) *Error {
						if n++; n == 5 { // it is called twice for each
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
					s := NewServer(registryOf(textPrompt("text", "hi")), Options{MaxConcurrent: 2, MaxConcurrentTotal: 2})
					session := s.NewSession(SessionOptions{Version: batchVersion})
					for range 4 {
						go func() {
							defer func() { _ = recover() }()
							x := test.exchange()
							x.Client = "a"
							_ = session.Handle(t.Context(), []byte(gets), x)
						}()
						synctest.Wait()
					}
					got, err := handle(t, s, session, getLine("9", "text"))
					assert.NoError(t, err)
					assert.Equal(t, textLine("9", "hi"), got)
					assert.Zero(t, session.batches.wait(t.Context()))
					assert.Empty(t, s.shares.clients)
					session.Close()
					assertNoTrace(t, s)
				})
			})
		}
	}
}
