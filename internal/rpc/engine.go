package rpc

import (
	"context"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/telemetry"
)

// This file has what all parts of a server share. It knows none of them.

// engine is the limits of a server and what counts toward them, its log and its observer, and
// the functions of the application that requests need. NewServer sets every field before the
// first message, so messages read the fields without a lock. Limits, memory, reached and the
// logger have locks of their own.
type engine struct {
	*logger
	limits        Limits
	timeouts      Timeouts
	running       *limit.Requests
	subscriptions *limit.Semaphore
	memory        memory
	observer      *telemetry.Queue // nil without one
	reached       reached

	// What follows comes from the root package. The dispatcher calls it and knows nothing of
	// prompts.
	owner        any
	failure      func(ctx context.Context, subject string, err error) *Failure
	principal    func(ctx context.Context) string // nil without one
	logSensitive bool
}

// Limits bound what clients can have of a server. A limit of the server protects the process.
// A limit of a session or of a client keeps one client from using up the limit of the server.
// The defaults are those of the root package.
type Limits struct {
	Concurrent          int // running requests of a session; as many again wait
	ConcurrentTotal     int // of the server
	ConcurrentPerClient int // of Exchange.ClientKey
	Subscriptions       int // of a session
	SubscriptionsTotal  int
	MessageBytes        int
	Memory              int // bytes that requests and responses hold
	MemoryPerClient     int // of Exchange.ClientKey, or of a session without it
}

// Timeouts bound how long the server waits. Code that exceeds Request may keep running: Go
// cannot end a goroutine. The timeout ends the wait of the client, not the work.
type Timeouts struct {
	Request time.Duration // for the application's code; negative: no limit
	Elicit  time.Duration // for a client's response; negative: no limit
	Drain   time.Duration // for pending requests at the end of a connection; negative: none
	Changes time.Duration // without a change before clients are notified
}
