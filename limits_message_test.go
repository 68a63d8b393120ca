package prompts_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// GAP-14: a message may have as many bytes as the options say, and 4 MiB if they
// say nothing.
func TestSizeOfMessage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    prompts.Options
		most int
	}{{prompts.Options{}, 4 << 20}, {prompts.Options{Limits: prompts.Limits{MaxMessageBytes: 100}}, 100}} {
		s := prompts.NewServer(nil, test.o)
		session := newSessionOfSize(t, s, test.most)
		for more, want := range []string{pongLine("1"), errorLine("", transport.CodeInvalidRequest, "the message is too large")} {
			msg := pingLine("1")
			got, err := handle(t, s, session, msg+strings.Repeat(" ", test.most-len(msg)+more))
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
	}
}

// newSessionOfSize is a session of a server for which initialize may be too
// large.
func newSessionOfSize(t *testing.T, s *prompts.Server, most int) transport.Session {
	t.Helper()
	if most >= len(initializeLine) {
		return newSession(t, s)
	}
	session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
	t.Cleanup(session.Close)
	return session
}

// A message nests 128 deep and no deeper, in every era, and with the id of the
// request that it was.
func TestNestingOfMessage(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{})
	for _, test := range []struct {
		name    string
		session transport.Session
		line    func(value string) string
		want    string
	}{
		{"in a session", newSession(t, s), func(v string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + v + `}}`
		}, pongLine("1")},
		{"without", nil, func(v string) string {
			return envelopedLine("1", "prompts/get", `"name":"text","a":`+v)
		}, envelopedText("1", "hi")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
			got, err := handle(t, s, test.session, test.line(nested(128-2)))
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			got, err = handle(t, s, test.session, test.line(nested(128-1)))
			require.NoError(t, err)
			assert.Contains(t, got, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"nesting too deep at byte `)
		})
	}
}

// Once the answers of a batch have more bytes than a message may, what is still
// to be read of it is refused, each request for itself.
func TestBatchOfLargeAnswers(t *testing.T) {
	t.Parallel()
	const most = 2000
	s := prompts.NewServer(registryOf(prompts.Prompt{
		Name: "long", Description: strings.Repeat("x", most/2), Render: textPrompt("long", "hi").Render,
	}), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: most}})
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/list"}`, i))
	}
	got, err := handle(t, s, sessionIn(t, s, batchVersion), batchLine(lines...))
	require.NoError(t, err)
	answers := elements(t, got)
	require.Len(t, answers, 10)
	for i, answer := range answers {
		if i < 2 { // the second one goes past the bound
			assert.Contains(t, answer, `"result":{"prompts":`)
		} else {
			assert.Equal(t, errorLine(fmt.Sprint(i), prompts.CodeInternalError, "the answers to this batch are too large; send fewer messages together"), answer)
		}
	}
	assert.Less(t, len(got), 3*most)
}

// The same for the results of render functions, which come in any order.
func TestBatchOfLargeResults(t *testing.T) {
	t.Parallel()
	const most, each = 10_000, 4000
	s := prompts.NewServer(registryOf(textPrompt("long", strings.Repeat("x", each))), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: most}})
	var lines []string
	for i := range 20 {
		lines = append(lines, getLine(fmt.Sprint(i), "long"))
	}
	got, err := handle(t, s, sessionIn(t, s, batchVersion), batchLine(lines...))
	require.NoError(t, err)
	answers := elements(t, got)
	require.Len(t, answers, 20)
	results := 0
	for _, answer := range answers {
		if strings.Contains(answer, `"result":{`) {
			results++
		} else {
			assert.Contains(t, answer, `"error":{"code":-32603,"message":"the answers to this batch are too large; send fewer messages together"}`)
		}
	}
	assert.Equal(t, 3, results, "the third one goes past the bound")
}

// What an error repeats of the client's own words is cut at 256 bytes.
func TestEchoesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 256
	s := prompts.NewServer(nil, prompts.Options{})
	session := newSession(t, s)
	for name, test := range map[string]struct {
		session transport.Session
		line    func(long string) string
		code    prompts.Code
	}{
		"a prompt":             {session, func(long string) string { return getLine("1", long) }, prompts.CodeInvalidParams},
		"a prompt, stateless":  {nil, func(long string) string { return envelopedGet("1", long) }, prompts.CodeInvalidParams},
		"a prompt to complete": {session, func(long string) string { return completeLine("1", long, "a", "") }, prompts.CodeInvalidParams},
		"a version": {nil, func(long string) string {
			return strings.Replace(envelopedGet("1", "p"), "2026-07-28", long, 1)
		}, transport.CodeUnsupportedVersion},
		"a method": {session, func(long string) string {
			return `{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`
		}, prompts.CodeMethodNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{most, most + 1, 100_000} {
				got, err := handle(t, s, test.session, test.line(strings.Repeat("v", size)))
				require.NoError(t, err)
				assert.NotContains(t, got, strings.Repeat("v", most+1))
				assert.Less(t, len(got), 4*most)
				assert.Contains(t, got, fmt.Sprintf(`"code":%d`, test.code))
				assert.Equal(t, size > most, strings.Contains(got, strings.Repeat("v", most)+"…"))
				assert.Contains(t, got, strings.Repeat("v", most))
			}
		})
	}
}

// A limit as large as can be is none.
func TestLargestLimits(t *testing.T) {
	t.Parallel()
	largest := prompts.Options{
		PageSize: math.MaxInt, Limits: prompts.Limits{MaxConcurrent: math.MaxInt, MaxConcurrentTotal: math.MaxInt, MaxConcurrentPerClient: math.MaxInt, MaxSubscriptions: math.MaxInt, MaxSubscriptionsTotal: math.MaxInt, MaxMessageBytes: math.MaxInt, MaxArguments: math.MaxInt, MaxArgumentBytes: math.MaxInt, MaxResultBytes: math.MaxInt, CompletionsPerSecond: math.MaxFloat64, GetsPerSecond: math.MaxFloat64},

		Timeouts:        prompts.Timeouts{Render: math.MaxInt64, Complete: math.MaxInt64, Elicit: math.MaxInt64, Drain: math.MaxInt64},
		RequestStateTTL: math.MaxInt64, CacheTTL: math.MaxInt64,
	}
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(textPrompt("text", "hi"), completing("p", func(context.Context, string, map[string]string) ([]string, error) {
			return []string{"a"}, nil
		})), largest)
		c := connect(t, s).handshake()
		assert.Equal(t, []string{textLine("1", "hi")}, c.ask(getLine("1", "text")))
		assert.Contains(t, c.ask(`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`)[0], `"name":"text"`)
		assert.Contains(t, c.ask(completeLine("3", "p", "a", ""))[0], `"values":["a"]`)
		assert.Equal(t, []string{ackLine("4")}, c.ask(listenLine("4")))
		assert.Equal(t, []string{envelopedText("5", "hi")}, c.ask(envelopedGet("5", "text")))
		assert.NoError(t, c.end())
	})
}
