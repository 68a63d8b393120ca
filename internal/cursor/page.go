package cursor

import "github.com/mcp-prompts/prompts/internal/wire"

// DefaultPageSize is the default number of entries in one page of a list.
const DefaultPageSize = 1000

// MaxPage is the maximum size of the entries of a page in bytes, unless it is a single entry.
const MaxPage = 1 << 20

// reserveAfter is the number of entries by whose size a page is reserved.
const reserveAfter = 16

// Page appends the entries of one page of a list, in the order of their names.
type Page struct {
	Last    string // the name of the last entry
	HasMore bool   // an entry did not fit

	dst         []byte
	list        string
	size, total int
	begin, n    int
}

// NewPage returns a page of up to size entries, which appends to dst, and to which dst is the
// beginning of the array. The list is that of [Append]. total is the number of entries of the
// list, to reserve room for the page; 0 if some entries may be left out.
func NewPage(dst []byte, list string, size, total int) Page {
	return Page{dst: dst, list: list, size: size, total: total, begin: len(dst)}
}

// Add appends an entry, unless the page is full: then Add returns false, and must not be called
// again.
func Add[T string | []byte](p *Page, name string, entry T) bool {
	if p.n == p.size || p.n > 0 && len(p.dst)-p.begin+len(entry) > MaxPage {
		p.HasMore = true
		return false
	}
	if p.n == reserveAfter && p.total > 0 { // the others may be of about the same size
		left := min(p.size, p.total) - p.n
		p.dst = wire.GrowPage(p.dst, min((len(p.dst)-p.begin)/p.n*left, MaxPage))
	}
	p.dst = append(append(p.dst, entry...), ',')
	p.n, p.Last = p.n+1, name
	return true
}

// End returns dst with the entries, the end of the array, and the cursor of the next page if
// there is one.
func (p *Page) End() []byte {
	dst := p.dst
	if p.n > 0 {
		dst = dst[:len(dst)-1] // without the comma
	}
	dst = append(dst, ']')
	if p.HasMore {
		dst = append(dst, `,"nextCursor":"`...)
		dst = append(Append(dst, p.list, p.Last), '"')
	}
	return dst
}
