package streamablehttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const list = `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`

// HTO-25 to HTO-27, SEC-03, CPT-08, GAP-03, GAP-36: initialize opens a session,
// an error does not.
func TestInitialize(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	seen := map[string]bool{}
	for _, test := range []struct {
		body   string
		header header
		status int
		code   int
	}{
		{initializeBody("2025-03-26"), nil, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: "2025-11-25"}, 200, 0},
		{initializeBody("2026-07-28"), nil, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: "1999-01-01"}, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: "rubbish"}, 200, 0},
		{initializeBody("2025-11-25"), header{"Accept": "text/event-stream"}, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: modern}, 400, -32602},
		{initializeBody("2025-11-25"), header{headerVersion: "2999-01-01"}, 400, -32602},
		{initializeBody("2025-11-25"), header{headerVersion: "2025-11-25|2025-11-25"}, 400, -32020},
		{initializeBody("2025-11-25"), header{headerSession: "unknown"}, 404, -32600},
		{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, nil, 200, -32602},
		{`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, nil, 200, -32602},
		{`[` + initializeBody("2025-03-26") + `]`, nil, 400, -32600},
	} {
		r := p.post(test.body, test.header)
		assert.Equal(t, test.status, r.status, r.body)
		assert.Equal(t, test.code, r.code(), r.body)
		if id := r.header.Get(headerSession); test.code == 0 {
			assert.Regexp(t, regexp.MustCompile(`^[!-~]{40,}$`), id)
			assert.False(t, seen[id])
			seen[id] = true
		} else {
			assert.Empty(t, id)
		}
	}
}

// HTO-09, HTO-28, HTO-29, HTO-32, GAP-07, GAP-12, GAP-36: what a request in a session
// has to say, and what its errors are.
func TestSessionFaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-06-18")
	id := h[headerSession]
	for _, test := range []struct {
		name   string
		body   string
		header header
		status int
		code   int
	}{
		{"all", list, h, 200, 0},
		{"no version", list, h.with(headerVersion, ""), 200, 0},
		{"another version", list, h.with(headerVersion, "2025-03-26"), 200, 0},
		{"unsupported version", list, h.with(headerVersion, "1999-01-01"), 400, -32600},
		{"no version at all", list, h.with(headerVersion, "zzz"), 400, -32600},
		{"modern version", list, h.with(headerVersion, modern), 400, -32602},
		{"version twice", list, h.with(headerVersion, "2025-06-18|2025-06-18"), 400, -32020},
		{"no session", list, h.with(headerSession, ""), 400, -32600},
		{"neither", list, nil, 400, -32600},
		{"notification of no session", initialized, nil, 400, -32600},
		{"response of no session", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600},
		{"unknown session", list, h.with(headerSession, id+"x"), 404, -32600},
		{"malformed session", list, h.with(headerSession, "ä ö"), 404, -32600},
		{"notification of an unknown session", initialized, h.with(headerSession, "x"), 404, -32600},
		{"session in another case", list, h.with(headerSession, "a"+id[1:]), 404, -32600},
		{"session twice", list, h.with(headerSession, id+"|"+id), 400, -32020},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"other"}`, h, 200, -32601},
		{"unknown prompt", oldGet("1", "no"), h, 200, -32602},
		{"second initialize", initializeBody("2025-06-18"), h, 200, -32600},
		{"not JSON", `{`, h, 400, -32700},
		{"no message", `{"jsonrpc":"2.0","id":1}`, h, 400, -32600},
		{"batch", `[` + list + `]`, h, 400, -32600},
		{"response", `{"jsonrpc":"2.0","id":"unknown","result":{}}`, h, 202, 0},
		{"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, h, 202, 0},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/other"}`, h, 202, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := p.post(test.body, test.header)
			assert.Equal(t, test.status, r.status, r.body)
			assert.Equal(t, test.code, r.code(), r.body)
			if test.status == http.StatusAccepted { // HTO-08, GAP-32
				assert.Empty(t, r.body)
			}
		})
	}
}

// HTO-06, HTO-07, GAP-15: batches are of one revision.
func TestBatch(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		h := p.session(version)
		r := p.post(`[`+oldGet("1", "text")+`,`+initialized+`,`+oldGet("2", "no")+`]`, h)
		if version != "2025-03-26" {
			assert.Equal(t, http.StatusBadRequest, r.status, r.body)
			assert.Equal(t, -32600, r.code())
			continue
		}
		assert.Equal(t, http.StatusOK, r.status, r.body)
		assert.Regexp(t, `^\[\{.*"id":[12],.*\},\{.*"id":[12],.*\}\]$`, r.body)
		assert.Equal(t, http.StatusAccepted, p.post(`[`+initialized+`]`, h).status)
		assert.Equal(t, http.StatusAccepted, p.post(`[{"jsonrpc":"2.0","id":1,"result":{}}]`, h).status)
		for _, body := range []string{`[]`, `[` + list + `,{"jsonrpc":"2.0","id":1,"result":{}}]`} {
			r := p.post(body, h)
			assert.Equal(t, http.StatusBadRequest, r.status, r.body)
			assert.Equal(t, -32600, r.code())
		}
	}
}

// HTO-17, HTO-29, HTO-30: DELETE ends a session, and its stream and requests with it.
func TestDelete(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h, other := p.session("2025-11-25"), p.session("2025-11-25")
	stream := p.open(http.MethodGet, "", h)
	request := p.open(http.MethodPost, oldGet("1", "wait"), h)
	await(t, p.started)
	assert.Contains(t, request.next(), "progress")
	r := p.send(http.MethodDelete, "", h)
	assert.Equal(t, http.StatusNoContent, r.status)
	assert.Error(t, await(t, p.ended))
	stream.end()
	request.end()
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		body := ""
		if method == http.MethodPost {
			body = list
		}
		assert.Equal(t, http.StatusNotFound, p.send(method, body, h).status)
	}
	assert.Equal(t, http.StatusOK, p.post(list, other).status)
}

type principalKey struct{}

// SEC-03: a session is its principal's.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{Principal: func(ctx context.Context) string { return ctx.Value(principalKey{}).(string) }}, func(s *httptest.Server) {
		inner := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, r.Header.Get("User"))))
		})
	})
	r := p.post(initializeBody("2025-11-25"), header{"User": "a"})
	h := header{headerSession: r.header.Get(headerSession)}
	for _, user := range []string{"b", ""} {
		assert.Equal(t, http.StatusNotFound, p.post(list, h.with("User", user)).status)
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodGet, "", h.with("User", user)).status)
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodDelete, "", h.with("User", user)).status)
	}
	assert.Equal(t, http.StatusOK, p.post(list, h.with("User", "a")).status)
}

// A panic of an author's function is that of its request.
func TestPrincipalPanics(t *testing.T) {
	t.Parallel()
	var once sync.Once
	p := newPlace(t, Options{Principal: func(context.Context) string {
		once.Do(func() { panic(http.ErrAbortHandler) })
		return ""
	}})
	_, err := p.http.Client().Do(p.request(http.MethodPost, initializeBody("2025-11-25"), nil))
	require.Error(t, err)
	p.session("2025-11-25")
}

// HTO-29: a session expires once nothing has been under way for the timeout.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{SessionTimeout: 100 * time.Millisecond, MaxSessions: 1})
	h := p.session("2025-11-25")
	stream := p.open(http.MethodGet, "", h)
	time.Sleep(300 * time.Millisecond) // an open stream keeps it, however long
	assert.Equal(t, http.StatusOK, p.post(list, h).status)
	assert.Equal(t, http.StatusServiceUnavailable, p.post(initializeBody("2025-11-25"), nil).status)
	stream.cancel()
	// Its place is free again, which looks at it without using it.
	require.Eventually(t, func() bool { return p.post(initializeBody("2025-11-25"), nil).status == http.StatusOK }, patience, 10*time.Millisecond)
	assert.Equal(t, http.StatusNotFound, p.post(list, h).status)
}

// What is refused takes no place: neither of the sessions nor, by a timer, of
// the memory.
func TestMaxSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{MaxSessions: 2})
	first, _ := p.session("2025-11-25"), p.session("2025-11-25")
	r := p.post(initializeBody("2025-11-25"), nil)
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Empty(t, r.header.Get(headerSession))
	assert.Equal(t, http.StatusOK, p.post(list, first).status)
	body, mirror := modernGet("text")
	assert.Equal(t, http.StatusOK, p.post(body, mirror).status)
	assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", first).status)
	assert.Equal(t, -32602, p.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, nil).code())
	p.session("2025-11-25")
}
