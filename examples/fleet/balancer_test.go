package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// behind returns the URL of a balancer in front of an address where nobody
// listens, and two with the handler.
func behind(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	hosts := []string{freeAddress(t)}
	for range 2 {
		mux := http.NewServeMux()
		mux.Handle("/", h)
		mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
		replica := httptest.NewServer(mux)
		t.Cleanup(replica.Close)
		hosts = append(hosts, replica.Listener.Addr().String())
	}
	web := httptest.NewServer(newBalancer(t.Context(), hosts...))
	t.Cleanup(web.Close)
	return web.URL
}

// Only what no replica can have seen is sent again.
func TestBalancerSendsOnce(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	url := behind(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		seen.Add(1)
		panic(http.ErrAbortHandler)
	})
	const n = 4
	for range n {
		response, err := http.Post(url, "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadGateway, response.StatusCode)
		assert.NoError(t, response.Body.Close())
	}
	assert.EqualValues(t, n, seen.Load())
}

// A request that a replica refuses because it shuts down goes to another one.
func TestBalancerOfAReplicaThatShutsDown(t *testing.T) {
	t.Parallel()
	var refused atomic.Bool
	url := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		if refused.CompareAndSwap(false, true) {
			http.Error(w, "server is shutting down", http.StatusServiceUnavailable)
		}
	})
	for range 3 {
		response, err := http.Post(url, "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, response.StatusCode)
		assert.NoError(t, response.Body.Close())
	}
	assert.True(t, refused.Load())
}

// A subscription that its replica ends or rejects for what it is does not go on.
func TestBalancerEndsStreams(t *testing.T) {
	t.Parallel()
	s := start(t, 2, nil)
	c := newClient(t, s.url)
	for params, want := range map[string]string{
		`"notifications":{"toolsListChanged":true},`: `"resultType":"complete"`,
		`"notifications":1,`:                         `"code":-32602`,
	} {
		response, err := c.send(t.Context(), "subscriptions/listen", "", params)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		assert.NoError(t, err)
		assert.NoError(t, response.Body.Close())
		assert.Contains(t, string(text), want)
	}
}

// A replica that is stopped takes connections, as the kernel does for it, and
// answers nothing. The request that meets it ends in time, and later ones go to
// others.
func TestBalancerOfAStoppedReplica(t *testing.T) {
	t.Parallel()
	stopped, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer stopped.Close()
	s := start(t, 1, map[string]string{"a.md": "a"})
	b := newBalancer(t.Context(), stopped.Addr().String(), s.fleet[0].host)
	b.base.ResponseHeaderTimeout = 2 * time.Second // in which the other replica answers
	web := httptest.NewServer(b)
	defer web.Close()
	c := newClient(t, web.URL+"/mcp")
	failed := 0
	for range b.targets { // before the balancer has noticed
		if _, err := c.try(t.Context(), "prompts/list", "", ""); err != nil {
			failed++
			assert.ErrorContains(t, err, "502 Bad Gateway: no replica answered")
		}
	}
	assert.Equal(t, 1, failed)
	select {
	case <-b.targets[0].context().Done():
	case <-time.After(long):
		require.Fail(t, "the balancer has not noticed")
	}
	for range 4 {
		_, err := c.try(t.Context(), "prompts/list", "", "")
		assert.NoError(t, err)
	}
}

// A client that goes ends its request at the replica, and a stream that breaks
// there does not look as if it had ended.
func TestBalancerStreams(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 1)
	url := behind(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, ": begun\n")
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	open := func(path string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path, strings.NewReader("{}"))
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, err = io.ReadFull(response.Body, make([]byte, len(": begun\n"))) // at once
		require.NoError(t, err)
		return response
	}
	broken := open("/broken")
	_, err := io.ReadAll(broken.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NoError(t, broken.Body.Close())
	assert.NoError(t, open("/").Body.Close())
	select {
	case <-gone:
	case <-ctx.Done():
		t.Error("the replica has not learned that the client has gone")
	}
}

// A subscription that breaks before its acknowledgement is opened at another replica,
// and the client gets one acknowledgement.
func TestBalancerOfACutSubscription(t *testing.T) {
	t.Parallel()
	var streams atomic.Int32
	url := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		if streams.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "data: {\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{}}\n\ndata: {\"id\":1,\"result\":{}}\n\n")
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	require.NoError(t, err)
	r.Header.Set("Mcp-Method", "subscriptions/listen")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(body), "subscriptions/acknowledged"))
	assert.NotContains(t, string(body), "list_changed")
	assert.EqualValues(t, 2, streams.Load())
}

// A replica that is ending keeps its streams until it ends them itself.
func TestBalancerOfAReplicaThatIsEnding(t *testing.T) {
	t.Parallel()
	isEnding := make(chan struct{})
	var checks, streams atomic.Int32
	replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/healthz":
			w.WriteHeader(http.StatusServiceUnavailable)
			if checks.Add(1) == 2 { // the balancer has read the first response
				close(isEnding)
			}
		case streams.Add(1) > 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"notifications\":{\"promptsListChanged\":true}}}\n\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-isEnding:
			case <-r.Context().Done():
			}
			_, _ = io.WriteString(w, "data: {\"id\":1,\"result\":{}}\n\n")
		}
	}))
	t.Cleanup(replica.Close)
	web := httptest.NewServer(newBalancer(t.Context(), replica.Listener.Addr().String()))
	t.Cleanup(web.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	r.Header.Set("Mcp-Method", "subscriptions/listen")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	assert.NoError(t, err)
	assert.Contains(t, string(body), `"result"`)
}

// A replica that has restarted since the last check takes a subscription.
func TestBalancerOfReplicasThatAreBack(t *testing.T) {
	t.Parallel()
	s := start(t, 2, nil)
	cs := newClients(t, s.url)
	cs.add("plain client", listenPlain)
	for _, target := range s.balancer.targets {
		target.set(false, false) // the stream ends with its replica
	}
	s.put("a.md", "a")
	cs.wait([]string{"a", "announce"})
}

func TestBalancerBodies(t *testing.T) {
	t.Parallel()
	url := behind(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		assert.NoError(t, err)
		assert.EqualValues(t, maxBody, n)
	})
	for size, status := range map[int]int{maxBody: http.StatusOK, maxBody + 1: http.StatusRequestEntityTooLarge} {
		response, err := http.Post(url, "text/plain", strings.NewReader(strings.Repeat("a", size)))
		require.NoError(t, err)
		assert.Equal(t, status, response.StatusCode)
		assert.NoError(t, response.Body.Close())
	}
	// The fault of a client is not put down to the replicas.
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("{"), failing{}))
	w := httptest.NewRecorder()
	newBalancer(t.Context(), freeAddress(t)).ServeHTTP(w, r)
	assert.Equal(t, http.StatusBadRequest, w.Code)
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("cut off") }

// GAP-35: a page whose name has been made to be this machine's is refused behind
// the balancer as it is without.
func TestHosts(t *testing.T) {
	t.Parallel()
	s := start(t, 1, nil)
	ping := func(host, origin string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	assert.Equal(t, http.StatusOK, ping("", ""))
	assert.Equal(t, http.StatusForbidden, ping("evil.example", ""))
	assert.Equal(t, http.StatusForbidden, ping("evil.example", "http://evil.example"))

	s.stop()
	s.settings.hosts = []string{"prompts.example.org"}
	f, err := startFleet(t.Context(), 1, s.settings)
	require.NoError(t, err)
	s.fleet = f
	web := httptest.NewServer(newBalancer(t.Context(), f.hosts()...))
	t.Cleanup(web.Close)
	s.url = web.URL + "/mcp"
	assert.Equal(t, http.StatusOK, ping("prompts.example.org", "http://prompts.example.org"))
	assert.Equal(t, http.StatusForbidden, ping("evil.example", "http://evil.example"))
}
