package rpc

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
)

// atOnce returns a method that has its result at once, byWork one that needs work.
func atOnce(result string) feature.Method {
	return feature.Method{Func: call.Func(func(_ call.Call, dst []byte) ([]byte, call.Work, error) {
		return append(dst, result...), call.Work{}, nil
	})}
}

func byWork(h call.Runner) feature.Method {
	return feature.Method{Func: call.Func(func(call.Call, []byte) ([]byte, call.Work, error) {
		return nil, call.Work{Runner: h}, nil
	})}
}

func returning(result string) call.Runner {
	return call.RunnerFunc(func(_ context.Context, dst []byte) ([]byte, error) {
		return append(dst, result...), nil
	})
}

// serverOf returns a server with one method, m.
func serverOf(t *testing.T, m feature.Method, c Config) *Dispatcher {
	c.Features = []feature.Feature{{Methods: map[string]feature.Method{"m": m}}}
	c.Failure = func(_ context.Context, subject string, err error) *Failure { return InternalFailure(subject, err) }
	return newTestServer(t, c)
}

// A result that a method has at once is under the rate of the principal, too.
func TestRateOfAResultAtOnce(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]feature.Method{"at once": atOnce(`{"a":1}`), "by work": byWork(returning(`{"a":1}`))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m.RequestsPerSecond = 0.5
				s := serverOf(t, m, Config{Principal: func(context.Context) (string, error) { return "ada", nil }})
				p := serve(t, s)
				want := `{"a":1,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"0"}}}`
				assert.Equal(t, []string{result("1", want)}, p.ask(statelessRequest("1", "m", "")))
				out := p.ask(statelessRequest("2", "m", ""))
				require.Len(t, out, 1)
				assert.Contains(t, out[0], "rate limit exceeded; retry in 2000 ms")
				time.Sleep(2 * time.Second)
				got, err := s.Call(t.Context(), "m", nil, CallOptions{Version: "2025-11-25"})
				require.NoError(t, err)
				assert.Equal(t, `{"a":1}`, string(got))
				p.end(t)
				assert.Empty(t, s.InUse())
			})
		})
	}
}

// A result that waits for the rate of the principal counts toward the memory.
func TestMemoryOfAResultAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := atOnce(`{"a":"` + strings.Repeat("a", 1<<20) + `"}`)
		m.RequestsPerSecond = 1
		wait := make(chan struct{})
		s := serverOf(t, m, Config{Principal: func(context.Context) (string, error) { <-wait; return "ada", nil }})
		p := serve(t, s)
		assert.Empty(t, p.ask(statelessRequest("1", "m", "")))
		assert.Greater(t, s.InUse()["bytes"], 1<<20)
		close(wait)
		assert.Len(t, p.ask(), 1)
		p.end(t)
		assert.Empty(t, s.InUse())
	})
}

// A result that is no JSON object never gets to the client, nor does a request stay
// without a response.
func TestResultsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]feature.Method{
		"neither result nor work": byWork(nil),
		"nothing":                 atOnce(""),
		"an array":                atOnce("[]"),
		"newline":                 atOnce("{}\n"),
		"work: nothing":           byWork(returning("")),
		"work: an array":          byWork(returning("[]")),
		"work: newline":           byWork(returning("{}\n")),
		"work: less than dst": byWork(call.RunnerFunc(func(context.Context, []byte) ([]byte, error) {
			return nil, nil
		})),
	} {
		for _, isRaw := range []bool{false, true} {
			if !isRaw && strings.Contains(name, "newline") {
				continue // which is cut off
			}
			if isRaw {
				m.Func = call.Func(finished(call.ServeOf(m.Func)))
			}
			synctest.Test(t, func(t *testing.T) {
				s := serverOf(t, m, Config{})
				p := serve(t, s)
				out := p.ask(statelessRequest("1", "m", ""))
				require.Len(t, out, 1, name)
				assert.Contains(t, out[0], `"error":{"code":-32603,"message":"internal error: m returned an invalid result`, name)
				_, err := s.Call(t.Context(), "m", nil, CallOptions{Version: "2025-11-25"})
				assert.ErrorContains(t, err, "internal error: m returned an invalid result", name)
				p.end(t)
				assert.Empty(t, s.InUse())
			})
		}
	}
}

// Call returns even if Notify panics.
func TestNotifyPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := call.RunnerFunc(func(ctx context.Context, dst []byte) ([]byte, error) {
			Progress(ctx, 1, 2, "") // which is sent when the handler has returned
			return append(dst, "{}"...), nil
		})
		s := serverOf(t, byWork(h), Config{})
		_, err := s.Call(t.Context(), "m", []byte(`{"_meta":{"progressToken":1}}`), CallOptions{Version: "2025-11-25", Notify: func(string, json.RawMessage) { panic("no") }})
		assert.Equal(t, ErrNoReturn, err)
		assert.Empty(t, s.InUse())
	})
}
