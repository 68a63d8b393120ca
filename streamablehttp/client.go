package streamablehttp

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/mcp-prompts/prompts/transport"
)

type client struct {
	principal string // empty without authentication
	name      string // principal or address, for the limits per client
}

type informer struct{ request *http.Request }

// TransportInfo describes the connection.
func (i informer) TransportInfo() transport.Info {
	r := i.request
	_, version, _ := strings.Cut(r.Proto, "/")
	if r.ProtoMajor > 1 {
		version, _, _ = strings.Cut(version, ".")
	}
	info := transport.Info{Network: "tcp", Protocol: "http", ProtocolVersion: version, ClientAddress: hostIn(r.RemoteAddr)}
	if r.ProtoMajor == 3 {
		info.Network = "quic"
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && local.Network() == "unix" {
		info.Network, info.ClientAddress = "unix", ""
	}
	return info
}

func hostIn(addr string) string {
	if ap, err := netip.ParseAddrPort(addr); err == nil {
		return ap.Addr().Unmap().String()
	}
	return addr
}

// addressOf returns the address that a request comes from, or the network that
// is likely to be one client's.
func addressOf(r *http.Request) string {
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
