package redact

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The exact text of a secret is removed, and nothing else is.
func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		secrets          []string
	}{
		{"a secret", "wrong key hunter2x", "wrong key [sensitive]x", []string{"hunter2"}},
		{"a secret in another", "admin:admin123", "[sensitive]:[sensitive]", []string{"admin", "admin123"}},
		{"a short secret", "a bad character: a", "[sensitive] bad character: [sensitive]", []string{"a"}},
		{"a number", "the PIN 42 is wrong, see page 142", "the PIN [sensitive] is wrong, see page 142", []string{"42"}},
		{"invalid UTF-8", "a \xff\xfe b", "a [sensitive] b", []string{"\xff\xfe"}},
		{"an empty secret", "admin", "admin", []string{""}},
		{"no secrets", "admin", "admin", nil},
	} {
		var s Secrets
		s.Add(test.secrets...)
		assert.Equal(t, test.want, s.Text(test.text), test.name)
	}
	assert.Equal(t, "admin", (*Secrets)(nil).Text("admin"))
}

// JSON stays JSON without the secrets, however they are escaped.
func TestJSON(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add(`hunter"2`, "4711")
	assert.JSONEq(t, `{"a":["x [sensitive]",1,"[sensitive]",null,true,{}],"b":{}}`,
		string(s.JSON([]byte(`{"a":["x hun\u0074er\"2",1,4711,null,true,{}],"b":{"hunter\"2":1}}`))))
	assert.Nil(t, s.JSON([]byte(`{`)))
}

// A secret is found in a URI in whatever way it is escaped, also beside a "%" that is
// not part of an escape.
func TestCheckURI(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add("top secret/ü", "one")
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

		"a:top%2520secret%252f%25c3%25bc":          true, // a link in a link
		"a:?u=b%3Ac%3Ftop%2Bsecret%252F%25C3%25BC": true,
		"a:%2574op%252520secret/ü":                 true,
		"a:%2525":                                  false,
		"a:" + escapedAgain("top secret/ü", 8):     true,
		"a:" + escapedAgain("%", 7):                false,
		"a:" + escapedAgain("%", 9):                true, // nobody knows what that is
		"a:top%20secret/%c3%b":                     false,
		"%":                                        false,
		"":                                         false,
	} {
		err := s.CheckURI(uri)
		if assert.Equal(t, want, err != nil, uri); want {
			assert.EqualError(t, err, "URI contains the value of a sensitive argument", uri)
		}
	}
	assert.NoError(t, (*Secrets)(nil).CheckURI("a:b"))
}

// escapedAgain returns a text that is escaped so many times.
func escapedAgain(text string, times int) string {
	for range times {
		text = url.QueryEscape(text)
	}
	return text
}

type generic[T any] struct{ error }

func (g generic[T]) Unwrap() error { return g.error }

// An error is described by its types, which no secret can be part of.
func TestTypesOf(t *testing.T) {
	t.Parallel()
	secret := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Hunter2", Type: reflect.TypeFor[int]()}}))
	chain := errors.New("hunter2")
	for range 20 {
		chain = generic[int]{chain}
	}
	for want, err := range map[string]error{
		"*errors.errorString":                            errors.New("hunter2"),
		"*net.OpError, *net.DNSError":                    fmt.Errorf("hunter2: %w", &net.OpError{Err: &net.DNSError{}}),
		"*net.DNSError, *net.AddrError":                  errors.Join(&net.DNSError{}, &net.AddrError{}),
		"panic of string":                                NewPanic("hunter2"),
		"panic of nil":                                   NewPanic(nil),
		"panic of *struct":                               NewPanic(secret.Interface()),
		"panic of slice":                                 NewPanic([]byte("hunter2")),
		"URI contains the value of a sensitive argument": fmt.Errorf("x: %w", errURI),
	} {
		assert.Equal(t, "withheld because of a sensitive argument: "+want, TypesOf(err))
	}
	assert.Len(t, appendTypes(nil, chain), maxTypes)
}
