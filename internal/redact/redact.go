// Package redact removes secrets, such as the values of sensitive arguments, from
// text for clients and logs, also if application code has quoted, escaped or decoded
// a secret.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Secrets are the secrets of one request. The zero value and nil contain no
// secrets. Safe for concurrent use.
type Secrets struct {
	mu     sync.Mutex // protects the fields below
	values []string
	parts  []string // of the values; nil until they are looked for
}

// Add adds secrets.
func (s *Secrets) Add(values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values, s.parts = append(s.values, values...), nil
}

// IsEmpty reports whether there are no secrets.
func (s *Secrets) IsEmpty() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.values) == 0
}

// Values returns what was added.
func (s *Secrets) Values() []string {
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

// maxParts limits the parts of a secret that are looked for beside the whole.
const maxParts = 100

// Text replaces the secrets in a text, also in their escaped forms. A short secret
// is replaced where it is a word of its own.
func (s *Secrets) Text(text string) string {
	for _, form := range s.forms(len(text)) {
		if len(form) >= minSecret {
			text = strings.ReplaceAll(text, form, withheld)
		} else {
			text = replaceWord(text, form)
		}
	}
	return text
}

// CheckURI returns an error if a URI contains a secret. A short secret is in many
// URIs by chance.
func (s *Secrets) CheckURI(uri string) error {
	if s.IsEmpty() {
		return nil
	}
	texts := []string{uri, unescape(uri), unescape(strings.ReplaceAll(uri, "+", " "))}
	for _, form := range s.forms(len(uri)) {
		if len(form) >= minSecret && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, form) }) {
			return errors.New("URI contains the value of a sensitive argument")
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

// Error returns an error whose text has no secrets. The error itself can still
// be found in it.
func (s *Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := s.Text(text); clean != text {
		return &redactedError{text: clean, err: err}
	}
	return err
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.err }

// replaceWord replaces a word where neither a letter nor a digit is beside it.
func replaceWord(text, word string) string {
	var b strings.Builder
	isInWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
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

// forms returns how the secrets may be written in text, in quotes and in a URL, the
// longest first: one secret may contain another. Parts of more than most bytes are left
// out: no form is shorter than its part, so a short text costs little beside a long secret.
func (s *Secrets) forms(most int) []string {
	var forms []string
	for _, part := range s.allParts() {
		if len(part) > most {
			continue
		}
		forms = append(forms, part, url.QueryEscape(part), url.PathEscape(part))
		html, _ := json.Marshal(part)
		quotes := []string{strconv.Quote(part), strconv.QuoteToASCII(part), string(html)}
		if utf8.ValidString(part) { // else it is not JSON
			quotes = append(quotes, jsonenc.Text(part))
		}
		for _, quoted := range quotes {
			forms = append(forms, quoted[1:len(quoted)-1])
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(forms)
}

// allParts returns the parts of all secrets.
func (s *Secrets) allParts() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		for _, secret := range s.values {
			s.parts = append(s.parts, partsOf(secret)...)
		}
	}
	return s.parts
}

// partsOf returns a secret and what a render function may have got of it: the
// elements of a list, the strings and numbers in JSON, what base64 encodes, and a
// number in its usual form.
func partsOf(secret string) []string {
	parts := []string{secret}
	var doc strictjson.Doc
	if err := doc.Parse(secret, jsonenc.MaxDepth); err == nil {
		parts = appendLeaves(parts, doc.Root())
	} else if strings.Contains(secret, ",") {
		for _, e := range strings.SplitN(secret, ",", maxParts+1) {
			parts = append(parts, strings.TrimSpace(e))
		}
	}
	parts = parts[:min(len(parts), 1+maxParts)]
	if n, err := strconv.ParseInt(secret, 10, 64); err == nil {
		parts = append(parts, strconv.FormatInt(n, 10))
	}
	if decoded, err := base64.StdEncoding.DecodeString(secret); err == nil && len(decoded) >= minSecret && utf8.Valid(decoded) {
		parts = append(parts, string(decoded))
	}
	parts = append(parts, strings.TrimSpace(secret))
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// appendLeaves appends the strings and numbers in a JSON value, without the names of
// members.
func appendLeaves(dst []string, v strictjson.Value) []string {
	switch v.Kind() {
	case strictjson.String:
		dst = append(dst, v.Text())
	case strictjson.Number:
		dst = append(dst, v.Raw())
	case strictjson.Array:
		for e := range v.Elements() {
			dst = appendLeaves(dst, e)
		}
	case strictjson.Object:
		for _, m := range v.Members() {
			dst = appendLeaves(dst, m)
		}
	}
	return dst
}
