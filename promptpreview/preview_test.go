package promptpreview_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptpreview"
)

// newHandler returns a handler with valid options.
func newHandler(t *testing.T, s *prompts.Server, o promptpreview.Options) *promptpreview.Handler {
	t.Helper()
	h, err := promptpreview.NewHandler(s, o)
	require.NoError(t, err)
	return h
}

// A Host without a meaning is an error.
func TestInvalidHost(t *testing.T) {
	t.Parallel()
	_, err := promptpreview.NewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), promptpreview.Options{AllowedHosts: []string{"https://dev.example.org"}})
	assert.ErrorContains(t, err, `promptpreview: streamablehttp: options: AllowedHosts must be of the form mcp.example.org`)
}

// serve serves the page of the registry's prompts.
func serve(t *testing.T, reg *prompts.Registry, o prompts.Options) (*promptpreview.Handler, string) {
	t.Helper()
	o.InputSchemas = true
	page := newHandler(t, prompts.MustNewServer(reg, o), promptpreview.Options{})
	ts := httptest.NewServer(page)
	t.Cleanup(func() {
		assert.NoError(t, page.Close())
		ts.CloseClientConnections() // of browsers that try again
		ts.Close()
	})
	return page, ts.URL
}

// Only loopback names on loopback addresses are answered, unless AllowedHosts has
// others, and no page of another origin, for any path.
func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	elsewhere := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
	named := promptpreview.Options{AllowedHosts: []string{"dev.example.org:81"}}
	var none promptpreview.Options
	for _, test := range []struct {
		name, host, origin string
		addr               net.Addr
		options            promptpreview.Options
		want               int
	}{
		{"loopback", "127.0.0.1:81", "", loopback, none, 200},
		{"localhost", "localhost:81", "http://localhost:81", loopback, none, 200},
		{"IPv6", "[::1]:81", "", loopback, none, 200},
		{"a name that leads to loopback", "evil.example.org", "", loopback, none, 403},
		{"a name that begins like an address", "127.0.0.1.evil.example.org:81", "", loopback, none, 403},
		{"another address", "localhost:81", "", elsewhere, none, 403},
		{"no address", "localhost:81", "", nil, none, 403},
		{"a page of another site", "localhost:81", "https://evil.example.org", loopback, none, 403},
		{"a page of another port", "localhost:81", "http://localhost:82", loopback, none, 403},
		{"a page without an origin", "localhost:81", "null", loopback, none, 403},
		{"allowed", "dev.example.org:81", "http://dev.example.org:81", elsewhere, named, 200},
		{"not allowed", "localhost:81", "", loopback, named, 403},
	} {
		page := newHandler(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), test.options)
		for _, path := range []string{"/", "/app.js", "/reports", "/mcp", "/clients"} {
			ctx := t.Context()
			if test.addr != nil {
				ctx = context.WithValue(ctx, http.LocalAddrContextKey, test.addr)
			}
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			w := httptest.NewRecorder()
			page.ServeHTTP(w, r)
			switch got := w.Code; {
			case test.want == 403:
				assert.Equal(t, 403, got, "%s %s", test.name, path)
			case path == "/clients" || path == "/mcp":
				assert.Equal(t, 405, got, "%s %s", test.name, path)
			default:
				assert.Equal(t, 200, got, "%s %s", test.name, path)
			}
		}
		assert.NoError(t, page.Close())
	}
}

// Everything that the page loads has the policy, its type, and a size that is small
// enough in all.
func TestAssets(t *testing.T) {
	t.Parallel()
	_, url := serve(t, new(prompts.Registry), prompts.Options{})
	total := 0
	for path, mimeType := range map[string]string{
		"": "text/html", "style.css": "text/css", "icon.svg": "image/svg+xml",
		"app.js": "text/javascript", "client.js": "text/javascript", "dom.js": "text/javascript", "field.js": "text/javascript", "form.js": "text/javascript", "members.js": "text/javascript",
		"list.js": "text/javascript", "tests.js": "text/javascript", "copy.js": "text/javascript", "author.js": "text/javascript", "result.js": "text/javascript", "markdown.js": "text/javascript",
		"third_party/markdown-it.mjs": "text/javascript", "third_party/highlight.mjs": "text/javascript", "third_party/purify.js": "text/javascript",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/"+path, nil)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 200, resp.StatusCode, path)
		total += len(body)
		assert.Contains(t, resp.Header.Get("Content-Type"), mimeType, path)
		assert.Equal(t, "gzip", resp.Header.Get("Content-Encoding"), path)
		assert.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"), path)
		policy := resp.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "trusted-types dompurify"} {
			assert.Contains(t, policy, part, path)
		}
		assert.NotContains(t, policy, "unsafe", path)
		unzipped, err := gzip.NewReader(strings.NewReader(string(body)))
		require.NoError(t, err)
		text, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		if path == "" {
			assert.NotRegexp(t, `<script(?: type="module")?>|\son\w+=|\sstyle=`, string(text), "an inline script or style")
		}

		r.Header.Set("If-None-Match", resp.Header.Get("ETag"))
		resp, err = http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, 304, resp.StatusCode, path)
	}
	t.Logf("%d bytes compressed", total)
	assert.Less(t, total, 200_000)

	plain, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/app.js", nil)
	require.NoError(t, err)
	plain.Header.Set("Accept-Encoding", "gzip;q=0, identity")
	resp, err := http.DefaultClient.Do(plain)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Empty(t, resp.Header.Get("Content-Encoding"))
}

// Errors of the files of several folders reach a page that is open, and go when they
// are fixed.
func TestReports(t *testing.T) {
	t.Parallel()
	page, url := serve(t, new(prompts.Registry), prompts.Options{})
	var since int64
	ask := func() string {
		resp, err := http.Get(fmt.Sprintf("%s/reports?since=%d", url, since))
		require.NoError(t, err)
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusNoContent {
			return ""
		}
		require.Equal(t, 200, resp.StatusCode)
		var answer map[string]json.RawMessage
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
		require.NoError(t, json.Unmarshal(answer["number"], &since))
		return string(answer["errors"]) + string(answer["changed"])
	}
	one, two := page.Reporter("/a b&c=+"), page.Reporter("")
	one(promptfs.Report{Added: []string{"a"}, Err: errors.Join(&promptfs.Error{Path: "a.md", Line: 2, Column: 3, Err: errors.New("no key"), Hint: "add one"}, errors.New("the folder is away"))})
	first := `{"path":"a.md","line":2,"column":3,"message":"no key","hint":"add one","root":"/a b\u0026c=+"},{"path":"","message":"the folder is away"}`
	assert.Equal(t, "["+first+"][]", ask(), "what a page that opens has is not new")
	assert.Empty(t, ask())
	two(promptfs.Report{Changed: []string{"d", "b"}, Added: []string{"c"}, Err: &promptfs.Error{Path: "b.md", Err: errors.New("is empty")}})
	two(promptfs.Report{Removed: []string{"d"}, Err: &promptfs.Error{Path: "b.md", Err: errors.New("is empty")}})
	assert.Equal(t, "["+first+`,{"path":"b.md","message":"is empty"}]["b","c"]`, ask())
	one(promptfs.Report{})
	two(promptfs.Report{})
	assert.Equal(t, "[][]", ask())
	assert.Empty(t, ask())
}

// The findings for clients are those of prompttest.CheckPortable.
func TestClients(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	render := func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }
	reg.MustAdd(
		prompts.Prompt{Name: "code", Arguments: []prompts.Argument{{Name: "a"}, {Name: "b", Verbatim: true}}, Render: render},
		prompts.Prompt{Name: "printed", Arguments: []prompts.Argument{{Name: "a", Verbatim: true}}, Render: render},
	)
	_, url := serve(t, &reg, prompts.Options{})
	var refused []string
	ask := func(outline string) (status int, findings map[string][]string) {
		resp, err := http.Post(url+"/clients", "application/json", strings.NewReader(outline))
		require.NoError(t, err)
		defer resp.Body.Close()
		var answer struct {
			Clients []struct {
				Client   string
				IsNone   bool
				Findings []struct{ What string }
			}
		}
		if resp.StatusCode == 200 {
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
		}
		findings, refused = map[string][]string{}, nil
		for _, c := range answer.Clients {
			if c.IsNone {
				refused = append(refused, c.Client)
			}
			for _, f := range c.Findings {
				findings[c.Client] = append(findings[c.Client], f.What)
			}
		}
		return resp.StatusCode, findings
	}
	_, got := ask(`{"name":"p","arguments":[{"name":"a","required":true}],"messages":[{"role":"user","type":"text"}]}`)
	assert.Equal(t, map[string][]string{"Cline": {""}, "Codex": {""}, "Continue CLI": {""}, "Copilot CLI": {""}, "Kimi Code": {""}}, got)
	_, got = ask(`{"name":"a b","arguments":[{"name":"a","type":"integer"},{"name":"b","type":"string"}],
		"messages":[{"role":"assistant","type":"text"},{"role":"user","type":"image"}]}`)
	assert.Equal(t, []string{"2 arguments", "message 1 is the assistant's", "message 2 is not text but an image"}, got["Zed"])
	assert.Equal(t, []string{"message 2 is not text but an image", "argument a is optional", "name has a space"}, got["Gemini CLI"], "the server joins the messages")
	_, got = ask(`{"arguments":[{"name":"a"},{"name":"b","type":"array","hasDefault":true}]}`)
	assert.Equal(t, []string{"argument b is a list", "argument b has a default"}, got["opencode"])
	assert.Equal(t, []string{"Cline", "Codex", "Continue CLI", "Copilot CLI", "Kilo Code", "Kimi Code", "opencode", "Zed"}, refused, "clients that cannot use it")

	_, got = ask(`{"name":"code","arguments":[{"name":"b"},{"name":"a"}]}`)
	assert.Equal(t, []string{"argument a is not only printed"}, got["opencode"])
	_, got = ask(`{"name":"printed","arguments":[{"name":"a"}]}`)
	assert.Empty(t, got["opencode"])

	_, got = ask(`{"name":"p","messages":[{"role":"user","type":"audio"},{"role":"user","type":"resource"},{"role":"user","type":"blob"}]}`)
	assert.Equal(t, []string{"message 3 is not text but a resource with binary data"}, got["opencode"])

	_, _ = ask(`{"messages":[{"role":"user"},{"role":"user"}]}`)
	assert.Equal(t, "Cline, Codex, Continue CLI, Copilot CLI, goose, Kimi Code", strings.Join(refused, ", "))
	_, _ = ask(`{"messages":[{"role":"user"},{"role":"assistant"}]}`)
	assert.Equal(t, "Cline, Codex, Continue CLI, Copilot CLI, Kimi Code, Zed", strings.Join(refused, ", "))

	status, _ := ask(`{`)
	assert.Equal(t, 400, status)
}

// A body that is too large is not read to its end.
func TestOutlineIsBounded(t *testing.T) {
	t.Parallel()
	_, url := serve(t, new(prompts.Registry), prompts.Options{})
	resp, err := http.Post(url+"/clients", "application/json", strings.NewReader(`{"name":"`+strings.Repeat("a", 1<<20)+`"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 400, resp.StatusCode)
}

// A Handler that no function made says which function makes it.
func TestHandlerNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptpreview.Handler{}, "promptpreview: Handler is not made by NewHandler")
}
