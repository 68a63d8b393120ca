package promptotel

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-prompts/prompts/internal/option"
)

// LogHandler returns a slog.Handler that adds the trace_id and the span_id of the
// context to the records for h. With it as the handler of Options.Logger of package
// prompts, a record about a request leads to its trace:
//
//	logger := slog.New(promptotel.LogHandler(slog.NewJSONHandler(os.Stderr, nil)))
func LogHandler(h slog.Handler) slog.Handler {
	option.Must("promptotel: LogHandler", struct{}{}, "handler", h)
	return logHandler{h}
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
