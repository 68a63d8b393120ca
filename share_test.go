package prompts_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// One client, in however many sessions or none, cannot keep the others from
// their turn: it is refused, and they are not.
func TestOneClientHasItsShare(t *testing.T) {
	t.Parallel()
	const most = 4
	for _, sessions := range []bool{false, true} {
		t.Run(fmt.Sprintf("sessions: %v", sessions), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(
					textPrompt("text", "hi"),
					rendered("waits", func(ctx context.Context) (*prompts.Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
				), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 4 * most, MaxConcurrent: most}}) // and a quarter of all for one client
				ctx, cancel := context.WithCancel(t.Context())
				send := func(from, id, prompt string) (got string) {
					x := transport.Exchange{ClientKey: from, Send: func(msg []byte, _ prompts.Code, _ bool) error { got = string(msg); return nil }}
					if !sessions {
						_ = s.Handle(ctx, []byte(envelopedGet(id, prompt)), x)
						return got
					}
					session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
					defer session.Close()
					_ = session.Handle(ctx, []byte(getLine(id, prompt)), x)
					return got
				}
				want := func(id string) string {
					if sessions {
						return textLine(id, "hi")
					}
					return envelopedText(id, "hi")
				}
				// As many run as it may have, and as many again wait.
				for i := range 2 * most {
					go send("a", fmt.Sprint(i), "waits")
				}
				synctest.Wait()
				assert.Equal(t, errorLine("9", prompts.CodeInternalError, busy().Message), send("a", "9", "text"))
				assert.Equal(t, want("10"), send("b", "10", "text"))
				assert.Equal(t, want("11"), send("", "11", "text"), "not known")
				cancel()
				synctest.Wait()
				ctx = t.Context()
				assert.Equal(t, want("12"), send("a", "12", "text"))
				assertNoTrace(t, s)
			})
		})
	}
}

// What is past its time limit still counts for its client until it returns.
func TestOverdueWorkCountsForItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(
			textPrompt("text", "hi"),
			rendered("goes on", func(context.Context) (*prompts.Result, error) { time.Sleep(time.Hour); return prompts.Messages(), nil }),
		), prompts.Options{Limits: prompts.Limits{MaxConcurrentPerClient: 1}})
		send := func(id, prompt string) (got string) {
			_ = s.Handle(t.Context(), []byte(envelopedGet(id, prompt)), transport.Exchange{
				ClientKey: "a",
				Send:      func(msg []byte, _ prompts.Code, _ bool) error { got = string(msg); return nil },
			})
			return got
		}
		for i := range 2 {
			go send(fmt.Sprint(i), "goes on")
		}
		time.Sleep(time.Minute)
		assert.Equal(t, errorLine("3", prompts.CodeInternalError, busy().Message), send("3", "text"))
		time.Sleep(2 * time.Hour)
		assert.Equal(t, envelopedText("4", "hi"), send("4", "text"))
	})
}
