package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/errorid"
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

// cannotConvert is the event of a result that the types of mcp-go cannot express.
const cannotConvert = "cannot convert result for mcp-go"

// internalError logs an error of a request and returns the error for the client, which
// gets the subject only. Both have the same error id.
func internalError(ctx context.Context, logger *slog.Logger, event, subject string, about slog.Attr, err error) error {
	message, id := errorid.New("internal error: " + subject + " failed")
	logger.LogAttrs(ctx, slog.LevelError, event, about, slog.Any("error", err), slog.String(errorid.Attr, id))
	return failure(ctx, &prompts.Error{Code: prompts.CodeInternalError, Message: message, Data: errorid.Data{ID: id}})
}

// existsError is a name that the server uses itself.
type existsError struct{ kind, name string }

// Error says what both have.
func (e *existsError) Error() string {
	return fmt.Sprintf("mcpgo: %s %q already exists on the server; rename one of the two", e.kind, e.name)
}

// Unwrap returns prompts.ErrExists.
func (e *existsError) Unwrap() error { return prompts.ErrExists }

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
