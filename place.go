package prompts

import (
	"context"
	"sync"
	"time"
)

// place is what a task holds of the limits of its session, if it has one, of
// its client, if that is known, and of its server. The task's own goroutine takes and leaves it; meanwhile any
// goroutine of the author's may give it up while a client thinks.
type place struct {
	server, session *limiter // session may be nil
	client          *share   // may be nil
	isLater         bool     // the task is not run as soon as it has entered

	mu   sync.Mutex // protects the fields below
	held holding
	over bool // it has been left for good
}

type holding uint8

const (
	inSession holding = 1 << iota // counted in
	inClient
	inServer
	sessionSlot // running
	clientSlot
	serverSlot
	clientShare // there is one
)

// slot is what goes with being counted in.
func (in holding) slot() holding { return in * (sessionSlot / inSession) }

// allButSession is what a task has no more of that only counts in its session.
const allButSession = inClient | inServer | sessionSlot | clientSlot | serverSlot

// enter counts the task in and reports whether there is room for it, or comes
// to be within the patience. If it does, leave must follow. Slots that are
// free come with it, if the task is run at once.
func (p *place) enter(ctx context.Context, patience *patience) bool {
	if p.client != nil {
		p.held |= clientShare
	}
	slot := !p.isLater // it is to have none while it waits for one that comes before
	if p.session != nil && !p.enterOne(ctx, p.session, inSession, patience, &slot) ||
		p.client != nil && !p.enterOne(ctx, p.client.limiter, inClient, patience, &slot) ||
		!p.enterOne(ctx, p.server, inServer, patience, &slot) {
		p.leave()
		return false
	}
	return true
}

// enterOne counts the task in at a limiter. Nobody else has the place yet.
func (p *place) enterOne(ctx context.Context, l *limiter, in holding, patience *patience, slot *bool) (entered bool) {
	entered, *slot = l.enter(ctx, patience, *slot)
	if entered {
		p.held |= in
	}
	if *slot {
		p.held |= in.slot()
	}
	return entered
}

// acquire waits for the task's turn: within the limit, if that is above 0, or
// until ctx ends.
func (p *place) acquire(ctx context.Context, limit time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	held, until := p.holding(), deadline{left: limit}
	if p.session != nil && held&sessionSlot == 0 {
		if err := p.session.acquire(ctx, &until); err != nil {
			return err
		}
		p.take(sessionSlot)
	}
	if p.client != nil && held&clientSlot == 0 {
		if err := p.client.acquire(ctx, &until); err != nil {
			return err
		}
		p.take(clientSlot)
	}
	if held&serverSlot == 0 {
		if err := p.server.acquire(ctx, &until); err != nil {
			return err
		}
		p.take(serverSlot)
	}
	return nil
}

func (p *place) holding() holding {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// take notes what has been acquired, or gives it back if the place has been
// left meanwhile.
func (p *place) take(h holding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held |= h
	if p.over {
		p.drop(h)
	}
}

// drop gives up what is held of h.
func (p *place) drop(h holding) {
	h &= p.held
	p.held &^= h
	p.server.give(h&inServer != 0, h&serverSlot != 0)
	if p.client != nil {
		p.client.give(h&inClient != 0, h&clientSlot != 0)
	}
	if p.session != nil {
		p.session.give(h&inSession != 0, h&sessionSlot != 0)
	}
	if h&clientShare != 0 {
		p.client.end()
	}
}

// leave is the end of the task for the limits.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.drop(^holding(0))
}

// leaveTurn is the end of the task but for its count in the session.
func (p *place) leaveTurn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.drop(allButSession)
}

// leaveServer is the end of the task for the server's limit, which comes
// before the answer: a client that does not read it is not to cost others
// their turn.
func (p *place) leaveServer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.drop(inServer | serverSlot)
}

// yield gives up the turn of a task while its client is asked. The task still
// counts in its session, so that the questions of one session are bounded. It
// reports whether there is a turn to get back by resume.
func (p *place) yield() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	p.drop(allButSession)
	return true
}

// resume waits for the task's turn again. There is room for it, whatever the
// limit says: a person has answered.
func (p *place) resume(ctx context.Context) error {
	if p.client != nil {
		p.client.enterAgain()
		p.take(inClient)
	}
	p.server.enterAgain()
	p.take(inServer)
	return p.acquire(ctx, 0)
}
