package prompts

import (
	"sync"
	"sync/atomic"
	"time"
)

// Changes of a registry come in bursts: a folder is read again, a batch is
// added one by one. A client is told when they pause for changeQuiet, or for
// Options.ChangeDelay, so that one burst is one notification; and after
// changeLongest at the latest, or twice that delay, however long they go on.
const (
	changeQuiet   = 20 * time.Millisecond
	changeLongest = 200 * time.Millisecond
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

// gatherer tells a server's hearers of changes, once for a burst of them. A
// change costs it the same however many hear of it. It has no goroutine but
// that of a timer at the end of a burst; and while there is no hearer, it has
// no timer either, and the registry does not know it.
type gatherer struct {
	registry *Registry
	burst    burst

	mu      sync.Mutex // protects the fields below; locked before the registry's and the burst's
	hearers map[*hearer]struct{}
	cancel  func() // of the registry's subscription; nil while there is none
}

// hearer is one who is told of changes.
type hearer struct {
	gatherer *gatherer
	told     chan struct{} // holds a message when a burst is over
	heard    atomic.Uint64 // how many changes its client knows of
}

// join returns a new hearer, of changes from now on, which must leave.
func (g *gatherer) join() *hearer {
	h := &hearer{gatherer: g, told: make(chan struct{}, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hearers == nil {
		g.hearers = map[*hearer]struct{}{}
		g.cancel = g.registry.subscribe(func() { g.burst.change(g.tell) })
	}
	h.heard.Store(g.burst.changes.Load())
	g.hearers[h] = struct{}{}
	return h
}

// leave ends what the hearer is told. It may be called more than once.
func (h *hearer) leave() {
	g := h.gatherer
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.hearers, h)
	if len(g.hearers) == 0 && g.cancel != nil {
		g.cancel()
		g.burst.stop()
		g.hearers, g.cancel = nil, nil
	}
}

// tell tells the hearers of changes, but for those whose clients know of them.
func (g *gatherer) tell() {
	changes, isOver := g.burst.end()
	if !isOver {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for h := range g.hearers {
		if h.heard.Load() < changes {
			signal(h.told)
		}
	}
}

// isDue reports whether there are changes that the client has not been told of,
// be their burst over or not.
func (h *hearer) isDue() bool { return h.heard.Load() < h.gatherer.burst.changes.Load() }

// remind has the hearer told of changes that are due, now if there is no burst
// at the end of which it is.
func (h *hearer) remind() {
	if !h.gatherer.burst.isUnderWay() {
		signal(h.told)
	}
}

// send calls f, which tells the client of the changes that there have been, if
// there are some that it does not know of.
func (h *hearer) send(f func() error) error {
	changes := h.gatherer.burst.changes.Load()
	if h.heard.Load() == changes {
		return nil // they came while the client was told of those before them
	}
	if err := f(); err != nil {
		return err
	}
	h.heard.Store(changes)
	return nil
}

// burst is the changes that are not told yet. A registry makes them with its
// mutex locked, so they take no longer than it needs to note them.
type burst struct {
	delay   time.Duration // Options.ChangeDelay
	changes atomic.Uint64 // that there have ever been

	mu          sync.Mutex // protects the fields below
	timer       *time.Timer
	first, last time.Time // of the changes
	isEarly     bool      // the last change was told before its delay was over
}

// isUnderWay reports whether there are changes that are to be told.
func (b *burst) isUnderWay() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.timer != nil
}

// quiet is the pause that ends a burst.
func (b *burst) quiet() time.Duration { return max(changeQuiet, b.delay) }

// change adds a change. If it is the first one, over is called when the burst
// may be over.
func (b *burst) change(over func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes.Add(1)
	b.last = time.Now()
	if b.timer == nil {
		b.first = b.last
		b.timer = time.AfterFunc(b.quiet(), over)
	}
}

// end ends the burst, if it is over, and returns how many changes there have
// ever been. Otherwise it sees to the next call of over.
func (b *burst) end() (changes uint64, isOver bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil {
		return 0, false // it was stopped
	}
	quiet := b.last.Add(b.quiet())
	over := b.first.Add(max(changeLongest, 2*b.delay))
	isEarly := over.Before(quiet)
	if !isEarly {
		over = quiet
	}
	if left := time.Until(over); left > 0 {
		b.timer.Reset(left)
		return 0, false
	}
	if b.isEarly {
		b.changes.Add(1) // which stands for those that are told again
	}
	if b.isEarly = isEarly && b.delay > changeQuiet; b.isEarly {
		b.first = over
		b.timer.Reset(time.Until(quiet))
	} else {
		b.timer = nil
	}
	return b.changes.Load(), true
}

// stop ends the burst without anybody's being told.
func (b *burst) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
		b.timer, b.isEarly = nil, false
	}
}
