package streamablehttp

import (
	"fmt"
	"math"
	"time"
)

// Options configure a [Handler]. The zero value of each is its default, and
// the safe choice.
type Options struct {
	// AllowedOrigins are origins, such as "https://app.example.org", whose
	// pages may call the server from a browser, beside those of its own host:
	// the CORS headers that a browser wants for that are sent to them alone. Any
	// other gets 403, in defence against DNS rebinding. A middleware that wants
	// credentials has to let OPTIONS requests pass, which have none.
	AllowedOrigins []string
	// AllowedHosts are the values of the Host header, port included if it has
	// one, that are answered. Default: all, but on a connection to a loopback
	// address only loopback names. A server on loopback behind a proxy needs
	// the names that the proxy passes on.
	AllowedHosts []string

	// DisableSessions serves handshake clients without a session, so that each of
	// their requests may go to another replica. They are not told of changes
	// then, and cannot be asked.
	DisableSessions bool
	// SessionTimeout is how long a session may be idle: without a request
	// under way and without an open stream. Default: 30 minutes; negative: no
	// limit.
	SessionTimeout time.Duration
	// MaxSessions is the number of sessions that may be open. The next initialize
	// ends the one that has been idle for longest, of those that have not been
	// used yet if there are any, and of those the client's own before others; it
	// is refused with 503 if none is idle. Default: 10,000.
	MaxSessions int
	// MaxSessionsPerClient is the same for one client, whose own sessions alone
	// make room then: for one principal, if Options.Principal of the server says
	// who that is, else for one address, or one /64 network of IPv6. Behind a
	// proxy all clients without a principal have one address. Default: a quarter
	// of MaxSessions, but 100 at least and no more than MaxSessions.
	MaxSessionsPerClient int
	// MaxStreams is the number of requests that may be under way, open streams
	// included; the next is refused with 503. Default: 20,000.
	MaxStreams int
	// MaxStreamsPerClient is the same for one client: for one principal, if
	// Options.Principal of the server says who that is, else for one address, or
	// one /64 network of IPv6. Behind a proxy all clients without a principal have
	// one address. Default: a quarter of MaxStreams, and 1,000 at least.
	MaxStreamsPerClient int

	// ReadTimeout is the time that a client has to send a body. The server's
	// MaxMessageBytes bounds its size; there is room for 16 of that size that are
	// on their way, and the next is refused with 503. Default: 30 seconds;
	// negative: no limit.
	ReadTimeout time.Duration
	// WriteTimeout is the time that a client has to take each message.
	// Default: 30 seconds; negative: no limit.
	WriteTimeout time.Duration
	// KeepAlive is how often a comment is sent on a stream with nothing else
	// to say. Default: 25 seconds; negative: never.
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

func (o Options) complete() Options {
	if o.MaxSessions < 0 || o.MaxSessionsPerClient < 0 || o.MaxStreams < 0 || o.MaxStreamsPerClient < 0 {
		panic("streamablehttp: options: MaxSessions, MaxSessionsPerClient, MaxStreams and MaxStreamsPerClient must not be negative")
	}
	for _, origin := range o.AllowedOrigins {
		if _, ok := hostOf(origin); !ok {
			panic(fmt.Sprintf("streamablehttp: options: AllowedOrigins: %q is not of the form https://app.example.org", origin))
		}
	}
	fill(&o.SessionTimeout, defaultSessionTimeout)
	fill(&o.MaxSessions, defaultMaxSessions)
	fill(&o.MaxSessionsPerClient, min(o.MaxSessions, max(fewSessions, o.MaxSessions/4)))
	fill(&o.MaxStreams, defaultMaxStreams)
	fill(&o.MaxStreamsPerClient, max(fewStreams, o.MaxStreams/4))
	fill(&o.ReadTimeout, defaultReadTimeout)
	fill(&o.WriteTimeout, defaultWriteTimeout)
	fill(&o.KeepAlive, defaultKeepAlive)
	return o
}

// fill sets an option that is not set.
func fill[T int | time.Duration](option *T, otherwise T) {
	if *option == 0 {
		*option = otherwise
	}
}

// ending is the time for a reply that net/http sends in the end, once it has
// read what was left of the body.
func (o *Options) ending() time.Duration {
	read := max(o.ReadTimeout, 0)
	return read + min(o.WriteTimeout, math.MaxInt64-read)
}
