package streamablehttp

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// An origin that no browser sends is a mistake of the program's.
func TestAllowedOrigins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		origin string
		ok     bool
	}{
		{"https://app.example.org", true},
		{"http://app.example.org", true},
		{"https://app.example.org:8443", true},
		{"HTTPS://App.Example.org", true},
		{"http://localhost:3000", true},
		{"http://[::1]:3000", true},
		{"https://192.0.2.1", true},
		{"", false},
		{"*", false},
		{"null", false},
		{"app.example.org", false},
		{"//app.example.org", false},
		{"https://", false},
		{"https:app.example.org", false},
		{"https://app.example.org/", false},
		{"https://app.example.org/mcp", false},
		{"https://app.example.org?", false},
		{"https://app.example.org#", false},
		{"https://user@app.example.org", false},
		{"https://*.example.org", false},
		{" https://app.example.org", false},
		{"https://app.example.org, https://other.example.org", false},
		{"chrome-extension://abcdefghijklmnop", true},
		{"moz-extension://0af76519-16cd-43dd-8448-eb211c80319c", true},
		{"vscode-webview://1d8df5a2u6q", true},
		{"tauri://localhost", true},
		{"app://obsidian.md", true},
		{"chrome-extension://", false},
		{"chrome-extension://*", false},
		{"chrome-extension://abcdefghijklmnop/", false},
		{"chrome-extension:abcdefghijklmnop", false},
		{"file:///", false},
	} {
		t.Run(fmt.Sprintf("%q", test.origin), func(t *testing.T) {
			t.Parallel()
			_, err := NewHandler(reviewServer(), Options{AllowedOrigins: []string{"https://other.example.org", test.origin}})
			assert.Equal(t, test.ok, err == nil, err)
		})
	}
}

// GAP-35: an allowed host that no Host header can be is rejected at once.
func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	for host, ok := range map[string]bool{
		"mcp.example.org": true, "MCP.example.org:8443": true, "localhost": true, "[::1]:8080": true, "192.0.2.1": true,
		"": false, "https://mcp.example.org": false, "mcp.example.org/mcp": false, "mcp.example.org:port": false,
		"*.example.org": false, `"evil.example"`: false, "'evil.example'": false, "a.example.org, b.example.org": false, "user@mcp.example.org": false, "::1": false,
	} {
		_, err := NewHandler(reviewServer(), Options{AllowedHosts: []string{host}})
		if ok {
			assert.NoError(t, err, host)
		} else {
			assert.EqualError(t, err, fmt.Sprintf("streamablehttp: options: AllowedHosts must be of the form mcp.example.org or mcp.example.org:8443, got %q", host))
		}
	}
}

// GAP-35: a page that has come without encryption, which anybody on the way may
// have written, is not of the same origin as a server with it.
func TestOriginOverTLS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		origin  string
		isTLS   bool
		allowed []string
		ok      bool
	}{
		{"https://prompts.example.org", true, nil, true},
		{"HTTPS://prompts.example.org", true, nil, true},
		{"http://prompts.example.org", true, nil, false},
		{"HTTP://prompts.example.org", true, nil, false},
		{"http://prompts.example.org", true, []string{"http://prompts.example.org"}, true},
		{"http://prompts.example.org", false, nil, true},
		{"https://prompts.example.org", false, nil, true}, // behind a proxy
	} {
		r := httptest.NewRequest("POST", "http://prompts.example.org/", nil)
		r.Header.Set("Origin", test.origin)
		if test.isTLS {
			r.TLS = &tls.ConnectionState{}
		}
		assert.Equal(t, test.ok, (&Options{AllowedOrigins: test.allowed}).trustsOrigin(r), test)
	}
}

// A logger that blocks delays a request that is rejected by a second, once, and no other.
func TestLoggerThatBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, w := io.Pipe() // which nobody reads
		defer log.Close()
		h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: slog.New(slog.NewTextHandler(w, nil))}), Options{})
		start := time.Now()
		for range 300 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://mcp.example.org/mcp", strings.NewReader("{}"))
			r.Header.Set("Origin", "https://evil.example.org")
			response := httptest.NewRecorder()
			h.ServeHTTP(response, r)
			assert.Equal(t, http.StatusForbidden, response.Code)
		}
		assert.Equal(t, time.Second, time.Since(start))
		assert.NoError(t, h.Close())
	})
}
