package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// way is how a client gets a prompt that asks, and fails to be asked. It
// returns the answer.
type way func(t *testing.T, s *Server, prompt string) string

// sessionWay is the way of a client that is not asked in a session.
func sessionWay(version, capabilities string) way {
	return func(t *testing.T, s *Server, prompt string) string {
		got, err := handle(t, s, newSessionAs(t, s, version, capabilities), getLine("1", prompt))
		require.NoError(t, err)
		return got
	}
}

// liveWay is that of one that is asked, and then does something else than to
// answer. What follows is withdrawn questions and the answer.
func liveWay(then func(c *client, q asked)) way {
	return func(t *testing.T, s *Server, prompt string) string {
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", prompt))
		then(c, c.question())
		got := c.received()
		require.NotEmpty(t, got)
		return got[len(got)-1]
	}
}

// callWay is that of a Call.
func callWay(o CallOptions) way {
	return func(t *testing.T, s *Server, prompt string) string {
		result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"`+prompt+`"}`), o)
		if err == nil {
			return `{"result":` + string(result) + `}`
		}
		var e *Error
		require.ErrorAs(t, err, &e)
		return errorLine("1", e.Code, e.Message)
	}
}

// requestWay is that of a Call whose Request fails.
func requestWay(request func(ctx context.Context) (json.RawMessage, error)) way {
	return callWay(CallOptions{
		ClientCapabilities: []byte(formCapability),
		Request:            func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) { return request(ctx) },
	})
}

// GAP-38, GAP-40, MRT-17: whatever the reason that there will be no answer, a
// prompt can tell it by ErrCannotAsk and do without. If it passes the error
// on, the client gets to know why, and the author what the client must not.
func TestCannotAsk(t *testing.T) {
	t.Parallel()
	form := func() Question { return Form[colour]("q", "Which?") }
	byURL := func() Question { return InputRequest("q", methodElicit, json.RawMessage(urlParams)) }
	for _, test := range []struct {
		name     string
		question func() Question
		way      way
		code     Code
		message  string
		log      string // what only the author gets; empty for nothing
	}{
		{
			"no capability in the stateless era", form,
			func(t *testing.T, s *Server, prompt string) string {
				r := newRounds(t, s, prompt)
				r.capabilities = urlCapability
				return r.get("").raw
			},
			CodeMissingCapability, undeclared("elicitation.form"), "",
		},
		{
			"no capability in a session", form, sessionWay("2025-11-25", noCapabilities),
			CodeInternalError, unable("it has not declared the capability elicitation.form"), "",
		},
		{
			"forms only", byURL, sessionWay("2025-11-25", formCapability),
			CodeInternalError, unable("it has not declared the capability elicitation.url"), "",
		},
		{
			"an old revision", form, sessionWay("2025-03-26", allCapabilities),
			CodeInternalError, unable("its protocol revision is older than 2025-06-18"), "",
		},
		{
			"a revision without URLs", byURL, sessionWay("2025-06-18", allCapabilities),
			CodeInternalError, unable("its protocol revision has no elicitation by URL"), "",
		},
		{
			"no way to the client", form, callWay(CallOptions{ClientCapabilities: []byte(formCapability)}),
			CodeInternalError, unable("there is no way to send it a request"), "",
		},
		{
			"it answers with an error", form, liveWay(func(c *client, q asked) { c.send(q.refuse(-1, "the user's secret")) }),
			CodeInternalError, unable("it has answered with an error"), "the user's secret (-1)",
		},
		{
			"it does not answer", form, liveWay(func(*client, asked) { time.Sleep(time.Second) }),
			CodeInternalError, unable("it has not answered in time"), "",
		},
		{
			"it goes away", form, liveWay(func(c *client, _ asked) { assert.NoError(c.t, c.end()) }),
			CodeInternalError, unable("it has gone"), "",
		},
		{
			"Request fails", form, requestWay(func(context.Context) (json.RawMessage, error) { return nil, errDisk }),
			CodeInternalError, unable("the request to it has failed"), errDisk.Error(),
		},
		{
			"Request panics", form, requestWay(func(context.Context) (json.RawMessage, error) { panic(errDisk) }),
			CodeInternalError, unable("the request to it has failed"), "panic: " + errDisk.Error(),
		},
		{
			"Request ends its goroutine", form, requestWay(func(context.Context) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }),
			CodeInternalError, unable("the request to it has failed"), errGoexit.Error(),
		},
		{
			"Request takes too long", form, requestWay(func(ctx context.Context) (json.RawMessage, error) { <-ctx.Done(); return nil, ctx.Err() }),
			CodeInternalError, unable("it has not answered in time"), "",
		},
		{
			"Request takes too long and says so", form, requestWay(func(ctx context.Context) (json.RawMessage, error) { <-ctx.Done(); return nil, context.Cause(ctx) }),
			CodeInternalError, unable("it has not answered in time"), "",
		},
	} {
		for _, prompt := range []string{"passes it on", "wraps it", "does without"} {
			t.Run(test.name+"/"+prompt, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var j journal
					s := NewServer(registryOf(
						rendered("passes it on", func(ctx context.Context) (*Result, error) { return nil, Ask(ctx, test.question()) }),
						rendered("wraps it", func(ctx context.Context) (*Result, error) {
							return nil, errors.Join(Ask(ctx, test.question()), errDisk)
						}),
						rendered("does without", func(ctx context.Context) (*Result, error) {
							err := Ask(ctx, test.question())
							if assert.ErrorIs(t, err, ErrCannotAsk) {
								assert.NotErrorIs(t, err, ErrInputRequired)
								assert.False(t, isRefusal(err))
								assert.ErrorContains(t, err, test.log, "the author can see it")
								return Messages(User("without")), nil
							}
							return nil, err
						}),
					), Options{Logger: j.logger(), AskTimeout: time.Second})
					raw := test.way(t, s, prompt)
					o := readOutcome(t, raw)
					if prompt == "does without" {
						assert.Equal(t, "without", o.text(t))
						assert.Empty(t, j.String())
						return
					}
					o.fails(t, test.code, test.message)
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
			})
		}
	}
}

// An error of the author's that only says that there is no answer is one too.
func TestErrCannotAskOfAnAuthor(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(rendered("own", func(context.Context) (*Result, error) { return nil, ErrCannotAsk })), Options{})
	want := unable("it has no answer")
	newRounds(t, s, "own").get("").fails(t, CodeInternalError, want)
	got, err := handle(t, s, newSession(t, s), getLine("1", "own"))
	require.NoError(t, err)
	assert.Equal(t, errorLine("1", CodeInternalError, want), got)
}
