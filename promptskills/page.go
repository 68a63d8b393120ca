package promptskills

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

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

// maxNames are the sizes in bytes of the longest names in the lists that have cursors.
var maxNames = map[string]int{
	"skills/list":              maxPath,
	"resources/list":           len(ownPrefix) + cursor.MaxName,
	"resources/templates/list": cursor.MaxName,
	"resources/directory/read": maxPath,
}

// checkURI returns an error for a URI or template of the application that is too long
// for a cursor.
func checkURI(uri string) error {
	if len(uri) > cursor.MaxName {
		return fmt.Errorf("URI %q of a resource has %d bytes (limit %d)", phrase.Clip(uri, phrase.MaxEcho), len(uri), cursor.MaxName)
	}
	return nil
}

// list returns the name of the list of a request, for its cursors.
func (q *request) list() string { return q.method + "\x00" + q.uri + "\x00" }
