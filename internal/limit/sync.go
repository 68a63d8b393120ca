package limit

import (
	"context"
	"sync"
	"sync/atomic"
)

// WaitGroup counts what is in progress. Unlike a sync.WaitGroup, a wait for it
// can end early, because some of what it counts may never end.
type WaitGroup struct {
	mu   sync.Mutex // protects the fields below
	n    int
	zero chan struct{} // closed when n becomes 0; nil without a waiter
}

func (g *WaitGroup) Add() {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
}

func (g *WaitGroup) Done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 && g.zero != nil {
		close(g.zero)
		g.zero = nil
	}
}

// Wait waits until the count is 0 or ctx ends, and returns the count.
func (g *WaitGroup) Wait(ctx context.Context) int {
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return 0
	}
	if g.zero == nil {
		g.zero = make(chan struct{})
	}
	zero := g.zero
	g.mu.Unlock()
	select {
	case <-zero:
		return 0
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.n
	}
}

// Mutex is a mutual exclusion lock whose Lock ends with a context. The zero value is unlocked.
type Mutex struct{ held atomic.Pointer[chan struct{}] }

// channel returns the channel of one element that is full while locked.
func (m *Mutex) channel() chan struct{} {
	if m.held.Load() == nil {
		c := make(chan struct{}, 1)
		m.held.CompareAndSwap(nil, &c) // another may have come first
	}
	return *m.held.Load()
}

// Lock locks m, or returns the cause of the context that ends first. If it
// returns nil, the caller must call Unlock.
func (m *Mutex) Lock(ctx, own context.Context) error {
	// select would choose at random if the lock is free, too.
	if own.Err() != nil {
		return context.Cause(own)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case m.channel() <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-own.Done():
		return context.Cause(own)
	}
}

func (m *Mutex) Unlock() { <-m.channel() }

// WasLocked reports whether Lock or Close was ever called.
func (m *Mutex) WasLocked() bool { return m.held.Load() != nil }

// Close locks m for good.
func (m *Mutex) Close() { m.channel() <- struct{}{} }
