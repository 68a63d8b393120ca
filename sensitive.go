package prompts

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/rpc"
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
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("it is sensitive, so it is not completed; remove Complete")})
		}
		if d.results != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: errors.New("it is sensitive, so results must not be cached; remove the prompt's Cache")})
		}
	}
	return errs
}

// secrets are the values of sensitive arguments in one request.
type secrets []string

const withheld = "[sensitive]"

// redact replaces the secrets in a text, also in their escaped forms.
func (s secrets) redact(text string) string {
	var forms []string
	for _, secret := range s {
		forms = append(forms, formsOf(secret)...)
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) }) // one secret may be a part of another
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, withheld)
	}
	return text
}

// formsOf returns how a secret is written in text, in quotes and in a URL.
func formsOf(secret string) []string {
	quoted, encoded := strconv.Quote(secret), jsonenc.Text(secret)
	return []string{secret, quoted[1 : len(quoted)-1], encoded[1 : len(encoded)-1], url.QueryEscape(secret), url.PathEscape(secret)}
}

// minSecret is the size of a secret in a link, in bytes: a shorter text is in many
// links by chance.
const minSecret = 4

// checkLink returns an error if a URI contains a secret.
func (s secrets) checkLink(uri string) error {
	for _, secret := range s {
		if len(secret) >= minSecret && slices.ContainsFunc(formsOf(secret), func(form string) bool { return strings.Contains(uri, form) }) {
			return errors.New("its URI contains the value of a sensitive argument")
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
		uri := ""
		switch c := m.Content.(type) {
		case ResourceLink:
			uri = c.URI
		case *ResourceLink:
			if c != nil {
				uri = c.URI
			}
		case EmbeddedResource:
			uri = c.URI
		case *EmbeddedResource:
			if c != nil {
				uri = c.URI
			}
		}
		if err := s.checkLink(uri); err != nil {
			errs = append(errs, fmt.Errorf("message %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// withhold is deferred by the rendering of a prompt with sensitive arguments. It
// removes the secrets from the failure, which may be a panic.
func (g *getRequest) withhold(result **Result, f **rpc.Failure) {
	if v := recover(); v != nil {
		*f = rpc.Panic(renderFailed, v)
	}
	secrets := g.retry().secrets
	if *f == nil {
		if err := secrets.checkLinks(*result); err != nil {
			*result, *f = nil, rpc.InternalFailure("the prompt's content is not valid", err)
		}
		return
	}
	clean := **f
	clean.Client = secrets.redactClient(clean.Client)
	clean.Log = secrets.redactError(clean.Log)
	clean.Cause = secrets.redactError(clean.Cause)
	*f = &clean
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
