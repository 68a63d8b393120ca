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

// Unwrap is for the author's hooks and middleware.
func (e *callError) Unwrap() error { return e.seen }

// failure returns what a handler is to return for an error of a call: an
// [*prompts.Error] where there is one, without the code in its text.
func failure(ctx context.Context, err error) error {
	l, _ := ctx.Value(markersKey{}).(*markers)
	var seen *prompts.Error
	switch {
	case errors.As(err, &seen):
		failed := &callError{seen: seen, text: seen.Message}
		if l != nil {
			failed.text += " " + l.add(pendingError{error: seen})
		}
		return failed
	case errors.Is(ctx.Err(), context.Canceled) && l != nil:
		// A deadline is not the client's, but of the author's middleware.
		return fmt.Errorf("%w %s", err, l.add(pendingError{cancelled: true}))
	}
	return err // the request's context has ended, or an option is invalid
}
