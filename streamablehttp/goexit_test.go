package streamablehttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// The test looks at all goroutines, so it is not parallel.

// An author's code that ends its goroutine, which over HTTP/1 is that of the
// connection, ends no more than its request.
func TestGoexit(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		for _, progress := range []bool{false, true} {
			t.Run(map[bool]string{false: "HTTP/1", true: "HTTP/2"}[isHTTP2]+map[bool]string{false: " body", true: " events"}[progress], func(t *testing.T) {
				p := newPlace(t, Options{}, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
				p.registry.MustAdd(prompts.Prompt{Name: "goexit", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
					if progress {
						prompts.Progress(ctx, 1, 2, "begun")
					}
					runtime.Goexit()
					panic("unreachable")
				}})
				h := p.session("2025-11-25")
				modernGetBody, mirror := modernGet("goexit")
				for _, request := range []struct {
					body   string
					header header
				}{{modernGetBody, mirror}, {oldGet("1", "goexit"), h}} {
					response, err := p.http.Client().Do(p.request(http.MethodPost, request.body, request.header))
					require.NoError(t, err)
					got, err := io.ReadAll(response.Body)
					require.NoError(t, err)
					require.NoError(t, response.Body.Close())
					assert.Equal(t, http.StatusOK, response.StatusCode)
					assert.Contains(t, string(got), "-32603")
					if !isHTTP2 && !progress {
						assert.True(t, response.Close)
					}
					if !isHTTP2 { // the client may not know yet that the connection has ended
						p.http.Client().CloseIdleConnections()
					}
				}
				assert.Eventually(t, func() bool { return p.underWay() == 0 }, patience, time.Millisecond)
				assert.Equal(t, http.StatusOK, p.post(listBody, h).status)
				assert.NoError(t, p.handler.Shutdown(t.Context()))
				p.http.Close()
				assertNoGoroutines(t)
			})
		}
	}
}

// Nor does it when the request has been cancelled before.
func TestGoexitAfterCancellation(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(map[bool]string{false: "HTTP/1", true: "HTTP/2"}[isHTTP2], func(t *testing.T) {
			p := newPlace(t, Options{}, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
			p.registry.MustAdd(prompts.Prompt{Name: "goexit", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				p.started <- struct{}{}
				<-ctx.Done()
				runtime.Goexit()
				panic("unreachable")
			}})
			h := p.session("2025-11-25")
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				r := p.post(oldGet("1", "goexit"), h) // GAP-29
				assert.Equal(t, http.StatusOK, r.status)
				assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
			}()
			await(t, p.started)
			r := p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, h)
			assert.Equal(t, http.StatusAccepted, r.status)
			await(t, ended)
			p.http.Client().CloseIdleConnections()
			assert.Eventually(t, func() bool { return p.underWay() == 0 }, patience, time.Millisecond)
			assert.NoError(t, p.handler.Shutdown(t.Context()))
		})
	}
}
