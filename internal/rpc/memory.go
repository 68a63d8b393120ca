package rpc

import (
	"math"
	"strconv"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/limit"
)

// This file counts the bytes that clients make the server hold. Messages and
// responses up to maxUncounted are bounded by their number instead: a count for
// each would cost more than it saves. Subscriptions to resources all count.

// maxUncounted is the size in bytes up to which a message or a response does not
// count toward Limits.Memory.
const maxUncounted = 16 << 10

// parsingShare is the part of Limits.Memory that is kept for messages while they
// are parsed, so that parsing waits for nothing but parsing.
const parsingShare = 16

// maxParsed is how many times the size of a message its parsed form and the copies
// of its strings may have; the part for parsing has room for one such message.
const maxParsed = 32

// memory limits the bytes that are held, of all clients and of each.
type memory struct {
	parsing       *limit.Semaphore // the parsed forms of messages; if it is full, they wait
	held          *limit.Semaphore // requests and responses
	heldPerClient int64
}

func newMemory(total, perClient, message int) memory {
	split := func(n int) (parsing, held int64) {
		most := min(message, math.MaxInt/maxParsed) * maxParsed
		share := max(n/parsingShare, min(most, n/2))
		return int64(share), int64(n - share)
	}
	parsing, held := split(total)
	parsingPerClient, heldPerClient := split(perClient)
	return memory{limit.NewSemaphore(parsing, parsingPerClient), limit.NewSemaphore(held, heldPerClient), heldPerClient}
}

// account returns the key of the client for the memory of messages that are being
// parsed: the name from the transport, or else one for the session. It is empty without
// either.
func (s *Session) account(client string) string {
	if client != "" || s == nil {
		return client
	}
	if s.name.Load() == nil { // most sessions never need it
		name := "\x00session " + strconv.FormatUint(s.number, 10)
		s.name.Store(&name)
	}
	return *s.name.Load()
}

// share counts what a session holds, if its client has no name. It must not be copied.
type share struct{ used atomic.Int64 }

// tryAdd counts n bytes more and reports whether they are within a limit. The first
// are, however many.
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

// hold is count for a message or a response of n bytes.
func (m *memory) hold(h *holding, session *Session, client string, n int) bool {
	return n <= maxUncounted || m.count(h, session, client, n)
}

// count counts n bytes more for a client, or for a session without one, and reports
// whether they were free. If it returns true, release must follow.
func (m *memory) count(h *holding, session *Session, client string, n int) bool {
	hasShare := client == "" && session != nil
	if hasShare && !session.held.tryAdd(int64(n), m.heldPerClient) {
		return false
	}
	if !m.held.TryAcquire(client, int64(n)) {
		if hasShare {
			session.held.used.Add(-int64(n))
		}
		return false
	}
	*h += holding(n)
	return true
}

// release gives all bytes back. It may be called more than once.
func (m *memory) release(h *holding, session *Session, client string) {
	if *h == 0 {
		return
	}
	m.held.Release(client, int64(*h))
	if client == "" && session != nil {
		session.held.used.Add(-int64(*h))
	}
	*h = 0
}

// keptBytes returns how many bytes the work of the call keeps: a result that is ready,
// and of a large message the params, but of _meta only copies of short members, unless
// the call says otherwise.
func (c *Call) keptBytes() int {
	n, m := c.work.ready, &c.Message
	if m.Large {
		n += len(m.Params.Raw())
		if !c.KeepsMeta {
			n -= len(m.Meta.Raw())
		}
	}
	return n
}
