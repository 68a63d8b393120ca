// Package match ranks completion candidates by how well they match what the
// user typed.
//
// A candidate matches if it contains the typed text in any case, by Unicode's
// simple case folding. Equal candidates come first, then candidates equal in
// another case, then those that begin with the typed text, then those with a
// word that begins with it, then the rest. Within each group the order is that
// of the list.
package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index is a list of candidates prepared for matching. It is immutable and
// safe for concurrent use.
type Index struct {
	values []string // without duplicates and empty strings
	folded []string // values, case-folded
}

// New returns the index of the values, which must be valid UTF-8.
func New(values []string) *Index {
	x := &Index{values: Distinct(values)}
	x.folded = make([]string, len(x.values))
	for i, v := range x.values {
		x.folded[i] = fold(v)
	}
	return x
}

// Len returns the number of candidates.
func (x *Index) Len() int { return len(x.values) }

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int {
	const overhead, perValue = 64, 32 // a string's header, twice
	n := overhead + perValue*len(x.values)
	for i := range x.values {
		n += len(x.values[i]) + len(x.folded[i])
	}
	return n
}

// Match returns the candidates that match the typed text, best first. The
// caller owns the slice.
func (x *Index) Match(typed string) []string {
	if typed == "" {
		return slices.Clone(x.values)
	}
	return rank(x.values, typed, func(i int) string { return x.folded[i] })
}

// Search returns what Match returns for an index of the values. It is for
// values that are searched once.
func Search(values []string, typed string) []string {
	if typed != "" {
		values = rank(values, typed, func(i int) string { return fold(values[i]) })
	}
	return Distinct(values)
}

func rank(values []string, typed string, folded func(i int) string) []string {
	if !utf8.ValidString(typed) {
		return nil // fold would replace invalid bytes by U+FFFD, which can match
	}
	query := fold(typed)
	ranks := make([]uint8, len(values)) // 0 for no match
	var ends [6]int                     // of each rank in the result
	for i, value := range values {
		candidate := folded(i)
		at := strings.Index(candidate, query)
		switch {
		case at < 0:
			continue
		case value == typed:
			ranks[i] = 1
		case len(candidate) == len(query):
			ranks[i] = 2
		case at == 0:
			ranks[i] = 3
		case hasWord(value, candidate, query, at):
			ranks[i] = 4
		default:
			ranks[i] = 5
		}
		ends[ranks[i]]++
	}
	for rank := 1; rank < len(ends); rank++ {
		ends[rank] += ends[rank-1]
	}
	ranked := make([]string, ends[5])
	for i := len(values) - 1; i >= 0; i-- {
		if rank := ranks[i]; rank > 0 {
			ends[rank]--
			ranked[ends[rank]] = values[i]
		}
	}
	return ranked
}

// Distinct returns the values that are not empty, without duplicates, in order.
func Distinct(values []string) []string {
	seen := make(map[string]struct{}, len(values))
	kept := make([]string, 0, len(values))
	for _, v := range values {
		if _, ok := seen[v]; !ok && v != "" {
			seen[v] = struct{}{}
			kept = append(kept, v)
		}
	}
	return kept
}

// fold maps strings that differ only in case to the same string, which is
// never longer: each rune becomes the smallest of its folding orbit.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'a' <= r && r <= 'z' {
				r -= 'a' - 'A'
			}
			return r
		}
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, s)
}

// hasWord reports whether a word of value begins with the query, whose first
// occurrence in the folded value is at the given offset.
func hasWord(value, folded, query string, at int) bool {
	v, f := 0, 0 // offsets of the same rune
	for {
		v, f = v+unfold(value[v:], folded[f:], at-f), at
		if startsWord(value, v) {
			return true
		}
		_, size := utf8.DecodeRuneInString(folded[at:])
		next := strings.Index(folded[at+size:], query)
		if next < 0 {
			return false
		}
		at += size + next
	}
}

// unfold returns the offset in value of the rune at an offset in its folded
// form. Folding shortens some runes and lengthens none, so strings of equal
// length have equal offsets.
func unfold(value, folded string, at int) int {
	if len(value) == len(folded) {
		return at
	}
	for i := range value {
		if at <= 0 {
			return i
		}
		_, size := utf8.DecodeRuneInString(folded)
		folded, at = folded[size:], at-size
	}
	return len(value)
}

// startsWord reports whether a word starts at the offset: after a rune that is
// neither letter nor digit, at a capital letter after a small letter, and at a
// digit after a letter. Combining marks belong to the rune before them.
func startsWord(value string, at int) bool {
	now, _ := utf8.DecodeRuneInString(value[at:])
	if unicode.IsMark(now) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(value[:at], unicode.IsMark))
	switch {
	case !unicode.IsLetter(before) && !unicode.IsDigit(before):
		return true
	case unicode.IsUpper(now):
		return unicode.IsLower(before)
	case unicode.IsDigit(now):
		return unicode.IsLetter(before)
	}
	return false
}
