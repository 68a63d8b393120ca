package rpc

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/internal/limit"
)

// This file counts the bytes that clients make the server hold. Messages and
// responses up to maxUncounted are bounded by their number instead: a count for
// each would cost more than it saves. Subscriptions to resources all count.

// maxUncounted is the size in bytes up to which a message or a response does not count toward
// Limits.Memory. docs/limits.md has a row for these messages and responses.
const maxUncounted = 16 << 10

// parsingShare is the part of Limits.Memory that is kept for messages while they
// are parsed, so that parsing waits for nothing but parsing.
const parsingShare = 16

// maxParsed is how many times the size of a message its parsed form and the copies
// of its strings may have; the part for parsing has room for one such message.
const maxParsed = 32

// memory limits the bytes that are held, of all clients and of each.
// There are two semaphores, because a wait for bytes of the second could last as long as a
// client likes: held bytes are released when the client has read its response. Only parsing
// may therefore wait. A request that finds no bytes in held is rejected as busy.
type memory struct {
	parsing       *limit.Semaphore // the parsed forms of messages; if it is full, they wait
	held          *limit.Semaphore // requests and responses
	heldPerClient int64
	onFull        func(client string) // is called for bytes that are not free
}

// newMemory divides the bytes. The part for parsing is n/parsingShare. If the largest message
// needs more, the part has room for that message, up to half of n.
func newMemory(total, perClient, message int) memory {
	split := func(n int) (parsing, held int64) {
		most := min(message, math.MaxInt/maxParsed) * maxParsed
		share := max(n/parsingShare, min(most, n/2))
		return int64(share), int64(n - share)
	}
	parsing, held := split(total)
	parsingPerClient, heldPerClient := split(perClient)
	return memory{parsing: limit.NewSemaphore(parsing, parsingPerClient), held: limit.NewSemaphore(held, heldPerClient), heldPerClient: heldPerClient, onFull: func(string) {}}
}

// parse counts n bytes for the parsed form of a text, and waits until they are free. It returns
// the function that gives them back. Between the two, the caller must not wait: others wait for
// the bytes.
func (m *memory) parse(ctx context.Context, account string, n int) (release func(), err error) {
	if err := m.parsing.Acquire(ctx, account, int64(n), time.Time{}); err != nil {
		return nil, err
	}
	return func() { m.parsing.Release(account, int64(n)) }, nil
}

// share counts what a session holds, if its client has no name. It must not be copied. A
// client with a name is counted by name in held, over all of its sessions.
type share struct{ used atomic.Int64 }

// tryAdd counts n bytes more and reports whether they are within a limit. The first are, however
// many. Otherwise a result above the limit could never be sent. Semaphore has the same rule.
func (s *share) tryAdd(n, limit int64) bool {
	for {
		used := s.used.Load()
		if used > 0 && n > limit-used {
			return false
		}
		if s.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// holding is how many bytes one request holds. It is not concurrent.
type holding int64

func (m *memory) hold(h *holding, own *share, client string, n int) bool {
	return n <= maxUncounted || m.count(h, own, client, n)
}

// count counts n bytes more for a client, or for the share of a session without one, and
// reports whether they were free. own may be nil. If it returns true, release must follow.
// The caller must pass the same own and client to release, or a client would stay charged for
// bytes that it no longer holds.
func (m *memory) count(h *holding, own *share, client string, n int) bool {
	hasShare := client == "" && own != nil
	if hasShare && !own.tryAdd(int64(n), m.heldPerClient) {
		m.onFull(client)
		return false
	}
	if !m.held.TryAcquire(client, int64(n)) {
		if hasShare {
			own.used.Add(-int64(n))
		}
		m.onFull(client)
		return false
	}
	*h += holding(n)
	return true
}

// release gives all bytes back. It may be called more than once.
func (m *memory) release(h *holding, own *share, client string) {
	if *h == 0 {
		return
	}
	m.held.Release(client, int64(*h))
	if client == "" && own != nil {
		own.used.Add(-int64(*h))
	}
	*h = 0
}
