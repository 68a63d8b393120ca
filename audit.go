package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// AuditLog returns a middleware that logs who gets which prompt. It writes one record
// of level Info with the message "prompt requested" for each prompts/get that reaches
// the middleware, before the client gets the response. Values of arguments, messages
// and error texts are never in the record. The attributes are:
//
//   - principal: what Options.Principal returns;
//   - prompt: the name as the client sent it, at most 256 bytes of it. The prompt may
//     not exist;
//   - outcome: complete, input_required, the code of the error response, or canceled
//     or timeout if the request ended before the response was ready;
//   - duration: the time that the middlewares inside and the render function took.
//
// The record has the request's context, so a handler such as that of package promptotel
// can add the trace. Requests that are malformed or rejected by a limit do not reach the
// middleware; an [Observer] sees them. To use other middlewares, too, call AuditLog's
// with the result of another: AuditLog(logger)(other(next)). Default of logger:
// slog.Default() at the time of the call.
func AuditLog(logger *slog.Logger) func(next Handler) Handler {
	logger = cmp.Or(logger, slog.Default())
	return func(next Handler) Handler {
		return func(ctx context.Context, r *Request) (response *Response, err error) {
			if r.Method != methodGet {
				return next(ctx, r)
			}
			principal, prompt, start := r.Principal, r.Prompt, time.Now()
			err = &Error{Code: CodeInternalError} // unless next returns
			defer func() {
				logger.LogAttrs(ctx, slog.LevelInfo, "prompt requested", slog.String("principal", principal),
					slog.String("prompt", strings.ToValidUTF8(phrase.Clip(prompt, phrase.MaxEcho), "\ufffd")),
					slog.String("outcome", outcomeOf(ctx, err)), slog.Duration("duration", time.Since(start)))
			}()
			return next(ctx, r)
		}
	}
}

// outcomeOf returns in a word what becomes of a request of the middleware.
func outcomeOf(ctx context.Context, err error) string {
	switch e := visibleError(err); {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "timeout"
	case ctx.Err() != nil:
		return "canceled"
	case err == nil:
		return "complete"
	case errors.Is(err, ErrInputRequired):
		return "input_required"
	case e != nil:
		return strconv.Itoa(int(e.Code))
	}
	return strconv.Itoa(int(CodeInternalError))
}
