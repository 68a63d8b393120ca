package streamablehttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// listening opens a stream for a client at an address, and returns what it has
// been told.
func listening(ctx context.Context, t *testing.T, h *Handler, principal, addr string) *recorder {
	t.Helper()
	ctx = context.WithValue(ctx, principalKey{}, principal)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(modernBody("subscriptions/listen", listenAll)))
	require.NoError(t, err)
	r.RemoteAddr = addr
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(headerVersion, modern)
	r.Header.Set(headerMethod, "subscriptions/listen")
	w := &recorder{}
	go h.ServeHTTP(w, r) // ends with ctx
	synctest.Wait()
	return w
}

// A client has no more requests under way than one may have, by its principal if
// it has one and by its address if not, and takes nothing from the others.
func TestMaxStreamsPerClient(t *testing.T) {
	t.Parallel()
	type from struct{ principal, addr string }
	for _, test := range []struct {
		name   string
		first  from // has as many as it may
		next   from
		isFull bool
	}{
		{"the same address", from{"", "192.0.2.1:1"}, from{"", "192.0.2.1:2"}, true},
		{"the same in IPv6", from{"", "192.0.2.1:1"}, from{"", "[::ffff:192.0.2.1]:1"}, true},
		{"another address", from{"", "192.0.2.1:1"}, from{"", "192.0.2.2:1"}, false},
		{"the same network", from{"", "[2001:db8:1:2::1]:1"}, from{"", "[2001:db8:1:2:ffff::1]:1"}, true},
		{"another network", from{"", "[2001:db8:1:2::1]:1"}, from{"", "[2001:db8:1:3::1]:1"}, false},
		{"the same principal", from{"ada", "192.0.2.1:1"}, from{"ada", "192.0.2.1:1"}, true},
		{"the same principal elsewhere", from{"ada", "192.0.2.1:1"}, from{"ada", "192.0.2.2:1"}, true},
		{"another principal", from{"ada", "192.0.2.1:1"}, from{"eve", "192.0.2.1:1"}, false},
		{"no principal", from{"ada", "192.0.2.1:1"}, from{"", "192.0.2.1:1"}, false},
		{"a principal called as an address", from{"", "192.0.2.1:1"}, from{"192.0.2.1", "192.0.2.2:1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{Principal: principalIn}), Options{MaxStreamsPerClient: 3})
				defer h.Close()
				ctx, cancel := context.WithCancel(t.Context())
				one, end := context.WithCancel(ctx)
				defer end()
				assert.Equal(t, http.StatusOK, listening(one, t, h, test.first.principal, test.first.addr).status)
				for range 2 {
					assert.Equal(t, http.StatusOK, listening(ctx, t, h, test.first.principal, test.first.addr).status)
				}
				next := listening(ctx, t, h, test.next.principal, test.next.addr)
				if !test.isFull {
					assert.Equal(t, http.StatusOK, next.status)
				} else {
					assert.Equal(t, http.StatusServiceUnavailable, next.status)
					assert.Equal(t, "1", next.Header().Get("Retry-After"))
					next.Flush()
					assert.Contains(t, next.take(), "from this client (limit 3)")
					end()
					synctest.Wait()
					assert.Equal(t, http.StatusOK, listening(ctx, t, h, test.next.principal, test.next.addr).status, "there is room again")
				}
				cancel()
				synctest.Wait()
				h.mu.Lock()
				defer h.mu.Unlock()
				assert.Empty(t, h.clients)
			})
		})
	}
}

func TestMaxStreamsPerClientDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ all, each, want int }{
		{0, 0, 5000}, {8000, 0, 2000}, {4000, 0, 1000}, {1000, 0, 1000}, {10, 0, 1000}, {0, 7, 7}, {10, 20, 20},
	} {
		assert.Equal(t, test.want, must(Options{MaxStreams: test.all, MaxStreamsPerClient: test.each}.withDefaults()).MaxStreamsPerClient, test)
	}
}

// One client cannot end the sessions of another one, however many it opens.
func TestMaxSessionsPerClient(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{"of all": {MaxSessions: 8}, "of one": {MaxSessions: 8, MaxSessionsPerClient: 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, o, from)
			open := func(addr string) header {
				r := p.post(initializeBody("2025-11-25"), header{fromHeader: addr})
				require.Equal(t, http.StatusOK, r.status)
				h := header{headerSession: r.header.Get(headerSession), fromHeader: addr}
				require.Equal(t, http.StatusAccepted, p.post(initialized, h).status)
				return h
			}
			other := open("192.0.2.1:1")
			first := open("192.0.2.2:1")
			for range 20 {
				open("192.0.2.2:2")
			}
			assert.Equal(t, http.StatusOK, p.post(listBody, other).status)
			assert.Equal(t, http.StatusNotFound, p.post(listBody, first).status, "its own made room")
		})
	}
}

// A client none of whose sessions is idle gets no more of them, and others do.
func TestMaxSessionsPerClientRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{MaxSessionsPerClient: 1}, from)
	one := header{fromHeader: "192.0.2.1:1"}
	h := p.post(initializeBody("2025-11-25"), one).header.Get(headerSession)
	p.open(http.MethodGet, "", one.with(headerSession, h))
	r := p.post(initializeBody("2025-11-25"), one)
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Equal(t, "1", r.header.Get("Retry-After"))
	assert.Contains(t, r.body, "too many open sessions (limit ")
	assert.Equal(t, http.StatusOK, p.post(initializeBody("2025-11-25"), header{fromHeader: "192.0.2.2:1"}).status)
	assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", one.with(headerSession, h)).status)
	assert.Equal(t, http.StatusOK, p.post(initializeBody("2025-11-25"), one).status, "there is room again")
}

// fromHeader says where a request is from, for from.
const fromHeader = "X-From"

// from is what a proxy does that says where a request is from.
func from(s *httptest.Server) {
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = r.Header.Get(fromHeader)
		inner.ServeHTTP(w, r)
	})
}

func TestMaxSessionsPerClientDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ all, each, want int }{
		{0, 0, 2500}, {8000, 0, 2000}, {400, 0, 100}, {100, 0, 100}, {8, 0, 8}, {0, 7, 7}, {10, 20, 20},
	} {
		assert.Equal(t, test.want, must(Options{MaxSessions: test.all, MaxSessionsPerClient: test.each}.withDefaults()).MaxSessionsPerClient, test)
	}
}
