package notify

import "sync"

// Listeners are functions that a source calls for each change. The zero value has
// none. Safe for concurrent use.
type Listeners[T any] struct {
	mu  sync.Mutex // protects the field below
	all map[*func(T)]struct{}
}

// Add adds a function until cancel is called. The function must not wait, nor use the source.
func (l *Listeners[T]) Add(f func(T)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*func(T)]struct{}{}
	}
	l.all[&f] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, &f)
	}
}

func (l *Listeners[T]) Call(change T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for f := range l.all {
		(*f)(change)
	}
}

func (l *Listeners[T]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}
