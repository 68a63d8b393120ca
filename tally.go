package prompts

import (
	"context"
	"sync"
)

// tally counts what is under way. Unlike a sync.WaitGroup it can be given up
// on, because some of what it counts may never end.
type tally struct {
	mu   sync.Mutex // protects the fields below
	n    int
	zero chan struct{} // closed when n becomes 0; nil while nobody waits
}

func (t *tally) add() {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *tally) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.n == 0 && t.zero != nil {
		close(t.zero)
		t.zero = nil
	}
}

// wait waits until nothing is under way or ctx ends, and returns how much
// still is.
func (t *tally) wait(ctx context.Context) int {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return 0
	}
	if t.zero == nil {
		t.zero = make(chan struct{})
	}
	zero := t.zero
	t.mu.Unlock()
	select {
	case <-zero:
		return 0
	case <-ctx.Done():
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.n
	}
}
