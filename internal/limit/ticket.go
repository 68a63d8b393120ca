package limit

import (
	"context"
	"sync"
	"time"
)

// Ticket is what one request holds of the semaphores of its session, its client
// and its server. The goroutine of the request acquires and releases it. While
// the user is asked, any goroutine of the application may yield it.
type Ticket struct {
	Server, Session *Semaphore      // Session may be nil
	Client          *KeyedSemaphore // may be nil

	mu       sync.Mutex // protects the fields below
	held     claims
	released bool // for good
}

// claims is a set of what a Ticket holds.
type claims uint8

const (
	inSession claims = 1 << iota // admitted
	inClient
	inServer
	sessionSlot // running
	clientSlot
	serverSlot
	clientUse // a use of Client
)

// slot returns the slots of the semaphores that admitted the request.
func (in claims) slot() claims { return in * (sessionSlot / inSession) }

// allButSession is what a request gives up that only counts in its session.
const allButSession = inClient | inServer | sessionSlot | clientSlot | serverSlot

// Admit counts the request at each semaphore and reports whether there is
// capacity, within the budget. If it returns true, the caller must call Release.
// Slots that are free come with it.
func (t *Ticket) Admit(ctx context.Context, budget *Backpressure) bool {
	if t.Client != nil {
		t.held |= clientUse
	}
	slot := true
	if t.Session != nil && !t.admitTo(ctx, t.Session, inSession, budget, &slot) ||
		t.Client != nil && !t.admitTo(ctx, t.Client.Semaphore, inClient, budget, &slot) ||
		!t.admitTo(ctx, t.Server, inServer, budget, &slot) {
		t.Release()
		return false
	}
	return true
}

// admitTo counts the request at one semaphore. The ticket is not shared yet.
func (t *Ticket) admitTo(ctx context.Context, l *Semaphore, in claims, budget *Backpressure, slot *bool) (admitted bool) {
	admitted, *slot = l.Admit(ctx, budget, *slot)
	if admitted {
		t.held |= in
	}
	if *slot {
		t.held |= in.slot()
	}
	return admitted
}

// Acquire waits for the slots until ctx ends, or within a limit above 0.
func (t *Ticket) Acquire(ctx context.Context, limit time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	held, until := t.claimed(), deadline{left: limit}
	if t.Session != nil && held&sessionSlot == 0 {
		if err := t.Session.Acquire(ctx, &until); err != nil {
			return err
		}
		t.claim(sessionSlot)
	}
	if t.Client != nil && held&clientSlot == 0 {
		if err := t.Client.Acquire(ctx, &until); err != nil {
			return err
		}
		t.claim(clientSlot)
	}
	if held&serverSlot == 0 {
		if err := t.Server.Acquire(ctx, &until); err != nil {
			return err
		}
		t.claim(serverSlot)
	}
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
	t.Server.Release(c&inServer != 0, c&serverSlot != 0)
	if t.Client != nil {
		t.Client.Release(c&inClient != 0, c&clientSlot != 0)
	}
	if t.Session != nil {
		t.Session.Release(c&inSession != 0, c&sessionSlot != 0)
	}
	if c&clientUse != 0 {
		t.Client.Put()
	}
}

// Release ends the request for all semaphores. It may be called more than once.
func (t *Ticket) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	t.release(^claims(0))
}

// ReleaseRunning ends the request except for its count in the session.
func (t *Ticket) ReleaseRunning() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	t.release(allButSession)
}

// ReleaseServer ends the request for the server, before its response is
// written: a client that does not read must not hold slots of others.
func (t *Ticket) ReleaseServer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.released = true
	t.release(inServer | serverSlot)
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
	if t.Client != nil {
		t.Client.Readmit()
		t.claim(inClient)
	}
	t.Server.Readmit()
	t.claim(inServer)
	return t.Acquire(ctx, 0)
}
