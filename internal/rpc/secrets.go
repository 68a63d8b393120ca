package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/transport"
)

// This file withholds the text of failures of a request that has secrets. A text that the
// application made of a secret cannot be found by searching, so no text is kept.

// withhold returns a copy of the failure without the secrets, and without text for the log
// unless it may have the rest. ctx is that of the request. The errors in f may be the
// application's own, so they are replaced and never changed.
func withhold(ctx context.Context, secrets *redact.Secrets, f *Failure, logsText bool) *Failure {
	copied := *f
	forLog := func(err error) error { return replaceIn(secrets, err) }
	if logsText {
		copied.Cause = replaceIn(secrets, f.Cause)
	} else {
		forLog = func(err error) error { return withholdLog(ctx, err) }
		copied.Cause, copied.stack = withholdCause(f.Cause), nil
	}
	copied.Log = forLog(f.Log)
	if e := f.Client; e != nil {
		copied.Client = &transport.Error{Code: e.Code, Message: secrets.Text(e.Message)}
		var err error
		if copied.Client.Data, err = replaceInData(secrets, e.Data); err != nil {
			copied.Event, copied.Level = cannotEncodeData, slog.LevelError
			copied.Log = errors.Join(forLog(err), copied.Log)
		}
	}
	return &copied
}

// withheldError is an error without its text. cause is what a program may find in it.
type withheldError struct {
	text  string
	cause error
}

func (e *withheldError) Error() string { return e.text }

func (e *withheldError) Unwrap() error { return e.cause }

// withholdLog returns the error for the log. A logger may look into an error, so it has no
// more of the original than the end of ctx. The types of the errors remain, so that an
// operator has a place to start from.
func withholdLog(ctx context.Context, err error) error {
	if _, ok := err.(*withheldError); ok || err == nil {
		return err
	}
	e := &withheldError{text: redact.TypesOf(err)}
	if ended := ctx.Err(); ended != nil && (errors.Is(err, ended) || errors.Is(err, context.Cause(ctx))) {
		e.cause = ended
	}
	return e
}

// withholdCause returns the error for the middleware, which has the secrets but logs text.
func withholdCause(err error) error {
	if _, ok := err.(*withheldError); ok || err == nil {
		return err
	}
	return &withheldError{text: redact.TypesOf(err), cause: err}
}

// replaceIn returns an error whose text has no secrets. An error without a secret is returned
// unchanged, so that a logger may format it by its type.
func replaceIn(s *redact.Secrets, err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); s.Text(text) != text {
		return &withheldError{text: s.Text(text), cause: err}
	}
	return err
}

// replaceInData replaces the secrets in the data of an error. Data of ours is replaced field
// by field, before it is encoded. Data of the application is encoded first, because only its
// JSON is what the client gets.
func replaceInData(s *redact.Secrets, data any) (any, error) {
	if data == nil {
		return nil, nil
	}
	if d, ok := data.(interface {
		ReplaceText(replace func(string) string) any
	}); ok { // ours
		return d.ReplaceText(s.Text), nil
	}
	raw, err := jsonenc.Append(nil, data)
	if err != nil {
		return nil, err
	}
	switch clean := s.JSON(raw); {
	case clean == nil:
		return nil, nil
	case !bytes.Equal(clean, raw):
		return json.RawMessage(clean), nil
	}
	return data, nil
}
