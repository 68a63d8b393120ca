package streamablehttp

import (
	"errors"
	"math"
	"sync"
)

const (
	// smallBody is the size of a body up to which no reservation is needed.
	smallBody = 16 << 10
	// pendingBodies is how many bodies of the maximum size may be received at a
	// time, and pendingBodiesOfOne how many of one client.
	pendingBodies      = 16
	pendingBodiesOfOne = pendingBodies / 4
)

// bodyBudget bounds the memory for bodies that are being received: a client can
// be slow to send the rest of a body.
type bodyBudget struct {
	perClient int64 // bytes

	mu      sync.Mutex // protects the fields below
	free    int64      // bytes
	clients map[string]int64
}

var errBodyBudget = errors.New("there is no room for the body")

// init sets the budget for bodies of at most size bytes.
func (b *bodyBudget) init(size int64) {
	size = min(size, math.MaxInt64/pendingBodies) // without overflow
	b.perClient = pendingBodiesOfOne * size
	b.free = pendingBodies * size
	b.clients = map[string]int64{}
}

// reserve reserves n bytes for a client and reports whether they were free.
func (b *bodyBudget) reserve(client string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free < n || b.clients[client]+n > b.perClient {
		return false
	}
	b.free -= n
	b.clients[client] += n
	return true
}

func (b *bodyBudget) release(client string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += n
	if b.clients[client] -= n; b.clients[client] == 0 {
		delete(b.clients, client)
	}
}

// reservation is what one body has reserved.
type reservation struct {
	bodies *bodyBudget
	client string
	n      int64
}

// grow grows the reservation to n bytes and reports whether they were free.
func (r *reservation) grow(n int64) bool {
	if !r.bodies.reserve(r.client, n-r.n) {
		return false
	}
	r.n = n
	return true
}

// release ends the reservation.
func (r *reservation) release() {
	if r.n > 0 {
		r.bodies.release(r.client, r.n)
	}
}
