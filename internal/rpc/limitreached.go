package rpc

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file logs that a client has reached a limit. Clients decide how often that happens,
// so each limit has a record once in a while, and not one for each request.

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
