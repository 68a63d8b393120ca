package prompts

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// limiter bounds how many tasks run at a time: those that have a slot. As many
// again may wait for one.
type limiter struct {
	slots int

	mu      sync.Mutex // protects the fields below
	tasks   int        // running and waiting
	running int
	waiting list.List // of chan struct{}, for a slot; a value in it is one
	hoping  int       // goroutines that wait for room
	room    chan struct{}
}

func newLimiter(n int) *limiter { return &limiter{slots: n, room: make(chan struct{}, 1)} }

// enter counts a task in and reports whether there is room for it, waiting for
// some as far as the patience goes; nil is none. If there is, give must
// follow. If the task wants a slot as well, it has that if there is one.
func (l *limiter) enter(ctx context.Context, p *patience, wanted bool) (entered, slot bool) {
	if entered, slot = l.tryEnter(wanted); entered || p == nil {
		return entered, slot
	}
	allowance := p.allowance()
	if allowance == 0 {
		return false, false
	}
	l.hope(1)
	defer l.hope(-1)
	timer := time.NewTimer(allowance)
	defer timer.Stop()
	for over := false; ; {
		if entered, slot = l.tryEnter(wanted); entered || over {
			break
		}
		select {
		case <-l.room:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			return false, false
		}
	}
	p.spend(!entered)
	return entered, slot
}

func (l *limiter) tryEnter(wanted bool) (entered, slot bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.hasRoom() {
		return false, false
	}
	l.tasks++
	l.tellOfRoom() // the signal may have been for several tasks that have left
	return true, wanted && l.trySlot()
}

// hasRoom reports whether another task may enter. The caller holds l.mu.
func (l *limiter) hasRoom() bool { return l.tasks-l.slots < l.slots } // 2*slots may be more than an int holds

// tellOfRoom wakes one who waits for room, if there is some. The caller holds
// l.mu.
func (l *limiter) tellOfRoom() {
	if l.hoping > 0 && l.hasRoom() {
		signal(l.room)
	}
}

// trySlot takes a slot if there is one. Nobody waits for it then: release gives
// one to those who do. The caller holds l.mu.
func (l *limiter) trySlot() bool {
	if l.running >= l.slots {
		return false
	}
	l.running++
	return true
}

func (l *limiter) hope(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hoping += n
}

// enterAgain counts a task in that has left for a while, whether there is room
// for it or not.
func (l *limiter) enterAgain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks++
}

// give gives back what a task has: its slot, which is for the task that has
// waited longest for one, and its room, with which it leaves.
func (l *limiter) give(room, slot bool) {
	if !room && !slot {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot {
		l.release()
	}
	if room {
		l.tasks--
		l.tellOfRoom()
	}
}

// release is give for a slot. The caller holds l.mu.
func (l *limiter) release() {
	first := l.waiting.Front()
	if first == nil {
		l.running--
		return
	}
	l.waiting.Remove(first).(chan struct{}) <- struct{}{}
}

// errNoTurn is why a task has waited for its slot in vain.
var errNoTurn = errors.New("the tasks before it have taken too long")

// deadline is what is left of the time for several waits; none if it is not
// above 0.
type deadline struct{ left time.Duration }

// acquire waits for a slot, or until ctx ends or there is no time left, and takes
// the wait from that. If it returns nil, give must follow.
func (l *limiter) acquire(ctx context.Context, d *deadline) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	slot, place := l.queue()
	if place == nil {
		return nil
	}
	var passed <-chan time.Time
	if d.left > 0 {
		timer := time.NewTimer(d.left)
		defer timer.Stop()
		passed = timer.C
		began := time.Now()
		defer func() { d.left = max(1, d.left-time.Since(began)) }()
	}
	err := errNoTurn
	select {
	case <-slot:
		if ctx.Err() == nil {
			return nil
		}
		l.give(false, true) // both were ready
		return context.Cause(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-passed:
	}
	l.unqueue(slot, place)
	return err
}

// queue takes a slot, or else returns a place in the queue for one and the
// channel on which it comes.
func (l *limiter) queue() (chan struct{}, *list.Element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trySlot() {
		return nil, nil
	}
	slot := make(chan struct{}, 1)
	return slot, l.waiting.PushBack(slot)
}

// unqueue leaves the queue, and gives back a slot that has come meanwhile.
func (l *limiter) unqueue(slot chan struct{}, place *list.Element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-slot:
		l.release()
	default:
		l.waiting.Remove(place)
	}
}
