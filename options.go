package prompts

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/observe"
)

// Options configures a [Server]. The zero value of each field is its default and the safe choice.
type Options struct {
	// Info describes the server to clients.
	Info Implementation
	// Instructions explains the server to the model. Default: none.
	Instructions string

	// PageSize is the number of prompts in one response to prompts/list. A page also ends at 1 MiB.
	// Some clients, such as Gemini CLI and Qwen Code, read the first page only. Default: 1,000.
	PageSize int
	// InputSchemas adds the JSON schema of the arguments to each prompt in prompts/list, for
	// clients that build a form: the result of [Prompt.InputSchema], as the member
	// "io.github.mcp-prompts/inputSchema" of the prompt's _meta. Since protocol version 2025-06-18.
	InputSchemas bool
	// DisableReleaseMeta leaves the digests of prompts and the release out of the _meta of
	// prompts/list and prompts/get: see [Prompt] and [Release].
	DisableReleaseMeta bool
	// DisableListChanged disables list_changed notifications and their capability.
	DisableListChanged bool
	// ChangeDelay is how long the list must be unchanged before the server sends the last
	// list_changed notification. It is for replicas behind a load balancer: a client that one
	// replica notifies may read the list from a replica that gets the change later. During
	// continuous changes the server notifies clients once in two ChangeDelays, and at most
	// every 200 ms. A burst of changes is always one notification. A negative
	// time is an error. Default: 20 ms.
	ChangeDelay time.Duration
	// StrictArguments rejects arguments that the prompt does not declare. Without
	// it they are ignored.
	StrictArguments bool

	// DisableCompletions disables completion/complete and its capability.
	DisableCompletions bool
	// ElicitArguments asks the user for missing and invalid arguments of a prompt, by a form
	// with just those, if the client supports elicitation. Without it the client gets invalid
	// params (-32602). Arguments that a render function rejects with [InvalidArgument] are
	// included: the function then runs again with the new values, and the results of its [Ask]
	// and [Once] are discarded. In a session the user is asked at most three times. The user is
	// not asked if an argument that is missing or invalid is Sensitive.
	ElicitArguments bool
	// Visible, if not nil, reports whether the client in ctx may see a prompt. A hidden prompt
	// is missing from the client's lists, and unknown in every other request. p is shared by
	// all calls and must not be changed. Use Tags to decide. Visible runs for each prompt of a
	// list, and for each candidate of a suggestion for an unknown name, so it must be fast. The
	// rules for ctx are those of a [RenderFunc]. Behind a Middleware, ctx is the context that
	// next or PromptExists got. If the middleware has called neither, ctx is that of the
	// request, and a panic or an error of Visible hides the prompt. After an error the request
	// fails with an internal error, and Logger gets the error.
	Visible func(ctx context.Context, p Prompt) (bool, error)
	// Principal, if not nil, returns the authenticated user of the client in ctx.
	// State that a client sends back is valid only for the same principal. Default:
	// all clients are one principal. After an error the request fails with an internal
	// error, and Logger gets the error. Over HTTP, Principal is called for every request, where an
	// error is the status 500 and a panic is left to net/http. Other transports call it only if the
	// response depends on the principal. Principal does not authenticate: reject unauthenticated
	// clients before they reach the server. It may be called concurrently.
	Principal func(ctx context.Context) (string, error)
	// Middleware, if not nil, is called once with the handler of prompts/list, prompts/get and
	// completion/complete, and returns the replacement. To combine several, call one with the
	// result of another. The handler gets every valid request, including requests for unknown
	// and hidden prompts, and runs by the rules of a [RenderFunc]. It may be called
	// concurrently, and may call next more than once before returning. The server validates the
	// response like the result of a render function. If the client may not see the prompt, an
	// error that the handler makes itself is sent without the values of the request. Do not
	// combine a public ClientCache with a handler that responds differently to different clients.
	Middleware func(next Handler) Handler
	// Observer, if not nil, receives every message and session, for traces, metrics
	// and logs: see package observe. Default: none, at no cost.
	Observer observe.Observer
	// Fallback, if not nil, returns a replacement for content that the client's protocol
	// version does not have: [Audio] in 2024-11-05, [ResourceLink] before 2025-06-18. It also
	// replaces audio and links for clients that are known to drop them in every version.
	// Without a replacement, a link becomes text with the name and URI, and audio becomes text
	// with the MIME type and size. The server validates the replacement like any content. The
	// rules for ctx are those of a [RenderFunc]. Fallback may be called concurrently.
	Fallback func(ctx context.Context, f Fallback) Content

	// ClientCache sets how long clients of protocol version 2026-07-28 may cache a
	// list of prompts and the result of server/discover. Default: not at all.
	ClientCache feature.ClientCache
	// RequestStateKeys, if not nil, returns the secret keys for the requestState that travels
	// through clients of protocol version 2026-07-28: see [Ask]. Each key has at least 16 random
	// bytes. The first key encrypts. Every key decrypts. To rotate, add the new key second on all
	// replicas, then move it to first. The server calls RequestStateKeys for each request with such
	// state, concurrently. After an error, or without a valid key, the request fails with an
	// internal error, Logger gets the error, and NewServer, which calls RequestStateKeys once with
	// context.Background(), returns the error. Default: one random key for this server.
	RequestStateKeys func(ctx context.Context) ([][]byte, error)
	// RequestStateTTL is the time that a requestState is valid, within which the
	// client must send the next request. A negative time is an error. Default: 15 minutes.
	RequestStateTTL time.Duration

	// Timeouts limits how long the server waits.
	Timeouts Timeouts
	// Limits limits what clients can use of the server.
	Limits Limits

	// Features adds parts of the protocol: methods such as tools/list, capabilities and lists
	// that change. Package prompttools has the tools of prompts, and package feature says how
	// to write one. A method or a capability that the server has already is an error.
	Features []feature.Feature

	// Logger receives what clients must not see: the reason why a prompt failed, and the
	// server's reaction to a misbehaving client. docs/logging.md in the repository lists the
	// records. Logger never receives the values of arguments from the server itself. The server
	// writes at most 100 records a second. Default: slog.Default() at the time of NewServer,
	// which writes to standard error. To log nothing, use slog.New(slog.DiscardHandler).
	Logger *slog.Logger
	// LogSensitive gives Logger the text and the stack of errors and panics of a request
	// with a Sensitive argument, as of any other request. The text may contain what the
	// application made of the value. Only the exact value is replaced in the text.
	// Default: Logger gets the types of such errors.
	LogSensitive bool
}

// Fallback is content for which Options.Fallback returns a replacement. It may get more fields.
type Fallback struct {
	// Content must not be changed.
	Content Content
	// Version is the protocol version of the response.
	Version string
	// Client is the client's description of itself: Name, Version and Title. It is not verified.
	Client Implementation
}

// Timeouts limits how long a [Server] waits. The zero value of each field is its default.
type Timeouts struct {
	// Render limits how long the application's code for one request runs: a render
	// function, the Func of a method, a [CompleteFunc], or the Visible filter of a list. Then
	// its context ends, and the client gets an internal error even if the function
	// continues. It also limits how long a request is queued, after which it is
	// rejected as busy. Default: 30 seconds; negative: no limit.
	Render time.Duration
	// Complete limits how long a completion runs, within Render. Default: 5
	// seconds; negative: no limit of its own.
	Complete time.Duration
	// Elicit limits how long an [Ask] in a session waits for the user. Default: 5
	// minutes; negative: no limit.
	Elicit time.Duration
	// Drain limits how long Serve continues to answer pending requests after the client closes its
	// input. Then they are canceled, even within Render. Default: 5 seconds; negative: none.
	Drain time.Duration
}

// Limits limits what clients can use of a [Server]. The zero value of each field is its default.
type Limits struct {
	// MaxConcurrent is the number of requests of one session that run at a time. The same
	// number may be queued. The next request is rejected as busy (-32603). Default: 64.
	MaxConcurrent int
	// MaxConcurrentTotal is the same for all sessions together. Default: 1024.
	MaxConcurrentTotal int
	// MaxConcurrentPerClient is the same for all requests of one client, if the transport
	// identifies it: see the ClientKey of package transport's Exchange. Package streamablehttp
	// identifies a client by its principal or, without one, its network address. Behind a proxy
	// all clients without a principal have the proxy's address. Default: a quarter of
	// MaxConcurrentTotal, and no less than MaxConcurrent.
	MaxConcurrentPerClient int

	// CompletionsPerSecond is the rate of completion/complete for one client. Clients send a
	// request with each key press. A burst of twice the rate is allowed. The next request is
	// rejected (-32603), with the time to wait as retryAfterMs in the error's data. A client is
	// a principal, or without a principal a session, or without both a ClientKey. All sessions
	// of one ClientKey together have ten times the rate. Default: 50; negative: no limit.
	CompletionsPerSecond float64
	// GetsPerSecond is the same for prompts/get. Default: no limit; negative: no limit.
	GetsPerSecond float64

	// MaxSubscriptions is the number of subscriptions that one session may have
	// open. The next is rejected (-32603). Default: 64.
	MaxSubscriptions int
	// MaxSubscriptionsTotal is the same for all sessions together, including
	// subscriptions without a session. Default: 65,536.
	MaxSubscriptionsTotal int

	// MaxMemoryBytes is the maximum memory that large messages and responses take together:
	// from a message that is being parsed to a response that the client does not read. A
	// request that finds no memory free is rejected as busy (-32603). A message or a response
	// counts if it has more than 16 KiB. A subscription to a resource counts with 1 KiB and its
	// URI. A sixteenth is reserved for parsing, which waits instead. docs/limits.md has the
	// formula for all memory. Default: 4 GiB.
	MaxMemoryBytes int
	// MaxMemoryBytesPerClient is the same for one client, as MaxConcurrentPerClient identifies
	// it. Without a ClientKey a session is a client. Default: a quarter of MaxMemoryBytes.
	MaxMemoryBytesPerClient int

	// MaxMessageBytes is the maximum size of a message. Default: 4 MiB. A Conn can have a
	// limit of its own, such as MaxMessageBytes of stdio.Options; the lower limit applies.
	MaxMessageBytes int
	// MaxArguments is the maximum number of arguments in one request. A request with
	// more is rejected (-32602). Default: 256.
	MaxArguments int
	// MaxArgumentBytes is the maximum size of an argument's value and of the value
	// that is completed. If a value is not a string, its JSON counts. A larger
	// value is rejected (-32602). Default: 1 MiB.
	MaxArgumentBytes int
	// MaxResultBytes is the maximum size of what a render function returns, text, data,
	// links and _meta together, and of what the Func of a method returns, as JSON. A larger result
	// is an internal error. Default: 16 MiB.
	MaxResultBytes int
}

const (
	defaultPageSize              = cursor.DefaultPageSize
	defaultMaxConcurrent         = 64
	defaultMaxConcurrentTotal    = 1024
	defaultMaxSubscriptions      = 64
	defaultMaxSubscriptionsTotal = 1 << 16
	defaultMaxMemoryBytes        = min(4<<30, math.MaxInt)
	defaultMaxMessageBytes       = 4 << 20
	defaultMaxArguments          = 256
	defaultMaxArgumentBytes      = 1 << 20
	defaultMaxResultBytes        = 16 << 20
	defaultCompletionsPerSecond  = 50
	defaultRender                = 30 * time.Second
	defaultComplete              = 5 * time.Second
	defaultElicit                = 5 * time.Minute
	defaultDrain                 = 5 * time.Second
	defaultChangeDelay           = notify.MinPause
	defaultRequestStateTTL       = 15 * time.Minute
)

// withDefaults fills in the defaults and returns the invalid options, except those
// that are checked when they are encoded.
func (o Options) withDefaults() (Options, []error) {
	faults := option.Negative(o, "Timeouts.Render", "Timeouts.Complete", "Timeouts.Elicit", "Timeouts.Drain")
	fill := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	fill(&o.PageSize, defaultPageSize)
	l := &o.Limits
	fill(&l.MaxConcurrent, defaultMaxConcurrent)
	fill(&l.MaxConcurrentTotal, defaultMaxConcurrentTotal)
	fill(&l.MaxConcurrentPerClient, max(l.MaxConcurrentTotal/4, l.MaxConcurrent))
	fill(&l.MaxSubscriptions, defaultMaxSubscriptions)
	fill(&l.MaxSubscriptionsTotal, defaultMaxSubscriptionsTotal)
	fill(&l.MaxMemoryBytes, defaultMaxMemoryBytes)
	fill(&l.MaxMemoryBytesPerClient, max(l.MaxMemoryBytes/4, 1))
	fill(&l.MaxMessageBytes, defaultMaxMessageBytes)
	fill(&l.MaxArguments, defaultMaxArguments)
	fill(&l.MaxArgumentBytes, defaultMaxArgumentBytes)
	fill(&l.MaxResultBytes, defaultMaxResultBytes)
	if l.CompletionsPerSecond == 0 {
		l.CompletionsPerSecond = defaultCompletionsPerSecond
	}
	for _, f := range o.Features {
		for _, name := range slices.Sorted(maps.Keys(f.Methods)) {
			m := f.Methods[name]
			for _, err := range option.Negative(struct {
				RequestsPerSecond float64
				ClientCache       feature.ClientCache
			}{m.RequestsPerSecond, *cmp.Or(m.ClientCache, &feature.ClientCache{})}) {
				faults = append(faults, fmt.Errorf("method %q: %w", name, err))
			}
		}
	}
	t := &o.Timeouts
	t.Render = cmp.Or(t.Render, defaultRender)
	t.Complete = cmp.Or(t.Complete, defaultComplete)
	t.Elicit = cmp.Or(t.Elicit, defaultElicit)
	t.Drain = cmp.Or(t.Drain, defaultDrain)
	o.RequestStateTTL = cmp.Or(o.RequestStateTTL, defaultRequestStateTTL)
	o.ChangeDelay = cmp.Or(o.ChangeDelay, defaultChangeDelay)
	if o.Info.Name == "" {
		o.Info.Name = "prompts"
	}
	if o.Info.Version == "" {
		o.Info.Version = "0"
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, faults
}
