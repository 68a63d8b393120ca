package streamablehttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// The tests of this file look at all goroutines, so they are not parallel.

// Of ten thousand streams as many are open as may be, at any one time; each of
// the others is told why it is not, and nothing is left of any.
func TestRoom(t *testing.T) {
	const most, all = 500, 10_000
	registry := new(prompts.Registry)
	h := MustNewHandler(prompts.MustNewServer(registry, prompts.Options{}), Options{MaxStreams: most})
	body := modernBody("subscriptions/listen", listenAll)
	open := func(ctx context.Context) *recorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for name, value := range modernHeader("subscriptions/listen", "") {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := &recorder{}
		h.ServeHTTP(w, r)
		return w
	}
	for range 2 { // the second time there is room again
		ctx, cancel := context.WithCancel(t.Context())
		replies := make(chan *recorder, all)
		var running sync.WaitGroup
		for range all {
			running.Go(func() { replies <- open(ctx) })
		}
		for range all - most {
			w := await(t, replies)
			require.Equal(t, http.StatusServiceUnavailable, w.status)
			w.Flush()
			assert.Contains(t, w.take(), "at capacity")
		}
		h.mu.Lock()
		assert.Equal(t, most, h.running)
		h.mu.Unlock()
		select {
		case w := <-replies:
			require.Fail(t, "it has ended", "%d", w.status)
		default:
		}
		cancel()
		running.Wait()
		assert.Len(t, replies, most)
		for range most {
			w := <-replies
			assert.Equal(t, http.StatusOK, w.status)
			assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
		}
		h.mu.Lock()
		assert.Zero(t, h.running)
		h.mu.Unlock()
	}
	require.NoError(t, h.Close())
	assertNoGoroutines(t)
}

// They all hear of a change, and all get their result.
func TestRoomIsServed(t *testing.T) {
	const most = 500
	p := newPlace(t, Options{MaxStreams: most})
	var ended sync.WaitGroup
	writers := make([]*recorder, most)
	for i := range writers {
		writers[i] = &recorder{}
		r := p.request(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
		ended.Go(func() { p.handler.ServeHTTP(writers[i], r) })
	}
	heard := func(what string) {
		t.Helper()
		for _, w := range writers {
			got := ""
			require.Eventually(t, func() bool {
				got += w.take()
				return strings.Contains(got, what)
			}, patience, time.Millisecond)
		}
	}
	heard("acknowledged")
	p.change("a")
	heard("list_changed")
	require.NoError(t, p.handler.Shutdown(t.Context()))
	ended.Wait()
	heard(`"result"`)
	p.http.Close()
	assertNoGoroutines(t)
}
