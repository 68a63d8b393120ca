package prompts

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file keeps the values of sensitive arguments, see Argument.Sensitive, out of
// errors, the log and links, also if the application's code puts them there.

// checkSensitive returns the errors of a declaration that keeps or completes the
// value of a sensitive argument.
func (d *definition) checkSensitive() (errs []error) {
	for i := range d.plan.Arguments {
		a := &d.plan.Arguments[i]
		if !a.Sensitive {
			continue
		}
		if d.completer(i) != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("a sensitive argument cannot be completed; remove Complete")})
		}
		if d.results != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("a prompt with a sensitive argument cannot be cached; remove Cache")})
		}
	}
	return errs
}

// secrets are the values of sensitive arguments in one request.
type secrets []string

const withheld = "[sensitive]"

// minSecret is the size of a secret that is found inside of other words, in bytes. A
// shorter text is in many words by chance.
const minSecret = 4

// maxParts limits the parts of a secret that are looked for.
const maxParts = 100

// redact replaces the secrets in a text, also in their escaped forms. A short secret
// is replaced where it is a word of its own.
func (s secrets) redact(text string) string {
	for _, form := range s.forms() {
		if len(form) >= minSecret {
			text = strings.ReplaceAll(text, form, withheld)
		} else {
			text = replaceWord(text, form)
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
// longest first: one secret may contain another.
func (s secrets) forms() []string {
	var forms []string
	for _, secret := range s {
		for _, part := range partsOf(secret) {
			html, _ := json.Marshal(part)
			forms = append(forms, part, url.QueryEscape(part), url.PathEscape(part))
			for _, quoted := range []string{strconv.Quote(part), strconv.QuoteToASCII(part), jsonenc.Text(part), string(html)} {
				forms = append(forms, quoted[1:len(quoted)-1])
			}
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(forms)
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
	parts = parts[:min(len(parts), maxParts)]
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

// checkLink returns an error if a URI contains a secret. A short secret is in many
// URIs by chance.
func (s secrets) checkLink(uri string) error {
	if len(s) == 0 {
		return nil
	}
	texts := []string{uri}
	for _, unescape := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		if text, err := unescape(uri); err == nil {
			texts = append(texts, text)
		}
	}
	for _, form := range s.forms() {
		if len(form) >= minSecret && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, form) }) {
			return errors.New("URI contains the value of a sensitive argument")
		}
	}
	return nil
}

// checkLinks checks the links of a result.
func (s secrets) checkLinks(r *Result) error {
	if r == nil {
		return nil
	}
	var errs []error
	for i, m := range r.Messages {
		if err := s.checkContent(m.Content); err != nil {
			errs = append(errs, fmt.Errorf("message %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// checkContent checks the links of content.
func (s secrets) checkContent(c Content) error {
	var uris []string
	switch c := c.(type) {
	case ResourceLink:
		uris = c.uris()
	case *ResourceLink:
		if c != nil {
			uris = c.uris()
		}
	case EmbeddedResource:
		uris = []string{c.URI}
	case *EmbeddedResource:
		if c != nil {
			uris = []string{c.URI}
		}
	}
	for _, uri := range uris {
		if err := s.checkLink(uri); err != nil {
			return err
		}
	}
	return nil
}

// uris returns the addresses that a client may open.
func (l ResourceLink) uris() []string {
	uris := []string{l.URI}
	for _, icon := range l.Icons {
		uris = append(uris, icon.Src)
	}
	return uris
}

// knownSecrets returns the secrets of the request so far.
func (s *scope) knownSecrets() secrets {
	r := s.retryState.Load()
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.secrets)
}

// addSecrets adds the sensitive arguments of the prompt or of one that it includes.
func (s *scope) addSecrets(values []string) {
	if len(values) > 0 {
		r := s.retry()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.secrets = append(r.secrets, values...)
	}
}

// withhold is deferred by the rendering of a prompt. It removes the secrets from the
// failure, which may be a panic.
func (g *getRequest) withhold(result **Result, f **rpc.Failure) {
	secrets := g.knownSecrets()
	if secrets == nil {
		return // a panic continues
	}
	if v := recover(); v != nil {
		*f = rpc.Panic(g.Subject(), v)
	}
	if *f == nil {
		if err := secrets.checkLinks(*result); err != nil {
			*result, *f = nil, rpc.InvalidResult(g.Subject(), err)
		}
		return
	}
	*f = secrets.redactFailure(*f, g.Subject())
}

// redactFailure returns the failure without secrets. The methods of its errors are the
// application's.
func (s secrets) redactFailure(f *rpc.Failure, subject string) (clean *rpc.Failure) {
	defer func() {
		if v := recover(); v != nil {
			clean = rpc.InternalFailure(subject, errors.New("panic in a method of an error; the value is withheld, because the prompt has sensitive arguments"))
		}
	}()
	copied := *f
	copied.Client, copied.Log, copied.Cause = s.redactClient(f.Client), s.redactError(f.Log), s.redactError(f.Cause)
	return &copied
}

// redactClient returns the error for the client without secrets.
func (s secrets) redactClient(e *wire.Error) *wire.Error {
	if e == nil {
		return nil
	}
	clean := &wire.Error{Code: e.Code, Message: s.redact(e.Message), Data: e.Data}
	if data, ok := e.Data.(argumentsData); ok {
		data.Problems = slices.Clone(data.Problems)
		for i := range data.Problems {
			data.Problems[i].Message = s.redact(data.Problems[i].Message)
		}
		clean.Data = data
	} else if raw, err := jsonenc.Marshal(e.Data); err != nil || s.redact(string(raw)) != string(raw) {
		clean.Data = nil
	}
	return clean
}

// redactError returns an error whose text has no secrets. The error itself can still
// be found in it.
func (s secrets) redactError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := s.redact(text); clean != text {
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
