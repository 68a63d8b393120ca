package streamablehttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

const listBody = `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`

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
		{initializeBody("2025-11-25"), header{headerVersion: modern}, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: "2999-01-01"}, 200, 0},
		{initializeBody("2025-11-25"), header{headerVersion: modern + "|2999-01-01"}, 400, -32020},
		{modernBody("initialize", ""), modernHeader("initialize", ""), 404, -32601},
		{modernBody("initialize", ""), header{headerVersion: "2025-11-25"}, 400, -32020},
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
		{"all", listBody, h, 200, 0},
		{"no version", listBody, h.with(headerVersion, ""), 200, 0},
		{"another version", listBody, h.with(headerVersion, "2025-03-26"), 200, 0},
		{"unsupported version", listBody, h.with(headerVersion, "1999-01-01"), 400, -32600},
		{"no version at all", listBody, h.with(headerVersion, "zzz"), 400, -32600},
		{"modern version", listBody, h.with(headerVersion, modern), 400, -32602},
		{"version twice", listBody, h.with(headerVersion, "2025-06-18|2025-06-18"), 200, 0},
		{"two versions", listBody, h.with(headerVersion, "2025-06-18|2025-11-25"), 400, -32020},
		{"no session", listBody, h.with(headerSession, ""), 400, -32600},
		{"neither", listBody, nil, 400, -32600},
		{"notification of no session", initialized, nil, 400, -32600},
		{"response of no session", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600},
		{"unknown session", listBody, h.with(headerSession, id+"x"), 404, -32600},
		{"malformed session", listBody, h.with(headerSession, "ä ö"), 404, -32600},
		{"notification of an unknown session", initialized, h.with(headerSession, "x"), 404, -32600},
		{"session in another case", listBody, h.with(headerSession, "a"+id[1:]), 404, -32600},
		{"session twice", listBody, h.with(headerSession, id+"|"+id), 400, -32020},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"other"}`, h, 200, -32601},
		{"unknown prompt", oldGet("1", "no"), h, 200, -32602},
		{"second initialize", initializeBody("2025-06-18"), h, 200, -32600},
		{"not JSON", `{`, h, 400, -32700},
		{"no message", `{"jsonrpc":"2.0","id":1}`, h, 400, -32600},
		{"batch", `[` + listBody + `]`, h, 400, -32600},
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
		for _, body := range []string{`[]`, `[` + listBody + `,{"jsonrpc":"2.0","id":1,"result":{}}]`} {
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
			body = listBody
		}
		assert.Equal(t, http.StatusNotFound, p.send(method, body, h).status)
	}
	assert.Equal(t, http.StatusOK, p.post(listBody, other).status)
}

// HTO-29, GAP-29: a request whose session ends under it is told so, if it has
// been told nothing; else its stream ends.
func TestDeleteUnderRequest(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		t.Run(map[bool]string{false: "HTTP/1", true: "HTTP/2"}[isHTTP2], func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, Options{}, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
			h := p.session("2025-11-25")
			replies := make(chan reply, 1)
			go func() {
				replies <- p.post(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"wait"}}`, h)
			}()
			await(t, p.started)
			assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
			r := await(t, replies)
			assert.Equal(t, http.StatusNotFound, r.status)
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Equal(t, -32600, r.code(), r.body)
			assert.Contains(t, r.body, "session not found")

			h = p.session("2025-11-25")
			s := p.open(http.MethodPost, oldGet("1", "wait"), h)
			assert.Contains(t, s.next(), "progress")
			assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
			s.end()
		})
	}
}

type principalKey struct{}

// principalIn is a Principal for servers that authenticated has changed.
func principalIn(ctx context.Context) (string, error) {
	name, _ := ctx.Value(principalKey{}).(string)
	return name, nil
}

// authenticated takes the header User for who it is.
func authenticated(s *httptest.Server) {
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, r.Header.Get("User"))))
	})
}

// SEC-03: a session is its principal's.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	p := newPlaceOf(t, prompts.Options{Principal: principalIn}, Options{}, authenticated)
	r := p.post(initializeBody("2025-11-25"), header{"User": "a"})
	h := header{headerSession: r.header.Get(headerSession)}
	for _, user := range []string{"b", ""} {
		assert.Equal(t, http.StatusNotFound, p.post(listBody, h.with("User", user)).status)
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodGet, "", h.with("User", user)).status)
		assert.Equal(t, http.StatusNotFound, p.send(http.MethodDelete, "", h.with("User", user)).status)
	}
	assert.Equal(t, http.StatusOK, p.post(listBody, h.with("User", "a")).status)
}

// A session keeps its principal, and not the header that the principal was cut from.
func TestPrincipalIsACopy(t *testing.T) {
	t.Parallel()
	header := append(make([]byte, 0, 1<<20), "ada:secret"...)
	held := weak.Make(&header[0])
	h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{Principal: principalIn}), Options{})
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(initializeBody("2025-11-25")))
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithValue(t.Context(), principalKey{}, unsafe.String(&header[0], len("ada")))))
	require.Len(t, h.sessions.byID, 1)
	for _, s := range h.sessions.byID {
		assert.Equal(t, "ada", s.principal)
	}
	header = nil
	runtime.GC()
	assert.Nil(t, held.Value())
	runtime.KeepAlive(h)
}

// A panic of an author's function is that of its request.
func TestPrincipalPanics(t *testing.T) {
	t.Parallel()
	var once sync.Once
	p := newPlaceOf(t, prompts.Options{Principal: func(context.Context) (string, error) {
		once.Do(func() { panic(http.ErrAbortHandler) })
		return "", nil
	}}, Options{})
	_, err := p.http.Client().Do(p.request(http.MethodPost, initializeBody("2025-11-25"), nil))
	require.Error(t, err)
	p.session("2025-11-25")
}

// HTO-29: a session expires once nothing has been under way for the timeout.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{SessionTimeout: time.Minute, MaxSessions: 1})
		h := p.session("2025-11-25")
		stream := p.open(http.MethodGet, "", h)
		time.Sleep(time.Hour) // an open stream keeps it, however long
		assert.Equal(t, http.StatusOK, p.post(listBody, h).status)
		assert.Equal(t, http.StatusServiceUnavailable, p.post(initializeBody("2025-11-25"), nil).status)
		stream.cancel()
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, http.StatusNotFound, p.post(listBody, h).status)
		assert.Equal(t, http.StatusOK, p.post(initializeBody("2025-11-25"), nil).status)
	})
}

// One more session than there may be ends the one that is missed least; those
// that are in use stay.
func TestMaxSessions(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{MaxSessions: 3})
	isThere := func(h header) bool { return p.post(listBody, h).status == http.StatusOK }
	open := func() header {
		r := p.post(initializeBody("2025-11-25"), nil)
		require.Equal(t, http.StatusOK, r.status)
		return header{headerSession: r.header.Get(headerSession)}
	}
	used, unused := p.session("2025-11-25"), open()
	first := p.session("2025-11-25")
	stream := p.open(http.MethodGet, "", first)

	second := open()
	assert.Equal(t, http.StatusNotFound, p.post(listBody, unused).status, "the one that was never used")
	assert.True(t, isThere(used))
	assert.True(t, isThere(second))
	assert.True(t, isThere(used)) // again, so it has been idle for less long
	third := open()
	assert.Equal(t, http.StatusNotFound, p.post(listBody, second).status, "the one that was idle for longest")
	assert.True(t, isThere(used))
	streams := []*openStream{p.open(http.MethodGet, "", used), stream}
	p.open(http.MethodGet, "", third)

	r := p.post(initializeBody("2025-11-25"), nil)
	assert.Equal(t, http.StatusServiceUnavailable, r.status, "none is idle")
	assert.Equal(t, "1", r.header.Get("Retry-After"))
	assert.Contains(t, r.body, `"id":0`)
	assert.Empty(t, r.header.Get(headerSession))
	p.change("a")
	for _, s := range streams {
		assert.Equal(t, changed, s.next())
	}
	assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", first).status)
	stream.end()
	open()
}

// At the limit, clients that are connecting do not end each other's sessions: those that
// are idle make room, and then a client is told to retry. A handshake that does not go on
// makes room after 10 seconds, and at once if there are many.
func TestHandshakesAtMaxSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most, clients = 100, 20
		h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), Options{MaxSessions: most})
		defer h.Close()
		send := func(body, session string) (status int, id string) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if session != "" {
				r.Header.Set(headerSession, session)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code, w.Header().Get(headerSession)
		}
		var connected atomic.Int64
		connect := func() {
			status, id := send(initializeBody("2025-11-25"), "")
			if !assert.Equal(t, http.StatusOK, status) {
				return
			}
			time.Sleep(10 * time.Millisecond)
			if status, _ = send(initialized, id); assert.Equal(t, http.StatusAccepted, status) {
				connected.Add(1)
			}
		}
		for range most {
			connect()
		}
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range 20 {
					connect()
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, most+20*clients, connected.Load())

		_, abandoned := send(initializeBody("2025-11-25"), "")
		time.Sleep(handshakeTime)
		_, fresh := send(initializeBody("2025-11-25"), "")
		assert.False(t, h.sessions.has(abandoned, ""), "a handshake without an end makes room first")
		for range most/4 - 1 {
			send(initializeBody("2025-11-25"), "")
		}
		assert.True(t, h.sessions.has(fresh, ""))
		send(initializeBody("2025-11-25"), "")
		assert.False(t, h.sessions.has(fresh, ""), "the oldest of too many handshakes")
	})
}

// An initialize that is refused leaves no session.
func TestInitializeRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}`,
	} {
		r := p.post(body, nil)
		assert.Equal(t, -32602, r.code(), r.body)
		assert.Empty(t, r.header.Get(headerSession))
	}
	assert.Eventually(t, func() bool {
		p.handler.sessions.mu.Lock()
		defer p.handler.sessions.mu.Unlock()
		return len(p.handler.sessions.byID) == 0 && p.handler.sessions.unused.Len()+p.handler.sessions.used.Len() == 0
	}, patience, time.Millisecond)
}

// Neither does it leave what the session has had of the server.
func TestInitializeRefusedCloses(t *testing.T) {
	t.Parallel()
	h := MustNewHandler(reviewServer(), Options{})
	defer h.Close()
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	w := &recorder{}
	x := &exchange{handler: h, request: r, stream: newStream(w, r, &h.options), header: w.Header()}
	opened, refused := x.find(transport.RequestInfo{Method: "initialize", Request: true})
	require.Nil(t, refused)
	initialize := func() (code transport.Code) {
		require.NoError(t, opened.Handle(t.Context(), []byte(initializeBody("2025-11-25")), transport.Exchange{Send: func(_ []byte, c transport.Code, _ bool) error {
			code = c
			return nil
		}}))
		return code
	}
	require.Zero(t, initialize())
	assert.False(t, x.session.isClosed(t))
	x.end() // without an answer that has opened it
	assert.True(t, x.session.isClosed(t))
	assert.False(t, h.sessions.has(x.session.id, ""))
}

// A request whose principal is an error reaches no session, and no method.
func TestPrincipalWithAnError(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{
		Logger:    slog.New(slog.NewTextHandler(&log, nil)),
		Principal: func(context.Context) (string, error) { return "ada", errors.New("a secret") },
	}), Options{})
	t.Cleanup(func() { _ = h.Close() })
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		log.Reset()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "http://localhost/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)))
		assert.Equal(t, http.StatusInternalServerError, w.Code, method)
		assert.NotContains(t, w.Body.String(), "secret", method)
		_, id, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(w.Body.String()), ")"), "error id ")
		assert.NotEmpty(t, id, method)
		assert.Contains(t, log.String(), `msg="cannot identify client" error="Options.Principal: a secret" error_id=`+id, method)
	}
}
