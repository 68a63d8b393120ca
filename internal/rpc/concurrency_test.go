package rpc_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// One client, in however many sessions or none, cannot keep the others from
// their turn: it is refused, and they are not.
func TestOneClientHasItsShare(t *testing.T) {
	t.Parallel()
	const most = 4
	for _, sessions := range []bool{false, true} {
		servertest.InBubble(t, fmt.Sprintf("sessions: %v", sessions), func(t *testing.T) {
			s := prompts.MustNewServer(servertest.RegistryOf(
				servertest.TextPrompt("text", "hi"),
				servertest.Rendered("waits", func(ctx context.Context) (*prompts.Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
			), prompts.Options{Limits: prompts.Limits{MaxConcurrentTotal: 4 * most, MaxConcurrent: most}}) // and a quarter of all for one client
			ctx, cancel := context.WithCancel(t.Context())
			send := func(from, id, prompt string) (got string) {
				x := transport.Exchange{ClientKey: from, Send: func(msg []byte, _ transport.Code, _ bool) error { got = string(msg); return nil }}
				if !sessions {
					_ = s.Handle(ctx, []byte(servertest.EnvelopedGet(id, prompt)), x)
					return got
				}
				session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
				defer session.Close()
				_ = session.Handle(ctx, []byte(servertest.GetLine(id, prompt)), x)
				return got
			}
			want := func(id string) string {
				if sessions {
					return servertest.TextLine(id, "hi")
				}
				return servertest.EnvelopedText(id, "hi")
			}
			// As many run as it may have, and as many again wait.
			for i := range 2 * most {
				go send("a", fmt.Sprint(i), "waits")
			}
			synctest.Wait()
			assert.Equal(t, servertest.ErrorLine("9", prompts.CodeInternalError, servertest.Busy().Message), send("a", "9", "text"))
			assert.Equal(t, want("10"), send("b", "10", "text"))
			assert.Equal(t, want("11"), send("", "11", "text"), "not known")
			cancel()
			synctest.Wait()
			ctx = t.Context()
			assert.Equal(t, want("12"), send("a", "12", "text"))
			servertest.AssertNoTrace(t, s)
		})
	}
}

// What is past its time limit still counts for its client until it returns.
func TestOverdueWorkCountsForItsClient(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(
			servertest.TextPrompt("text", "hi"),
			servertest.Rendered("goes on", func(context.Context) (*prompts.Result, error) { time.Sleep(time.Hour); return prompts.Messages(), nil }),
		), prompts.Options{Limits: prompts.Limits{MaxConcurrentPerClient: 1}})
		send := func(id, prompt string) (got string) {
			_ = s.Handle(t.Context(), []byte(servertest.EnvelopedGet(id, prompt)), transport.Exchange{
				ClientKey: "a",
				Send:      func(msg []byte, _ transport.Code, _ bool) error { got = string(msg); return nil },
			})
			return got
		}
		for i := range 2 {
			go send(fmt.Sprint(i), "goes on")
		}
		time.Sleep(time.Minute)
		assert.Equal(t, servertest.ErrorLine("3", prompts.CodeInternalError, servertest.Busy().Message), send("3", "text"))
		time.Sleep(2 * time.Hour)
		assert.Equal(t, servertest.EnvelopedText("4", "hi"), send("4", "text"))
	})
}

// Whatever a client has sent before, its ping is answered and its
// cancellation heard while the renders are at work.
func TestSlowRendersNeverHoldUpAPing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		o       prompts.Options
		render  time.Duration
		stagger time.Duration // between the requests that fill the limit
	}{
		"one slot":  {prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}}, 20 * time.Millisecond, 0},
		"staggered": {prompts.Options{}, 64 * 40 * time.Millisecond, 40 * time.Millisecond},
		"together":  {prompts.Options{}, time.Second, 0},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("doze", test.render)), test.o)).Handshake()
			id := 0
			send := func() { id++; c.Send(servertest.GetLine(fmt.Sprint(id), "doze")) }
			for range servertest.DefaultMaxConcurrent {
				send()
				time.Sleep(test.stagger)
			}
			began := time.Now()
			for range 900 {
				send()
			}
			for c.Send(servertest.PingLine(`"p"`)); ; time.Sleep(time.Millisecond) {
				answers := c.Received()
				if len(answers) > 0 && answers[len(answers)-1] == servertest.PongLine(`"p"`) {
					break
				}
				require.Less(t, time.Since(began), time.Second)
			}
			assert.LessOrEqual(t, time.Since(began), 50*time.Millisecond+2*time.Millisecond)
		})
	}
}

func TestTimeLimit(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		w := servertest.NewWaiter()
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.Sleeper("deaf", time.Minute)), prompts.Options{Logger: j.Logger()})).Handshake()
		assert.Empty(t, c.Ask(servertest.GetLine("1", "wait"), servertest.GetLine("2", "deaf")))
		time.Sleep(servertest.DefaultRenderTimeout - time.Nanosecond)
		assert.Empty(t, c.Received())
		time.Sleep(time.Nanosecond)
		assert.ElementsMatch(t, []string{
			servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RequestTimeout),
			servertest.ErrorLine("2", prompts.CodeInternalError, servertest.RequestTimeout),
		}, c.Received())
		cause := <-w.Causes
		assert.ErrorIs(t, cause, rpc.ErrTimeout)
		assert.ErrorIs(t, cause, context.DeadlineExceeded)
		assert.Contains(t, j.String(), "prompt=wait")
		assert.Contains(t, j.String(), "prompt=deaf")

		time.Sleep(time.Hour)
		assert.Empty(t, c.Received(), "a late answer")
	})
}

func TestTimeLimitKeepsTheSlotUntilTheRenderReturns(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("deaf", time.Minute), servertest.TextPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Timeouts: prompts.Timeouts{Render: time.Second}})).Handshake()
		assert.Empty(t, c.Ask(servertest.GetLine("1", "deaf")))
		time.Sleep(time.Second)
		assert.Len(t, c.Received(), 1)
		assert.Empty(t, c.Ask(servertest.GetLine("2", "text")), "it has to wait for the slot")
		c.Send(servertest.GetLine("3", "text"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{servertest.ErrorLine("3", prompts.CodeInternalError, servertest.Busy().Message)}, c.Received())
		// Waiting has the same limit, so a stuck render keeps nobody waiting for ever.
		time.Sleep(time.Second)
		assert.Equal(t, []string{servertest.ErrorLine("2", prompts.CodeInternalError, servertest.Busy().Message)}, c.Received())
		time.Sleep(57 * time.Second)
		assert.Empty(t, c.Ask(servertest.GetLine("4", "text")), "the slot is taken still")
		time.Sleep(time.Second)
		assert.Equal(t, []string{servertest.TextLine("4", "hi")}, c.Received())
	})
}

// The time limit and the render race for one answer.
func TestTimeLimitRacesTheAnswer(t *testing.T) {
	t.Parallel()
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Sleeper("even", time.Second)), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})).Handshake()
			c.Send(servertest.GetLine("1", "even"))
			time.Sleep(2 * time.Second)
			assert.Len(t, c.Received(), 1)
		})
	}
}

// CAN-01, CAN-03, JRP-05
func TestCancellation(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		w := servertest.NewWaiter()
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.TextPrompt("text", "hi")), prompts.Options{Logger: j.Logger()})).Handshake()
		assert.Empty(t, c.Ask(servertest.GetLine(`"a"`, "wait")))
		// The reason is for the log (CAN-10), decoded ids are compared.
		assert.Empty(t, c.Ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061","reason":"bored"}}`))
		cause := <-w.Causes
		assert.ErrorIs(t, cause, rpc.ErrCanceled)
		assert.ErrorIs(t, cause, context.Canceled)
		assert.Contains(t, j.String(), "bored")
		assert.NotContains(t, j.String(), "level=ERROR", "a cancelled render is nobody's fault")

		assert.Equal(t, []string{servertest.TextLine(`"a"`, "hi")}, c.Ask(servertest.GetLine(`"a"`, "text")), "the id is free again")
		assert.Empty(t, c.Ask(servertest.CancelLine(`"a"`)))
	})
}

// CAN-09: a request has one answer or none, however the cancellation races.
func TestCancellationRacesTheAnswer(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		synctest.Test(t, func(t *testing.T) {
			w := servertest.NewWaiter()
			c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.TextPrompt("text", "hi")), prompts.Options{})).Handshake()
			c.Send(servertest.GetLine("1", "wait"))
			synctest.Wait()
			if i%2 == 0 {
				go func() { w.Let <- struct{}{} }()
				c.Send(servertest.CancelLine("1"))
			} else {
				c.Send(servertest.CancelLine("1"))
				go func() {
					select {
					case w.Let <- struct{}{}:
					case <-time.After(time.Second):
					}
				}()
			}
			answers := c.Received()
			assert.LessOrEqual(t, len(answers), 1)
			for _, a := range answers {
				assert.Equal(t, servertest.TextLine("1", "let go"), a)
			}
			// Either way the id is free.
			assert.Equal(t, []string{servertest.TextLine("1", "hi")}, c.Ask(servertest.GetLine("1", "text")))
			go func() { <-w.Let }()
			time.Sleep(2 * time.Second)
			select {
			case w.Let <- struct{}{}:
			default:
			}
		})
	}
}

func TestMaxConcurrent(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		const n = 3
		w := servertest.NewWaiter()
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.Completing("c", nil)), prompts.Options{Limits: prompts.Limits{MaxConcurrent: n}})).Handshake()
		for i := range 2 * n {
			c.Send(servertest.GetLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, c.Received())
		assert.EqualValues(t, n, w.Running.Load())
		c.Send(servertest.GetLine("9", "wait"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{servertest.ErrorLine("9", prompts.CodeInternalError, "server is at capacity; retry later")}, c.Received())
		assert.Len(t, c.Ask(servertest.GetLine("9", "wait")), 1, "it waits in vain only once")
		assert.Equal(t, []string{servertest.CompletionLine("9", "", 0, false)}, c.Ask(servertest.CompleteLine("9", "c", "c", "")), "it needs no function")
		// The one that was refused is not in flight.
		assert.Len(t, c.Ask(servertest.PingLine("9")), 1)

		for i := range 2 * n {
			w.Let <- struct{}{}
			assert.Len(t, c.Received(), 1, "answer %d", i)
			assert.LessOrEqual(t, w.Running.Load(), int32(n))
		}
		assert.EqualValues(t, 2*n, w.Started.Load())
		assert.EqualValues(t, n, w.Most.Load())
		// There is room again for as many.
		for i := range 2 * n {
			c.Send(servertest.GetLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, c.Received())
		for i := range 2 * n {
			c.Send(servertest.CancelLine(fmt.Sprint(i)))
		}
		assert.Empty(t, c.Received())
		assert.Zero(t, w.Running.Load())
	})
}

func TestMaxConcurrentTotalIsForAllSessions(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 3}})
		a, b := servertest.Connect(t, s).Handshake(), servertest.Connect(t, s).Handshake()
		for i := range 4 { // two run, two wait
			a.Send(servertest.GetLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, a.Received())
		assert.EqualValues(t, 2, w.Running.Load())
		assert.Empty(t, b.Ask(servertest.GetLine("0", "wait"), servertest.GetLine("1", "wait")))
		assert.EqualValues(t, 3, w.Running.Load(), "in all")
		b.Send(servertest.GetLine("2", "wait"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{servertest.ErrorLine("2", prompts.CodeInternalError, servertest.Busy().Message)}, b.Received(), "six in all")
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"wait"}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.Equal(t, servertest.Busy(), err, "Call is one of them")
		assert.Equal(t, []string{servertest.PongLine("3")}, b.Ask(servertest.PingLine("3")))

		for range 6 {
			w.Let <- struct{}{}
			synctest.Wait()
		}
		assert.Len(t, a.Received(), 4)
		assert.Len(t, b.Received(), 2)
		assert.EqualValues(t, 3, w.Most.Load())
	})
}
