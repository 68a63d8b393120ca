package streamablehttp

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// A body may have as many bytes as the server's messages, whether it says so
// beforehand or not.
func TestBodyBound(t *testing.T) {
	t.Parallel()
	const bound = 1000
	p := newPlaceOf(t, prompts.Options{Limits: prompts.Limits{MaxMessageBytes: bound}}, Options{})
	body, mirror := modernGet("text")
	for _, test := range []struct {
		name   string
		size   int
		status int
	}{
		{"less", bound - 1, 200},
		{"all", bound, 200},
		{"one more", bound + 1, 413},
		{"a lot", 1 << 20, 413},
	} {
		for _, isChunked := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				r := p.request(http.MethodPost, body+strings.Repeat(" ", test.size-len(body)), mirror)
				if isChunked {
					r.Body, r.ContentLength = io.NopCloser(r.Body), -1
				}
				got := p.do(r)
				assert.Equal(t, test.status, got.status, got.body)
				assert.Equal(t, test.status == 200, strings.Contains(got.body, `"result"`), got.body)
			})
		}
	}
}

// GAP-33: a header Accept that says nothing rules nothing out.
func TestEmptyAccept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	body, mirror := modernGet("progress")
	listenBody, listenMirror := modernBody("subscriptions/listen", `"notifications":{},`), modernHeader("subscriptions/listen", "")
	for _, values := range [][]string{{""}, {"", ""}} {
		r := p.request(http.MethodPost, body, mirror)
		r.Header["Accept"] = values
		got := p.do(r)
		assert.Equal(t, http.StatusOK, got.status, got.body)
		assert.Len(t, got.events(), 2, got.body)

		r = p.request(http.MethodPost, listenBody, listenMirror)
		r.Header["Accept"] = values
		assert.Len(t, p.do(r).events(), 2)

		r = p.request(http.MethodGet, "", h)
		r.Header["Accept"] = values
		response, err := p.http.Client().Do(r)
		if assert.NoError(t, err) {
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.NoError(t, response.Body.Close())
		}
	}
}

// GAP-33: what of a header Accept counts.
func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values       []string
		json, events bool
	}{
		{nil, true, true},
		{[]string{}, true, true},
		{[]string{""}, true, true},
		{[]string{"", ""}, true, true},
		{[]string{"", "text/html"}, false, false},
		{[]string{","}, false, false},
		{[]string{"rubbish;;"}, false, false},
		{[]string{"rubbish;;", "application/json"}, true, false},
		{[]string{"APPLICATION/JSON"}, true, false},
		{[]string{"application/json;q=0.001"}, true, false},
		{[]string{"application/json;q=0.000"}, false, false},
		{[]string{"*/*;q=0, application/json"}, true, false},
		{[]string{"application/json, */*;q=0"}, true, false},
		{[]string{"application/*;q=0, */*"}, false, true},
		{[]string{"text/*"}, false, true},
		{[]string{"application/json;q=0, application/json"}, true, false},
		{[]string{"application/json, application/json;q=0"}, true, false},
		{[]string{"application/json-seq"}, false, false},
	} {
		h := http.Header{}
		if test.values != nil {
			h["Accept"] = test.values
		}
		assert.Equal(t, test.json, accepts(h, "application/json"), "%q", test.values)
		assert.Equal(t, test.events, accepts(h, "text/event-stream"), "%q", test.values)
	}
}

// The author's mux says which paths there are.
func TestPath(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", p.handler)
	p.http.Config.Handler = mux
	for path, status := range map[string]int{"/mcp": 200, "/mcp?a=b": 200, "": 404, "/": 404, "/mcp/": 404, "/mcp/x": 404, "/MCP": 404, "/other": 404} {
		body, mirror := modernGet("text")
		r := p.request(http.MethodPost, body, mirror)
		u, err := r.URL.Parse(path)
		if assert.NoError(t, err) {
			r.URL = u
			assert.Equal(t, status, p.do(r).status, path)
		}
	}
}

// What a client sends and what it then gets to see of it cannot be taken for a
// page by a browser.
func TestNothingToSniff(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{AllowedOrigins: []string{"https://app.example.org"}})
	const script = "<script>alert(1)</script>"
	h := p.session("2025-11-25")
	body, mirror := modernGet("text")
	for _, test := range []struct {
		name, method, body string
		header             header
		status             int
	}{
		{"method", "POST", modernBody(script, ""), modernHeader(script, ""), 404},
		{"method of a session", "POST", `{"jsonrpc":"2.0","id":1,"method":"` + script + `"}`, h, 200},
		{"method of a notification", "POST", `{"jsonrpc":"1.0","method":"` + script + `"}`, h, 400},
		{"id", "POST", `{"jsonrpc":"1.0","id":"` + script + `","method":"m"}`, h, 400},
		{"member", "POST", `{"jsonrpc":"2.0","id":1,"method":"m","Params":"` + script + `"}`, h, 400},
		{"member in another case of a notification", "POST", `{"jsonrpc":"2.0","METHOD":"` + script + `","method":"m"}`, h, 400},
		{"a member twice", "POST", `{"jsonrpc":"2.0","method":"m","` + script + `":1,"` + script + `":1}`, h, 400},
		{"no JSON", "POST", script, mirror, 400},
		{"prompt", "POST", modernBody("prompts/get", `"name":"`+script+`",`), modernHeader("prompts/get", script), 200},
		{"version", "POST", modernBody("prompts/get", ""), mirror.with(headerVersion, script), 400},
		{"version of both", "POST", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{` + versionMember + `"` + script + `"}}}`, header{headerVersion: script}, 400},
		{"version of a session", "POST", listBody, h.with(headerVersion, script), 400},
		{"mirrored method", "POST", body, mirror.with(headerMethod, script), 400},
		{"mirrored name", "POST", body, mirror.with(headerName, script), 400},
		{"session", "POST", listBody, h.with(headerSession, script), 404},
		{"session of a notification", "POST", initialized, h.with(headerSession, script), 404},
		{"session of a stream", "GET", "", h.with(headerSession, script), 404},
		{"version of a stream", "GET", "", h.with(headerVersion, script), 400},
		{"session to end", "DELETE", "", h.with(headerSession, script), 404},
		{"no session", "DELETE", "", nil, 400},
		{"origin", "POST", body, mirror.with("Origin", "https://"+script), 403},
		{"host", "POST", body, mirror.with("Host", "script.example.org"), 403},
		{"type", "POST", body, mirror.with("Content-Type", script), 415},
		{"accepted type", "POST", body, mirror.with("Accept", script), 406},
		{"accepted by a stream", "GET", "", h.with("Accept", script), 406},
		{"HTTP method", "SCRIPT", body, mirror, 405},
		{"too large", "POST", script + strings.Repeat(" ", 4<<20), mirror, 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := p.send(test.method, test.body, test.header)
			assert.Equal(t, test.status, r.status, r.body)
			assert.NotEmpty(t, r.body)
			if r.header.Get("Content-Type") != "application/json" {
				assert.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
				assert.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
				assert.NotContains(t, r.body, "cript", "it is reflected")
			}
			for name, values := range r.header {
				assert.NotContains(t, strings.Join(values, ""), "script", name)
			}
		})
	}
}
