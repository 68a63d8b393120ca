package streamablehttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// busyPlace has, of each kind, a stream and a request under way.
func busyPlace(t *testing.T) (p *place, idle, running []*openStream) {
	t.Helper()
	p = newPlace(t, Options{})
	h := p.session("2025-11-25")
	body, mirror := modernGet("wait")
	idle = append(idle,
		p.open(http.MethodGet, "", h),
		p.open(http.MethodPost, modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`), modernHeader("subscriptions/listen", "")))
	require.Contains(t, idle[1].next(), "acknowledged")
	running = append(running, p.open(http.MethodPost, body, mirror), p.open(http.MethodPost, oldGet("1", "wait"), h))
	for range running {
		await(t, p.started)
	}
	for _, s := range running {
		require.Contains(t, s.next(), "progress")
	}
	return p, idle, running
}

// The tests of this file look at all goroutines, so they are not parallel.

// Shutdown ends streams, has requests answered, together with the Shutdown of
// the http.Server, and leaves no goroutine.
func TestShutdown(t *testing.T) {
	p, idle, running := busyPlace(t)
	errs := make(chan error, 2)
	go func() { errs <- p.handler.Shutdown(t.Context()) }()
	idle[0].end()
	assert.Contains(t, idle[1].next(), `"result"`)
	idle[1].end()
	body, mirror := modernGet("text")
	assert.Equal(t, http.StatusServiceUnavailable, p.post(body, mirror).status)
	assert.Equal(t, http.StatusServiceUnavailable, p.post(initializeBody("2025-11-25"), nil).status)
	go func() { errs <- p.http.Config.Shutdown(t.Context()) }()
	select {
	case err := <-errs:
		require.Fail(t, "requests are under way", "%v", err)
	default:
	}
	close(p.release)
	for _, s := range running {
		assert.Contains(t, s.next(), "released")
		s.end()
	}
	assert.NoError(t, await(t, errs))
	assert.NoError(t, await(t, errs))
	assert.NoError(t, p.handler.Shutdown(t.Context()))
	assertNoGoroutines(t)
}

// When its context ends, so does Shutdown, and what is under way with it.
func TestShutdownInTime(t *testing.T) {
	p, idle, running := busyPlace(t)
	cause := context.DeadlineExceeded
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	assert.Equal(t, cause, p.handler.Shutdown(ctx))
	assertCut(t, p, idle, running)
}

// HTN-06, HTN-09: a request that the end of the handler cancels is answered: by 503 if
// nothing has been written, and otherwise by an error response that ends the stream.
func TestShutdownAnswersWhatItCuts(t *testing.T) {
	for name, isHTTP2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, Options{}, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
			quiet := make(chan struct{})
			p.registry.MustAdd(prompts.Prompt{Name: "quiet", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				close(quiet)
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			body, mirror := modernGet("wait")
			running := p.open(http.MethodPost, body, mirror)
			assert.Contains(t, running.next(), "progress")
			replies := make(chan reply, 1)
			body, mirror = modernGet("quiet")
			go func() { replies <- p.post(body, mirror) }()
			await(t, quiet)
			require.NoError(t, p.handler.Close())
			r := await(t, replies)
			assert.Equal(t, http.StatusServiceUnavailable, r.status)
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"server is shutting down"}}`, r.body)
			assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"server is shutting down"}}`, running.next())
			running.end()
			assert.Error(t, await(t, p.ended))
		})
	}
}

// Close does so at once.
func TestClose(t *testing.T) {
	p, idle, running := busyPlace(t)
	require.NoError(t, p.handler.Close())
	assertCut(t, p, idle, running)
	require.NoError(t, p.handler.Close())
}

func assertCut(t *testing.T, p *place, idle, running []*openStream) {
	t.Helper()
	for range running {
		assert.Error(t, await(t, p.ended))
	}
	for _, s := range running {
		assert.Contains(t, s.next(), "server is shutting down")
		s.end()
	}
	idle[0].end()
	p.http.Close()
	assertNoGoroutines(t)
}

// A client that goes leaves no goroutine, once the author's code has ended.
func TestGoneClients(t *testing.T) {
	p, idle, running := busyPlace(t)
	for _, s := range append(idle, running...) {
		s.cancel()
	}
	assert.Error(t, await(t, p.ended)) // the stateless one
	close(p.release)
	p.http.Close()
	assertNoGoroutines(t)
}
