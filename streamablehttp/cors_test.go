package streamablehttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a browser is told about pages of other origins: nothing but about those
// that are listed (GAP-35).
func TestCORS(t *testing.T) {
	t.Parallel()
	const app = "https://app.example.org"
	const extension = "chrome-extension://abcdefghijklmnop"
	none, listed := newPlace(t, Options{}), newPlace(t, Options{AllowedOrigins: []string{app, extension, "https://other.example.org"}})
	body, mirror := modernGet("text")
	shared := http.Header{"Access-Control-Allow-Origin": {app}, "Access-Control-Expose-Headers": {"Mcp-Session-Id"}, "Vary": {"Origin"}}
	vary := http.Header{"Vary": {"Origin"}}
	for _, test := range []struct {
		name         string
		place        *place
		method, body string
		header       header
		status       int
		want         http.Header // of those that are about origins
	}{
		{"none listed, no origin", none, "POST", body, mirror, 200, http.Header{}},
		{"none listed, own origin", none, "POST", body, mirror.with("Origin", none.http.URL), 200, http.Header{}},
		{"none listed, another origin", none, "POST", body, mirror.with("Origin", app), 403, http.Header{}},
		{"none listed, preflight of its own", none, "OPTIONS", "", header{"Origin": none.http.URL, "Access-Control-Request-Method": "POST"}, 405, http.Header{}},
		{"none listed, preflight", none, "OPTIONS", "", header{"Origin": app, "Access-Control-Request-Method": "POST"}, 403, http.Header{}},
		{"no origin", listed, "POST", body, mirror, 200, vary},
		{"own origin", listed, "POST", body, mirror.with("Origin", listed.http.URL), 200, vary},
		{"listed", listed, "POST", body, mirror.with("Origin", app), 200, shared},
		{"listed, in a session", listed, "POST", initializeBody("2025-11-25"), header{"Origin": app}, 200, shared},
		{"listed, at fault", listed, "POST", "{", mirror.with("Origin", app), 400, shared},
		{"listed, of a wrong type", listed, "POST", body, mirror.with("Origin", app, "Content-Type", "text/plain"), 415, shared},
		{"listed, of a method that there is not", listed, "PUT", body, mirror.with("Origin", app), 405, shared},
		{"unlisted", listed, "POST", body, mirror.with("Origin", "https://app.example.org.evil.example.org"), 403, http.Header{}},
		{"null", listed, "POST", body, mirror.with("Origin", "null"), 403, http.Header{}},
		{"two, listed", listed, "POST", body, mirror.with("Origin", app+"|https://other.example.org"), 403, http.Header{}},
		{"unlisted, preflight", listed, "OPTIONS", "", header{"Origin": "https://evil.example.org", "Access-Control-Request-Method": "POST"}, 403, http.Header{}},
		{"OPTIONS, no preflight", listed, "OPTIONS", "", header{"Origin": app}, 405, shared},
		{"OPTIONS of no origin", listed, "OPTIONS", "", header{"Access-Control-Request-Method": "POST"}, 405, vary},
		{"an extension", listed, "POST", body, mirror.with("Origin", extension), 200, http.Header{
			"Access-Control-Allow-Origin": {extension}, "Access-Control-Expose-Headers": {"Mcp-Session-Id"}, "Vary": {"Origin"},
		}},
		{"preflight of an extension", listed, "OPTIONS", "", header{"Origin": extension, "Access-Control-Request-Method": "DELETE"}, 204, http.Header{
			"Access-Control-Allow-Origin":  {extension},
			"Access-Control-Allow-Methods": {"GET, POST, DELETE"},
			"Access-Control-Max-Age":       {"7200"},
			"Vary":                         {"Origin", "Access-Control-Request-Headers"},
		}},
		{"preflight of another extension", listed, "OPTIONS", "", header{"Origin": extension + "x", "Access-Control-Request-Method": "POST"}, 403, http.Header{}},
		{"preflight without headers", listed, "OPTIONS", "", header{"Origin": app, "Access-Control-Request-Method": "GET"}, 204, http.Header{
			"Access-Control-Allow-Origin":  {app},
			"Access-Control-Allow-Methods": {"GET, POST, DELETE"},
			"Access-Control-Max-Age":       {"7200"},
			"Vary":                         {"Origin", "Access-Control-Request-Headers"},
		}},
		{"preflight", listed, "OPTIONS", "", header{"Origin": app, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,mcp-method,x-api-key"}, 204, http.Header{
			"Access-Control-Allow-Origin":  {app},
			"Access-Control-Allow-Methods": {"GET, POST, DELETE"},
			"Access-Control-Allow-Headers": {"content-type,mcp-method,x-api-key"},
			"Access-Control-Max-Age":       {"7200"},
			"Vary":                         {"Origin", "Access-Control-Request-Headers"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := test.place.send(test.method, test.body, test.header)
			assert.Equal(t, test.status, r.status, r.body)
			got := http.Header{}
			for name, values := range r.header {
				if name == "Vary" || strings.HasPrefix(name, "Access-Control-") {
					got[name] = values
				}
			}
			assert.Equal(t, test.want, got)
			if test.status == http.StatusNoContent {
				assert.Empty(t, r.body)
			}
		})
	}
}

// A preflight needs no room: it takes none away.
func TestPreflightOfBusy(t *testing.T) {
	t.Parallel()
	const app = "https://app.example.org"
	p := newPlace(t, Options{AllowedOrigins: []string{app}, MaxStreams: 1})
	p.open(http.MethodPost, modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`), modernHeader("subscriptions/listen", ""))
	r := p.send(http.MethodOptions, "", header{"Origin": app, "Access-Control-Request-Method": "POST"})
	assert.Equal(t, http.StatusNoContent, r.status)
	body, mirror := modernGet("text")
	r = p.post(body, mirror.with("Origin", app))
	assert.Equal(t, http.StatusServiceUnavailable, r.status)
	assert.Equal(t, app, r.header.Get("Access-Control-Allow-Origin"), "its page may know why")
}
