// Package suggest finds the known name that is closest to a misspelled one, for
// the hint in an error message.
package suggest

import (
	"slices"
	"unicode"
)

// longest is the length of the longest names that are compared, in bytes: one
// of them may be anybody's.
const longest = 64

// most is how many names are looked at: of tens of thousands one is near by
// chance.
const most = 4096

// beginning is what a name costs that is the beginning of another, or begins
// with it: more than one slip, and never too much.
const beginning = 2

// Near returns the one of the names that name may have been meant to be. It
// is the empty string if none is near, or if several are equally so.
//
// Case and separators do not count. Names of six characters or more may differ
// by two slips, those of three by one, and shorter ones by none: a character
// too many, too few, another one, or two that are exchanged. Of more than 4,096
// names only the first are looked at.
func Near(name string, names []string) string {
	s := NewSearch(name)
	for _, n := range names[:min(len(names), most)] {
		s.Add(n, nil)
	}
	return s.Near()
}

// Search is [Near] for names that are added one by one, any number of them.
type Search struct {
	name    [longest]rune
	len     int // of the name; 0 if nothing is near it
	best    string
	least   int // what best differs by
	several bool
}

// NewSearch returns a search for a name.
func NewSearch(name string) Search {
	var s Search
	if len(name) <= longest {
		s.len = len(folded(s.name[:0], name))
	}
	return s
}

// Add adds a name that isKnown accepts; nil accepts each. isKnown is only called
// if the name would change the result.
func (s *Search) Add(name string, isKnown func() bool) {
	if s.len == 0 || len(name) > longest {
		return
	}
	var buffer [longest]rune
	d, near := slips(s.name[:s.len], folded(buffer[:0], name))
	switch {
	case !near || s.best != "" && (d > s.least || d == s.least && (s.several || name == s.best)):
	case isKnown != nil && !isKnown():
	case s.best != "" && d == s.least:
		s.several = true
	default:
		s.best, s.least, s.several = name, d, false
	}
}

// Near returns the name that was probably meant, as the function Near does.
func (s *Search) Near() string {
	if s.several {
		return ""
	}
	return s.best
}

// folded appends name without what is easily mistaken in it.
func folded(dst []rune, name string) []rune {
	for _, r := range name {
		if r != '-' && r != '_' && r != '.' {
			dst = append(dst, unicode.ToLower(r))
		}
	}
	return dst
}

// slips returns how far b is from a, and whether that is near.
func slips(a, b []rune) (n int, near bool) {
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	most := min(max(len(a), len(b))/3, 2)
	if n := distance(a, b, most); n <= most {
		return n, true
	}
	shorter := min(len(a), len(b))
	if shorter >= 3 && slices.Equal(a[:shorter], b[:shorter]) {
		return beginning, true
	}
	return 0, false
}

// distance returns how many characters have to be inserted, removed, replaced
// or exchanged with their neighbour to make b of a, or any number above most if
// it is more than that.
func distance(a, b []rune, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] { // as in names of a family
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	// Row i+1 has what it costs to make the beginnings of b of a[:i+1]. Only the
	// columns near the diagonal can be at most most.
	var rows [3][longest + 2]uint8
	far := uint8(most + 1)
	for j := range min(len(b), most) + 1 {
		rows[0][j] = uint8(j)
	}
	rows[0][min(len(b), most)+1] = far
	above := uint8(0)
	for i := range a {
		before, row, next := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		low, high := max(0, i-most), min(len(b), i+most+1)
		next[low] = far
		if low == 0 {
			next[0] = min(uint8(i+1), far)
		}
		least := next[low]
		for j := low; j < high; j++ {
			cost := row[j]
			if a[i] != b[j] {
				cost = min(row[j+1], next[j], row[j]) + 1
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			next[j+1] = min(cost, far)
			least = min(least, next[j+1])
		}
		next[high+1] = far
		if least == far && above == far {
			return most + 1 // an exchange goes back by two rows
		}
		above = least
	}
	return int(rows[len(a)%3][len(b)])
}
