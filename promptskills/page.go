package promptskills

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

type page struct {
	cursor.Page
	element []byte // of the last call of add
}

// page returns the first page of the elements that follow. dst ends with the beginning of the
// array. total is that of a cursor.Page.
func (s *service) page(q *request, dst []byte, total int) *page {
	return &page{Page: cursor.NewPage(dst, q.list(), s.options.PageSize, total)}
}

// add appends an element, unless the page is full: then it reports false.
func (p *page) add(name string, encode func(dst []byte) []byte) bool {
	p.element = encode(p.element[:0])
	return cursor.Add(&p.Page, name, p.element)
}

func (p *page) end() []byte { return append(p.End(), '}') }

// maxNames are the sizes in bytes of the longest names in the lists that have cursors.
var maxNames = map[string]int{
	"skills/list":              maxPath,
	"resources/list":           len(ownPrefix) + cursor.MaxName,
	"resources/templates/list": cursor.MaxName,
	"resources/directory/read": maxPath,
}

func checkURI(uri string) error {
	if len(uri) > cursor.MaxName {
		return fmt.Errorf("URI %q of a resource has %d bytes (limit %d)", phrase.Clip(uri, phrase.MaxEcho), len(uri), cursor.MaxName)
	}
	return nil
}

func (q *request) list() string { return q.method + "\x00" + q.uri + "\x00" }
