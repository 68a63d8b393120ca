// Package wrongpath answers requests with a wrong URL: with the path of the endpoint.
package wrongpath

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// Handler rejects requests at every path but the endpoint's. The text is for a person,
// since clients show it, and is no JSON-RPC response: only the endpoint has responses. log
// is the Log of the server.
func Handler(endpoint string, log func(context.Context, slog.Level, string, ...slog.Attr)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log(r.Context(), slog.LevelInfo, "HTTP path not found",
			slog.String("method", phrase.Echo(r.Method)), slog.String("path", phrase.Echo(r.URL.Path)), slog.String("endpoint", endpoint))
		http.Error(w, "path not found; the MCP endpoint is "+endpoint, http.StatusNotFound)
	})
}
