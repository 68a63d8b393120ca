package rpc

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/transport"
)

// recorded returns a logger that writes to the buffer, without times.
func recorded(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// A limit that clients reach has a record, at most one a second.
func TestReachedLimitIsLogged(t *testing.T) {
	t.Parallel()
	forever := func(ctx context.Context, _ []byte) ([]byte, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	waiting := byWork(call.RunnerFunc(forever))
	rated := atOnce(`{}`)
	rated.RequestsPerSecond = 0.001
	large := byWork(returning(`{"a":"` + strings.Repeat("x", 2*maxUncounted) + `"}`))
	listen := statelessRequest("7", MethodListen, `"notifications":{}`)
	for name, test := range map[string]struct {
		method feature.Method
		config Config
		msg    string
		want   string // the attributes
	}{
		"rate":          {rated, Config{}, statelessRequest("7", "m", ""), `limit="rate of m" client=192.0.2.1`},
		"of principals": {rated, Config{Principal: func(context.Context) (string, error) { return "ada", nil }}, statelessRequest("7", "m", ""), `limit="rate of m" client=ada`},
		"concurrency":   {waiting, Config{Limits: Limits{ConcurrentPerClient: 1}}, statelessRequest("7", "m", ""), `limit=concurrency client=192.0.2.1`},
		"memory":        {large, Config{Limits: Limits{Memory: 1 << 20, MemoryPerClient: 1 << 20}}, statelessRequest("7", "m", ""), `limit=memory client=192.0.2.1`},
		"subscriptions": {waiting, Config{Limits: Limits{SubscriptionsTotal: 1}}, listen, `limit=subscriptions client=192.0.2.1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				test.config.Logger = recorded(&log)
				s := serverOf(t, test.method, test.config)
				if test.config.Limits.SubscriptionsTotal > 0 {
					assert.True(t, s.subscriptions.TryAcquire("", 1)) // of another client
					defer s.subscriptions.Release("", 1)
				}
				if n := s.memory.heldPerClient; test.config.Limits.Memory > 0 {
					assert.True(t, s.memory.held.TryAcquire("192.0.2.1", n)) // for another request
					defer s.memory.held.Release("192.0.2.1", n)
				}
				ctx, cancel := context.WithCancel(t.Context())
				send := func() {
					go func() {
						_ = s.Handle(ctx, []byte(test.msg), transport.Exchange{ClientKey: "192.0.2.1", Send: func([]byte, transport.Code, bool) error { return nil }})
					}()
					synctest.Wait()
				}
				record := `level=WARN msg="limit reached" ` + test.want
				for range 8 {
					send()
				}
				assert.Equal(t, 1, strings.Count(log.String(), record+"\n"), log.String())
				log.Reset()
				time.Sleep(reachedPause + time.Millisecond)
				send()
				assert.Regexp(t, record+` omitted=\d\n$`, log.String())
				assert.Equal(t, 1, strings.Count(log.String(), "limit reached"), log.String())
				cancel()
				synctest.Wait()
			})
		})
	}
}

// The name of a session may be secret, so no record has it.
func TestReachedLimitWithoutTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m := atOnce(`{}`)
		m.RequestsPerSecond = 0.001
		s := serverOf(t, m, Config{Logger: recorded(&log)})
		for range 4 {
			_, _ = s.Call(t.Context(), "m", nil, CallOptions{Version: "2025-11-25", Session: "secret"})
		}
		synctest.Wait()
		assert.Equal(t, "level=WARN msg=\"limit reached\" limit=\"rate of m\"\n", log.String())
	})
}
