package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

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
				s := prompts.NewServer(registryOf(
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
	s := prompts.NewServer(registryOf(rendered("own", func(context.Context) (*prompts.Result, error) { return nil, prompts.ErrElicitationUnavailable })), prompts.Options{})
	want := unable("no answer was received")
	newRounds(t, s, "own").get("").fails(t, prompts.CodeInternalError, want)
	assert.Equal(t, errorLine("1", prompts.CodeInternalError, want), answerTo(t, s, newSession(t, s), getLine("1", "own")))
}
