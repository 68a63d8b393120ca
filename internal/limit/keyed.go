package limit

import "sync"

// Keyed is a Semaphore for each client, so that one client with many sessions,
// or without sessions, cannot use the whole server.
type Keyed struct {
	slots int

	mu      sync.Mutex // protects the fields below
	clients map[string]*KeyedSemaphore
	free    *KeyedSemaphore // an unused one to reuse, or nil
}

// KeyedSemaphore is the Semaphore of one client while the client has requests.
type KeyedSemaphore struct {
	*Semaphore
	owner *Keyed
	key   string
	refs  int // protected by owner.mu
}

// NewKeyed returns semaphores of n slots each.
func NewKeyed(n int) *Keyed {
	return &Keyed{slots: n, clients: map[string]*KeyedSemaphore{}}
}

// Get returns the semaphore of a client. The caller must call Put after its
// last use.
func (k *Keyed) Get(client string) *KeyedSemaphore {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.clients[client]
	if s == nil {
		if s = k.free; s == nil {
			s = &KeyedSemaphore{Semaphore: NewSemaphore(k.slots), owner: k}
		}
		k.free = nil
		s.key = client
		k.clients[client] = s
	}
	s.refs++
	return s
}

// Put ends a use. The last one frees the semaphore.
func (s *KeyedSemaphore) Put() {
	k := s.owner
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.refs--; s.refs == 0 {
		delete(k.clients, s.key)
		k.free = s
	}
}

// Len returns the number of clients with requests.
func (k *Keyed) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.clients)
}
