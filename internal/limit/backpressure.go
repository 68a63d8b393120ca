// Package limit limits what clients can use of a server: how many requests run
// at a time, how many wait, how often they are sent, and how many bytes they hold.
// A [Semaphore] counts units and the share of each client. Each request has a
// [Ticket] for the limits of its session and of the server.
package limit

import "time"

// This file keeps a reader from rejecting what a script pipes in: without the wait, 155 to 662
// of 1,000 requests are rejected as busy.

const (
	// maxBackpressure limits how long the reader of a connection waits for slow requests, in total.
	maxBackpressure = 50 * time.Millisecond
	// minBackpressure is the smallest budget that is worth a wait. Waiting for
	// requests that complete within it is free.
	minBackpressure = time.Millisecond
	// recoveryFactor is how many times longer a budget takes to recover than to be spent.
	recoveryFactor = 20
)

// Backpressure is a time budget for the reader of a connection: how long it may wait for capacity
// before it rejects a request as busy. Many short requests can arrive faster than they are started,
// and a short wait serves them all. But a ping or a cancellation behind slow requests must not wait
// for them, so the total wait is bounded, and the budget recovers slowly. Backpressure is for one
// goroutine.
type Backpressure struct {
	left  time.Duration
	since time.Time // when left was computed
}

func NewBackpressure() *Backpressure { return &Backpressure{left: maxBackpressure, since: time.Now()} }

// Budget returns how long the reader may wait now, 0 for not at all.
func (b *Backpressure) Budget() time.Duration {
	now := time.Now()
	b.left = min(maxBackpressure, b.left+now.Sub(b.since)/recoveryFactor)
	b.since = now
	if b.left < minBackpressure {
		return 0
	}
	return b.left
}

// Spend takes the time since Budget was called from the budget. A wait in vain takes all of it.
func (b *Backpressure) Spend(inVain bool) {
	now := time.Now()
	waited := now.Sub(b.since)
	b.since = now
	switch {
	case inVain:
		b.left = 0
	case waited > minBackpressure:
		b.left = max(minBackpressure, b.left-waited)
	}
}
