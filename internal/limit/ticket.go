package limit

import (
	"context"
	"math"
	"sync"
	"time"
)

// Requests limits the requests of a session or of a server: how many run at a
// time, and that no more than the same number wait.
type Requests struct {
	mu                sync.Mutex // that of both
	admitted, running Semaphore
}

// NewRequests returns a limit of n running requests, and of perClient for each
// client.
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

	mu       sync.Mutex // protects the fields below
	held     claims
	released bool // for good
}

// claims is a set of what a Ticket holds.
type claims uint8

const (
	inSession claims = 1 << iota // admitted
	inServer
	sessionSlot // running
	serverSlot
)

// Admit counts the request for each limit and reports whether there is capacity,
// within the budget; nil is none. If it returns true, the caller must call
// Release. Slots that are free come with it. No other goroutine may have the ticket
// yet.
func (t *Ticket) Admit(ctx context.Context, budget *Backpressure) bool {
	admitted, slot := true, true
	if t.Session != nil {
		if admitted, slot = t.Session.admit(ctx, "", true, budget); !admitted {
			return false
		}
		t.held = inSession
		if slot {
			t.held |= sessionSlot
		}
	}
	if admitted, slot = t.Server.admit(ctx, t.Client, slot, budget); !admitted {
		t.release(t.held)
		return false
	}
	t.held |= inServer
	if slot {
		t.held |= serverSlot
	}
	return true
}

// admit counts a request of a client, and reports whether there is capacity and
// whether it has a slot, if it wants one.
func (r *Requests) admit(ctx context.Context, client string, wanted bool, budget *Backpressure) (admitted, slot bool) {
	if admitted, slot = r.tryAdmit(client, wanted); admitted || budget == nil {
		return admitted, slot
	}
	wait := budget.Budget()
	if wait == 0 {
		return false, false
	}
	err := r.admitted.Acquire(ctx, client, 1, time.Now().Add(wait))
	budget.Spend(err != nil)
	return err == nil, err == nil && wanted && r.running.TryAcquire(client, 1)
}

func (r *Requests) tryAdmit(client string, wanted bool) (admitted, slot bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	admitted = r.admitted.tryAcquire(client, 1)
	return admitted, admitted && wanted && r.running.tryAcquire(client, 1)
}

// release returns what a request of a client has.
func (r *Requests) release(client string, admitted, slot bool) {
	if !admitted && !slot {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slot {
		r.running.release(client, 1)
	}
	if admitted {
		r.admitted.release(client, 1)
	}
}

// Acquire waits for the slots that did not come with Admit, until ctx ends, or
// within a limit above 0.
func (t *Ticket) Acquire(ctx context.Context, limit time.Duration) error {
	held := t.claimed()
	if held&serverSlot != 0 {
		return nil
	}
	var until time.Time
	if limit > 0 {
		until = time.Now().Add(limit)
	}
	if t.Session != nil && held&sessionSlot == 0 {
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

func (t *Ticket) claimed() claims {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// claim records what was acquired, or returns it if the ticket was released
// meanwhile.
func (t *Ticket) claim(c claims) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held |= c
	if t.released {
		t.release(c)
	}
}

// release returns what is held of c. The caller holds t.mu.
func (t *Ticket) release(c claims) {
	c &= t.held
	t.held &^= c
	t.Server.release(t.Client, c&inServer != 0, c&serverSlot != 0)
	if t.Session != nil {
		t.Session.release("", c&inSession != 0, c&sessionSlot != 0)
	}
}

// allButSession is what a request releases that only counts in its session.
const allButSession = inServer | serverSlot | sessionSlot

// Release ends the request for all limits. It may be called more than once.
func (t *Ticket) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	t.release(allButSession | inSession)
}

// Leave ends the request but for its count in the session, before its response
// is written: a client that does not read must not hold what others wait for.
func (t *Ticket) Leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	t.release(allButSession)
}

// Yield releases the slots while the user is asked. The request still counts in
// its session, so that the questions of one session are bounded. Yield reports
// whether Resume must follow.
func (t *Ticket) Yield() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.released {
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
