package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/internal/core"
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

// unconverted returns what the client gets to see of a result that the types of mcp-go cannot
// express. kind is prompt or tool.
func (m *mount) unconverted(ctx context.Context, kind, name string, err error) error {
	return failure(ctx, core.InternalError(ctx, m.calls, "cannot convert result for mcp-go", fmt.Sprintf("%s %q", kind, name), slog.String(kind, name), err))
}

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
		// A deadline is not the client's, but of the application's middleware.
		return fmt.Errorf("%w %s", ctx.Err(), l.add(pendingError{cancelled: true}))
	case ctx.Err() != nil:
		return ctx.Err() // without the cause, which the application has not written for clients
	}
	return err // an option is invalid
}
