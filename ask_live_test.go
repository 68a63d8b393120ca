package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// CAN-14: a response is for the request that has its id, spelt in any way; any
// other is ignored.
func TestResponsesOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{})
		c, other := connect(t, s).handshakeAs("2025-11-25", formCapability), connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		for _, id := range []string{`"prompts-2"`, `"prompts"`, `""`, `1`, `0`, `"1"`, `"PROMPTS-1"`, `"` + q.ID + ` "`} {
			assert.Empty(t, c.ask(`{"jsonrpc":"2.0","id":`+id+`,"result":`+red+`}`), id)
		}
		for _, msg := range []string{
			`{"jsonrpc":"2.0","result":` + red + `}`,
			`{"jsonrpc":"2.0","id":null,"result":` + red + `}`,
		} {
			assert.Empty(t, c.ask(msg), msg)
		}
		assert.Empty(t, other.ask(q.reply(red)), "another session")
		spelt := strings.Replace(q.reply(red), `"`+q.ID, `"\u0070`+q.ID[1:], 1)
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(spelt))
		assert.Empty(t, c.ask(q.reply(red)), "again")
	})
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
		inBubble(t, name, func(t *testing.T) {
			w := newWaiter()
			s := prompts.MustNewServer(registryOf(asking("paint"), textPrompt("text", "hi"), w.prompt("wait")), o)
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
			assert.Zero(t, s.Tasks()+s.Slots())
		})
	}
}

// The end of a connection, however it comes, ends the waits for its user at once.
func TestEndOfConnectionEndsTheWaitForAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(c *client)
		want error // of Serve
	}{
		"input ends":      {func(c *client) { close(c.wire.in) }, nil},
		"disconnect":      {func(c *client) { c.wire.in <- io.ErrClosedPipe }, nil},
		"a failing read":  {func(c *client) { c.wire.in <- errDisk }, errDisk},
		"the caller ends": {func(c *client) { c.cancel() }, nil},
	} {
		inBubble(t, name, func(t *testing.T) {
			const n = 100
			failed := make(chan error, n)
			s := prompts.MustNewServer(registryOf(rendered("paint", func(ctx context.Context) (*prompts.Result, error) {
				_, err := prompts.Elicit[colour](ctx, "colour", "Which?")
				failed <- err
				return nil, err
			})), prompts.Options{Timeouts: prompts.Timeouts{Elicit: -1}})
			c := connect(t, s).handshakeAs("2025-11-25", formCapability)
			for i := range n {
				c.send(getLine(strconv.Itoa(i), "paint"))
				c.question()
			}
			begin := time.Now()
			test.end(c)
			assert.ErrorIs(t, c.wait(), test.want)
			synctest.Wait()
			require.Len(t, failed, n)
			assert.Error(t, <-failed)
			assert.Zero(t, s.Tasks()+s.Slots())
			assert.Zero(t, time.Since(begin))
		})
	}
}

// LIF-24, CAN-13, CAN-14, MRT-17: a client that does not answer in time is
// told that it need not, and its late response is ignored.
func TestAskTimeout(t *testing.T) {
	for limit, o := range map[time.Duration]prompts.Options{
		5 * time.Minute: {},
		time.Second:     {Timeouts: prompts.Timeouts{Elicit: time.Second}},
	} {
		inBubble(t, limit.String(), func(t *testing.T) {
			var j journal
			o.Logger = j.logger()
			c := connect(t, prompts.MustNewServer(registryOf(asking("paint")), o)).handshakeAs("2025-11-25", formCapability)
			c.send(getLine("1", "paint"))
			q := c.question()
			time.Sleep(limit - time.Nanosecond)
			assert.Empty(t, c.received())
			time.Sleep(time.Nanosecond)
			assert.Equal(t, []string{q.withdrawn("timed out waiting for an answer"), errorLine("1", prompts.CodeInternalError, unable("the client did not answer within "+limit.String()))}, c.received())
			assert.Empty(t, j.String(), "the client has been told all of it")
			assert.Empty(t, c.ask(q.reply(red)))
		})
	}
}

func TestNoAskTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := connect(t, prompts.MustNewServer(registryOf(asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Elicit: -1}})).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "paint"))
		q := c.question()
		time.Sleep(1000 * time.Hour)
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(q.reply(red)))
	})
}

// Nobody is asked with a context that has ended, neither in a session nor by a
// Call.
func TestAskWithAContextThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(rendered("late", func(ctx context.Context) (*prompts.Result, error) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			for range 50 { // the code may have a choice
				_, err := prompts.Elicit[colour](ended, "a", "Which?")
				assert.ErrorIs(t, err, context.Canceled)
			}
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		assert.Equal(t, []string{textLine("1", "done")}, c.ask(getLine("1", "late")))
		got := requestWay(func(context.Context) (json.RawMessage, error) {
			assert.Fail(t, "asked")
			return nil, errDisk
		})(t, s, "late")
		assert.Contains(t, got, "done")
	})
}

const withdrawnEarly = "the answer is no longer needed"

// several is a prompt that asks three questions at once, and does without
// answers.
func several(then func(err error)) prompts.Prompt {
	return rendered("several", func(ctx context.Context) (*prompts.Result, error) {
		err := prompts.Ask(ctx, prompts.Form[colour]("a", "A?"), prompts.Form[colour]("b", "B?"), prompts.Form[colour]("c", "C?"))
		then(err)
		return prompts.Messages(prompts.User("done")), nil
	})
}

// CAN-13: an author's own time limit ends a question as well.
func TestContextOfTheAuthor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(registryOf(rendered("hasty", func(ctx context.Context) (*prompts.Result, error) {
			hasty, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := prompts.Elicit[colour](hasty, "a", "Which?")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable)
			// With what time there is, the same may be asked again.
			answer, err := prompts.Elicit[colour](ctx, "a", "Which?")
			return prompts.Messages(prompts.User(answer.Colour)), err
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "hasty"))
		first := c.question()
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 2)
		assert.Equal(t, first.withdrawn(withdrawnEarly), got[0])
		assert.Empty(t, c.ask(first.reply(accepting(`{"colour":"late"}`))))
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(readQuestion(t, got[1]).reply(red)))
	})
}

// CAN-13: a question that a goroutine of the author's still asks when the work
// is done is withdrawn before the answer. Nothing follows.
func TestStragglersQuestionIsWithdrawn(t *testing.T) {
	for name, test := range map[string]struct {
		end  func() (*prompts.Result, error)
		want string
	}{
		"a result": {func() (*prompts.Result, error) { return prompts.Messages(prompts.User("done")), nil }, textLine("1", "done")},
		"an error": {func() (*prompts.Result, error) { return nil, errDisk }, errorLine("1", prompts.CodeInternalError, renderFailed)},
		"a panic":  {func() (*prompts.Result, error) { panic(errDisk) }, errorLine("1", prompts.CodeInternalError, renderFailed)},
	} {
		inBubble(t, name, func(t *testing.T) {
			let, done := make(chan struct{}), make(chan error, 2)
			s := prompts.MustNewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
				for _, key := range []string{"a", "b"} { // one asks, one waits for its turn
					go func() {
						_, err := prompts.Elicit[colour](context.WithoutCancel(ctx), key, "Which?")
						done <- err
					}()
				}
				<-let
				return test.end()
			})), prompts.Options{})
			c := connect(t, s).handshakeAs("2025-11-25", formCapability)
			c.send(getLine("1", "early"))
			q := c.question()
			close(let)
			assert.Equal(t, []string{q.withdrawn(withdrawnEarly), test.want}, c.received())
			assert.ErrorIs(t, errors.Join(<-done, <-done), context.Canceled)
			assert.Empty(t, c.ask(q.reply(red)))
			assert.NoError(t, c.end())
			synctest.Wait()
			assert.Zero(t, s.Tasks()+s.Slots())
		})
	}
}

// way is how a client gets a prompt that asks, and fails to be asked. It
// returns the answer.
type way func(t *testing.T, s *prompts.Server, prompt string) string

// statelessWay is the way of a client that can open URLs and nothing else.
func statelessWay(t *testing.T, s *prompts.Server, prompt string) string {
	r := newRounds(t, s, prompt)
	r.capabilities = urlCapability
	return r.get("").raw
}

// sessionWay is the way of a client that is not asked in a session.
func sessionWay(version, capabilities string) way {
	return func(t *testing.T, s *prompts.Server, prompt string) string {
		return answerTo(t, s, newSessionAs(t, s, version, capabilities), getLine("1", prompt))
	}
}

// liveWay is that of one that is asked, and then does something else than to
// answer. What follows is withdrawn questions and the answer.
func liveWay(then func(c *client, q asked)) way {
	return func(t *testing.T, s *prompts.Server, prompt string) string {
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", prompt))
		then(c, c.question())
		got := c.received()
		require.NotEmpty(t, got)
		return got[len(got)-1]
	}
}

// callWay is that of a Call.
func callWay(o prompts.CallOptions) way {
	return func(t *testing.T, s *prompts.Server, prompt string) string {
		result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+prompt+`"}`), o)
		if err == nil {
			return `{"result":` + string(result) + `}`
		}
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		return errorLine("1", e.Code, e.Message)
	}
}

// requestWay is that of a Call whose Request fails.
func requestWay(request func(ctx context.Context) (json.RawMessage, error)) way {
	return callWay(prompts.CallOptions{
		ClientCapabilities: []byte(formCapability),
		Request:            func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) { return request(ctx) },
	})
}

// GAP-38, GAP-40, MRT-17: whatever the reason that there will be no answer, a
// prompt can tell it by ErrElicitationUnavailable and do without. If it passes the error
// on, the client gets to know why, and the author what the client must not.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	form := func() prompts.Question { return prompts.Form[colour]("q", "Which?") }
	byURL := func() prompts.Question { return prompts.InputRequest("q", methodElicit, json.RawMessage(urlParams)) }
	silent := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	const late, failed = "the client did not answer within 1s", "the request to the client failed"
	for _, test := range []struct {
		name     string
		question func() prompts.Question
		way      way
		why      string // of the client's error
		log      string // what only the author gets; empty for nothing
	}{
		{"no capability in the stateless era", form, statelessWay, "", ""},
		{"no capability in a session", form, sessionWay("2025-11-25", noCapabilities), "the client did not declare the capability elicitation.form", ""},
		{"forms only", byURL, sessionWay("2025-11-25", formCapability), "the client did not declare the capability elicitation.url", ""},
		{"an old revision", form, sessionWay("2025-03-26", allCapabilities), "the client's protocol version predates elicitation (2025-06-18)", ""},
		{"a revision without URLs", byURL, sessionWay("2025-06-18", allCapabilities), "the client's protocol version does not support URL elicitation", ""},
		{"no way to the client", form, callWay(prompts.CallOptions{ClientCapabilities: []byte(formCapability)}), "this connection cannot carry requests of the server", ""},
		{"it answers with an error", form, liveWay(func(c *client, q asked) { c.send(q.refuse(-1, "the user's secret")) }), "the client answered with an error", "the user's secret (-1)"},
		{"it does not answer", form, liveWay(func(*client, asked) { time.Sleep(time.Second) }), late, ""},
		{"it goes away", form, liveWay(func(c *client, _ asked) { assert.NoError(c.t, c.end()) }), "the client disconnected", ""},
		{"Request fails", form, requestWay(func(context.Context) (json.RawMessage, error) { return nil, errDisk }), failed, errDisk.Error()},
		{"Request panics", form, requestWay(func(context.Context) (json.RawMessage, error) { panic(errDisk) }), failed, prompts.ErrNoReturn.Error()},
		{"Request ends its goroutine", form, requestWay(func(context.Context) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }), failed, prompts.ErrNoReturn.Error()},
		{"Request takes too long", form, requestWay(func(ctx context.Context) (json.RawMessage, error) { return nil, silent(ctx) }), late, ""},
		{"Request takes too long and says so", form, requestWay(func(ctx context.Context) (json.RawMessage, error) {
			_ = silent(ctx)
			return nil, context.Cause(ctx)
		}), late, ""},
	} {
		for _, prompt := range []string{"passes it on", "wraps it", "does without"} {
			inBubble(t, test.name+"/"+prompt, func(t *testing.T) {
				var j journal
				s := prompts.MustNewServer(registryOf(
					rendered("passes it on", func(ctx context.Context) (*prompts.Result, error) { return nil, prompts.Ask(ctx, test.question()) }),
					rendered("wraps it", func(ctx context.Context) (*prompts.Result, error) {
						return nil, errors.Join(prompts.Ask(ctx, test.question()), errDisk)
					}),
					rendered("does without", func(ctx context.Context) (*prompts.Result, error) {
						err := prompts.Ask(ctx, test.question())
						if assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable) {
							assert.NotErrorIs(t, err, prompts.ErrInputRequired)
							assert.False(t, refused(err))
							assert.ErrorContains(t, err, test.log, "the author can see it")
							return prompts.Messages(prompts.User("without")), nil
						}
						return nil, err
					}),
				), prompts.Options{Logger: j.logger(), Timeouts: prompts.Timeouts{Elicit: time.Second}})
				raw := test.way(t, s, prompt)
				o := readOutcome(t, raw)
				if prompt == "does without" {
					assert.Equal(t, "without", o.text(t))
					synctest.Wait() // until the panic is logged
					assert.Equal(t, test.name == "Request panics", strings.Contains(j.String(), "panic: "+errDisk.Error()), j.String())
					return
				}
				if test.why == "" {
					o.fails(t, transport.CodeMissingCapability, undeclared("elicitation.form"))
				} else {
					o.fails(t, prompts.CodeInternalError, unable(test.why))
				}
				switch {
				case prompt == "wraps it":
					assert.Contains(t, j.String(), errDisk.Error())
					assert.NotContains(t, raw, errDisk.Error())
				case test.log == "":
					assert.Empty(t, j.String(), "the client has been told all of it")
				default:
					assert.Contains(t, j.String(), test.log)
					assert.NotContains(t, raw, test.log)
				}
			})
		}
	}
}

// An error of the author's that only says that there is no answer is one too.
func TestErrCannotAskOfAnAuthor(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(rendered("own", func(context.Context) (*prompts.Result, error) { return nil, prompts.ErrElicitationUnavailable })), prompts.Options{})
	want := unable("no answer was received")
	newRounds(t, s, "own").get("").fails(t, prompts.CodeInternalError, want)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, want), answerTo(t, s, newSession(t, s), getLine("1", "own")))
}
