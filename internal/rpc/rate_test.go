package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// Completions of the prompt of a ratedServer, without a session and in one.
var (
	statelessCompletion = servertest.EnvelopedLine("1", servertest.MethodComplete, servertest.CompleteParamsOf("p", "b", ""))
	sessionCompletion   = servertest.CompleteLine("1", "p", "b", "")
)

func ratedServer(o prompts.Options) *prompts.Server {
	return prompts.MustNewServer(servertest.RegistryOf(servertest.Completing("p", nil)), o)
}

// admitted sends requests until one is refused, n at most, and returns how many
// were answered, and after how many milliseconds to try again.
func admitted(t *testing.T, s *prompts.Server, session transport.Session, ctx context.Context, client, msg string, n int) (count int, wait float64) {
	t.Helper()
	for count < n {
		var answer struct {
			Error *struct {
				Code    transport.Code
				Message string
				Data    struct{ RetryAfterMs float64 }
			}
		}
		x := transport.Exchange{ClientKey: client, Send: func(msg []byte, _ transport.Code, _ bool) error { return json.Unmarshal(msg, &answer) }}
		if session != nil {
			require.NoError(t, session.Handle(ctx, []byte(msg), x))
		} else {
			require.NoError(t, s.Handle(ctx, []byte(msg), x))
		}
		if e := answer.Error; e != nil {
			assert.Equal(t, prompts.CodeInternalError, e.Code)
			assert.Regexp(t, `^rate limit exceeded; retry in \d+ ms$`, e.Message)
			return count, e.Data.RetryAfterMs
		}
		count++
	}
	return count, 0
}

// CMP-10: a client may send as many completions as in two seconds at once, and
// then one for each that is due.
func TestRateOfCompletions(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := ratedServer(prompts.Options{})
		send := func(client string) (int, float64) {
			return admitted(t, s, nil, t.Context(), client, statelessCompletion, 1000)
		}
		n, wait := send("a")
		assert.Equal(t, 100, n)
		assert.Equal(t, 20.0, wait)
		time.Sleep(20 * time.Millisecond)
		n, wait = send("a")
		assert.Equal(t, 1, n)
		assert.Equal(t, 20.0, wait)
		n, _ = send("b")
		assert.Equal(t, 100, n, "another client")
		time.Sleep(time.Hour)
		n, _ = send("a")
		assert.Equal(t, 100, n, "and no more, however long it has been silent")
		n, _ = send("")
		assert.Equal(t, 1000, n, "nobody knows who it is")
	})
}

// Who the client is: its principal, else its session, else what the transport
// says.
func TestRateOfWhom(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		type key struct{}
		s := ratedServer(prompts.Options{
			Limits:    prompts.Limits{CompletionsPerSecond: 1, GetsPerSecond: 2},
			Principal: func(ctx context.Context) (string, error) { name, _ := ctx.Value(key{}).(string); return name, nil },
		})
		ann, ben, nobody := context.WithValue(t.Context(), key{}, "ann"), context.WithValue(t.Context(), key{}, "ben"), t.Context()
		session := func(o transport.SessionOptions) transport.Session {
			x := s.NewSession(o)
			t.Cleanup(x.Close)
			return x
		}
		one, two := session(transport.SessionOptions{Version: "2025-11-25"}), session(transport.SessionOptions{Version: "2025-11-25"})
		detached := session(transport.SessionOptions{Version: "2025-11-25", NoServerMessages: true})
		for _, test := range []struct {
			name    string
			session transport.Session
			ctx     context.Context
			client  string
			msg     string
			want    int
		}{
			{"a principal", nil, ann, "x", statelessCompletion, 2},
			{"in a session, too", one, ann, "x", sessionCompletion, 0},
			{"another one", one, ben, "x", sessionCompletion, 2},
			{"a session without", one, nobody, "x", sessionCompletion, 2},
			{"another session", two, nobody, "x", sessionCompletion, 2},
			{"another method", one, nobody, "x", servertest.GetLine("1", "p"), 4},
			{"by the transport's word", nil, nobody, "x", statelessCompletion, 2},
			{"a session that is none", detached, nobody, "x", sessionCompletion, 0},
			{"a client called like a principal", nil, nobody, "ann", statelessCompletion, 2},
		} {
			n, _ := admitted(t, s, test.session, test.ctx, test.client, test.msg, 50)
			assert.Equal(t, test.want, n, test.name)
		}
	})
}

// Options.Limits.CompletionsPerSecond: a negative number is no limit, a small one lets one request pass.
func TestRateOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rate float64
		want int
		wait float64
	}{
		{-1, 1000, 0},
		{math.Inf(1), 1000, 0},
		{1e12, 1000, 0},
		{0.5, 1, 2000},
		{0.1, 1, 10_000},
		{10, 20, 100},
	} {
		servertest.InBubble(t, fmt.Sprint(test.rate), func(t *testing.T) {
			s := ratedServer(prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: test.rate}})
			n, wait := admitted(t, s, nil, t.Context(), "a", statelessCompletion, 1000)
			assert.Equal(t, test.want, n)
			assert.Equal(t, test.wait, wait)
		})
	}
	s := ratedServer(prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: 1e-300}})
	n, _ := admitted(t, s, nil, t.Context(), "a", statelessCompletion, 10)
	assert.Equal(t, 1, n)
	assert.Panics(t, func() { ratedServer(prompts.Options{Limits: prompts.Limits{GetsPerSecond: math.NaN()}}) })
}

// A batch counts for each of its messages, and Call as its context says.
func TestRateOfBatchAndCall(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := ratedServer(prompts.Options{Limits: prompts.Limits{GetsPerSecond: 1}, Principal: func(context.Context) (string, error) { return "me", nil }})
		session := servertest.SessionIn(t, s, servertest.BatchVersion)
		got := servertest.AnswerTo(t, s, session, "["+servertest.GetLine("1", "p")+","+servertest.GetLine("2", "p")+","+servertest.GetLine("3", "p")+"]")
		assert.Contains(t, got, "rate limit exceeded")
		_, e := servertest.Call(t, s, servertest.MethodGet, `{"name":"p"}`)
		require.NotNil(t, e)
		assert.Regexp(t, `^rate limit exceeded; retry in \d+ ms$`, e.Message)
		time.Sleep(time.Second)
		_, e = servertest.Call(t, s, servertest.MethodGet, `{"name":"p"}`)
		assert.Nil(t, e)
	})
}

// A client does not begin anew with each session, and what is refused for
// something else counts as well.
func TestRateCannotBeDodged(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := ratedServer(prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: 1}})
		served := func(client string) (n int) {
			for range 100 {
				session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
				one, _ := admitted(t, s, session, t.Context(), client, sessionCompletion, 1)
				n += one
				session.Close()
			}
			return n
		}
		assert.Equal(t, 11, served("192.0.2.1"))
		assert.Equal(t, 11, served("192.0.2.2"))
		assert.Equal(t, 100, served(""), "a transport that does not know")
	})
	synctest.Test(t, func(t *testing.T) {
		s := ratedServer(prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: 1}, Principal: func(context.Context) (string, error) { return "me", nil }})
		unknown := servertest.EnvelopedLine("1", servertest.MethodComplete, servertest.CompleteParamsOf("no", "b", ""))
		for _, want := range []string{"unknown prompt", "unknown prompt", "rate limit exceeded"} {
			got := servertest.AnswerTo(t, s, nil, unknown)
			assert.Contains(t, got, want)
		}
	})
}
