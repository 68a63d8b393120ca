package limit

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Semaphore limits how many requests run at a time: those with a slot. The same
// number of requests may wait for a slot, in order of arrival.
type Semaphore struct {
	slots int

	mu       sync.Mutex // protects the fields below
	requests int        // running and waiting requests
	running  int
	queue    list.List // of chan struct{}, which receives a slot
	waiters  int       // goroutines that wait to be admitted
	notFull  chan struct{}
}

// NewSemaphore returns a semaphore of n slots.
func NewSemaphore(n int) *Semaphore { return &Semaphore{slots: n, notFull: make(chan struct{}, 1)} }

// Admit counts a request and reports whether there is capacity for it. It waits
// for capacity within the budget; nil is none. If wanted, the request also gets a
// slot if one is free. The caller must Release what it got.
func (l *Semaphore) Admit(ctx context.Context, budget *Backpressure, wanted bool) (admitted, slot bool) {
	if admitted, slot = l.tryAdmit(wanted); admitted || budget == nil {
		return admitted, slot
	}
	wait := budget.Budget()
	if wait == 0 {
		return false, false
	}
	l.addWaiter(1)
	defer l.addWaiter(-1)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for over := false; ; {
		if admitted, slot = l.tryAdmit(wanted); admitted || over {
			break
		}
		select {
		case <-l.notFull:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			return false, false
		}
	}
	budget.Spend(!admitted)
	return admitted, slot
}

func (l *Semaphore) tryAdmit(wanted bool) (admitted, slot bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.hasRoom() {
		return false, false
	}
	l.requests++
	l.signalNotFull() // one signal may have been for several releases
	return true, wanted && l.tryAcquire()
}

// hasRoom reports whether another request may be admitted. The caller holds
// l.mu.
func (l *Semaphore) hasRoom() bool { return l.requests-l.slots < l.slots } // 2*slots can overflow

// signalNotFull wakes a goroutine that waits to be admitted, if there is
// capacity. The caller holds l.mu.
func (l *Semaphore) signalNotFull() {
	if l.waiters > 0 && l.hasRoom() {
		select {
		case l.notFull <- struct{}{}:
		default: // signaled already
		}
	}
}

// tryAcquire takes a free slot. A slot is free only if no request waits, because
// releaseSlot hands it over. The caller holds l.mu.
func (l *Semaphore) tryAcquire() bool {
	if l.running >= l.slots {
		return false
	}
	l.running++
	return true
}

func (l *Semaphore) addWaiter(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiters += n
}

// Readmit counts a request that was released for a while, whatever the capacity.
func (l *Semaphore) Readmit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
}

// Release returns the slot of a request, its count, or both. The slot goes to the
// request that has waited longest.
func (l *Semaphore) Release(count, slot bool) {
	if !count && !slot {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot {
		l.releaseSlot()
	}
	if count {
		l.requests--
		l.signalNotFull()
	}
}

// releaseSlot hands the slot over or frees it. The caller holds l.mu.
func (l *Semaphore) releaseSlot() {
	first := l.queue.Front()
	if first == nil {
		l.running--
		return
	}
	l.queue.Remove(first).(chan struct{}) <- struct{}{}
}

// ErrBusy is returned if no slot was free within the time limit.
var ErrBusy = errors.New("the tasks before it have taken too long")

// deadline is the time left for several waits, none if not positive.
type deadline struct{ left time.Duration }

// Acquire waits for a slot until ctx ends or no time is left, and takes the wait
// from that time. If it returns nil, the caller must Release the slot.
func (l *Semaphore) Acquire(ctx context.Context, d *deadline) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	slot, element := l.enqueue()
	if element == nil {
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
	err := ErrBusy
	select {
	case <-slot:
		if ctx.Err() == nil {
			return nil
		}
		l.Release(false, true) // select chose among two ready cases
		return context.Cause(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-passed:
	}
	l.dequeue(slot, element)
	return err
}

// enqueue takes a slot, or returns the element of the queue and the channel that
// receives the slot.
func (l *Semaphore) enqueue() (chan struct{}, *list.Element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tryAcquire() {
		return nil, nil
	}
	slot := make(chan struct{}, 1)
	return slot, l.queue.PushBack(slot)
}

// dequeue leaves the queue, and returns a slot that was handed over meanwhile.
func (l *Semaphore) dequeue(slot chan struct{}, element *list.Element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-slot:
		l.releaseSlot()
	default:
		l.queue.Remove(element)
	}
}

// InUse returns the number of admitted requests and of slots taken.
func (l *Semaphore) InUse() (requests, slots int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests, l.running
}
