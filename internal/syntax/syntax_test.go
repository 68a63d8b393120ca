package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// RFC 3986, absolute.
func TestCheckURI(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"https://example.com", "https://example.com/a/b?c=d&e=f%20g#h", "http://[::1]:80/x", "file:///etc/passwd", "file:///C:/x", "mailto:a@example.com", "urn:isbn:0451450523",
		"note://7", "data:,", "data:text/plain;base64,SGk=", "a+b-c.1:x", "x:/", "HTTP://EXAMPLE.COM", "git://host/repo.git?ref=x", "https://example.com/%E2%82%AC", "tag:x,2026:y", "x:a'b(c)*d!",
		"x:", "x:?q", "https:", "https://", "http://user@", "http://user@/", "http://:80", // the host and the path may be empty
	} {
		assert.NoError(t, CheckURI(uri), uri)
	}
	for _, uri := range []string{
		"", "a", "/a", "//host/a", "a/b:c", "?x", "#x", "1a:b", ":a", "a b:c", "https://exa mple.com", "https://example.com/a b", " https://example.com", "https://example.com\n",
		"https://example.com/é", "https://example.com/%zz", "https://example.com/%", "https://example.com?%zz", "https://example.com/#%zz", "https://example.com:port/", "https://example.com/\x00", "https://example.com/\x7f",
		"https://example.com/<a>", `https://example.com/"`, `https://example.com\a`, "https://example.com/a|b", "https://example.com/{id}", "https://example.com/^", "https://example.com/`", "http://[::1", "file:///a\xff",
	} {
		assert.Error(t, CheckURI(uri), uri)
	}
}

func TestCheckMIMEType(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"text/plain", "TEXT/Plain", "image/svg+xml", "application/vnd.api+json", "text/plain; charset=utf-8", `text/plain;charset="utf-8"`, "a/b"} {
		assert.NoError(t, CheckMIMEType(s), s)
	}
	for _, s := range []string{
		"", "text", "/", "text/", "/plain", "text/plain/x", "text plain", "text/pl ain", "text/plain; charset", "text/plain; charset=", "text/plain; a=1; a=2", "text/é", "text/plain\n", " text/plain", "text/plain ", "text/\x00",
		"text/plain,image/png", "text/\xff", "*", "text/plain;\tcharset=utf-8",
	} {
		assert.Error(t, CheckMIMEType(s), s)
	}
}

// What url.Parse lets pass although RFC 3986 does not.
func TestCheckURIBeyondParse(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"urn:a%zz", "data:,%zz", "data:,%", "data:,%a", "mailto:a%4", "urn:a#%g0", "x://h?%2", "x:a#b#c", "https://h/#a#b", "urn:a#b#",
		"https://h/[a]", "https://h/?a[0]=1", "https://h/#[", "urn:[a]", "data:,]", "x://a[b]/", "x://[::1]a/", "x://a]/", "http://[zz]/", "http://[127.0.0.1]/", "http://[]/",
		"x://us[er@h/", "x://a@b@c/", "http://::1/", "http://a:b:80/", "http://[::1%zz]/",
	} {
		assert.Error(t, CheckURI(uri), uri)
	}
	for _, uri := range []string{
		"urn:a%20b", "data:,%41#f", "x://a:b@h:80/p@q?r@s#t@u", "mailto:a@b@c", "http://[2001:db8::1]", "http://u@[::1]:80/?a#b", "http://[fe80::1%25en0]/", "x://h?a?b#c?d",
	} {
		assert.NoError(t, CheckURI(uri), uri)
	}
}

func TestCheckMIMETypeIsOneType(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"text/plain;", "text/plain; charset=utf-8;", "text/plain;;", "*/*", "a/*", "*/a", "image/*;q=1", "a/b*"} {
		assert.Error(t, CheckMIMEType(s), s)
	}
	assert.NoError(t, CheckMIMEType(`a/b; x="*;"`))
}

// MET-01 to MET-04.
func TestMetaKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"a", "A1", "a-b_c.d", "1", "progressToken", "traceparent", "com.example/", "com.example/a", "x/y", "a-b.c1/x", "com.example.mcp/x", "mcp/x", "modelcontextprotocol/x",
		"mcp.a.b/x", "com.example.mcpx/y", "xmcp.a/b", "a.b.c.mcp/x",
	} {
		assert.NoError(t, CheckMetaKey(key), key)
	}
	for _, key := range []string{
		"", "/", "/a", "-a", "a-", ".a", "a_", "a b", "ä", "a\n", "a/b/c", "a//b", "1a/b", "a-/b", "-a/b", ".a/b", "a./b", "a..b/c", "a_b/c", "a/b-", "com.example/-",
		"mcp.dev/x", "api.modelcontextprotocol.org/x", "tools.mcp.com/", "a.b.mcp.c/x", // MET-03
		"io.modelcontextprotocol/x", "dev.mcp/x", "com.mcp.a.b/x", "io.modelcontextprotocol/serverInfo", // MET-04
	} {
		assert.Error(t, CheckMetaKey(key), key)
	}
}
