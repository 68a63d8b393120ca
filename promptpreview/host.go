package promptpreview

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/loopback"
)

// This file decides who is answered. The endpoint checks Host and Origin once more,
// by the rules of package streamablehttp.

// refusal returns why a request is not answered; empty if it is.
func (h *Handler) refusal(r *http.Request) string {
	if allowed := h.options.AllowedHosts; len(allowed) > 0 {
		if !slices.ContainsFunc(allowed, func(host string) bool { return strings.EqualFold(host, r.Host) }) {
			return "Host is not allowed; add the host to the allowed hosts of the page"
		}
	} else if !loopback.Reached(r) || !loopback.IsName(r.Host) {
		return "Host is not allowed; open the page at localhost, or add the host to the allowed hosts of the page"
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return "Origin is not allowed; it must have the same host as the page"
		}
	}
	return ""
}
