package promptskills

import (
	"container/list"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/feature"
)

// This file remembers which snapshot of each skill a client has seen last, so that
// the client reads the files that its list names (see Registry.Retain). It keeps paths of
// the registry, and nothing else that a client sends.

const (
	// maxClients is the maximum number of clients that are remembered.
	maxClients = 10_000
	// maxViews is the maximum number of pages, and of entries, that are remembered of one client.
	maxViews = 1024
	// maxSeen is the maximum memory of all that is remembered, in bytes.
	maxSeen = 32 << 20
)

// What a view, a page and an entry take in addition to their texts, in bytes, with the
// room of the maps and slices that they are in.
const (
	viewBytes  = 512
	pageBytes  = 128
	entryBytes = 96
)

// clients are what clients have seen. A client that is not known reads the current files.
type clients struct {
	mu    sync.Mutex // protects the fields below
	known map[feature.ClientID]*list.Element
	used  *list.List // of *view, the one that was used last first
	bytes int        // of all views
}

func newClients() *clients {
	return &clients{known: map[feature.ClientID]*list.Element{}, used: list.New()}
}

type view struct {
	from  feature.ClientID
	bytes int
	pages []span
	// seen has the number of the snapshot for each path: of a skill whose entry the
	// client has got, and of a file whose change the client was notified of.
	seen map[string]uint64
}

// span is one or more pages of skills/list: the skills after a path and up to another.
type span struct {
	after, last string
	isLast      bool // up to the end
	seq         uint64
}

func (s *span) bytes() int { return pageBytes + len(s.after) + len(s.last) }

func (c *clients) view(from feature.ClientID) *view {
	if from == (feature.ClientID{}) {
		return nil
	}
	if e := c.known[from]; e != nil {
		c.used.MoveToFront(e)
		return e.Value.(*view)
	}
	from.Key = strings.Clone(from.Key) // may be a part of a whole header
	v := &view{from: from, seen: map[string]uint64{}}
	c.known[from] = c.used.PushFront(v)
	c.count(v, viewBytes+len(from.Key))
	return v
}

// count counts n bytes more of a view, and forgets the views that were idle for
// longest if all have too many.
func (c *clients) count(v *view, n int) {
	v.bytes += n
	c.bytes += n
	for len(c.known) > maxClients || c.bytes > maxSeen {
		c.remove(c.used.Back())
	}
}

func (c *clients) remove(e *list.Element) {
	v := c.used.Remove(e).(*view)
	delete(c.known, v.from)
	c.bytes -= v.bytes
}

func (c *clients) forget(from feature.ClientID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.known[from]; e != nil {
		c.remove(e)
	}
}

// listed notes that a client has got a page: the skills after a path, which is empty or
// of the cursor, and up to the end of s.
func (c *clients) listed(from feature.ClientID, now *snapshot, after string, s span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.view(from)
	if v == nil {
		return
	}
	if after != "" {
		var ok bool
		if s.after, ok = v.position(now, after); !ok {
			return // no page of this server ends there
		}
	}
	if i := slices.IndexFunc(v.pages, func(old span) bool { return old.seq == s.seq && old.last == s.after && !old.isLast }); i >= 0 {
		s.after = v.pages[i].after // a walk of one snapshot is one span
	}
	n := 0
	v.pages = slices.DeleteFunc(v.pages, func(old span) bool {
		isReplaced := old.after >= s.after && (s.isLast || !old.isLast && old.last <= s.last)
		if isReplaced {
			n -= old.bytes()
		}
		return isReplaced
	})
	if len(v.pages) == maxViews {
		for i := range v.pages {
			n -= v.pages[i].bytes()
		}
		v.pages = nil
	}
	v.pages = append(v.pages, s)
	c.count(v, n+s.bytes())
}

// position returns the path of a cursor as the registry has it, or had it for the page
// that the client got before, and reports whether there is one.
func (v *view) position(now *snapshot, after string) (string, bool) {
	if e, ok := now.skills.Get(after); ok {
		return e.skill.Path, true
	}
	i := slices.IndexFunc(v.pages, func(old span) bool { return old.last == after })
	if i < 0 {
		return "", false
	}
	return v.pages[i].last, true
}

// refresh notes that a client has got the entry of a skill, or was notified that a
// file has changed.
func (c *clients) refresh(from feature.ClientID, path string, seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.view(from)
	if v == nil {
		return
	}
	n := 0
	if _, ok := v.seen[path]; !ok {
		if len(v.seen) == maxViews {
			for old := range v.seen {
				n -= entryBytes + len(old)
			}
			v.seen = map[string]uint64{}
		}
		path = strings.Clone(path)
		n += entryBytes + len(path)
	}
	v.seen[path] = seq
	c.count(v, n)
}

func (c *clients) snapshot(from feature.ClientID, s *state, path string) *snapshot {
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
