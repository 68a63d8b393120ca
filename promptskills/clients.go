package promptskills

import (
	"container/list"
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts/feature"
)

// This file remembers which snapshot of each skill a client has seen last, so that
// the client reads the files that its list names (see Registry.Retain).

const (
	// maxClients is the maximum number of clients that are remembered.
	maxClients = 10_000
	// maxViews is the maximum number of pages, and of entries, that are remembered of
	// one client.
	maxViews = 1024
)

// clients are what clients have seen. A client that is not known reads the
// current files.
type clients struct {
	mu    sync.Mutex // protects the fields below
	known map[feature.Client]*list.Element
	used  *list.List // of *view, the one that was used last first
}

func newClients() *clients {
	return &clients{known: map[feature.Client]*list.Element{}, used: list.New()}
}

// view is what one client has seen.
type view struct {
	from  feature.Client
	pages []span
	// seen has the number of the snapshot for each path: of a skill whose entry the
	// client has got, and of a file whose change the client was notified of.
	seen map[string]uint64
}

// span is a page of skills/list: the skills after a path and up to another.
type span struct {
	after, last string
	isLast      bool // up to the end
	seq         uint64
}

// view returns the view of a client; nil if it is not identified. The mutex is
// held.
func (c *clients) view(from feature.Client) *view {
	if from == (feature.Client{}) {
		return nil
	}
	if e := c.known[from]; e != nil {
		c.used.MoveToFront(e)
		return e.Value.(*view)
	}
	if len(c.known) >= maxClients {
		oldest := c.used.Back()
		delete(c.known, oldest.Value.(*view).from)
		c.used.Remove(oldest)
	}
	v := &view{from: from, seen: map[string]uint64{}}
	c.known[from] = c.used.PushFront(v)
	return v
}

// listed notes that a client has got a page.
func (c *clients) listed(from feature.Client, s span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.view(from)
	if v == nil {
		return
	}
	v.pages = slices.DeleteFunc(v.pages, func(old span) bool {
		return old.after >= s.after && (s.isLast || !old.isLast && old.last <= s.last) // which s replaces
	})
	if len(v.pages) == maxViews {
		v.pages = nil
	}
	v.pages = append(v.pages, s)
}

// refresh notes that a client has got the entry of a skill, or was notified that a
// file has changed.
func (c *clients) refresh(from feature.Client, path string, seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.view(from)
	if v == nil {
		return
	}
	if len(v.seen) == maxViews {
		clear(v.seen)
	}
	v.seen[path] = seq
}

// snapshot returns the snapshot that a client reads a file from.
func (c *clients) snapshot(from feature.Client, s *state, path string) *snapshot {
	if len(s.past) == 0 {
		return &s.snapshot
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.known[from]
	if e == nil {
		return &s.snapshot
	}
	v := e.Value.(*view)
	newest, found := v.seen[path]
	note := func(seq uint64) { newest, found = max(newest, seq), true }
	for at := range parents(path) {
		if seq, ok := v.seen[at]; ok {
			note(seq)
		}
		for _, p := range v.pages {
			if p.after < at && (p.isLast || at <= p.last) {
				note(p.seq)
			}
		}
	}
	if !found {
		return &s.snapshot
	}
	return s.at(newest)
}
