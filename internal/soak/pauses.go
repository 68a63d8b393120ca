package main

import (
	"context"
	"sync"
	"time"
)

// A machine that is busy with something else stops the process for a while,
// which looks like a server that is slow. So how late a goroutine is that has
// nothing to do but to sleep is measured beside.
const nap = 5 * time.Millisecond

// pauses is how late goroutines have been woken.
type pauses struct {
	mu      sync.Mutex // protects the field below
	longest time.Duration
}

// measure measures until ctx ends.
func (p *pauses) measure(ctx context.Context) {
	every := time.NewTicker(nap)
	defer every.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		now := time.Now()
		p.mu.Lock()
		p.longest = max(p.longest, now.Sub(last)-nap)
		p.mu.Unlock()
		last = now
	}
}

// take returns the longest pause since the last call.
func (p *pauses) take() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest := p.longest
	p.longest = 0
	return longest
}
