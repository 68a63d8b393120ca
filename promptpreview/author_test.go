package promptpreview_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptpreview"
)

// Who is not the page of this start, on this machine, reads no file, writes none and runs
// nothing: other origins, names that lead here by rebinding, forms, guessed tokens.
func TestAuthorAttacks(t *testing.T) {
	t.Parallel()
	var asked []string
	author := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.Path) })
	var reg prompts.Registry
	newPage := func(o promptpreview.Options) (*promptpreview.Handler, *httptest.Server) {
		h, err := promptpreview.NewHandler(prompts.MustNewServer(&reg, prompts.Options{}), o)
		require.NoError(t, err)
		ts := httptest.NewServer(h)
		t.Cleanup(func() {
			ts.Close()
			assert.NoError(t, h.Close())
		})
		return h, ts
	}
	page, ts := newPage(promptpreview.Options{Author: author})
	other, _ := newPage(promptpreview.Options{Author: author})
	require.NotEmpty(t, page.Token())
	require.NotEqual(t, page.Token(), other.Token())
	send := func(ts *httptest.Server, path string, change func(r *http.Request)) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, ts.URL+"/author/"+path, strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", ts.URL)
		r.Header.Set("X-Prompts-Token", page.Token())
		change(r)
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	header := func(name string, values ...string) func(r *http.Request) {
		return func(r *http.Request) {
			r.Header.Del(name)
			for _, v := range values {
				r.Header.Add(name, v)
			}
		}
	}
	for name, change := range map[string]func(r *http.Request){
		"no token":                   header("X-Prompts-Token"),
		"an empty token":             header("X-Prompts-Token", ""),
		"a guessed token":            header("X-Prompts-Token", strings.Repeat("A", len(page.Token()))),
		"the token of another start": header("X-Prompts-Token", other.Token()),
		"the token in the query": func(r *http.Request) {
			r.Header.Del("X-Prompts-Token")
			r.URL.RawQuery = "token=" + page.Token()
		},
		"a foreign origin":          header("Origin", "https://evil.example"),
		"another port of this host": header("Origin", "http://127.0.0.1:1"),
		"an opaque origin":          header("Origin", "null"),
		"no origin":                 header("Origin"),
		"two origins":               header("Origin", ts.URL, "https://evil.example"),
		"a page of another site":    header("Sec-Fetch-Site", "cross-site"),
		"a page of the same site":   header("Sec-Fetch-Site", "same-site"),
		"a navigation":              header("Sec-Fetch-Site", "none"),
		"a form":                    header("Content-Type", "application/x-www-form-urlencoded"),
		"a form of text":            header("Content-Type", "text/plain"),
		"a name that was rebound":   func(r *http.Request) { r.Host = "evil.example" },
		"a rebound name, with origin": func(r *http.Request) {
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		},
	} {
		for _, path := range []string{"do/case", "do/release", "do/answer", "prompt", "commits"} {
			assert.Equal(t, http.StatusForbidden, send(ts, path, change), "%s, %s", name, path)
		}
	}
	for _, path := range []string{"do/case", "do/release", "do/answer"} {
		assert.Equal(t, http.StatusMethodNotAllowed, send(ts, path, func(r *http.Request) { r.Method = http.MethodGet }))
	}
	assert.Empty(t, asked)

	assert.Equal(t, http.StatusOK, send(ts, "do/case", header("Sec-Fetch-Site", "same-origin")))
	assert.Equal(t, []string{"do/case"}, asked)

	// With allowed hosts, nothing is written or run, whoever asks.
	asked = nil
	open, _ := newPage(promptpreview.Options{})
	assert.Empty(t, open.Token())
	allowed := httptest.NewUnstartedServer(nil)
	handler, err := promptpreview.NewHandler(prompts.MustNewServer(&reg, prompts.Options{}), promptpreview.Options{Author: author, AllowedHosts: []string{allowed.Listener.Addr().String()}})
	require.NoError(t, err)
	allowed.Config.Handler = handler
	allowed.Start()
	t.Cleanup(func() {
		allowed.Close()
		assert.NoError(t, handler.Close())
	})
	for _, path := range []string{"do/case", "do/release", "do/answer"} {
		assert.Equal(t, http.StatusForbidden, send(allowed, path, header("X-Prompts-Token", handler.Token())))
	}
	// However the path is written.
	for _, path := range []string{"/do/case", "%2Fdo/case", "./do/case", "x/../do/case", "do//case", "do%2F/case"} {
		assert.NotEqual(t, http.StatusOK, send(allowed, path, header("X-Prompts-Token", handler.Token())), path)
	}
	assert.Empty(t, asked)
	assert.Equal(t, http.StatusOK, send(allowed, "prompt", header("X-Prompts-Token", handler.Token())))
	// Nor does a page without an author have any of it.
	_, none := newPage(promptpreview.Options{})
	assert.Equal(t, http.StatusNotFound, send(none, "do/case", header("X-Prompts-Token", "")))
}
