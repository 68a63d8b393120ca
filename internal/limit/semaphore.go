package limit

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// Semaphore limits how many units, such as requests or bytes, are held at a time. Each key, such as
// a client, may hold no more than a share of the units. The empty key has no share of its own.
// Units go to waiters in order of arrival. Only a waiter whose own share is used up is skipped. A
// claim above the size, or above the share, is granted when nothing else is held.
type Semaphore struct {
	size, share int64

	mu     *sync.Mutex // protects the fields below
	used   int64
	keys   map[string]int64 // units held, by key
	queue  list.List        // of *waiter
	isFull bool             // a waiter within its share needs more units than are free
}

type waiter struct {
	key     string
	n       int64
	granted chan struct{} // has room for one
}

// NewSemaphore returns a semaphore of size units, of which each key may hold share.
func NewSemaphore(size, share int64) *Semaphore {
	return &Semaphore{size: size, share: share, mu: new(sync.Mutex)}
}

// TryAcquire acquires n units and reports whether they were free. If it returns
// true, the caller must call Release.
func (s *Semaphore) TryAcquire(key string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tryAcquire(key, n)
}

func (s *Semaphore) tryAcquire(key string, n int64) bool {
	if s.isFull || !fits(s.used, n, s.size) || !s.fitsShare(key, n) {
		return false
	}
	s.add(key, n)
	return true
}

// Acquire is TryAcquire, but waits until the units are free, until ctx ends, or until a time,
// unless that is zero. It returns the cause of ctx's end, or [ErrBusy].
func (s *Semaphore) Acquire(ctx context.Context, key string, n int64, until time.Time) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w, element := s.enqueue(key, n)
	if element == nil {
		return nil
	}
	var passed <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		passed = timer.C
	}
	err := ErrBusy
	select {
	case <-w.granted:
		if ctx.Err() == nil {
			return nil
		}
		s.Release(key, n) // select chose among two ready cases
		return context.Cause(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-passed:
	}
	s.dequeue(w, element)
	return err
}

// ErrBusy is returned if no units were free within the time limit.
var ErrBusy = errors.New("the tasks before it have taken too long")

func (s *Semaphore) enqueue(key string, n int64) (*waiter, *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tryAcquire(key, n) {
		return nil, nil
	}
	w := &waiter{key: key, n: n, granted: make(chan struct{}, 1)}
	s.isFull = s.isFull || s.fitsShare(key, n)
	return w, s.queue.PushBack(w)
}

// dequeue leaves the queue, and releases units that were granted meanwhile.
func (s *Semaphore) dequeue(w *waiter, element *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-w.granted:
		s.add(w.key, -w.n)
	default:
		s.queue.Remove(element)
	}
	s.grant()
}

// Add acquires n units, free or not.
func (s *Semaphore) Add(key string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(key, n)
}

func (s *Semaphore) Release(key string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(key, n)
}

func (s *Semaphore) release(key string, n int64) {
	s.add(key, -n)
	s.grant()
}

// add counts units. The caller holds s.mu, as for the methods below.
func (s *Semaphore) add(key string, n int64) {
	s.used += n
	if key == "" {
		return
	}
	if s.keys == nil {
		s.keys = map[string]int64{}
	}
	if held := s.keys[key] + n; held > 0 {
		s.keys[key] = held
	} else {
		delete(s.keys, key)
	}
}

func (s *Semaphore) grant() {
	s.isFull = false
	for element := s.queue.Front(); element != nil; {
		w, next := element.Value.(*waiter), element.Next()
		if s.fitsShare(w.key, w.n) {
			if !fits(s.used, w.n, s.size) {
				s.isFull = true // a later one may ask for less, and must wait too
				return
			}
			s.queue.Remove(element)
			s.add(w.key, w.n)
			w.granted <- struct{}{}
		}
		element = next
	}
}

func (s *Semaphore) fitsShare(key string, n int64) bool {
	return key == "" || fits(s.keys[key], n, s.share)
}

func fits(used, n, size int64) bool { return used == 0 || n <= size-used }

func (s *Semaphore) Used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.used)
}

func (s *Semaphore) Keys() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys)
}
