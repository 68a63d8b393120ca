package streamablehttp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/option"
)

// Options configures a [Handler]. The zero value of each field is its default and the safe choice.
type Options struct {
	// AllowedOrigins are the origins, such as "https://app.example.org", of web pages that may call
	// the server, in addition to the server's own origin. The origin of an extension or of a
	// webview has a scheme of its own, such as "chrome-extension://ID" or "tauri://localhost".
	// Wildcards are not supported. Only these pages get CORS headers, which allow all request
	// headers. A request from any other origin gets status 403, as a defense against DNS rebinding.
	// Browsers send OPTIONS requests without credentials, so authentication must let these requests
	// pass. Default: none.
	AllowedOrigins []string
	// AllowedHosts are the accepted values of the Host header, with the port if the header has one.
	// Any other value gets status 403. On a loopback address behind a proxy, set the names that the
	// proxy passes on. Default: all names, and on a loopback address only loopback names.
	AllowedHosts []string

	// DisableSessions serves session-based clients (2024-11-05 to 2025-11-25)
	// without sessions, so that any replica can serve each request. These clients
	// get no list_changed notifications and do not support elicitation.
	DisableSessions bool
	// SessionTimeout is the time after which an idle session ends. A session with a request in
	// progress or an open stream is not idle. Default: 30 minutes; negative: no limit.
	SessionTimeout time.Duration
	// MaxSessions is the maximum number of open sessions. At the limit, the next
	// initialize ends the longest idle session: preferably an unused one, and among
	// these preferably the client's own. An unused session, whose client has only sent
	// initialize, is spared for 10 seconds, unless a quarter of MaxSessions are unused.
	// If no other session is idle, initialize gets status 503. Default: 10,000.
	MaxSessions int
	// MaxSessionsPerClient is the same for one client. At the limit, only the client's own sessions
	// end. A client is a principal, if Options.Principal of the server is set, or an address
	// without one. The addresses of one /64 network of IPv6 count as one. Behind a proxy, all
	// clients without a principal share an address. Default: a quarter of MaxSessions, but 100 at
	// least and no more than MaxSessions.
	MaxSessionsPerClient int
	// MaxStreams is the maximum number of requests in progress, including open
	// streams. The next request gets status 503. Default: 20,000.
	MaxStreams int
	// MaxStreamsPerClient is the same for one client, as in MaxSessionsPerClient.
	// Default: a quarter of MaxStreams, and 1,000 at least.
	MaxStreamsPerClient int

	// ReadTimeout limits the time of a client to send a body. The server's MaxMessageBytes limits
	// the size. At most 16 bodies of this size are received at a time, and the next request gets
	// status 503. Default: 30 seconds; negative: no limit.
	ReadTimeout time.Duration
	// WriteTimeout limits the time of a client to receive each message. Default: 30
	// seconds; negative: no limit.
	WriteTimeout time.Duration
	// KeepAlive is the interval of comments on an idle stream, so that proxies keep
	// the stream open. Default: 25 seconds; negative: never.
	KeepAlive time.Duration
}

const (
	defaultSessionTimeout = 30 * time.Minute
	defaultMaxSessions    = 10_000
	fewSessions           = 100
	defaultMaxStreams     = 20_000
	fewStreams            = 1000
	defaultReadTimeout    = 30 * time.Second
	defaultWriteTimeout   = 30 * time.Second
	defaultKeepAlive      = 25 * time.Second
)

func (o Options) withDefaults() (Options, error) {
	errs := option.Negative(o, "SessionTimeout", "ReadTimeout", "WriteTimeout", "KeepAlive")
	for _, origin := range o.AllowedOrigins {
		if _, _, ok := splitOrigin(origin); !ok {
			errs = append(errs, fmt.Errorf("AllowedOrigins must be of the form https://app.example.org or chrome-extension://ID, got %q", origin))
		}
	}
	for _, host := range o.AllowedHosts {
		if !isHost(host) {
			errs = append(errs, fmt.Errorf("AllowedHosts must be of the form mcp.example.org or mcp.example.org:8443, got %q", host))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return o, err
	}
	o.SessionTimeout = cmp.Or(o.SessionTimeout, defaultSessionTimeout)
	o.MaxSessions = cmp.Or(o.MaxSessions, defaultMaxSessions)
	o.MaxSessionsPerClient = cmp.Or(o.MaxSessionsPerClient, min(o.MaxSessions, max(fewSessions, o.MaxSessions/4)))
	o.MaxStreams = cmp.Or(o.MaxStreams, defaultMaxStreams)
	o.MaxStreamsPerClient = cmp.Or(o.MaxStreamsPerClient, max(fewStreams, o.MaxStreams/4))
	o.ReadTimeout = cmp.Or(o.ReadTimeout, defaultReadTimeout)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, defaultWriteTimeout)
	o.KeepAlive = cmp.Or(o.KeepAlive, defaultKeepAlive)
	return o, nil
}

// ending is the time for a reply that net/http sends in the end, once it has
// read what was left of the body.
func (o *Options) ending() time.Duration {
	read := max(o.ReadTimeout, 0)
	return read + min(o.WriteTimeout, math.MaxInt64-read)
}

// splitOrigin returns the scheme and the host of an origin, and reports whether it is one:
// "null", wildcards and quoted hosts are none. Pages of extensions and of applications have
// origins with schemes of their own.
func splitOrigin(origin string) (scheme, host string, ok bool) {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || !strings.EqualFold(origin, u.Scheme+"://"+u.Host) || strings.ContainsAny(u.Host, "*\"'<>") {
		return "", "", false
	}
	return u.Scheme, u.Host, true
}

// isHost reports whether a string can be a Host header: a name or an address, with or
// without a port.
func isHost(s string) bool {
	_, host, ok := splitOrigin("http://" + s)
	return ok && host == s
}
