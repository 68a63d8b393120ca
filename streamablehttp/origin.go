package streamablehttp

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/loopback"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// trust reports whether Host and Origin show that no page of another site sent the
// request (GAP-35). Otherwise, trust rejects the request with 403, and logs the option
// that would allow the request.
func (h *Handler) trust(w http.ResponseWriter, r *http.Request) bool {
	reject := func(header, value, option string) {
		h.refuse(w, r, http.StatusForbidden, fmt.Sprintf("%s is not allowed; add the %[2]s to the allowed %[2]ss of the server", header, strings.ToLower(header)))
		h.server.Log(r.Context(), slog.LevelWarn, "HTTP request rejected",
			slog.String("header", header), slog.String("value", phrase.Echo(value)), slog.String("allow_with", "streamablehttp.Options."+option))
	}
	switch o := &h.options; {
	case !o.trustsHost(r):
		reject("Host", r.Host, "AllowedHosts")
	case !o.trustsOrigin(r):
		reject("Origin", strings.Join(r.Header.Values("Origin"), ", "), "AllowedOrigins")
	default:
		return true
	}
	return false
}

func (o *Options) trustsHost(r *http.Request) bool {
	if len(o.AllowedHosts) > 0 {
		return containsFold(o.AllowedHosts, r.Host)
	}
	return !loopback.Reached(r) || loopback.IsName(r.Host)
}

func (o *Options) trustsOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	if o.lists(origins[0]) {
		return true
	}
	scheme, host, ok := splitOrigin(origins[0])
	if !ok || scheme != "https" && (scheme != "http" || r.TLS != nil) {
		return false
	}
	return strings.EqualFold(host, r.Host) || loopback.Reached(r) && loopback.IsName(host)
}

func (o *Options) lists(origin string) bool { return containsFold(o.AllowedOrigins, origin) }

func containsFold(all []string, s string) bool {
	return slices.ContainsFunc(all, func(one string) bool { return strings.EqualFold(one, s) })
}
