package streamablehttp

import (
	"net/http"
	"net/netip"
)

// clientOf returns what the requests of a client count by that no middleware has
// authenticated: its address, or the network that is likely to be one client's.
func clientOf(r *http.Request) string {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := ap.Addr().Unmap()
	if addr.Is4() {
		return addr.String()
	}
	const subnet = 64
	prefix, _ := addr.Prefix(subnet) // an IPv6 address has one
	return prefix.String()
}
