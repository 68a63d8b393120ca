package prompts

import "sync"

// shares bounds what each client may have of a server: without that, one client
// of many sessions, or of none, could have all of it.
type shares struct {
	most int

	mu      sync.Mutex // protects the fields below
	clients map[string]*share
	spare   *share // that nobody has, or nil
}

// share is the limit of one client while it has tasks.
type share struct {
	*limiter
	of    *shares
	name  string
	tasks int // protected by of.mu
}

func newShares(most int) *shares {
	return &shares{most: most, clients: map[string]*share{}}
}

// take returns the share of a client, for a task of which end is the end.
func (s *shares) take(client string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.clients[client]
	if x == nil {
		if x = s.spare; x == nil {
			x = &share{limiter: newLimiter(s.most), of: s}
		}
		s.spare = nil
		x.name = client
		s.clients[client] = x
	}
	x.tasks++
	return x
}

// end forgets the share with its last task.
func (x *share) end() {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.tasks--; x.tasks == 0 {
		delete(s.clients, x.name)
		s.spare = x
	}
}
