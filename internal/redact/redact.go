// Package redact keeps the values of sensitive arguments out of what a request sends and
// logs: errors for the log lose their text, and the exact values are replaced in text
// that the application addresses to the client.
package redact

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Secrets are the secrets of one request. nil contains no secrets. Safe for concurrent use.
type Secrets struct {
	mu     sync.Mutex // protects the field below
	values []string   // the longest first: one secret may contain another
}

func (s *Secrets) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, values...)
	slices.SortFunc(s.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	s.values = slices.Compact(s.values)
}

func (s *Secrets) all() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.values)
}

const withheld = "[sensitive]"

// minSecret is the size of a secret that is found inside of other words, in bytes. A
// shorter text is in many words by chance.
const minSecret = 4

// Text replaces the secrets in a text. A short secret is replaced where it is a word of its own.
func (s *Secrets) Text(text string) string {
	for _, secret := range s.all() {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, withheld)
		} else {
			text = replaceWord(text, secret)
		}
	}
	return text
}

// replaceWord replaces a word where neither a letter nor a digit is beside it.
func replaceWord(text, word string) string {
	var b strings.Builder
	isInWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 || word == "" {
			b.WriteString(text[at:])
			return b.String()
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(word):])
		b.WriteString(text[at : at+i])
		if isInWord(before) || isInWord(after) {
			b.WriteString(word)
		} else {
			b.WriteString(withheld)
		}
		at += i + len(word)
	}
}

// JSON replaces the secrets in the strings and numbers of a JSON text, and leaves out
// members whose names contain a secret. It returns nil for invalid JSON.
func (s *Secrets) JSON(raw []byte) []byte {
	var doc strictjson.Doc
	if doc.Parse(string(raw), jsonenc.MaxDepth) != nil {
		return nil
	}
	return s.appendJSON(nil, doc.Root())
}

func (s *Secrets) appendJSON(dst []byte, v strictjson.Value) []byte {
	switch v.Kind() {
	case strictjson.String:
		return strictjson.AppendString(dst, s.Text(v.Text()))
	case strictjson.Number:
		if text := s.Text(v.Raw()); text != v.Raw() {
			return strictjson.AppendString(dst, text)
		}
	case strictjson.Array:
		dst = append(dst, '[')
		for e := range v.Elements() {
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = s.appendJSON(dst, e)
		}
		return append(dst, ']')
	case strictjson.Object:
		dst = append(dst, '{')
		for name, m := range v.Members() {
			if s.Text(name) != name {
				continue
			}
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(strictjson.AppendString(dst, name), ':')
			dst = s.appendJSON(dst, m)
		}
		return append(dst, '}')
	}
	return append(dst, v.Raw()...)
}

// errURI is an error of CheckURI. It does not contain the secret.
var errURI = errors.New("URI contains the value of a sensitive argument")

// maxEscapes is how often a URI with secrets may be escaped: a URI in a URI in a URI.
const maxEscapes = 8

// CheckURI returns an error if a URI contains a secret, escaped or not, or is escaped more
// than maxEscapes times. A short secret is in many URIs by chance.
func (s *Secrets) CheckURI(uri string) error {
	secrets := s.all()
	if len(secrets) == 0 {
		return nil
	}
	var texts []string
	for text, n := uri, 0; ; n++ {
		texts = append(texts, text, unescape(strings.ReplaceAll(text, "+", " ")))
		next := unescape(text)
		if next == text {
			break
		}
		if n == maxEscapes {
			return errURI
		}
		text = next
	}
	for _, secret := range secrets {
		if len(secret) >= minSecret && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, secret) }) {
			return errURI
		}
	}
	return nil
}

// unescape decodes the escapes of a URI, and keeps a "%" that is not part of one.
func unescape(uri string) string {
	var text strings.Builder
	for {
		before, after, found := strings.Cut(uri, "%")
		text.WriteString(before)
		if !found {
			return text.String()
		}
		if c, err := strconv.ParseUint(after[:min(2, len(after))], 16, 8); err == nil && len(after) > 1 {
			text.WriteByte(byte(c))
			uri = after[2:]
		} else {
			text.WriteByte('%')
			uri = after
		}
	}
}

type Panic struct{ text, kind string }

func NewPanic(v any) *Panic { return &Panic{fmt.Sprintf("panic: %v", v), "panic of " + typeOf(v)} }

func (p *Panic) Error() string { return p.text }

// maxTypes limits the types that an error without its text names.
const maxTypes = 8

// TypesOf returns the types of an error and of the errors that it wraps, without any
// text of them. It calls their Unwrap, which may panic.
func TypesOf(err error) string {
	return "withheld because of a sensitive argument: " + strings.Join(appendTypes(nil, err), ", ")
}

func appendTypes(types []string, err error) []string {
	if err == nil || len(types) == maxTypes {
		return types
	}
	var wrapped []error
	switch e := err.(type) {
	case *Panic:
		return append(types, e.kind)
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	}
	if err == errURI {
		return append(types, errURI.Error())
	}
	name := typeOf(err)
	// What fmt.Errorf and errors.Join return says nothing.
	if isWrapper := strings.HasPrefix(name, "*fmt.wrapError") || name == "*errors.joinError"; !isWrapper {
		types = append(types, name)
	}
	for _, err := range wrapped {
		types = appendTypes(types, err)
	}
	return types
}

// typeOf returns the name of a type. A type without a name, which a program may make at
// run time, is described by its kind.
func typeOf(v any) string {
	t, pointer := reflect.TypeOf(v), ""
	if t != nil && t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), "*"
	}
	switch {
	case t == nil:
		return "nil"
	case t.Name() == "":
		return pointer + t.Kind().String()
	}
	return pointer + t.String()
}
