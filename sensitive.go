package prompts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// This file keeps the values of sensitive arguments, see Argument.Sensitive, out of
// errors, the log and links, also if the application's code puts them there.

// checkLinks checks the links of a result.
func checkLinks(s *redact.Secrets, r *Result) error {
	if r == nil {
		return nil
	}
	var errs []error
	for i, m := range r.Messages {
		if err := checkContentLinks(s, m.Content); err != nil {
			errs = append(errs, fmt.Errorf("message %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

// checkContentLinks checks the links of content.
func checkContentLinks(s *redact.Secrets, c Content) error {
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
		if err := s.CheckURI(uri); err != nil {
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

// secrets returns the secrets of the request so far; nil without any.
func (s *scope) secrets() *redact.Secrets {
	if k := s.known.Load(); k != nil && !k.secrets.IsEmpty() {
		return &k.secrets
	}
	return nil
}

// addSecrets adds the sensitive arguments of the prompt or of one that it includes.
func (s *scope) addSecrets(values []string) {
	if len(values) > 0 {
		s.knowledge().secrets.Add(values)
	}
}

// withhold is deferred by the code that calls the application. It removes the secrets
// from the failure, which may be a panic, and checks the links of the result.
func (s *scope) withhold(result **Result, f **rpc.Failure) {
	secrets := s.secrets()
	if secrets == nil {
		return // a panic continues
	}
	if v := recover(); v != nil {
		*f = rpc.Panic(s.subject(), v)
	}
	if *f != nil {
		*f = redactFailure(secrets, *f, s.subject())
	} else if err := checkLinks(secrets, *result); err != nil {
		*result, *f = nil, rpc.InvalidResult(s.subject(), err)
	}
}

// secretHandler is a Handler whose request may have secrets.
type secretHandler interface {
	Subject() string
	secrets() *redact.Secrets
}

// withholdFromError is deferred by the Run of a Handler. It removes the secrets from the
// error, which may be a panic, or that of an invalid result.
func withholdFromError(ctx context.Context, h secretHandler, err *error) {
	secrets := h.secrets()
	if secrets.IsEmpty() {
		return // a panic continues
	}
	if v := recover(); v != nil {
		*err = rpc.Panic(h.Subject(), v)
	}
	if *err == nil {
		return
	}
	f, ok := (*err).(*rpc.Failure)
	if !ok {
		f = featureFailure(ctx, h.Subject(), *err)
	}
	*err = redactFailure(secrets, f, h.Subject())
}

// redactFailure returns the failure without secrets. The methods of its errors are the
// application's.
func redactFailure(s *redact.Secrets, f *rpc.Failure, subject string) (clean *rpc.Failure) {
	defer func() {
		if v := recover(); v != nil {
			clean = rpc.InternalFailure(subject, errors.New("panic in a method of an error; the value is withheld, because the prompt has sensitive arguments"))
		}
	}()
	copied := *f
	copied.Client, copied.Log, copied.Cause = redactClient(s, f.Client), s.Error(f.Log), s.Error(f.Cause)
	return &copied
}

// redactClient returns the error for the client without secrets.
func redactClient(s *redact.Secrets, e *Error) *Error {
	if e == nil {
		return nil
	}
	clean := &Error{Code: e.Code, Message: s.Text(e.Message), Data: e.Data}
	if data, ok := e.Data.(argumentsData); ok {
		data.Problems = slices.Clone(data.Problems)
		for i := range data.Problems {
			p := &data.Problems[i]
			p.Argument, p.Message, p.Suggestion = s.Text(p.Argument), s.Text(p.Message), s.Text(p.Suggestion)
		}
		clean.Data = data
	} else if raw, err := jsonenc.Marshal(e.Data); err != nil || s.Text(string(raw)) != string(raw) {
		clean.Data = nil
	}
	return clean
}
