package prompts_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// One client, in however many sessions or none, cannot keep the others from
// their turn: it is refused, and they are not.
func TestOneClientHasItsShare(t *testing.T) {
	t.Parallel()
	const most = 4
	for _, sessions := range []bool{false, true} {
		inBubble(t, fmt.Sprintf("sessions: %v", sessions), func(t *testing.T) {
			s := prompts.MustNewServer(registryOf(
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
	}
}

// What is past its time limit still counts for its client until it returns.
func TestOverdueWorkCountsForItsClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(
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
		inBubble(t, name, func(t *testing.T) {
			c := connect(t, prompts.MustNewServer(registryOf(sleeper("doze", test.render)), test.o)).handshake()
			id := 0
			send := func() { id++; c.send(getLine(fmt.Sprint(id), "doze")) }
			for range defaultMaxConcurrent {
				send()
				time.Sleep(test.stagger)
			}
			began := time.Now()
			for range 900 {
				send()
			}
			for c.send(pingLine(`"p"`)); ; time.Sleep(time.Millisecond) {
				answers := c.received()
				if len(answers) > 0 && answers[len(answers)-1] == pongLine(`"p"`) {
					break
				}
				require.Less(t, time.Since(began), time.Second)
			}
			assert.LessOrEqual(t, time.Since(began), 50*time.Millisecond+2*time.Millisecond)
		})
	}
}

func TestTimeLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		c := connect(t, prompts.MustNewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Minute)), prompts.Options{Logger: j.logger()})).handshake()
		assert.Empty(t, c.ask(getLine("1", "wait"), getLine("2", "deaf")))
		time.Sleep(defaultRenderTimeout - time.Nanosecond)
		assert.Empty(t, c.received())
		time.Sleep(time.Nanosecond)
		assert.ElementsMatch(t, []string{
			errorLine("1", prompts.CodeInternalError, requestTimeout),
			errorLine("2", prompts.CodeInternalError, requestTimeout),
		}, c.received())
		cause := <-w.causes
		assert.ErrorIs(t, cause, prompts.ErrTimeLimit)
		assert.ErrorIs(t, cause, context.DeadlineExceeded)
		assert.Contains(t, j.String(), "prompt=wait")
		assert.Contains(t, j.String(), "prompt=deaf")

		time.Sleep(time.Hour)
		assert.Empty(t, c.received(), "a late answer")
	})
}

func TestTimeLimitKeepsTheSlotUntilTheRenderReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.MustNewServer(registryOf(sleeper("deaf", time.Minute), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Timeouts: prompts.Timeouts{Render: time.Second}})).handshake()
		assert.Empty(t, c.ask(getLine("1", "deaf")))
		time.Sleep(time.Second)
		assert.Len(t, c.received(), 1)
		assert.Empty(t, c.ask(getLine("2", "text")), "it has to wait for the slot")
		c.send(getLine("3", "text"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{errorLine("3", prompts.CodeInternalError, busy().Message)}, c.received())
		// Waiting has the same limit, so a stuck render keeps nobody waiting for ever.
		time.Sleep(time.Second)
		assert.Equal(t, []string{errorLine("2", prompts.CodeInternalError, busy().Message)}, c.received())
		time.Sleep(57 * time.Second)
		assert.Empty(t, c.ask(getLine("4", "text")), "the slot is taken still")
		time.Sleep(time.Second)
		assert.Equal(t, []string{textLine("4", "hi")}, c.received())
	})
}

// The time limit and the render race for one answer.
func TestTimeLimitRacesTheAnswer(t *testing.T) {
	t.Parallel()
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, prompts.MustNewServer(registryOf(sleeper("even", time.Second)), prompts.Options{Timeouts: prompts.Timeouts{Render: time.Second}})).handshake()
			c.send(getLine("1", "even"))
			time.Sleep(2 * time.Second)
			assert.Len(t, c.received(), 1)
		})
	}
}

// CAN-01, CAN-03, JRP-05
func TestCancellation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		c := connect(t, prompts.MustNewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{Logger: j.logger()})).handshake()
		assert.Empty(t, c.ask(getLine(`"a"`, "wait")))
		// The reason is for the log (CAN-10), decoded ids are compared.
		assert.Empty(t, c.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061","reason":"bored"}}`))
		cause := <-w.causes
		assert.ErrorIs(t, cause, prompts.ErrCancelled)
		assert.ErrorIs(t, cause, context.Canceled)
		assert.Contains(t, j.String(), "bored")
		assert.NotContains(t, j.String(), "level=ERROR", "a cancelled render is nobody's fault")

		assert.Equal(t, []string{textLine(`"a"`, "hi")}, c.ask(getLine(`"a"`, "text")), "the id is free again")
		assert.Empty(t, c.ask(cancelLine(`"a"`)))
	})
}

// CAN-09: a request has one answer or none, however the cancellation races.
func TestCancellationRacesTheAnswer(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			c := connect(t, prompts.MustNewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), prompts.Options{})).handshake()
			c.send(getLine("1", "wait"))
			synctest.Wait()
			if i%2 == 0 {
				go func() { w.let <- struct{}{} }()
				c.send(cancelLine("1"))
			} else {
				c.send(cancelLine("1"))
				go func() {
					select {
					case w.let <- struct{}{}:
					case <-time.After(time.Second):
					}
				}()
			}
			answers := c.received()
			assert.LessOrEqual(t, len(answers), 1)
			for _, a := range answers {
				assert.Equal(t, textLine("1", "let go"), a)
			}
			// Either way the id is free.
			assert.Equal(t, []string{textLine("1", "hi")}, c.ask(getLine("1", "text")))
			go func() { <-w.let }()
			time.Sleep(2 * time.Second)
			select {
			case w.let <- struct{}{}:
			default:
			}
		})
	}
}

func TestMaxConcurrent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 3
		w := newWaiter()
		c := connect(t, prompts.MustNewServer(registryOf(w.prompt("wait"), completing("c", nil)), prompts.Options{Limits: prompts.Limits{MaxConcurrent: n}})).handshake()
		for i := range 2 * n {
			c.send(getLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, c.received())
		assert.EqualValues(t, n, w.running.Load())
		c.send(getLine("9", "wait"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{errorLine("9", prompts.CodeInternalError, "server is at capacity; retry later")}, c.received())
		assert.Len(t, c.ask(getLine("9", "wait")), 1, "it waits in vain only once")
		assert.Equal(t, []string{completionLine("9", "", 0, false)}, c.ask(completeLine("9", "c", "c", "")), "it needs no function")
		// The one that was refused is not in flight.
		assert.Len(t, c.ask(pingLine("9")), 1)

		for i := range 2 * n {
			w.let <- struct{}{}
			assert.Len(t, c.received(), 1, "answer %d", i)
			assert.LessOrEqual(t, w.running.Load(), int32(n))
		}
		assert.EqualValues(t, 2*n, w.started.Load())
		assert.EqualValues(t, n, w.most.Load())
		// There is room again for as many.
		for i := range 2 * n {
			c.send(getLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, c.received())
		for i := range 2 * n {
			c.send(cancelLine(fmt.Sprint(i)))
		}
		assert.Empty(t, c.received())
		assert.Zero(t, w.running.Load())
	})
}

func TestMaxConcurrentTotalIsForAllSessions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWaiter()
		s := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 3}})
		a, b := connect(t, s).handshake(), connect(t, s).handshake()
		for i := range 4 { // two run, two wait
			a.send(getLine(fmt.Sprint(i), "wait"))
		}
		assert.Empty(t, a.received())
		assert.EqualValues(t, 2, w.running.Load())
		assert.Empty(t, b.ask(getLine("0", "wait"), getLine("1", "wait")))
		assert.EqualValues(t, 3, w.running.Load(), "in all")
		b.send(getLine("2", "wait"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{errorLine("2", prompts.CodeInternalError, busy().Message)}, b.received(), "six in all")
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"wait"}`), prompts.CallOptions{})
		assert.Equal(t, busy(), err, "Call is one of them")
		assert.Equal(t, []string{pongLine("3")}, b.ask(pingLine("3")))

		for range 6 {
			w.let <- struct{}{}
			synctest.Wait()
		}
		assert.Len(t, a.received(), 4)
		assert.Len(t, b.received(), 2)
		assert.EqualValues(t, 3, w.most.Load())
	})
}
