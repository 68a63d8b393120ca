package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Options configure a [Server]. The zero value of each is its default, and
// the safe choice.
type Options struct {
	// Info describes the server to clients.
	Info Implementation
	// Instructions tell the model how to use the server. Default: none.
	Instructions string

	// PageSize is the number of prompts in one answer to prompts/list.
	// Default: 100.
	PageSize int
	// NoListChanged keeps changes of the registry to the server: clients are
	// not told of them, nor that they could be.
	NoListChanged bool
	// ChangeDelay is how long the list must have been as it is before clients are
	// told for the last time that it has changed. It is for replicas behind a load
	// balancer, which get a change one after the other: a client that one of them
	// tells may read the list from another. While changes go on without such a
	// pause, clients are told every two ChangeDelays, and no more often than every
	// 200 ms. A burst of changes is one notification anyhow. Default: 20 ms.
	ChangeDelay time.Duration
	// StrictArguments refuses arguments that a prompt does not declare.
	// Otherwise they are ignored.
	StrictArguments bool

	// NoCompletions turns completion/complete off, and its capability.
	NoCompletions bool
	// AskArguments has a client that supports elicitation asked for arguments
	// of a prompt that are missing or wrong, by a form with just those, where
	// it would otherwise get invalid params (-32602). That includes arguments
	// that a render function refuses with [InvalidArgument]: it is then run
	// again with what was filled in, and what it has learnt by [Ask] and [Once]
	// is forgotten. Where the answer comes within the request, a person is
	// asked three times at most. It is for prompts none of whose arguments is
	// a secret.
	AskArguments bool
	// Visible, if not nil, says whether the client in ctx may know of a
	// prompt. One that it may not is missing from its lists, and unknown in
	// every other request. p is a copy for all calls, which must not be
	// changed; Tags are for this. The function is called for each prompt of a
	// list, so it must be fast. The rules for ctx are those of a [RenderFunc].
	Visible func(ctx context.Context, p Prompt) bool
	// Principal, if not nil, returns who the client in ctx is: the user that
	// the author's own layer has authenticated. What a client brings back
	// from an earlier request counts only for the same principal. Without it
	// all clients are one. It may be called concurrently.
	Principal func(ctx context.Context) string
	// Middleware, if not nil, is called once, with what answers prompts/list,
	// prompts/get and completion/complete, and returns what is to answer them
	// in its place: a function that does something before, after or instead
	// of next. Several are composed by calling one with what another returns.
	// They see every request that is well formed, those for a prompt that there
	// is not or that is hidden among them, and run where a [RenderFunc] does, by
	// its rules for ctx: a list, too, waits for its turn then. They may be called
	// concurrently, and may call next more than once, until they return. What they
	// return is checked like what a render function returns. One that answers by
	// client must not be combined with CachePublic.
	Middleware func(next Handler) Handler
	// Fallback, if not nil, returns what stands in for content that the
	// client's revision has not: an [Audio] in 2024-11-05, a [ResourceLink]
	// before 2025-06-18. If it returns nil, or there is no Fallback, a link
	// becomes a text with its name and URI, and a prompt with audio fails as
	// an internal error. What it returns is checked like any content. It may be
	// called concurrently.
	Fallback func(c Content, version string) Content

	// CacheTTL is how long clients of revision 2026-07-28 may keep a list of
	// prompts, and what server/discover says, in whole milliseconds.
	// Default: 0, not at all.
	CacheTTL time.Duration
	// CachePublic says that one client's answers to these are good for any
	// other, so that a cache between them may share them. With a Visible filter
	// it has no effect.
	CachePublic bool
	// StateKeys, if not nil, returns the secret keys for what travels through
	// a client of revision 2026-07-28 between the requests of one prompt: see
	// [Ask]. Each has 16 random bytes at least. The first one encrypts; any
	// of them decrypts, so that a new key can be brought in as the second
	// everywhere before it becomes the first. Replicas share them. It is
	// called for each such request, concurrently; if it returns no keys, or one
	// that is too short, that request fails as an internal error. Default: one
	// random key for this server.
	StateKeys func() [][]byte
	// StateTTL is how long what travels through a client is good: the time
	// that it has for its next request. Default: 15 minutes.
	StateTTL time.Duration
	// AskTimeout is how long an [Ask] in a session waits for the client.
	// Default: 5 minutes; negative: no limit.
	AskTimeout time.Duration

	// RenderTimeout is the time that a request has for an author's code under
	// [Server.Serve]: for a render function, a Method, a [CompleteFunc], or the
	// Visible filter of a list. Its context ends then, and the client gets an internal
	// error even if the function goes on. Default: 30 seconds; negative: no
	// limit. It bounds the wait for a turn as well, after which the client is
	// told that the server is busy.
	RenderTimeout time.Duration
	// MaxConcurrent is the number of such requests that may be worked on at a
	// time for one session. As many again wait for their turn; the
	// next is refused as busy (-32603). Default: 64.
	MaxConcurrent int
	// MaxConcurrentTotal is the same for all of the server's sessions
	// together. Default: 1024.
	MaxConcurrentTotal int
	// MaxConcurrentPerClient is the same for all that one client does, where the
	// transport says who it is: see Exchange.Client. For package streamablehttp
	// it is a principal or, without one, a network address; behind a proxy all
	// clients without a principal have the proxy's. Default: a quarter of
	// MaxConcurrentTotal, and no less than MaxConcurrent.
	MaxConcurrentPerClient int
	// Rate is how many requests per second one client may send; the next is
	// refused (-32603), with the time to wait as retryAfterMs in the error's data.
	Rate Rate
	// MaxSubscriptions is the number of subscriptions that one session may
	// have open; the next is refused (-32603). Default: 64.
	MaxSubscriptions int
	// MaxSubscriptionsTotal is the same for all of the server's sessions
	// together, and for what belongs to none. Default: 65,536.
	MaxSubscriptionsTotal int
	// MaxMessageBytes is the size of the largest message that is read.
	// Default: 4 MiB. A Transport has a bound of its own, such as
	// MaxMessageBytes of stdio.Options; the lower one counts.
	MaxMessageBytes int
	// MaxArguments is the number of arguments that one request may have; more are
	// refused (-32602). Default: 256.
	MaxArguments int
	// MaxArgumentBytes is the size of the largest value of an argument, and of
	// what is completed; a larger one is refused (-32602). Default: 1 MiB.
	MaxArgumentBytes int
	// MaxResultBytes is the size of what a render function may return, texts and
	// data together, and of what a Method may, as JSON; more is an internal error.
	// Default: 16 MiB.
	MaxResultBytes int
	// CompleteTimeout is the time that a completion has, within RenderTimeout: a
	// person has typed on by then. Default: 5 seconds; negative: no limit of its
	// own.
	CompleteTimeout time.Duration
	// LogRate is how many records per second the Logger gets, so that a client
	// that causes some cannot fill a disk; as many again may come at once. The
	// next one that it gets says how many were left out. Default: 100; negative:
	// no limit.
	LogRate int
	// Grace is the time that requests have to finish under [Server.Serve]
	// once the client has closed its side; then they are cancelled, even if
	// RenderTimeout would let them go on. Default: 5 seconds; negative: none.
	Grace time.Duration

	// Methods adds raw methods beside this package's, such as tools/list, by
	// name, in all revisions that have them: logging/setLevel and
	// resources/subscribe and unsubscribe are only in sessions. To a result in
	// revision 2026-07-28 what it must have there is added, unless it has it:
	// resultType, the server's identity in _meta, and with what may be cached
	// (tools/list, resources/list, resources/templates/list, resources/read)
	// that it must not be. Reserved are notifications, initialize, ping, prompts/list,
	// prompts/get, completion/complete, server/discover and
	// subscriptions/listen.
	Methods map[string]Method
	// Capabilities are advertised beside this package's, such as "tools".
	// Each value must encode as a JSON object.
	Capabilities map[string]any

	// Logger gets what clients must not see: why a prompt failed, in full,
	// and what the server did about a client that misbehaves. It does not get
	// the values of arguments. Default: nowhere.
	Logger *slog.Logger
}

// Method answers requests of a method that is not this package's. params is
// the JSON object from the request, already checked for duplicate keys and
// nesting, or nil. The result must encode as a JSON object. An [*Error],
// possibly wrapped, is sent, see there; any other error and a panic are an
// internal error without their text. The context is that of a [RenderFunc].
type Method func(ctx context.Context, params json.RawMessage) (any, error)

const (
	defaultPageSize           = 100
	defaultRenderTimeout      = 30 * time.Second
	defaultMaxConcurrent      = 64
	defaultMaxConcurrentTotal = 1024
	defaultMaxSubscriptions   = 64
	defaultSubscriptionsTotal = 1 << 16
	defaultMaxMessageBytes    = 4 << 20
	defaultMaxArguments       = 256
	defaultMaxArgumentBytes   = 1 << 20
	defaultMaxResultBytes     = 16 << 20
	defaultCompleteTimeout    = 5 * time.Second
	defaultLogRate            = 100
	defaultGrace              = 5 * time.Second
	defaultChangeDelay        = changeQuiet
	defaultStateTTL           = 15 * time.Minute
	defaultAskTimeout         = 5 * time.Minute

	// maxDepth is how deep a message may nest.
	maxDepth = 128
	// maxEcho is how many bytes of a client's own value an error repeats.
	maxEcho = 256
)

// Principal returns who the client in ctx is, as Options.Principal says; empty
// without it. It is for a transport that keeps something for a client.
func (s *Server) Principal(ctx context.Context) string {
	if s.options.Principal == nil {
		return ""
	}
	return s.options.Principal(ctx)
}

// MaxMessageBytes returns the size of the largest message that the server
// reads, of which a transport need read no more.
func (s *Server) MaxMessageBytes() int { return s.options.MaxMessageBytes }

// complete fills in the defaults, and returns everything that is wrong but
// for what a client would be told.
func (o Options) complete() (Options, []error) {
	var faults []error
	fill := func(what string, n *int, otherwise int) {
		if *n < 0 {
			faults = append(faults, fmt.Errorf("%s is negative", what))
		}
		if *n <= 0 {
			*n = otherwise
		}
	}
	fill("PageSize", &o.PageSize, defaultPageSize)
	fill("MaxConcurrent", &o.MaxConcurrent, defaultMaxConcurrent)
	fill("MaxConcurrentTotal", &o.MaxConcurrentTotal, defaultMaxConcurrentTotal)
	fill("MaxConcurrentPerClient", &o.MaxConcurrentPerClient, max(o.MaxConcurrentTotal/4, o.MaxConcurrent))
	fill("MaxSubscriptions", &o.MaxSubscriptions, defaultMaxSubscriptions)
	fill("MaxSubscriptionsTotal", &o.MaxSubscriptionsTotal, defaultSubscriptionsTotal)
	fill("MaxMessageBytes", &o.MaxMessageBytes, defaultMaxMessageBytes)
	fill("MaxArguments", &o.MaxArguments, defaultMaxArguments)
	fill("MaxArgumentBytes", &o.MaxArgumentBytes, defaultMaxArgumentBytes)
	fill("MaxResultBytes", &o.MaxResultBytes, defaultMaxResultBytes)
	if o.CompleteTimeout == 0 {
		o.CompleteTimeout = defaultCompleteTimeout
	}
	if o.LogRate == 0 {
		o.LogRate = defaultLogRate
	}
	if o.RenderTimeout == 0 {
		o.RenderTimeout = defaultRenderTimeout
	}
	if o.AskTimeout == 0 {
		o.AskTimeout = defaultAskTimeout
	}
	if o.StateTTL < 0 {
		faults = append(faults, errors.New("StateTTL is negative"))
	}
	if o.StateTTL <= 0 {
		o.StateTTL = defaultStateTTL
	}
	if o.CacheTTL < 0 {
		faults = append(faults, errors.New("CacheTTL is negative"))
	}
	if o.ChangeDelay < 0 {
		faults = append(faults, errors.New("ChangeDelay is negative"))
	}
	if o.ChangeDelay <= 0 {
		o.ChangeDelay = defaultChangeDelay
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Rate.Completions == 0 {
		o.Rate.Completions = defaultCompletions
	}
	if math.IsNaN(o.Rate.Completions) || math.IsNaN(o.Rate.Gets) {
		faults = append(faults, errors.New("Rate is not a number"))
	}
	if o.Info.Name == "" {
		o.Info.Name = "prompts"
	}
	if o.Info.Version == "" {
		o.Info.Version = "0"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Methods = maps.Clone(o.Methods)
	for _, name := range slices.Sorted(maps.Keys(o.Methods)) {
		switch {
		case o.Methods[name] == nil:
			faults = append(faults, fmt.Errorf("method %q is nil", name))
		case name == "" || strings.HasPrefix(name, "notifications/") || reservedMethods[name]:
			faults = append(faults, fmt.Errorf("method %q is reserved", name))
		}
	}
	for _, own := range []string{"prompts", "completions"} {
		if _, ok := o.Capabilities[own]; ok {
			faults = append(faults, fmt.Errorf("the capability %q is this package's own", own))
		}
	}
	return o, faults
}

// reservedMethods are the names that this package answers in some revision,
// now or in time.
var reservedMethods = map[string]bool{
	"initialize":          true,
	"ping":                true,
	"prompts/list":        true,
	"prompts/get":         true,
	"completion/complete": true,
	"server/discover":     true,
	methodListen:          true,
}
