package limit

import (
	"crypto/sha256"
	"math"
	"sync"
	"time"
)

const (
	// maxBuckets limits how many clients are counted in addition to the sessions.
	maxBuckets = 100_000
	// minBuckets is the number of buckets below which none is removed.
	minBuckets = 1024
	// sessionsFactor is how many times the rate of one client all sessions from
	// one address may have together.
	sessionsFactor = 10
)

// RateLimiter limits how many requests of one method each client sends. It is a
// token bucket in the form of the generic cell rate algorithm.
type RateLimiter struct {
	interval time.Duration // between requests at the full rate
	burst    time.Duration // how far a client may be ahead of that
	began    time.Time

	mu      sync.Mutex // protects the fields below
	buckets map[string]*Bucket

	sweepAt   int           // buckets
	sweepNext time.Duration // the earliest time, if there are maxBuckets
}

// Bucket is the state of one client: the time at which its next request would
// be due if it sent requests evenly. The mutex of the RateLimiter protects it.
type Bucket struct{ next time.Duration }

// NewRateLimiter returns a limiter, or nil if perSecond is not positive.
func NewRateLimiter(perSecond float64) *RateLimiter {
	if perSecond <= 0 {
		return nil
	}
	const longest = 1e6 * float64(time.Hour)
	interval := max(1, min(float64(time.Second)/perSecond, longest))
	burst := min((max(1, math.Ceil(2*perSecond))-1)*interval, longest)
	return &RateLimiter{
		interval: time.Duration(interval), burst: time.Duration(burst),
		began: time.Now(), buckets: map[string]*Bucket{}, sweepAt: minBuckets,
	}
}

// Wait counts a request and returns 0, or returns how long the client must wait before it tries
// again. The client is the principal if there is one, then the session with its own bucket, then
// the address. A request without any of them is not limited.
func (r *RateLimiter) Wait(principal string, session *Bucket, address string) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case principal != "":
		return r.waitNamed("principal "+principal, 1)
	case session != nil:
		if wait = r.take(session, time.Since(r.began), 1); wait == 0 && address != "" {
			// A client must not reset its rate with a new session. Several clients
			// can share an address.
			wait = r.waitNamed("sessions of "+address, sessionsFactor)
		}
		return wait
	case address != "":
		return r.waitNamed("client "+address, 1)
	}
	return 0
}

// Budget is a rate that everybody shares. Safe for concurrent use.
type Budget struct {
	rate   *RateLimiter
	bucket Bucket // the mutex of rate protects it
}

// NewBudget returns a budget of perSecond, which must be positive. Twice as many may come at once.
func NewBudget(perSecond float64) *Budget { return &Budget{rate: NewRateLimiter(perSecond)} }

// Allow counts one, and reports whether it is within the budget.
func (b *Budget) Allow() bool { return b.rate.Allow(&b.bucket) }

// Allow counts a request against a bucket that belongs to no client, and reports
// whether it is within the rate.
func (r *RateLimiter) Allow(b *Bucket) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.take(b, time.Since(r.began), 1) == 0
}

// maxName is the maximum size in bytes of a client's name that is kept.
const maxName = 256

// Name returns the name of a client for what is kept longer than a request: a digest
// of a long name, such as of a principal that is a token.
func Name(client string) string {
	if len(client) <= maxName {
		return client
	}
	sum := sha256.Sum256([]byte(client))
	return "\x00sha256 " + string(sum[:])
}

func (r *RateLimiter) waitNamed(name string, share time.Duration) (wait time.Duration) {
	name = Name(name)
	now := time.Since(r.began)
	b := r.buckets[name]
	if b == nil {
		r.sweep(now)
		if len(r.buckets) >= maxBuckets {
			return 0 // rather than reject a client within its rate
		}
		b = &Bucket{}
		r.buckets[name] = b
	}
	return r.take(b, now, share)
}

func (r *RateLimiter) take(b *Bucket, now, share time.Duration) (wait time.Duration) {
	due := max(b.next, now)
	if wait = due - now - r.burst; wait > 0 {
		return wait
	}
	b.next = due + max(1, r.interval/share)
	return 0
}

// sweep removes the buckets that equal a new one. It runs when the number of
// buckets has doubled, or once a second at maxBuckets, so its cost is amortized.
func (r *RateLimiter) sweep(now time.Duration) {
	if len(r.buckets) < r.sweepAt || len(r.buckets) >= maxBuckets && now < r.sweepNext {
		return
	}
	r.sweepNext = now + time.Second
	for name, b := range r.buckets {
		if b.next <= now {
			delete(r.buckets, name)
		}
	}
	r.sweepAt = min(maxBuckets, max(minBuckets, 2*len(r.buckets)))
}
