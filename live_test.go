package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// GAP-40, LIF-20, MRT-26: in a session of 2025-06-18 or 2025-11-25 a question
// is a request to the client, in the form that its revision knows.
func TestAskLive(t *testing.T) {
	for version, mode := range map[string]string{"2025-06-18": "", "2025-11-25": `"mode":"form",`} {
		t.Run(version, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := connect(t, prompts.NewServer(registryOf(asking("paint")), prompts.Options{})).handshakeAs(version, formCapability)
				c.send(getLine("1", "paint"))
				got := c.received()
				require.Len(t, got, 1)
				q := readQuestion(t, got[0])
				assert.JSONEq(t, `{"jsonrpc":"2.0","id":"`+q.ID+`","method":"elicitation/create","params":{`+mode+`
					"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}}}`, got[0])
				time.Sleep(time.Minute)
				assert.Empty(t, c.received())
				assert.Equal(t, []string{textLine("1", "red")}, c.ask(q.reply(red)))
				assert.NoError(t, c.end())
			})
		})
	}
}

// Over a request/response transport the response comes with another call of
// Handle.
func TestAskBySessionHandle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		session := newSessionAs(t, s, "2025-06-18", formCapability)
		out := make(chan string, 8)
		done := make(chan error)
		go func() {
			done <- session.Handle(t.Context(), []byte(getLine("1", "paint")), transport.Exchange{Send: func(msg []byte, code prompts.Code, last bool) error {
				assert.Zero(t, code)
				out <- fmt.Sprint(last, " ", string(msg))
				return nil
			}})
		}()
		question := <-out
		require.True(t, strings.HasPrefix(question, "false "))
		q := readQuestion(t, strings.TrimPrefix(question, "false "))
		got, err := handle(t, s, session, q.reply(red))
		require.NoError(t, err)
		assert.Empty(t, got, "a response has no answer")
		assert.NoError(t, <-done)
		assert.Equal(t, "true "+textLine("1", "red"), <-out)
	})
}

// JRP-04: an id is used once in a session, whatever has become of it.
func TestQuestionIDs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.NewServer(registryOf(asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Elicit: time.Second}})).handshakeAs("2025-11-25", formCapability)
		seen := map[string]bool{}
		for i := range 20 {
			id := fmt.Sprint(i)
			c.send(getLine(id, "paint"))
			q := c.question()
			assert.False(t, seen[q.ID], q.ID)
			seen[q.ID] = true
			switch i % 4 {
			case 0:
				assert.Len(t, c.ask(q.reply(red)), 1)
			case 1:
				assert.Len(t, c.ask(q.refuse(1, "no")), 1)
			case 2:
				time.Sleep(time.Second)
				assert.Len(t, c.received(), 2)
			case 3:
				assert.Len(t, c.ask(cancelLine(id)), 1)
			}
		}
		assert.NoError(t, c.end())
	})
}

// CAN-14: a response is for the request that has its id, spelt in any way; any
// other is ignored.
func TestResponsesOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		c, other := connect(t, s).handshakeAs("2025-11-25", formCapability), connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		for _, id := range []string{`"prompts-2"`, `"prompts"`, `""`, `1`, `0`, `"1"`, `"PROMPTS-1"`, `"` + q.ID + ` "`} {
			assert.Empty(t, c.ask(`{"jsonrpc":"2.0","id":`+id+`,"result":`+red+`}`), id)
		}
		for _, msg := range []string{
			`{"jsonrpc":"2.0","result":` + red + `}`,
			`{"jsonrpc":"2.0","id":null,"result":` + red + `}`,
			`{"jsonrpc":"1.0","id":"` + q.ID + `","result":` + red + `}`,
			`{"id":"` + q.ID + `","result":` + red + `}`,
		} {
			assert.Empty(t, c.ask(msg), msg)
		}
		assert.Empty(t, other.ask(q.reply(red)), "another session")
		spelt := strings.Replace(q.reply(red), `"`+q.ID, `"\u0070`+q.ID[1:], 1)
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(spelt))
		assert.Empty(t, c.ask(q.reply(red)), "again")
		assert.NoError(t, c.end())
		assert.NoError(t, other.end())
	})
}

// MRT-23: what a client may answer, and what becomes of the prompt.
func TestLiveAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		respond func(q asked) string
		code    prompts.Code
		message string
		log     string
	}{
		{"declined", func(q asked) string { return q.reply(declining) }, prompts.CodeInvalidParams, `the prompt cannot go on: "colour": the client has declined to answer`, ""},
		{"dismissed", func(q asked) string { return q.reply(dismissing) }, prompts.CodeInvalidParams, `the prompt cannot go on: "colour": the client has dismissed the question`, ""},
		{"nonsense", func(q asked) string { return q.reply(`{}`) }, prompts.CodeInvalidParams, `the answer to "colour" has no action that is accept, decline or cancel`, ""},
		{"null", func(q asked) string { return q.reply(`null`) }, prompts.CodeInvalidParams, `the answer to "colour" is not an object`, ""},
		{"not filled in", func(q asked) string { return q.reply(accepting(`{}`)) }, prompts.CodeInvalidParams, `colour: is required`, ""},
		// What the client says is for the author alone.
		{"an error", func(q asked) string { return q.refuse(prompts.CodeMethodNotFound, "what is that?") }, prompts.CodeInternalError, unable("it has answered with an error"), "what is that? (-32601)"},
		{"an error of its own", func(q asked) string { return q.refuse(7, "what is that?") }, prompts.CodeInternalError, unable("it has answered with an error"), "what is that? (7)"},
		{"an error that is none", func(q asked) string { return `{"jsonrpc":"2.0","id":"` + q.ID + `","error":null}` }, prompts.CodeInternalError, unable("it has answered with an error"), "answered with an error"},
		{"an error and a result", func(q asked) string {
			return `{"jsonrpc":"2.0","id":"` + q.ID + `","result":` + red + `,"error":{"code":1,"message":"x"}}`
		}, prompts.CodeInternalError, unable("it has answered with an error"), "x (1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var j journal
				c := connect(t, prompts.NewServer(registryOf(asking("paint")), prompts.Options{Logger: j.logger()})).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "paint"))
				got := c.ask(test.respond(c.question()))
				require.Len(t, got, 1)
				readOutcome(t, got[0]).fails(t, test.code, test.message)
				assert.Contains(t, j.String(), test.log)
				assert.NotContains(t, got[0], "what is that?")
				assert.NoError(t, c.end())
			})
		})
	}
}

// While the client thinks, others have the turn: of its session, and of the
// server. An answer that comes when all turns are taken waits for one, however
// full the server is.
func TestTurnWhileTheClientThinks(t *testing.T) {
	for name, o := range map[string]prompts.Options{
		"of the session": {Limits: prompts.Limits{MaxConcurrent: 1}},
		"of the server":  {Limits: prompts.Limits{MaxConcurrentTotal: 1}},
		"of both":        {Limits: prompts.Limits{MaxConcurrent: 1, MaxConcurrentTotal: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWaiter()
				s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi"), w.prompt("wait")), o)
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "paint"))
				q := c.question()
				assert.Equal(t, []string{textLine("2", "hi")}, c.ask(getLine("2", "text")))

				// One runs; as many wait as may.
				assert.Empty(t, c.ask(getLine("3", "wait")))
				if o.Limits.MaxConcurrent == 0 {
					assert.Empty(t, c.ask(getLine("4", "wait")))
				}
				assert.EqualValues(t, 1, w.running.Load())
				assert.Empty(t, c.ask(q.reply(red)), "it is not its turn")
				w.let <- struct{}{}
				synctest.Wait()
				if o.Limits.MaxConcurrent == 0 {
					w.let <- struct{}{}
				}
				assert.Contains(t, c.received(), textLine("1", "red"))
				assert.NoError(t, c.end())
				assert.Zero(t, s.Tasks())
				assert.Zero(t, s.Slots())
			})
		})
	}
}

// Questions are bounded as what waits is: by the session, since people are
// slow, and not by the server.
func TestManyAskAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 3
		s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: n, MaxConcurrentTotal: 1}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		var all []asked
		for i := range 2 * n {
			c.send(getLine(fmt.Sprint(i), "paint"))
			all = append(all, c.question())
		}
		c.send(getLine("9", "paint"))
		time.Sleep(50 * time.Millisecond)
		assert.Equal(t, []string{errorLine("9", prompts.CodeInternalError, busy().Message)}, c.received())
		assert.Zero(t, s.Tasks(), "nobody works")
		other := connect(t, s).handshake()
		assert.Equal(t, []string{textLine("1", "hi")}, other.ask(getLine("1", "text")))

		for _, q := range all {
			c.send(q.reply(red))
		}
		assert.Len(t, c.received(), 2*n)
		assert.Equal(t, []string{textLine("9", "hi")}, c.ask(getLine("9", "text")), "there is room again")
		assert.NoError(t, c.end())
		assert.NoError(t, other.end())
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
	})
}

// The time limit is for the author's code, and not for who is asked.
func TestTimeLimitStandsStill(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("slow", func(ctx context.Context) (*prompts.Result, error) {
			for _, key := range []string{"a", "b"} {
				time.Sleep(4 * time.Second)
				if _, err := prompts.Elicit[colour](ctx, key, "Which?"); err != nil {
					return nil, err
				}
			}
			time.Sleep(4 * time.Second)
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{Timeouts: prompts.Timeouts{Render: 10 * time.Second}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		assert.Empty(t, c.ask(getLine("1", "slow")))
		for range 2 {
			time.Sleep(4 * time.Second)
			q := c.question()
			time.Sleep(4 * time.Minute)
			assert.Empty(t, c.ask(q.reply(red)))
		}
		time.Sleep(2*time.Second - time.Nanosecond)
		assert.Empty(t, c.received())
		time.Sleep(time.Nanosecond) // 12 s of its own are more than 10
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, "the request took too long")}, c.received())
		time.Sleep(time.Minute)
		assert.Empty(t, c.received())
		assert.NoError(t, c.end())
	})
}

// LIF-24, CAN-13, CAN-14, MRT-17: a client that does not answer in time is
// told that it need not, and its late response is ignored.
func TestAskTimeout(t *testing.T) {
	for limit, o := range map[time.Duration]prompts.Options{
		5 * time.Minute: {},
		time.Second:     {Timeouts: prompts.Timeouts{Elicit: time.Second}},
	} {
		t.Run(limit.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var j journal
				o.Logger = j.logger()
				c := connect(t, prompts.NewServer(registryOf(asking("paint")), o)).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "paint"))
				q := c.question()
				time.Sleep(limit - time.Nanosecond)
				assert.Empty(t, c.received())
				time.Sleep(time.Nanosecond)
				assert.Equal(t, []string{q.withdrawn("no answer in time"), errorLine("1", prompts.CodeInternalError, unable("it has not answered in time"))}, c.received())
				assert.Empty(t, j.String(), "the client has been told all of it")
				assert.Empty(t, c.ask(q.reply(red)))
				assert.NoError(t, c.end())
			})
		})
	}
}

func TestNoAskTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.NewServer(registryOf(asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Elicit: -1}})).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		time.Sleep(1000 * time.Hour)
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(q.reply(red)))
		assert.NoError(t, c.end())
	})
}

// Of several questions those that are answered need not be withdrawn.
func TestAskTimeoutOfSeveral(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("three", func(ctx context.Context) (*prompts.Result, error) {
			return nil, prompts.Ask(ctx, prompts.Form[colour]("a", "A?"), prompts.Form[colour]("b", "B?"), prompts.Form[colour]("c", "C?"))
		})), prompts.Options{Timeouts: prompts.Timeouts{Elicit: time.Second}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "three"))
		all := c.questions()
		require.Len(t, all, 3)
		assert.Empty(t, c.ask(all[1].reply(red)))
		time.Sleep(time.Second)
		assert.Equal(t, []string{
			all[0].withdrawn("no answer in time"), all[2].withdrawn("no answer in time"),
			errorLine("1", prompts.CodeInternalError, unable("it has not answered in time")),
		}, c.received())
		assert.NoError(t, c.end())
	})
}

// CAN-01, CAN-13: with the request its question is over. Nothing else is sent.
func TestCancelWhileTheClientThinks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint"), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		assert.Equal(t, []string{q.withdrawn("no answer is needed any more")}, c.ask(cancelLine("1")))
		assert.Empty(t, c.ask(q.reply(red)))
		assert.Equal(t, []string{textLine("1", "hi")}, c.ask(getLine("1", "text")), "the id and the turn are free")
		assert.NoError(t, c.end())
		assert.Zero(t, s.Slots())
	})
}

// The end of a session is the end of its questions, and the client need not
// be told.
func TestCloseWhileTheClientThinks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		session := newSessionAs(t, s, "2025-11-25", formCapability)
		done := make(chan error)
		var answers int
		go func() {
			done <- session.Handle(t.Context(), []byte(getLine("1", "paint")), transport.Exchange{Send: func(_ []byte, _ prompts.Code, last bool) error {
				if last {
					answers++
				}
				return nil
			}})
		}()
		synctest.Wait()
		session.Close()
		assert.ErrorIs(t, <-done, prompts.ErrSessionClosed)
		assert.Zero(t, answers)
		assert.Zero(t, s.Tasks())
		assert.Zero(t, s.Slots())
		assert.Empty(t, prompts.Peek(session).Leftovers())
	})
}

// So is the end of the caller's context.
func TestContextEndsWhileTheClientThinks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		session := newSessionAs(t, s, "2025-11-25", formCapability)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		x := &recorder{t: t}
		go func() {
			done <- session.Handle(ctx, x.hear(session, getLine("1", "paint")), transport.Exchange{Send: x.send})
		}()
		synctest.Wait()
		cancel(errDisk)
		assert.ErrorIs(t, <-done, errDisk)
		require.Len(t, x.messages, 2)
		assert.Equal(t, readQuestion(t, x.messages[0].msg).withdrawn("no answer is needed any more"), x.messages[1].msg)
		assert.False(t, x.messages[1].last)
		assert.Zero(t, s.Slots())
	})
}

// GAP-46: who has closed its side cannot answer any more. There is nothing to
// wait for then: the prompt gets its error, and the client the answer, at once.
func TestEndOfInputWhileTheClientThinks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Drain: 3 * time.Second}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		c.question()
		began := time.Now()
		assert.NoError(t, c.end())
		assert.Zero(t, time.Since(began))
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, unable("it has gone"))}, c.received())
		assert.Zero(t, s.Slots())
	})
}

// A connection that breaks leaves nobody waiting.
func TestConnectionBreaksWhileTheClientThinks(t *testing.T) {
	for name, broken := range map[string]func(c *client){
		"reading": func(c *client) { c.wire.in <- errDisk },
		"writing": func(c *client) {
			c.wire.onWrite = func(context.Context, []byte) error { return errDisk }
			c.send(pingLine("9"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var ended error
				s := prompts.NewServer(registryOf(rendered("paint", func(ctx context.Context) (*prompts.Result, error) {
					_, ended = prompts.Elicit[colour](ctx, "a", "Which?")
					return nil, ended
				})), prompts.Options{})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "paint"))
				c.question()
				broken(c)
				assert.ErrorIs(t, c.wait(), errDisk)
				assert.Error(t, ended)
				assert.Zero(t, s.Slots())
			})
		})
	}
}

// A question that cannot be sent is an error, not an endless wait.
func TestQuestionThatCannotBeSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		session := newSessionAs(t, s, "2025-11-25", formCapability)
		err := session.Handle(t.Context(), []byte(getLine("1", "paint")), transport.Exchange{Send: func(_ []byte, _ prompts.Code, last bool) error {
			if !last {
				return errDisk
			}
			return nil
		}})
		assert.NoError(t, err)
		assert.Empty(t, prompts.Peek(session).Leftovers())
		assert.Zero(t, s.Slots())
	})
}

// Two goroutines of one render ask one after the other: a person has one
// dialogue at a time, and the render one turn.
func TestGoroutinesAskInTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			answers := make(chan string, 2)
			errs := make(chan error, 2)
			for _, key := range []string{"a", "b"} {
				go func() {
					answer, err := prompts.Elicit[colour](ctx, key, "Which?")
					answers <- key + answer.Colour
					errs <- err
				}()
			}
			all := <-answers + <-answers
			return prompts.Messages(prompts.User(all)), errors.Join(<-errs, <-errs)
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "two"))
		first := c.question()
		time.Sleep(time.Minute)
		assert.Empty(t, c.received())
		c.send(first.reply(red))
		got := c.ask(c.question().reply(red))
		require.Len(t, got, 1)
		text := readOutcome(t, got[0]).text(t)
		assert.Contains(t, []string{"aredbred", "bredared"}, text)
		assert.NoError(t, c.end())
		assert.Zero(t, s.Slots())
	})
}

// A request of 2026-07-28 gets its questions in the result, in a session too
// (JRP-36, STD-06, CPT-02).
func TestRoundsInASession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		r := newRounds(t, s, "paint")
		got := c.ask(r.line(""))
		require.Len(t, got, 1)
		o := readOutcome(t, got[0])
		o.wants(t, "colour")
		r.state = o.Result.State
		got = c.ask(r.line(`{"colour":` + red + `}`))
		require.Len(t, got, 1)
		assert.Equal(t, "red", readOutcome(t, got[0]).text(t))
		assert.NoError(t, c.end())
	})
}
