package streamablehttp

import (
	"errors"
	"math"

	"github.com/mcp-prompts/prompts/internal/limit"
)

const (
	// smallBody is the size of a body up to which no reservation is needed.
	smallBody = 16 << 10
	// pendingBodies is how many bodies of the maximum size may be received at a
	// time, and pendingBodiesOfOne how many of one client.
	pendingBodies      = 16
	pendingBodiesOfOne = pendingBodies / 4
)

var errBodyBudget = errors.New("there is no room for the body")

// newBodyBudget bounds the memory for bodies of at most size bytes from the first byte until the
// server has parsed them: a client can be slow to send the rest of a body.
func newBodyBudget(size int64) *limit.Semaphore {
	size = min(size, math.MaxInt64/pendingBodies) // without overflow
	return limit.NewSemaphore(pendingBodies*size, pendingBodiesOfOne*size)
}

type reservation struct {
	bodies *limit.Semaphore
	client string
	n      int64
}

func (r *reservation) grow(n int64) bool {
	if !r.bodies.TryAcquire(r.client, n-r.n) {
		return false
	}
	r.n = n
	return true
}

// release ends the reservation. It may be called more than once.
func (r *reservation) release() {
	if r.n > 0 {
		r.bodies.Release(r.client, r.n)
		r.n = 0
	}
}
