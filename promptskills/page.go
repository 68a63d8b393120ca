package promptskills

import "github.com/mcp-prompts/prompts/internal/cursor"

// This file makes the pages of all lists.

// page appends the elements of one page. Without a cursor they are all.
type page struct {
	q    *request
	dst  []byte
	size int
	n    int
	last string // the name of the last element
	more bool
}

// add appends an element, unless the page is full: then it reports false.
func (p *page) add(name string, encode func(dst []byte) []byte) bool {
	if p.n == p.size {
		p.more = true
		return false
	}
	if p.n > 0 {
		p.dst = append(p.dst, ',')
	}
	p.n++
	p.last, p.dst = name, encode(p.dst)
	return true
}

// end appends the end of the list and the cursor.
func (p *page) end() []byte {
	p.dst = append(p.dst, ']')
	if p.more {
		p.dst = append(p.dst, `,"nextCursor":"`...)
		p.dst = append(cursor.Append(p.dst, p.q.list(), p.last), '"')
	}
	return append(p.dst, '}')
}

// list returns the name of the list of a request, for its cursors.
func (q *request) list() string { return q.method + "\x00" + q.uri + "\x00" }
