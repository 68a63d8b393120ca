package mcpgo

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts"
)

// callError is what a handler returns of an error that the client is to see.
// mcp-go sends its text, with a code of its own; see [ErrorHandler].
type callError struct {
	seen *prompts.Error
	text string
}

func (e *callError) Error() string { return e.text }

// Unwrap is for hooks and middleware of the application.
func (e *callError) Unwrap() error { return e.seen }

// failure returns what a handler is to return for an error of a call: an
// [*prompts.Error] where there is one, without the code in its text.
func failure(ctx context.Context, err error) error {
	l, _ := ctx.Value(markersKey{}).(*markers)
	in, isGet := ctx.Value(requestKey{}).(*incoming)
	var seen *prompts.Error
	switch {
	case isGet && in.url.Load() != nil:
		return in.url.Load() // it has a code of its own in mcp-go
	case errors.As(err, &seen):
		failed := &callError{seen: seen, text: seen.Message}
		if l != nil {
			failed.text += " " + l.add(pendingError{error: seen})
		}
		return failed
	case errors.Is(ctx.Err(), context.Canceled) && l != nil:
		// A deadline is not the client's, but of the application's middleware.
		return fmt.Errorf("%w %s", ctx.Err(), l.add(pendingError{cancelled: true}))
	case ctx.Err() != nil:
		return ctx.Err() // without the cause, which the application has not written for clients
	}
	return err // an option is invalid
}
