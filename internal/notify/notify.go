// Package notify sends subscribers one notification for a burst of changes.
//
// A registry changes in bursts: a folder is reloaded, a batch is added one by one. Subscribers are
// notified after a pause of MinPause, or of the delay that New was given, and at the latest after
// maxBurst or twice that delay, however long the changes continue.
package notify

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// MinPause is the shortest pause that ends a burst.
	MinPause = 20 * time.Millisecond
	// maxBurst is the longest time from a change to its notification.
	maxBurst = 200 * time.Millisecond
)

// Notifier notifies its subscribers of the changes of a source. The cost of a change does not
// depend on the number of subscribers. It has no goroutine except that of a timer at the end of a
// burst. Without subscribers it has no timer and no subscription to the source.
type Notifier struct {
	source    func(changed func()) (cancel func())
	debouncer debouncer

	mu          sync.Mutex // protects the fields below; locked before the source's and the debouncer's
	subscribers map[*Subscriber]struct{}
	cancel      func() // ends the subscription to the source; nil without one
}

// New returns a notifier for the changes of a source. source subscribes to the changes until cancel
// is called. changed must be callable under the lock of the source.
func New(source func(changed func()) (cancel func()), delay time.Duration) *Notifier {
	return &Notifier{source: source, debouncer: debouncer{delay: delay}}
}

type Subscriber struct {
	notifier *Notifier
	courier  *Courier
	signaled atomic.Bool
	seen     atomic.Uint64 // the number of changes that the client knows
}

// Subscribe returns a subscriber to the changes from now on. At the end of a
// burst the subscriber is signaled, and the courier delivers. Subscribers to several
// notifiers may share a courier. The caller must call Unsubscribe.
func (n *Notifier) Subscribe(c *Courier) *Subscriber {
	s := &Subscriber{notifier: n, courier: c}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.subscribers == nil {
		n.cancel = n.source(func() { n.debouncer.change(n.notify) }) // the application's code, which may panic
		n.subscribers = map[*Subscriber]struct{}{}
	}
	s.seen.Store(n.debouncer.changes.Load())
	n.subscribers[s] = struct{}{}
	return s
}

// Unsubscribe ends the notifications. It may be called more than once.
func (s *Subscriber) Unsubscribe() {
	n := s.notifier
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.subscribers, s)
	if len(n.subscribers) == 0 && n.cancel != nil {
		cancel := n.cancel // the application's code, which may panic
		n.subscribers, n.cancel = nil, nil
		defer n.debouncer.stop()
		cancel()
	}
}

func (n *Notifier) notify() {
	changes, ended := n.debouncer.end()
	if !ended {
		return
	}
	if due := n.signal(changes); len(due) > 0 {
		deliverAll(due)
	}
}

// signal signals the subscribers whose clients do not know all changes, and returns their couriers.
func (n *Notifier) signal(changes uint64) []*Courier {
	n.mu.Lock()
	defer n.mu.Unlock()
	due := make([]*Courier, 0, len(n.subscribers))
	for s := range n.subscribers {
		if s.seen.Load() < changes {
			s.signaled.Store(true)
			due = append(due, s.courier)
		}
	}
	return due
}

// Signaled reports whether the subscriber was signaled since the last call.
func (s *Subscriber) Signaled() bool { return s.signaled.Swap(false) }

// Pending reports whether there are changes that the client does not know.
func (s *Subscriber) Pending() bool { return s.seen.Load() < s.notifier.debouncer.changes.Load() }

// Wake signals the subscriber now, unless the end of a burst will. Its courier delivers
// on the calling goroutine.
func (s *Subscriber) Wake() {
	if !s.notifier.debouncer.active() {
		s.signaled.Store(true)
		s.courier.Deliver()
	}
}

// Send calls f to notify the client, if there are changes that it does not know.
func (s *Subscriber) Send(f func() error) error {
	changes := s.notifier.debouncer.changes.Load()
	if s.seen.Load() == changes {
		return nil // an earlier notification covered them
	}
	if err := f(); err != nil {
		return err
	}
	s.seen.Store(changes)
	return nil
}

// LastChange returns the time of the last change; zero if there was none.
func (n *Notifier) LastChange() time.Time {
	n.debouncer.mu.Lock()
	defer n.debouncer.mu.Unlock()
	return n.debouncer.last
}

func (n *Notifier) Subscribers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.subscribers)
}

// debouncer joins the changes of a burst. The source reports a change under its
// lock, so the work for a change is minimal.
type debouncer struct {
	delay   time.Duration // see New
	changes atomic.Uint64 // the total so far

	mu          sync.Mutex // protects the fields below
	timer       *time.Timer
	first, last time.Time // change of the burst
	interim     bool      // the last notification did not wait for a pause
}

func (d *debouncer) active() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.timer != nil
}

func (d *debouncer) pause() time.Duration { return max(MinPause, d.delay) }

// change counts a change. The first change of a burst starts the timer that calls over.
func (d *debouncer) change(over func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes.Add(1)
	d.last = time.Now()
	if d.timer == nil {
		d.first = d.last
		d.timer = time.AfterFunc(d.pause(), over)
	}
}

// end ends the burst if its time has come, and returns the total of changes.
// Otherwise it restarts the timer.
func (d *debouncer) end() (changes uint64, ended bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer == nil {
		return 0, false // stopped
	}
	quiet := d.last.Add(d.pause())
	over := d.first.Add(max(maxBurst, 2*d.delay))
	isEarly := over.Before(quiet)
	if !isEarly {
		over = quiet
	}
	if left := time.Until(over); left > 0 {
		d.timer.Reset(left)
		return 0, false
	}
	if d.interim {
		d.changes.Add(1) // so that every subscriber is notified again
	}
	if d.interim = isEarly && d.delay > MinPause; d.interim {
		d.first = over
		d.timer.Reset(time.Until(quiet))
	} else {
		d.timer = nil
	}
	return d.changes.Load(), true
}

func (d *debouncer) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer, d.interim = nil, false
	}
}
