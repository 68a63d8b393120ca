// Package rpc answers JSON-RPC messages by a table of methods. It handles sessions,
// requests in flight, subscriptions, limits and connections. It knows no prompts:
// a server offers a list of [feature.Feature] values, each with methods, capabilities and
// lists that change. Package wire reads and writes the messages.
//
// The way of a message:
//
//	Serve ──┐              ┌─ notification, response: Session
//	Handle ─┼─── receive ──┼─ subscriptions/listen: subscription
//	Call ───┘              ├─ batch: its messages, one after the other
//	                       └─ request: answered at once, or by a task if the
//	                          result needs the application's code
//
// A [wire.Message] is a message that was read. A [Running] is in flight. A
// [call.Runner] makes the result. The runner, the time limit, a cancellation and the end of the
// session can complete a request: the first of them decides the response.
package rpc

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/observe"
)

// Config configures a [Dispatcher]. All limits must be set.
type Config struct {
	// Info returns the server's description of itself for a protocol version, a JSON object.
	Info         func(rev revision.Revision) ([]byte, []error)
	Instructions string
	// CacheHints are the members ttlMs and cacheScope of server/discover.
	CacheHints string
	Features   []feature.Feature
	// PrivateResults says that no result of a feature is public, whatever its Cache
	// says, because the application hides a part of the server from some clients.
	PrivateResults bool

	Limits   Limits
	Timeouts Timeouts

	// Failure returns the failure of a request whose Serve or Run has returned an error that is no
	// [Failure]. subject names the request to the client.
	Failure func(ctx context.Context, subject string, err error) *Failure
	Owner   any

	// Observer, if not nil, receives every message and session.
	Observer observe.Observer
	// SessionIDs says that sessions have an id, for the middleware.
	SessionIDs bool
	// Principal, if not nil, returns who the client in ctx is. After an error, it has called
	// [Running.Fail].
	Principal func(ctx context.Context) (string, error)
	// ClientInfo says that a [Running] has the client's description of itself.
	ClientInfo bool
	Logger     *slog.Logger
	// LogSensitive says that the log gets the text of failures of a request with secrets.
	LogSensitive bool
}

// Dispatcher answers messages. It is safe for concurrent use. The methods, the feeds and the
// encoded results change only in NewDispatcher, so messages read them without a lock.
type Dispatcher struct {
	*engine
	config    Config
	methods   map[string]*method
	rated     int                // methods with a rate
	resources *feature.Resources // nil without any
	feeds     []*feed
	onEnd     []func(feature.ClientID) // of the features

	numbers atomic.Uint64 // of the sessions

	// What is the same for all clients, encoded: by version, the results of
	// initialize, with and without notifications, and of server/discover; and the
	// member of _meta with the server's info.
	initialized, detached, discovered map[revision.Revision][]byte
	serverInfo                        []byte
}

// Flush waits until the observer was called for all that has ended.
func (s *Dispatcher) Flush(ctx context.Context) error { return s.observer.Flush(ctx) }

// Methods returns the names of the methods that [Dispatcher.Call] answers, sorted, without those
// for single hosts.
func (s *Dispatcher) Methods() []string {
	var names []string
	for name, m := range s.methods {
		if !m.inSession && m.onlyFor == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ServerInfo returns the member of _meta that every result of 2026-07-28 has.
// It must not be changed.
func (s *Dispatcher) ServerInfo() []byte { return s.serverInfo }

// InUse counts what clients hold of the server, without what is zero. Tests of
// the packages above see by it that nothing is left behind.
func (s *Dispatcher) InUse() map[string]int {
	tasks, slots, clients := s.running.InUse()
	n := map[string]int{"clients": clients, "tasks": tasks, "slots": slots, "subscriptions": s.subscriptions.Used(),
		"bytes": s.memory.held.Used() + s.memory.parsing.Used()}
	for _, f := range s.feeds {
		n["listeners"] += f.notifier.Subscribers()
	}
	return nonzero(n)
}

func nonzero(n map[string]int) map[string]int {
	maps.DeleteFunc(n, func(_ string, n int) bool { return n == 0 })
	return n
}
