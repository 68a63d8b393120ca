// Package nearest finds the known name that is closest to a misspelled one, for
// the hint in an error message.
//
// The modules that import the package have versions of their own: the package only gets additions.
package nearest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/limit"
)

// maxNames limits how many names are compared. Among tens of thousands of names, one is
// close by chance.
const maxNames = 4096

// Name returns the name that is closest to the misspelled name. It returns the empty
// string if no name is close, or if two names are equally close.
// Case and the separators -, _ and . make no difference. The distance is the number of
// characters that are inserted, removed, replaced or exchanged with their neighbor. It
// is at most a third of the longer name's length, and at most 2. A name is also close to
// a longer one that begins with it. Name compares the first 4,096 names only.
func Name(name string, names []string) string {
	s := NewSearch(name)
	for _, n := range names[:min(len(names), maxNames)] {
		s.Add(n, nil)
	}
	return s.Name()
}

// Sorted returns the names in the order of their distance from name, then by the alphabet.
func Sorted(name string, names []string) []string {
	far := func(n string) int {
		if max(len(name), len(n)) > maxBytes {
			return maxBytes
		}
		return distance(folded(nil, name), folded(nil, n), maxBytes)
	}
	return slices.SortedFunc(slices.Values(names), func(a, b string) int { return cmp.Or(far(a)-far(b), strings.Compare(a, b)) })
}

// DidYouMean returns the end of an error message about an unknown name: the name that
// Name returns, or the empty string.
func DidYouMean(name string, names []string) string {
	if fix := Fix(name, names, ""); fix != "" {
		return "; " + fix
	}
	return ""
}

// Fix returns the fix of an error about an unknown name, by the name that Name returns, or otherwise.
func Fix(name string, names []string, otherwise string) string {
	if near := Name(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// OneOf is Fix for an unknown name in place of one of the names.
func OneOf(name string, names []string) string {
	if len(names) == 0 {
		return "remove the name"
	}
	return Fix(name, names, "use one of: "+strings.Join(names, ", "))
}

const (
	// maxSearched is how many names [Visible] compares, unless some are hidden: those must not
	// count.
	maxSearched = 10_000
	// MaxSearches is how many searches per second compare all names.
	MaxSearches = 20
)

// Visible is [Name] for the names that isVisible accepts. If some may be hidden, Visible compares
// all names, within the budget. Visible calls isVisible only for close names.
func Visible[V any](ctx context.Context, budget *limit.Budget, name string, names iter.Seq2[string, V], hides bool, isVisible func(V) bool) string {
	if hides && !budget.Allow() {
		return ""
	}
	search, n := NewSearch(name), 0
	for other, v := range names {
		switch n++; {
		case ctx.Err() != nil:
			return ""
		case !hides && n > maxSearched:
			return search.Name()
		}
		search.Add(other, func() bool { return isVisible(v) })
	}
	return search.Name()
}

// Search is [Name] for names that are added one by one, any number of them.
type Search struct {
	name    [maxBytes]rune
	len     int // of the name; 0 if no name is close to it
	best    string
	least   int  // the distance of best
	several bool // another name has the same distance
}

func NewSearch(name string) Search {
	var s Search
	if len(name) <= maxBytes {
		s.len = len(folded(s.name[:0], name))
	}
	return s
}

// Add adds a name that isKnown accepts; nil accepts each. isKnown is only called
// if the name would change the result.
func (s *Search) Add(name string, isKnown func() bool) {
	if s.len == 0 || len(name) > maxBytes {
		return
	}
	var buffer [maxBytes]rune
	d, near := compare(s.name[:s.len], folded(buffer[:0], name))
	switch {
	case !near || s.best != "" && (d > s.least || d == s.least && (s.several || name == s.best)):
	case isKnown != nil && !isKnown():
	case s.best != "" && d == s.least:
		s.several = true
	default:
		s.best, s.least, s.several = name, d, false
	}
}

// Name returns the result of the function [Name] for the names that were added.
func (s *Search) Name() string {
	if s.several {
		return ""
	}
	return s.best
}
