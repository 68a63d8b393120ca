package promptpreview

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// This file decides who is answered. The endpoint checks Host and Origin once more,
// by the rules of package streamablehttp.

// refusal returns why a request is not answered; empty if it is.
func (h *Handler) refusal(r *http.Request) string {
	if allowed := h.options.AllowedHosts; len(allowed) > 0 {
		if !slices.ContainsFunc(allowed, func(host string) bool { return strings.EqualFold(host, r.Host) }) {
			return "Host is not allowed; add the host to the allowed hosts of the page"
		}
	} else if !isOnLoopback(r) || !isLoopbackName(r.Host) {
		return "Host is not allowed; open the page at localhost, or add the host to the allowed hosts of the page"
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, r.Host) {
			return "Origin is not allowed; it must have the same host as the page"
		}
	}
	return ""
}

func isOnLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	ap, err := netip.ParseAddrPort(addr.String())
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// isLoopbackName reports whether a host, with or without a port, is a name of this
// machine for itself.
func isLoopbackName(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}
