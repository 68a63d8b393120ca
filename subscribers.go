package prompts

// subscriber is told of each change of a registry.
type subscriber struct {
	changed func() // must not wait, nor use the registry
}

// Subscribe returns a channel that tells of changes, and the function that
// ends the subscription. The channel holds at most one message: however many
// changes there were since the last receive, there is one to receive, so
// nobody waits for a slow subscriber. It is never closed.
func (r *Registry) Subscribe() (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	return c, r.subscribe(func() { signal(c) })
}

// signal sends to a channel that holds at most one message.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is pending already
	}
}

// subscribe has changed called for each change, until cancel is called.
func (r *Registry) subscribe(changed func()) (cancel func()) {
	s := &subscriber{changed}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subscribers == nil {
		r.subscribers = map[*subscriber]struct{}{}
	}
	r.subscribers[s] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subscribers, s)
	}
}

func (r *Registry) notify() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.subscribers {
		s.changed()
	}
}
