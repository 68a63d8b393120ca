// Package loopback recognizes this machine's names and addresses for itself.
//
// The modules that import the package have versions of their own: the package only gets additions.
package loopback

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Reached reports whether a request came to a loopback address.
func Reached(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.IP.IsLoopback()
	}
	ap, err := netip.ParseAddrPort(addr.String()) // from a listener of the application
	return err == nil && ap.Addr().Unmap().IsLoopback()
}

// IsName reports whether a host, with or without a port, is a name of this machine for itself.
func IsName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
