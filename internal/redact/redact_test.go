package redact

import (
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A secret is removed in whatever form the application got the secret and writes it,
// and nothing else is.
func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		secrets          []string
	}{
		{"the element of a list", "second-key has expired", "[sensitive] has expired", []string{"first-key, second-key"}},
		{"the element of a list in JSON", "second, key has expired", "[sensitive] has expired", []string{`["first-key","second, key"]`}},
		{"a member of JSON", "no login with the password hunter2", "no login with the password [sensitive]", []string{`{"user":"ada","password":"hunter\u0032"}`}},
		{"a number in JSON", "no PIN 4711", "no PIN [sensitive]", []string{`{"pin":4711}`}},
		{"what base64 encodes", "wrong key hunter2", "wrong key [sensitive]", []string{base64.StdEncoding.EncodeToString([]byte("hunter2"))}},
		{"a number", "the PIN 42 is wrong, see page 142", "the PIN [sensitive] is wrong, see page 142", []string{"+0042"}},
		{"a trimmed text", "wrong key hunter2", "wrong key [sensitive]", []string{" hunter2\n"}},
		{"ASCII in quotes", fmt.Sprintf("wrong key %+q", "pässword"), `wrong key "[sensitive]"`, []string{"pässword"}},
		{"JSON for HTML", `{"text":"\u003chunter\u00262\u003e"}`, `{"text":"[sensitive]"}`, []string{"<hunter&2>"}},
		{"a URL", "https://example.org/?t=a%2Fb+c", "https://example.org/?t=[sensitive]", []string{"a/b c"}},
		{"a secret in another", "admin:admin123", "[sensitive]:[sensitive]", []string{"admin", "admin123"}},
		{"a short secret", "a bad character: a", "[sensitive] bad character: [sensitive]", []string{"a"}},
		{"no secrets", "admin", "admin", nil},
	} {
		var s Secrets
		s.Add(test.secrets)
		assert.Equal(t, test.want, s.Text(test.text), test.name)
		err := errors.New(test.text)
		assert.EqualError(t, s.Error(err), test.want, test.name)
		assert.ErrorIs(t, s.Error(err), err, test.name)
	}
	assert.NoError(t, new(Secrets).Error(nil))
	assert.Equal(t, "admin", (*Secrets)(nil).Text("admin"))
}

// A secret is found in a URI in whatever way it is escaped, also beside a "%" that is
// not part of an escape.
func TestCheckURI(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add([]string{"top secret/ü", "one"})
	for uri, want := range map[string]bool{
		"a:b?c=top+secret%2F%C3%BC": true,
		"a:top%20secret/%c3%bc":     true,
		"a:%74op%20secret/ü":        true,
		"a:100%?top+secret/%c3%BC":  true,
		"a:%zz%20%top secret/%C3ü":  false,
		"a:top%20secret/%c3%bc%":    true,
		"a:top%20secret/%c3%bc%2":   true,
		"a:%%74op%20secret/ü%+1":    true,
		"a:one":                     false,
		"a:top%20secret/%c3%b":      false,
		"%":                         false,
		"":                          false,
	} {
		err := s.CheckURI(uri)
		if assert.Equal(t, want, err != nil, uri); want {
			assert.EqualError(t, err, "URI contains the value of a sensitive argument", uri)
		}
	}
	assert.NoError(t, (*Secrets)(nil).CheckURI("a:b"))
}

// A short text costs little, whatever the size of the secret: an error has many texts.
func TestLongSecrets(t *testing.T) {
	var s Secrets
	s.Add([]string{"[" + strings.Repeat(`"key",`, 100_000) + `"last"]`, strings.Repeat("\"\x00ü", 100_000)})
	assert.Equal(t, "no [sensitive]", s.Text("no key")) // finds the parts of the secret
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		assert.Equal(t, "no login", s.Text("no login"))
		assert.NoError(t, s.CheckURI("a:login"))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20)) // parsing the secret again each time takes over 1 GB
}

// The value of an argument that the application has changed may have any bytes.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"\xff", "\xff\xfe", "\xff\xfe\xfd", "secret\xff"} {
		var s Secrets
		s.Add([]string{secret})
		assert.Equal(t, "a [sensitive] b", s.Text("a "+secret+" b"))
		assert.Equal(t, `a "[sensitive]" b`, s.Text(fmt.Sprintf("a %q b", secret)))
		assert.NoError(t, s.CheckURI("a:b"))
	}
}

// The whole of a value and its first hundred elements are removed.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"%s", "[%s]"} {
		keys := make([]string, 150)
		for i := range keys {
			keys[i] = fmt.Sprintf("key%03d", i)
			if format != "%s" {
				keys[i] = `"` + keys[i] + `"`
			}
		}
		var s Secrets
		s.Add([]string{fmt.Sprintf(format, strings.Join(keys, ","))})
		assert.Equal(t, "[sensitive] and key100", s.Text("key099 and key100"))
	}
}
