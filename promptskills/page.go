package promptskills

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file makes the pages of all lists.

// page appends the elements of one page, which has a limit in elements and in bytes.
type page struct {
	q    *request
	dst  []byte
	size int
	n    int
	from int    // where the first element begins
	last string // the name of the last element
	more bool
}

// add appends an element, unless the page is full: then it reports false.
func (p *page) add(name string, encode func(dst []byte) []byte) bool {
	if p.n == p.size {
		p.more = true
		return false
	}
	before := len(p.dst)
	if p.n == 0 {
		p.from = before
	} else {
		p.dst = append(p.dst, ',')
	}
	p.dst = encode(p.dst)
	if p.n > 0 && len(p.dst)-p.from > cursor.MaxPage {
		p.dst, p.more = p.dst[:before], true
		return false
	}
	p.n++
	p.last = name
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
