package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// AuditLog returns a middleware that logs each prompts/get:
//
//	prompts.Options{Middleware: prompts.AuditLog(logger)}
//
// The record has the level Info, the message "prompt requested" and these attributes:
//
//   - principal: the result of Options.Principal;
//   - prompt: the name in the request, cut to 256 bytes. The prompt may not exist;
//   - digest, release, label: the Digest of the prompt, and the release that the response
//     was rendered from, as far as they are known: see [Release];
//   - outcome: complete if the inner handler returned a result, input_required, the code
//     of its error, or canceled or timeout if the request ended without a response. If
//     the server rejects the result, Options.Logger gets the record "invalid result";
//   - duration: the time of the inner middlewares and the render function.
//
// The record never contains values of arguments, messages or error texts. It is written before
// the client gets the response, with the request's context, so that a handler such as the one
// of package promptotel can add the trace. Requests that are malformed or rejected by a limit
// do not reach the middleware. An Observer receives them. If the handler of the logger blocks,
// the request waits, because no record may be missing: for standard error, use a
// stdio.LogWriter. To combine AuditLog with other middlewares, call
// AuditLog(logger)(other(next)). Default of logger: slog.Default() at the time of the call.
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
				attrs := make([]slog.Attr, 0, 7)
				attrs = append(attrs, slog.String("principal", principal),
					slog.String("prompt", phrase.Echo(prompt)))
				if response != nil {
					attrs = appendVersion(attrs, response)
				}
				logger.LogAttrs(ctx, slog.LevelInfo, "prompt requested", append(attrs,
					slog.String("outcome", outcomeOf(ctx, err)), slog.Duration("duration", time.Since(start)))...)
			}()
			return next(ctx, r)
		}
	}
}

func appendVersion(attrs []slog.Attr, r *Response) []slog.Attr {
	for _, a := range []slog.Attr{slog.String("digest", r.Digest), slog.String("release", r.Release.ID), slog.String("label", r.Release.Label)} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

func outcomeOf(ctx context.Context, err error) string {
	switch e := wire.ClientError(err); {
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
