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
	folded string   // values, case-folded, each with a separator after it
	ends   []int    // of each value in folded, before the separator
}

// separator is part of no valid text, so no match reaches across it.
const separator = "\xff"

// New returns the index of the values, which must be valid UTF-8.
func New(values []string) *Index {
	x := &Index{values: Distinct(values)}
	x.ends = make([]int, len(x.values))
	var all strings.Builder
	for i, v := range x.values {
		all.WriteString(fold(v))
		x.ends[i] = all.Len()
		all.WriteString(separator)
	}
	x.folded = all.String()
	return x
}

// Len returns the number of candidates.
func (x *Index) Len() int { return len(x.values) }

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int {
	const overhead, perValue = 64, 24 // the header of a string, and an end
	n := overhead + perValue*len(x.values) + len(x.folded)
	for _, v := range x.values {
		n += len(v)
	}
	return n
}

// Match returns the candidates that match the typed text, best first. The
// caller owns the slice.
func (x *Index) Match(typed string) []string {
	if typed == "" {
		return slices.Clone(x.values)
	}
	if !utf8.ValidString(typed) {
		return nil // fold would replace invalid bytes by U+FFFD, which can match
	}
	m := matching{values: x.values, typed: typed, query: fold(typed), ranks: make([]uint8, len(x.values))}
	for i, begin := 0, 0; begin < len(x.folded); begin = x.ends[i] + len(separator) {
		at := strings.Index(x.folded[begin:], m.query) // in one of the values from i on
		if at < 0 {
			break
		}
		for at += begin; x.ends[i] < at; i++ {
			begin = x.ends[i] + len(separator)
		}
		m.add(i, x.folded[begin:x.ends[i]], at-begin)
	}
	return m.ranked()
}

// Search returns what Match returns for an index of the values. It is for
// values that are searched once.
func Search(values []string, typed string) []string {
	if typed == "" {
		return Distinct(values)
	}
	if !utf8.ValidString(typed) {
		return nil // fold would replace invalid bytes by U+FFFD, which can match
	}
	m := matching{values: values, typed: typed, query: fold(typed), ranks: make([]uint8, len(values))}
	for i, v := range values {
		folded := fold(v)
		if at := strings.Index(folded, m.query); at >= 0 {
			m.add(i, folded, at)
		}
	}
	return Distinct(m.ranked())
}

// matching is one search for what the user typed.
type matching struct {
	values       []string
	typed, query string  // as written, and case-folded
	ranks        []uint8 // of the values, 0 for no match
	ends         [6]int  // of each rank in the result
}

// add ranks a value, by its folded form, in which the query is first at an offset.
func (m *matching) add(i int, folded string, at int) {
	rank := uint8(5)
	switch {
	case len(folded) == len(m.query) && m.values[i] == m.typed:
		rank = 1
	case len(folded) == len(m.query):
		rank = 2
	case at == 0:
		rank = 3
	case hasWord(m.values[i], folded, m.query, at):
		rank = 4
	}
	m.ranks[i] = rank
	m.ends[rank]++
}

// ranked returns the values that match, best first.
func (m *matching) ranked() []string {
	for rank := 1; rank < len(m.ends); rank++ {
		m.ends[rank] += m.ends[rank-1]
	}
	ranked := make([]string, m.ends[5])
	for i := len(m.ranks) - 1; i >= 0; i-- {
		if rank := m.ranks[i]; rank > 0 {
			m.ends[rank]--
			ranked[m.ends[rank]] = m.values[i]
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
		next := strings.Index(folded[at+1:], query) // no rune begins within another
		if next < 0 {
			return false
		}
		at += 1 + next
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
	if at > 0 && value[at-1] < utf8.RuneSelf && value[at] < utf8.RuneSelf {
		return startsASCII(value[at-1], value[at])
	}
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

// startsASCII is startsWord for a character after another, both of ASCII.
func startsASCII(before, now byte) bool {
	isLower, isUpper, isDigit := before-'a' < 26, before-'A' < 26, before-'0' < 10
	switch {
	case !isLower && !isUpper && !isDigit:
		return true
	case now-'A' < 26:
		return isLower
	case now-'0' < 10:
		return !isDigit
	}
	return false
}
