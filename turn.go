package prompts

import (
	"context"
	"sync"
)

// turn is held by one goroutine at a time: of a work's goroutines, the one that
// asks the client. The zero value is free.
type turn struct {
	mu   sync.Mutex // protects the field below
	held chan struct{}
}

// channel returns what holds the turn: it has room for one.
func (t *turn) channel() chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == nil {
		t.held = make(chan struct{}, 1)
	}
	return t.held
}

// take waits for the turn until a context ends. If it returns nil, give must
// follow.
func (t *turn) take(ctx, own context.Context) error {
	// A context that has ended already decides, not the select.
	if own.Err() != nil {
		return context.Cause(own)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case t.channel() <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-own.Done():
		return context.Cause(own)
	}
}

func (t *turn) give() { <-t.channel() }

// isUsed reports whether anybody has ever wanted the turn.
func (t *turn) isUsed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held != nil
}

// close waits for whoever has the turn, and lets nobody have it again.
func (t *turn) close() { t.channel() <- struct{}{} }
