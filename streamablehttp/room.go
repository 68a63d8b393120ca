package streamablehttp

import (
	"errors"
	"math"
	"sync"
)

const (
	// smallBody is the size of a body up to which there is always room for it.
	smallBody = 16 << 10
	// pendingBodies is how many larger ones of the largest size may be on their
	// way at a time, and pendingBodiesOfOne how many of one client.
	pendingBodies      = 16
	pendingBodiesOfOne = pendingBodies / 4
)

// bodies bounds the memory for bodies that are on their way: a client can be
// slow to send the rest of one.
type bodies struct {
	most int64 // bytes of one client

	mu      sync.Mutex // protects the fields below
	room    int64      // bytes that are free
	clients map[string]int64
}

var errNoRoom = errors.New("there is no room for the body")

// open makes room for bodies of at most size bytes.
func (b *bodies) open(size int64) {
	size = min(size, math.MaxInt64/pendingBodies) // more than there is memory for
	b.most = pendingBodiesOfOne * size
	b.room = pendingBodies * size
	b.clients = map[string]int64{}
}

// take takes n bytes for a client, which give gives back, and reports whether
// there was room.
func (b *bodies) take(client string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room < n || b.clients[client]+n > b.most {
		return false
	}
	b.room -= n
	b.clients[client] += n
	return true
}

func (b *bodies) give(client string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room += n
	if b.clients[client] -= n; b.clients[client] == 0 {
		delete(b.clients, client)
	}
}

// reservation is the room of one body.
type reservation struct {
	bodies *bodies
	client string
	n      int64
}

// grow makes it n bytes and reports whether there was room.
func (r *reservation) grow(n int64) bool {
	if !r.bodies.take(r.client, n-r.n) {
		return false
	}
	r.n = n
	return true
}

// give is the end of it.
func (r *reservation) give() {
	if r.n > 0 {
		r.bodies.give(r.client, r.n)
	}
}
