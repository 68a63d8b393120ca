package streamablehttp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// GAP-33, GAP-34, HTN-01, HTO-02: what is wrong with a request before its body
// is looked at.
func TestRefuseRequest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	body, mirror := modernGet("text")
	listenBody, listenMirror := modernBody("subscriptions/listen", `"notifications":{},`), modernHeader("subscriptions/listen", "")
	for _, test := range []struct {
		name, method, body string
		header             header
		status             int
	}{
		{"PUT", "PUT", body, mirror, 405},
		{"HEAD", "HEAD", "", nil, 405},
		{"OPTIONS", "OPTIONS", "", nil, 405},
		{"PATCH", "PATCH", body, mirror, 405},
		{"GET of no session", "GET", "", nil, 400},
		{"DELETE of no session", "DELETE", "", nil, 400},
		{"GET without events", "GET", "", h.with("Accept", "application/json"), 406},
		{"GET of an unsupported version", "GET", "", h.with(headerVersion, "1999-01-01"), 400},
		{"DELETE of an unsupported version", "DELETE", "", h.with(headerVersion, "1999-01-01"), 400},
		{"DELETE of two sessions", "DELETE", "", h.with(headerSession, h[headerSession]+"|"+h[headerSession]), 400},
		{"no type", "POST", body, mirror.with("Content-Type", ""), 415},
		{"text", "POST", body, mirror.with("Content-Type", "text/plain"), 415},
		{"a form", "POST", body, mirror.with("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"no type at all", "POST", body, mirror.with("Content-Type", "application/json; ="), 415},
		{"compressed", "POST", body, mirror.with("Content-Encoding", "gzip"), 415},
		{"compressed after all", "POST", body, mirror.with("Content-Encoding", "identity, gzip"), 415},
		{"not compressed", "POST", body, mirror.with("Content-Encoding", "Identity"), 200},
		{"with a parameter", "POST", body, mirror.with("Content-Type", "Application/JSON; charset=utf-8"), 200},
		{"no Accept", "POST", body, mirror.with("Accept", ""), 200},
		{"any", "POST", body, mirror.with("Accept", "*/*"), 200},
		{"any application", "POST", body, mirror.with("Accept", "application/*;q=0.1"), 200},
		{"two headers", "POST", body, mirror.with("Accept", "text/html|application/json"), 200},
		{"HTML", "POST", body, mirror.with("Accept", "text/html"), 406},
		{"none of any", "POST", body, mirror.with("Accept", "*/*;q=0"), 406},
		{"ruled out", "POST", body, mirror.with("Accept", "application/json;q=0, text/event-stream;q=0.0, */*"), 406},
		{"listen without events", "POST", listenBody, listenMirror.with("Accept", "application/json"), 406},
		{"listen with events ruled out", "POST", listenBody, listenMirror.with("Accept", "*/*, text/event-stream;q=0"), 406},
		{"empty", "POST", "", mirror, 400},
		{"blank", "POST", "  ", mirror, 400},
		{"too large", "POST", strings.Repeat(" ", 4<<20+1), mirror, 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := p.send(test.method, test.body, test.header)
			assert.Equal(t, test.status, r.status, r.body)
			assert.Equal(t, test.status == 405, r.header.Get("Allow") == "GET, POST, DELETE", r.header)
			assert.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
		})
	}
}

// HTO-03, HTO-04, HTN-02, GAP-35: which pages and names are trusted.
func TestOriginAndHost(t *testing.T) {
	t.Parallel()
	none := newPlace(t, Options{})
	port := none.http.Listener.Addr().(*net.TCPAddr).Port
	own := fmt.Sprintf("127.0.0.1:%d", port)
	listed := newPlace(t, Options{AllowedOrigins: []string{"https://app.example.org"}, AllowedHosts: []string{"prompts.example.org"}})
	const extension, webview = "chrome-extension://abcdefghijklmnop", "tauri://localhost"
	programs := newPlace(t, Options{AllowedOrigins: []string{
		extension, webview, "moz-extension://0af76519-16cd-43dd-8448-eb211c80319c", "vscode-webview://1d8df5a2u6q", "app://obsidian.md",
	}})
	for _, test := range []struct {
		place        *place
		host, origin string
		ok           bool
	}{
		{none, own, "", true},
		{none, own, "http://" + own, true},
		{none, own, "https://" + own, true},
		{none, "localhost:1", "", true},
		{none, "LOCALHOST", "http://localhost:3000", true},
		{none, "[::1]:80", "http://[::1]", true},
		{none, own, "http://127.9.9.9:1", true},
		{none, "evil.example.org", "", false},
		{none, "evil.example.org:80", "http://evil.example.org:80", false},
		{none, "localhost.evil.example.org", "", false},
		{none, "127.0.0.1.evil.example.org", "", false},
		{none, "192.168.0.1", "", false},
		{none, own, "null", false},
		{none, own, "https://app.example.org", false},
		{none, own, "http://localhost.evil.example.org", false},
		{none, own, "http://localhost@evil.example.org", false},
		{none, own, "http://localhost/path", false},
		{none, own, "file://localhost", false},
		{none, own, "localhost", false},
		{none, own, "http://localhost|http://evil.example.org", false},
		{none, own, "http://localhost|http://localhost", false},
		{none, own, "://", false},
		{none, own, extension, false},
		{none, own, webview, false},
		{none, own, "app://" + own, false},
		{none, own, "vscode-webview://127.0.0.1", false},
		{programs, "localhost", extension, true},
		{programs, "localhost", webview, true},
		{programs, "localhost", "moz-extension://0af76519-16cd-43dd-8448-eb211c80319c", true},
		{programs, "localhost", "vscode-webview://1d8df5a2u6q", true},
		{programs, "localhost", "app://obsidian.md", true},
		{programs, "localhost", "chrome-extension://abcdefghijklmno", false},
		{programs, "localhost", extension + ".example.org", false},
		{programs, "localhost", extension + "/page", false},
		{programs, "localhost", "tauri://127.0.0.1", false},
		{programs, "localhost", "null", false},
		{programs, "localhost", extension + "|" + extension, false},
		{listed, "prompts.example.org", "", true},
		{listed, "Prompts.Example.org", "https://app.example.org", true},
		{listed, "prompts.example.org", "https://prompts.example.org", true},
		{listed, "prompts.example.org", "https://app.example.org:8443", false},
		{listed, "prompts.example.org", "http://app.example.org", false},
		{listed, "prompts.example.org", "https://other.example.org", false},
		{listed, "prompts.example.org:80", "", false},
		{listed, "localhost", "", false},
	} {
		t.Run(test.host+" "+test.origin, func(t *testing.T) {
			t.Parallel()
			body, mirror := modernGet("text")
			for _, r := range []reply{
				test.place.post(body, mirror.with("Host", test.host, "Origin", test.origin)),
				test.place.post(initializeBody("2025-03-26"), header{"Host": test.host, "Origin": test.origin}),
			} {
				if test.ok {
					assert.Equal(t, http.StatusOK, r.status, r.body)
				} else {
					assert.Equal(t, http.StatusForbidden, r.status, r.body)
					assert.Contains(t, []string{"Host is not allowed; add the host to the allowed hosts of the server\n", "Origin is not allowed; add the origin to the allowed origins of the server\n"}, r.body)
				}
				assert.NotContains(t, r.body, "evil")
			}
			if !test.ok { // before anything else is looked at
				assert.Equal(t, http.StatusForbidden, test.place.send("PUT", "", header{"Host": test.host, "Origin": test.origin}).status)
			}
		})
	}
}

// HTO-03, HTO-04, HTN-02, GAP-35: a refusal by 403 says which header is the cause, and the log has the option that
// would allow the request.
func TestRefusalNamesTheHeader(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // written before the reply
	p := newPlaceOf(t, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Options{})
	long := strings.Repeat("a", 256)
	for _, test := range []struct{ header, value, logged, option string }{
		{"Host", "evil.example.org", "evil.example.org", "AllowedHosts"},
		{"Host", long + ".example.org:8443", long + "…", "AllowedHosts"},
		{"Origin", "https://evil.example.org", "https://evil.example.org", "AllowedOrigins"},
		{"Origin", "null", "null", "AllowedOrigins"},
	} {
		r := p.post(initializeBody("2025-11-25"), header{test.header: test.value})
		assert.Equal(t, http.StatusForbidden, r.status)
		assert.Equal(t, fmt.Sprintf("%s is not allowed; add the %[2]s to the allowed %[2]ss of the server\n", test.header, strings.ToLower(test.header)), r.body)
		assert.Contains(t, log.String(), fmt.Sprintf("level=WARN msg=\"HTTP request rejected\" header=%s value=%s allow_with=streamablehttp.Options.%s\n",
			test.header, test.logged, test.option))
	}
}

// An error quotes the values that differ, names a limit with its value, and says what the client can do.
func TestErrorsNameValuesAndLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	session := p.session("2025-11-25")
	body, mirror := modernGet("text")
	for want, r := range map[string]reply{
		`header Mcp-Method is \"prompts/list\", but the request has \"prompts/get\"`:                                p.post(body, mirror.with(headerMethod, "prompts/list")),
		`header Mcp-Name is \"other\", but the request names \"text\"`:                                              p.post(body, mirror.with(headerName, "other")),
		`header Mcp-Name is \"` + strings.Repeat("n", 64) + `…\", but`:                                              p.post(body, mirror.with(headerName, strings.Repeat("n", 65))),
		`missing header Mcp-Name (required in 2026-07-28)`:                                                          p.post(body, mirror.with(headerName, "")),
		`"code":-32022,"message":"unsupported protocol version \"2030-01-01\" (supported: 2026-07-28, 2025-11-25, `: p.post(listBody, session.with(headerVersion, "2030-01-01")),
		"missing header Mcp-Session-Id; send initialize to the MCP endpoint first\n":                                p.send("GET", "", nil),
		"header Mcp-Session-Id must be sent only once\n":                                                            p.send("DELETE", "", session.with(headerSession, "a|b")),
		`unsupported Mcp-Protocol-Version \"2023-01-01\" (supported: 2026-07-28, 2025-11-25, `:                      p.post(listBody, session.with(headerVersion, "2023-01-01")),
		`protocol version 2026-07-28 supports neither batches nor client responses`:                                 p.post("["+listBody+"]", session.with(headerVersion, modern)),
		`missing header Mcp-Session-Id; send initialize first`:                                                      p.post(listBody, header{headerVersion: "2025-11-25"}),
		`session not found or expired; to start a new one, send initialize without Mcp-Session-Id`:                  p.post(listBody, session.with(headerSession, "unknown")),
		`to start a new one, send initialize without Mcp-Session-Id`:                                                p.post(initializeBody("2025-11-25"), session.with(headerSession, "unknown")),
		`header Mcp-Protocol-Version has the different values \"2025-11-25\" and \"2025-06-18\"; send one value`:    p.post(listBody, session.with(headerVersion, "2025-11-25, 2025-06-18")),
		"request body exceeds the limit of 4194304 bytes\n":                                                         p.post(strings.Repeat(" ", 4<<20+1), nil),
		"method is not allowed; use GET, POST, DELETE\n":                                                            p.send("PUT", "", nil),
		"Mcp-Protocol-Version of GET and DELETE must be one with sessions: 2025-11-25, 2025-06-18, ":                p.send("DELETE", "", session.with(headerVersion, modern)),
	} {
		assert.Contains(t, r.body, want)
	}
}

// GAP-33: of a header that says what the body is, each line counts: another reader may take
// another line.
func TestRepeatedContentHeaders(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for _, test := range []struct {
		header header
		status int
	}{
		{header{"Content-Type": "application/json|text/plain"}, http.StatusBadRequest},
		{header{"Content-Type": "application/json|application/json"}, http.StatusBadRequest},
		{header{"Content-Encoding": "identity|gzip"}, http.StatusUnsupportedMediaType},
		{header{"Content-Encoding": "|gzip"}, http.StatusUnsupportedMediaType},
		{header{"Content-Encoding": "identity|identity"}, http.StatusOK},
	} {
		assert.Equal(t, test.status, p.post(initializeBody("2025-11-25"), test.header).status, test.header)
	}
}

// A body that does not come in time, or not all of it, is refused, and its
// connection is not waited for any longer.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		body string
		stop bool
	}{
		{"nothing", "", false},
		{"a part", `{"jsonrpc":`, false},
		{"cut off", `{"jsonrpc":`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, Options{ReadTimeout: 50 * time.Millisecond})
			c, err := net.Dial("tcp", p.http.Listener.Addr().String())
			require.NoError(t, err)
			defer c.Close()
			_, err = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n%s", test.body)
			require.NoError(t, err)
			if test.stop {
				require.NoError(t, c.(*net.TCPConn).CloseWrite())
			}
			require.NoError(t, c.SetReadDeadline(time.Now().Add(patience)))
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			assert.Equal(t, http.StatusBadRequest, r.StatusCode)
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			if !test.stop {
				assert.Equal(t, "request body did not arrive within 50ms\n", string(body))
			}
			_, err = io.ReadAll(c) // to its end
			assert.NoError(t, err)
		})
	}
}

// A request with very many headers is rejected, whichever net/http has read it.
func TestHeaderValues(t *testing.T) {
	t.Parallel()
	h := MustNewHandler(reviewServer(), Options{})
	defer h.Close()
	for values, status := range map[int]int{250: http.StatusOK, 251: http.StatusRequestHeaderFieldsTooLarge} {
		body, mirror := modernBody("prompts/get", reviewParams), modernHeader("prompts/get", "review")
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		for name, value := range mirror.with("Content-Type", "application/json") {
			r.Header.Set(name, value)
		}
		for len(r.Header["A"]) < 100 {
			r.Header.Add("A", "")
		}
		for i := 0; countValues(r.Header) < values; i++ {
			r.Header.Set(fmt.Sprintf("B%d", i), "")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, status, w.Code, w.Body)
	}
}
