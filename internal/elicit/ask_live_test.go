package elicit_test

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
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// CAN-14: a response is for the request that has its id, spelt in any way; any
// other is ignored.
func TestResponsesOfOthers(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{})
		c, other := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability), servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", "paint"))
		q := c.Question()
		for _, id := range []string{`"prompts-2"`, `"prompts"`, `""`, `1`, `0`, `"1"`, `"PROMPTS-1"`, `"` + q.ID + ` "`} {
			assert.Empty(t, c.Ask(`{"jsonrpc":"2.0","id":`+id+`,"result":`+servertest.Red+`}`), id)
		}
		for _, msg := range []string{
			`{"jsonrpc":"2.0","result":` + servertest.Red + `}`,
			`{"jsonrpc":"2.0","id":null,"result":` + servertest.Red + `}`,
		} {
			assert.Empty(t, c.Ask(msg), msg)
		}
		assert.Empty(t, other.Ask(q.Reply(servertest.Red)), "another session")
		spelt := strings.Replace(q.Reply(servertest.Red), `"`+q.ID, `"\u0070`+q.ID[1:], 1)
		assert.Equal(t, []string{servertest.TextLine("1", "red")}, c.Ask(spelt))
		assert.Empty(t, c.Ask(q.Reply(servertest.Red)), "again")
	})
}

// The end of a connection, however it comes, ends the waits for its user at once.
func TestEndOfConnectionEndsTheWaitForAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(c *servertest.Client)
		want error // of Serve
	}{
		"input ends":      {func(c *servertest.Client) { close(c.Wire.In) }, nil},
		"disconnect":      {func(c *servertest.Client) { c.Wire.In <- io.ErrClosedPipe }, nil},
		"a failing read":  {func(c *servertest.Client) { c.Wire.In <- servertest.ErrDisk }, servertest.ErrDisk},
		"the caller ends": {func(c *servertest.Client) { c.Cancel() }, nil},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			const n = 100
			failed := make(chan error, n)
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("paint", func(ctx context.Context) (*prompts.Result, error) {
				_, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which?")
				failed <- err
				return nil, err
			})), prompts.Options{Timeouts: prompts.Timeouts{Elicit: -1}})
			c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
			for i := range n {
				c.Send(servertest.GetLine(strconv.Itoa(i), "paint"))
				c.Question()
			}
			begin := time.Now()
			test.end(c)
			assert.ErrorIs(t, c.Wait(), test.want)
			synctest.Wait()
			require.Len(t, failed, n)
			assert.Error(t, <-failed)
			assert.Zero(t, servertest.Tasks(s)+servertest.Slots(s))
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
		servertest.InBubble(t, limit.String(), func(t *testing.T) {
			var j servertest.Journal
			o.Logger = j.Logger()
			c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), o)).HandshakeAs("2025-11-25", servertest.FormCapability)
			c.Send(servertest.GetLine("1", "paint"))
			q := c.Question()
			time.Sleep(limit - time.Nanosecond)
			assert.Empty(t, c.Received())
			time.Sleep(time.Nanosecond)
			assert.Equal(t, []string{q.Withdrawn("timed out waiting for an answer"), servertest.ErrorLine("1", prompts.CodeInternalError, unable("the client did not answer within "+limit.String()))}, c.Received())
			assert.Empty(t, j.String(), "the client has been told all of it")
			assert.Empty(t, c.Ask(q.Reply(servertest.Red)))
		})
	}
}

func TestNoAskTimeout(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Elicit: -1}})).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", "paint"))
		q := c.Question()
		time.Sleep(1000 * time.Hour)
		assert.Equal(t, []string{servertest.TextLine("1", "red")}, c.Ask(q.Reply(servertest.Red)))
	})
}

// Nobody is asked with a context that has ended, neither in a session nor by a
// Call.
func TestAskWithAContextThatHasEnded(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("late", func(ctx context.Context) (*prompts.Result, error) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			for range 50 { // the code may have a choice
				_, err := prompts.Elicit[servertest.Colour](ended, "a", "Which?")
				assert.ErrorIs(t, err, context.Canceled)
			}
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		assert.Equal(t, []string{servertest.TextLine("1", "done")}, c.Ask(servertest.GetLine("1", "late")))
		got := requestWay(func(context.Context) (json.RawMessage, error) {
			assert.Fail(t, "asked")
			return nil, servertest.ErrDisk
		})(t, s, "late")
		assert.Contains(t, got, "done")
	})
}

const withdrawnEarly = "the answer is no longer needed"

// CAN-13: an author's own time limit ends a question as well.
func TestContextOfTheAuthor(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("hasty", func(ctx context.Context) (*prompts.Result, error) {
			hasty, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := prompts.Elicit[servertest.Colour](hasty, "a", "Which?")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable)
			// With what time there is, the same may be asked again.
			answer, err := prompts.Elicit[servertest.Colour](ctx, "a", "Which?")
			return prompts.Messages(prompts.User(answer.Colour)), err
		})), prompts.Options{})
		c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", "hasty"))
		first := c.Question()
		time.Sleep(time.Second)
		got := c.Received()
		require.Len(t, got, 2)
		assert.Equal(t, first.Withdrawn(withdrawnEarly), got[0])
		assert.Empty(t, c.Ask(first.Reply(servertest.Accepting(`{"colour":"late"}`))))
		assert.Equal(t, []string{servertest.TextLine("1", "red")}, c.Ask(servertest.ReadQuestion(t, got[1]).Reply(servertest.Red)))
	})
}

// CAN-13: a question that a goroutine of the author's still asks when the work
// is done is withdrawn before the answer. Nothing follows.
func TestStragglersQuestionIsWithdrawn(t *testing.T) {
	for name, test := range map[string]struct {
		end  func() (*prompts.Result, error)
		want string
	}{
		"a result": {func() (*prompts.Result, error) { return prompts.Messages(prompts.User("done")), nil }, servertest.TextLine("1", "done")},
		"an error": {func() (*prompts.Result, error) { return nil, servertest.ErrDisk }, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed)},
		"a panic":  {func() (*prompts.Result, error) { panic(servertest.ErrDisk) }, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed)},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			let, done := make(chan struct{}), make(chan error, 2)
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("early", func(ctx context.Context) (*prompts.Result, error) {
				for _, key := range []string{"a", "b"} { // one asks, one waits for its turn
					go func() {
						_, err := prompts.Elicit[servertest.Colour](context.WithoutCancel(ctx), key, "Which?")
						done <- err
					}()
				}
				<-let
				return test.end()
			})), prompts.Options{})
			c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
			c.Send(servertest.GetLine("1", "early"))
			q := c.Question()
			close(let)
			assert.Equal(t, []string{q.Withdrawn(withdrawnEarly), test.want}, c.Received())
			assert.ErrorIs(t, errors.Join(<-done, <-done), context.Canceled)
			assert.Empty(t, c.Ask(q.Reply(servertest.Red)))
			assert.NoError(t, c.End())
			synctest.Wait()
			assert.Zero(t, servertest.Tasks(s)+servertest.Slots(s))
		})
	}
}

// way is how a client gets a prompt that asks, and fails to be asked. It
// returns the answer.
type way func(t *testing.T, s *prompts.Server, prompt string) string

// statelessWay is the way of a client that can open URLs and nothing else.
func statelessWay(t *testing.T, s *prompts.Server, prompt string) string {
	r := servertest.NewRounds(t, s, prompt)
	r.Capabilities = servertest.URLCapability
	return r.Get("").Raw
}

// sessionWay is the way of a client that is not asked in a session.
func sessionWay(version, capabilities string) way {
	return func(t *testing.T, s *prompts.Server, prompt string) string {
		return servertest.AnswerTo(t, s, servertest.NewSessionAs(t, s, version, capabilities), servertest.GetLine("1", prompt))
	}
}

// liveWay is that of one that is asked, and then does something else than to
// answer. What follows is withdrawn questions and the answer.
func liveWay(then func(c *servertest.Client, q servertest.Asked)) way {
	return func(t *testing.T, s *prompts.Server, prompt string) string {
		c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", prompt))
		then(c, c.Question())
		got := c.Received()
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
		return servertest.ErrorLine("1", e.Code, e.Message)
	}
}

// requestWay is that of a Call whose Request fails.
func requestWay(request func(ctx context.Context) (json.RawMessage, error)) way {
	return callWay(prompts.CallOptions{
		Version:            "2025-11-25",
		ClientCapabilities: []byte(servertest.FormCapability),
		Request:            func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) { return request(ctx) },
	})
}

// GAP-38, GAP-40, MRT-17: whatever the reason that there will be no answer, a
// prompt can tell it by ErrElicitationUnavailable and do without. If it passes the error
// on, the client gets to know why, and the author what the client must not.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	form := func() prompts.Question { return prompts.Form[servertest.Colour]("q", "Which?") }
	byURL := func() prompts.Question {
		return prompts.InputRequest("q", servertest.MethodElicit, json.RawMessage(urlParams))
	}
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
		{"no capability in a session", form, sessionWay("2025-11-25", servertest.NoCapabilities), "the client did not declare the capability elicitation.form", ""},
		{"forms only", byURL, sessionWay("2025-11-25", servertest.FormCapability), "the client did not declare the capability elicitation.url", ""},
		{"an old revision", form, sessionWay("2025-03-26", servertest.AllCapabilities), "the client's protocol version predates elicitation (2025-06-18)", ""},
		{"a revision without URLs", byURL, sessionWay("2025-06-18", servertest.AllCapabilities), "the client's protocol version does not support URL elicitation", ""},
		{"no way to the client", form, callWay(prompts.CallOptions{Version: "2025-11-25", ClientCapabilities: []byte(servertest.FormCapability)}), "this connection cannot carry requests of the server", ""},
		{"it answers with an error", form, liveWay(func(c *servertest.Client, q servertest.Asked) { c.Send(q.Refuse(-1, "the user's secret")) }), "the client answered with an error", "the user's secret (-1)"},
		{"it does not answer", form, liveWay(func(*servertest.Client, servertest.Asked) { time.Sleep(time.Second) }), late, ""},
		{"it goes away", form, liveWay(func(c *servertest.Client, _ servertest.Asked) { assert.NoError(c.T, c.End()) }), "the client disconnected", ""},
		{"Request fails", form, requestWay(func(context.Context) (json.RawMessage, error) { return nil, servertest.ErrDisk }), failed, servertest.ErrDisk.Error()},
		{"Request panics", form, requestWay(func(context.Context) (json.RawMessage, error) { panic(servertest.ErrDisk) }), failed, rpc.ErrNoReturn.Error()},
		{"Request ends its goroutine", form, requestWay(func(context.Context) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }), failed, rpc.ErrNoReturn.Error()},
		{"Request takes too long", form, requestWay(func(ctx context.Context) (json.RawMessage, error) { return nil, silent(ctx) }), late, ""},
		{"Request takes too long and says so", form, requestWay(func(ctx context.Context) (json.RawMessage, error) {
			_ = silent(ctx)
			return nil, context.Cause(ctx)
		}), late, ""},
	} {
		for _, prompt := range []string{"passes it on", "wraps it", "does without"} {
			servertest.InBubble(t, test.name+"/"+prompt, func(t *testing.T) {
				var j servertest.Journal
				s := prompts.MustNewServer(servertest.RegistryOf(
					servertest.Rendered("passes it on", func(ctx context.Context) (*prompts.Result, error) { return nil, prompts.Ask(ctx, test.question()) }),
					servertest.Rendered("wraps it", func(ctx context.Context) (*prompts.Result, error) {
						return nil, errors.Join(prompts.Ask(ctx, test.question()), servertest.ErrDisk)
					}),
					servertest.Rendered("does without", func(ctx context.Context) (*prompts.Result, error) {
						err := prompts.Ask(ctx, test.question())
						if assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable) {
							assert.NotErrorIs(t, err, prompts.ErrInputRequired)
							assert.False(t, servertest.Refused(err))
							assert.ErrorContains(t, err, test.log, "the author can see it")
							return prompts.Messages(prompts.User("without")), nil
						}
						return nil, err
					}),
				), prompts.Options{Logger: j.Logger(), Timeouts: prompts.Timeouts{Elicit: time.Second}})
				raw := test.way(t, s, prompt)
				o := servertest.ReadOutcome(t, raw)
				if prompt == "does without" {
					assert.Equal(t, "without", o.Text(t))
					synctest.Wait() // until the panic is logged
					assert.Equal(t, test.name == "Request panics", strings.Contains(j.String(), "panic: "+servertest.ErrDisk.Error()), j.String())
					return
				}
				if test.why == "" {
					o.Fails(t, transport.CodeMissingCapability, undeclared("elicitation.form"))
				} else {
					o.Fails(t, prompts.CodeInternalError, unable(test.why))
				}
				switch {
				case prompt == "wraps it":
					assert.Contains(t, j.String(), servertest.ErrDisk.Error())
					assert.NotContains(t, raw, servertest.ErrDisk.Error())
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
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("own", func(context.Context) (*prompts.Result, error) { return nil, prompts.ErrElicitationUnavailable })), prompts.Options{})
	want := unable("no answer was received")
	servertest.NewRounds(t, s, "own").Get("").Fails(t, prompts.CodeInternalError, want)
	assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, want), servertest.AnswerTo(t, s, servertest.NewSession(t, s), servertest.GetLine("1", "own")))
}
