package prompts

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What url.Parse lets pass although RFC 3986 does not.
func TestCheckURISyntax(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"urn:a%zz", "data:,%zz", "data:,%", "data:,%a", "mailto:a%4", "urn:a#%g0", "x://h?%2", "x:a#b#c", "https://h/#a#b", "urn:a#b#",
		"https://h/[a]", "https://h/?a[0]=1", "https://h/#[", "urn:[a]", "data:,]", "x://a[b]/", "x://[::1]a/", "x://a]/", "http://[zz]/", "http://[127.0.0.1]/", "http://[]/",
		"x://us[er@h/", "x://a@b@c/", "http://::1/", "http://a:b:80/", "http://[::1%zz]/",
	} {
		assert.Error(t, checkURI(uri), uri)
	}
	for _, uri := range []string{
		"urn:a%20b", "data:,%41#f", "x://a:b@h:80/p@q?r@s#t@u", "mailto:a@b@c", "http://[2001:db8::1]", "http://u@[::1]:80/?a#b", "http://[fe80::1%25en0]/", "x://h?a?b#c?d",
	} {
		assert.NoError(t, checkURI(uri), uri)
	}
}

func TestCheckMIMETypeIsOneType(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"text/plain;", "text/plain; charset=utf-8;", "text/plain;;", "*/*", "a/*", "*/a", "image/*;q=1", "a/b*"} {
		assert.Error(t, checkMIMEType(s), s)
	}
	assert.NoError(t, checkMIMEType(`a/b; x="*;"`))
}
