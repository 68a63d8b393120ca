package limit

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Requests limits the requests of a session or of a server: how many run at a
// time, and that no more than the same number wait.
type Requests struct {
	mu                sync.Mutex // that of both
	admitted, running Semaphore
}

// NewRequests returns a limit of n running requests, and of perClient for each client.
func NewRequests(n, perClient int) *Requests {
	twice := func(n int) int64 { return 2 * min(int64(n), math.MaxInt64/2) }
	r := new(Requests)
	r.admitted = Semaphore{size: twice(n), share: twice(perClient), mu: &r.mu}
	r.running = Semaphore{size: int64(n), share: int64(perClient), mu: &r.mu}
	return r
}

// InUse returns how many requests are admitted, how many of these run, and how
// many clients they are from.
func (r *Requests) InUse() (admitted, running, clients int) {
	return r.admitted.Used(), r.running.Used(), r.admitted.Keys()
}

// Ticket is what one request holds of the limits of its session and its server.
// The goroutine of the request acquires and releases it. While the user is asked,
// any goroutine of the application may yield it.
type Ticket struct {
	Server, Session *Requests // Session may be nil
	Client          string    // empty if it is not known

	claims atomic.Uint32 // what the ticket holds, and whether it was released
}

const (
	inSession uint32 = 1 << iota // admitted
	inServer
	sessionSlot // running
	serverSlot
	released // for good

	// allButSession is what a request releases that only counts in its session.
	allButSession = inServer | serverSlot | sessionSlot
)

// Admit counts the request for each limit and reports whether there is capacity. It
// waits for capacity within the budget, or not at all if budget is nil. Admit also
// acquires the slots that are free. If it returns true, the caller must call Release.
// No other goroutine may have the ticket yet.
func (t *Ticket) Admit(ctx context.Context, budget *Backpressure) bool {
	claims, slot := uint32(0), true
	if t.Session != nil {
		var admitted bool
		if admitted, slot = t.Session.admit(ctx, "", true, budget); !admitted {
			return false
		}
		claims = inSession
		if slot {
			claims |= sessionSlot
		}
	}
	admitted, slot := t.Server.admit(ctx, t.Client, slot, budget)
	if !admitted {
		t.giveBack(claims)
		return false
	}
	claims |= inServer
	if slot {
		claims |= serverSlot
	}
	t.claims.Store(claims)
	return true
}

// admit counts a request of a client, and reports whether there is capacity and
// whether it has a slot, if it wants one.
func (r *Requests) admit(ctx context.Context, client string, wanted bool, budget *Backpressure) (admitted, slot bool) {
	r.mu.Lock()
	admitted = r.admitted.tryAcquire(client, 1)
	slot = admitted && wanted && r.running.tryAcquire(client, 1)
	r.mu.Unlock()
	if admitted || budget == nil {
		return admitted, slot
	}
	return r.waitForCapacity(ctx, client, wanted, budget)
}

func (r *Requests) waitForCapacity(ctx context.Context, client string, wanted bool, budget *Backpressure) (admitted, slot bool) {
	wait := budget.Budget()
	if wait == 0 {
		return false, false
	}
	err := r.admitted.Acquire(ctx, client, 1, time.Now().Add(wait))
	budget.Spend(err != nil)
	return err == nil, err == nil && wanted && r.running.TryAcquire(client, 1)
}

func (r *Requests) release(client string, admitted, slot bool) {
	if !admitted && !slot {
		return
	}
	r.mu.Lock()
	if slot {
		r.running.release(client, 1)
	}
	if admitted {
		r.admitted.release(client, 1)
	}
	r.mu.Unlock()
}

// Acquire waits for the slots that did not come with Admit, until ctx ends, or
// within a limit above 0.
func (t *Ticket) Acquire(ctx context.Context, limit time.Duration) error {
	claims := t.claims.Load()
	if claims&serverSlot != 0 {
		return nil
	}
	return t.wait(ctx, claims, limit)
}

// wait is Acquire for a ticket that has no slot of the server yet.
func (t *Ticket) wait(ctx context.Context, claims uint32, limit time.Duration) error {
	var until time.Time
	if limit > 0 {
		until = time.Now().Add(limit)
	}
	if t.Session != nil && claims&sessionSlot == 0 {
		if err := t.Session.running.Acquire(ctx, "", 1, until); err != nil {
			return err
		}
		t.claim(sessionSlot)
	}
	if err := t.Server.running.Acquire(ctx, t.Client, 1, until); err != nil {
		return err
	}
	t.claim(serverSlot)
	return nil
}

// claim records what was acquired, or returns it if the ticket was released meanwhile.
func (t *Ticket) claim(c uint32) {
	if t.claims.Or(c)&released != 0 {
		t.release(c)
	}
}

func (t *Ticket) release(c uint32) { t.giveBack(c & t.claims.And(^c)) }

func (t *Ticket) giveBack(c uint32) {
	t.Server.release(t.Client, c&inServer != 0, c&serverSlot != 0)
	if t.Session != nil {
		t.Session.release("", c&inSession != 0, c&sessionSlot != 0)
	}
}

// Release ends the request for all limits. It may be called more than once.
func (t *Ticket) Release() { t.giveBack(t.claims.Swap(released)) }

// Leave ends the request but for its count in the session, before its response
// is written: a client that does not read must not hold what others wait for.
func (t *Ticket) Leave() {
	t.claims.Or(released)
	t.release(allButSession)
}

// Yield releases the slots while the user is asked. The request still counts in its session, so
// that the questions of one session are bounded. Yield reports whether Resume must follow.
func (t *Ticket) Yield() bool {
	if t.claims.Load()&released != 0 {
		return false
	}
	t.release(allButSession)
	return true
}

// Resume acquires the slots again. The request is admitted whatever the
// capacity: the user has answered.
func (t *Ticket) Resume(ctx context.Context) error {
	t.Server.admitted.Add(t.Client, 1)
	t.claim(inServer)
	return t.Acquire(ctx, 0)
}
