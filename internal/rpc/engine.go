package rpc

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/logwait"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/telemetry"
)

// This file has what all parts of a server share: its limits, its observer, and its log. The rate
// of records is bounded, also of those that a client has reached a limit: clients decide how often
// that happens. Each goroutine of the server begins here, but for those of a connection.

// engine is the limits of a server and what counts toward them, its log and its observer, and
// the functions of the application that requests need. NewDispatcher sets every field before the
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
	idKey         []byte // of the ids of sessions

	// What follows comes from the root package. The dispatcher calls it and knows nothing of
	// prompts.
	owner        any
	failure      func(ctx context.Context, subject string, err error) *Failure
	principal    func(ctx context.Context) (string, error) // nil without one
	keepsInfo    bool                                      // Config.ClientInfo
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

// maxLogRate is how many records per second the logger gets, because clients can cause
// records. Twice as many may come at once. The rate holds for all records together, so a
// flood of one kind may hide another. The attribute dropped says how many are missing.
const maxLogRate = 100

// logger is the application's logger, with a bound on its records, and on the wait for its handler.
type logger struct {
	slog    *slog.Logger
	handler *logwait.Handler // of slog
	rate    *limit.RateLimiter
	bucket  limit.Bucket
}

func newLogger(l *slog.Logger) *logger {
	h := logwait.New(l.Handler())
	return &logger{slog: slog.New(h), handler: h, rate: limit.NewRateLimiter(maxLogRate)}
}

// Log writes a record. The logger's handler is the application's code, so Log waits for it only for
// a second, and comes after everything that a client waits for. It may panic, and that must not end
// the process either: Log is what a recovered panic ends in, see recoverPanic.
func (l *logger) Log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	switch {
	case !l.slog.Enabled(ctx, level):
	case !l.rate.Allow(&l.bucket):
		l.handler.Drop()
	default:
		l.slog.LogAttrs(ctx, level, message, attrs...)
	}
}

// reachedPause is the least time between two records about the same limit.
const reachedPause = time.Second

// The limits that clients reach. A rate has the name of its method instead.
const (
	limitConcurrency   = "concurrency"
	limitMemory        = "memory"
	limitSubscriptions = "subscriptions"
	limitResources     = "subscriptions to resources"
)

// reached counts how often clients have reached limits since the last record. One record for
// a limit and not for each client: the clients are many, and a map of them would be one more
// thing to bound.
type reached struct {
	mu sync.Mutex
	by map[string]times // by limit; the names are the program's, so there are few
}

type times struct {
	logged  time.Time
	omitted int
}

// add counts once more, and reports whether a record is due, and how many were omitted
// before it. Only a rejected request reads the clock.
func (r *reached) add(limit string) (omitted int, isDue bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, t := time.Now(), r.by[limit]
	if now.Sub(t.logged) < reachedPause {
		r.by[limit] = times{t.logged, t.omitted + 1}
		return 0, false
	}
	r.by[limit] = times{logged: now}
	return t.omitted, true
}

// secretKey begins the key of a client that is the name of its session, which may be
// secret. No record has such a key.
const secretKey = "\x00session "

// reachLimit logs that a client has reached a limit. client is its principal, or else its
// key, which may be empty. An operator learns of a limit that is too low, or of a client that
// sends too much, before anybody complains.
func (e *engine) reachLimit(limit, client string) {
	omitted, isDue := e.reached.add(limit)
	if !isDue {
		return
	}
	attrs := []slog.Attr{slog.String("limit", limit)}
	if client != "" && !strings.HasPrefix(client, secretKey) {
		attrs = append(attrs, slog.String("client", strings.Clone(phrase.Clip(client, phrase.MaxEcho))))
	}
	if omitted > 0 {
		attrs = append(attrs, slog.Int("omitted", omitted))
	}
	e.spawn(func() { // a logger may block, and the client waits for its error
		e.Log(context.Background(), slog.LevelWarn, "limit reached", attrs...)
	})
}

// spawn runs f on a goroutine of its own. The caller must know how the goroutine ends:
// nothing here waits for it.
func (l *logger) spawn(f func()) {
	go func() {
		defer l.recoverPanic()
		f()
	}()
}

// recoverPanic is deferred on each goroutine that the server starts, the goroutines of timers
// included: a panic of the application's code, be it a transport's, must not end the process. What
// the code leaves undone is cleaned up by deferred functions on the way here.
func (l *logger) recoverPanic() {
	if v := recover(); v != nil {
		l.Log(context.Background(), slog.LevelError, "panic recovered",
			slog.Any("error", fmt.Errorf("panic: %v", v)), slog.String("stack", string(debug.Stack())))
	}
}

// logObserver logs the first failure of the observer. An observer that fails once usually
// fails for every message.
func (l *logger) logObserver(err error, stack []byte) {
	attrs := []slog.Attr{slog.Any("error", err)}
	if stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	l.spawn(func() { // a logger may block
		l.Log(context.Background(), slog.LevelError, "observer failed; further failures are not logged", attrs...)
	})
}
