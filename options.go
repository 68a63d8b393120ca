package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	// StrictArguments refuses arguments that a prompt does not declare.
	// Otherwise they are ignored.
	StrictArguments bool

	// RenderTimeout is the time that a render function or a Method has under
	// [Server.Serve]. Its context ends then, and the client gets an internal
	// error even if the function goes on. Default: 30 seconds; negative: no
	// limit. It bounds the wait for a turn as well, after which the client is
	// told that the server is busy.
	RenderTimeout time.Duration
	// MaxConcurrent is the number of render functions and Methods that may
	// run at a time for one session. As many again wait for their turn; the
	// next is refused as busy (-32603). Default: 64.
	MaxConcurrent int
	// MaxConcurrentTotal is the same for all of the server's sessions
	// together. Default: 1024.
	MaxConcurrentTotal int
	// MaxMessageBytes is the size of the largest message that is read.
	// Default: 4 MiB. A Transport has a bound of its own, such as
	// MaxMessageBytes of stdio.Options; the lower one counts.
	MaxMessageBytes int
	// Grace is the time that requests have to finish under [Server.Serve]
	// once the client has closed its side; then they are cancelled, even if
	// RenderTimeout would let them go on. Default: 5 seconds; negative: none.
	Grace time.Duration

	// Methods adds raw methods beside this package's, such as tools/list, by
	// name. Reserved are notifications, initialize, ping, prompts/list,
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
// possibly wrapped, is sent as it is; any other error and a panic are an
// internal error without their text. The context is that of a [RenderFunc].
type Method func(ctx context.Context, params json.RawMessage) (any, error)

const (
	defaultPageSize           = 100
	defaultRenderTimeout      = 30 * time.Second
	defaultMaxConcurrent      = 64
	defaultMaxConcurrentTotal = 1024
	defaultMaxMessageBytes    = 4 << 20
	defaultGrace              = 5 * time.Second

	// maxDepth is how deep a message may nest.
	maxDepth = 128
	// maxEcho is how many bytes of a client's own value an error repeats.
	maxEcho = 256
)

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
	fill("MaxMessageBytes", &o.MaxMessageBytes, defaultMaxMessageBytes)
	if o.RenderTimeout == 0 {
		o.RenderTimeout = defaultRenderTimeout
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
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
	if _, ok := o.Capabilities["prompts"]; ok {
		faults = append(faults, errors.New(`the capability "prompts" is this package's own`))
	}
	return o, faults
}

// reservedMethods are the names that this package answers in some revision,
// now or in time.
var reservedMethods = map[string]bool{
	"initialize":           true,
	"ping":                 true,
	"prompts/list":         true,
	"prompts/get":          true,
	"completion/complete":  true,
	"server/discover":      true,
	"subscriptions/listen": true,
}
