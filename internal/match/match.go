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
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Index is a list of candidates prepared for matching. It is immutable and
// safe for concurrent use.
type Index struct {
	values []string        // without duplicates and empty strings
	folded string          // values, case-folded, each with a separator after it
	ends   []int           // of each value in folded, before the separator
	words  func() []uint32 // the offsets in folded at which words start, found when first needed
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
	x.words = sync.OnceValue(func() []uint32 {
		var words []uint32
		begin := 0
		for i, v := range x.values {
			words = appendWords(words, v, begin)
			begin = x.ends[i] + len(separator)
		}
		return slices.Clip(words)
	})
	return x
}

// Len returns the number of candidates.
func (x *Index) Len() int { return len(x.values) }

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int {
	const overhead, perValue, perWord = 64, 24, 4 // of a value, the header of a string and an end
	n := overhead + perValue*len(x.values) + len(x.folded) + perWord*len(x.words())
	for _, v := range x.values {
		n += len(v)
	}
	return n
}

// Match returns the first candidates that match the typed text, no more than most,
// best first, and the number of all. The caller owns the slice.
func (x *Index) Match(typed string, most int) (values []string, total int) {
	if typed == "" {
		return slices.Clone(x.values[:min(most, len(x.values))]), len(x.values)
	}
	if !utf8.ValidString(typed) {
		return nil, 0 // fold would replace invalid bytes by U+FFFD, which can match
	}
	m := matching{values: x.values, typed: typed, query: fold(typed), most: most}
	var few [32]hit
	hits := few[:0]
	var words []uint32 // from the value on
	for i, begin := 0, 0; begin < len(x.folded); begin = x.ends[i] + len(separator) {
		at := strings.Index(x.folded[begin:], m.query) // in one of the values from i on
		if at < 0 {
			break
		}
		for at += begin; x.ends[i] < at; i++ {
			begin = x.ends[i] + len(separator)
		}
		rank := m.rank(i, x.ends[i]-begin, at-begin)
		if rank == rankInside && !m.isFull(rankWord) {
			if words == nil {
				words = x.words()
			}
			if words = m.nextWord(x.folded[:x.ends[i]], at, words); len(words) > 0 && int(words[0]) < x.ends[i] {
				rank = rankWord
			}
		}
		hits = m.add(hits, i, rank)
	}
	return m.first(hits), m.total
}

// Search returns the values that match what the user typed, as an index of the
// values would. It is for values that are searched once.
func Search(values []string, typed string) []string {
	if typed == "" {
		return Distinct(values)
	}
	if !utf8.ValidString(typed) {
		return nil // fold would replace invalid bytes by U+FFFD, which can match
	}
	m := matching{values: values, typed: typed, query: fold(typed), most: len(values)}
	var few [32]hit
	hits := few[:0]
	var words []uint32
	for i, v := range values {
		folded := fold(v)
		at := strings.Index(folded, m.query)
		if at < 0 {
			continue
		}
		rank := m.rank(i, len(folded), at)
		if rank == rankInside {
			words = appendWords(words[:0], v, 0)
			if len(m.nextWord(folded, at, words)) > 0 {
				rank = rankWord
			}
		}
		hits = m.add(hits, i, rank)
	}
	return Distinct(m.first(hits))
}

// How well a value matches.
const (
	rankEqual = iota
	rankOtherCase
	rankPrefix
	rankWord
	rankInside
	ranks // their number
)

// matching is one search for what the user typed.
type matching struct {
	values       []string
	typed, query string // as written, and case-folded
	most         int    // how many values are wanted
	total        int
	upTo         [ranks]int // hits of a rank or a better one
}

// hit is a value that matches and may be wanted: ranks*index+rank.
type hit uint32

// rank returns the rank of a value whose folded form has n bytes, with the query
// first at an offset. rankInside stands for rankWord, too.
func (m *matching) rank(i, n, at int) int {
	switch {
	case n == len(m.query) && m.values[i] == m.typed:
		return rankEqual
	case n == len(m.query):
		return rankOtherCase
	case at == 0:
		return rankPrefix
	}
	return rankInside
}

// nextWord returns the words from the first on, at an offset or after it, that begins
// with the query, or that is not in the text.
func (m *matching) nextWord(text string, at int, words []uint32) []uint32 {
	for len(words) > 0 && int(words[0]) < len(text) {
		word := int(words[0])
		if word >= at && text[word] == m.query[0] {
			switch next := strings.Index(text[word:], m.query); next {
			case 0:
				return words
			case -1:
				at = len(text)
			default:
				at = word + next
			}
		} else {
			words = words[1:]
		}
	}
	return words
}

// isFull reports whether there are as many values of a rank, and of better ones, as
// are wanted.
func (m *matching) isFull(rank int) bool { return m.upTo[rank] >= m.most }

// add counts a value that matches. It appends a hit, unless there are enough.
func (m *matching) add(hits []hit, i, rank int) []hit {
	m.total++
	if m.isFull(rank) {
		return hits
	}
	for r := rank; r < ranks; r++ {
		m.upTo[r]++
	}
	if len(hits) == cap(hits) {
		hits = slices.Grow(hits, min(len(m.values), m.most))
	}
	return append(hits, hit(ranks*i+rank))
}

// first returns the values that are wanted, best first.
func (m *matching) first(hits []hit) []string {
	values := make([]string, min(len(hits), m.most))
	ends := m.upTo // of each rank, not all of them in values
	for _, h := range slices.Backward(hits) {
		rank := h % ranks
		ends[rank]--
		if at := ends[rank]; at < len(values) {
			values[at] = m.values[h/ranks]
		}
	}
	return values
}

// Distinct returns the values that are not empty, without duplicates, in order. It has
// a hash table of its own, because it runs for each key that is pressed: a map takes
// longer, and 30 allocations for 10,000 values.
func Distinct(values []string) []string {
	kept := make([]string, 0, len(values))
	size := 4 // of the table, a power of 2 of which at least half stays free
	for size < 2*len(values) {
		size *= 2
	}
	table := make([]uint32, size) // positions in kept, plus 1
	seed := maphash.MakeSeed()
next:
	for _, v := range values {
		if v == "" {
			continue
		}
		at := int(maphash.String(seed, v)) & (size - 1)
		for ; table[at] > 0; at = (at + 1) & (size - 1) {
			if kept[table[at]-1] == v {
				continue next
			}
		}
		kept = append(kept, v)
		table[at] = uint32(len(kept))
	}
	return kept
}

// fold maps strings that differ only in case to the same string, which is
// never longer: each rune becomes the smallest of its folding orbit.
func fold(s string) string { return strings.Map(foldRune, s) }

func foldRune(r rune) rune {
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
}

// appendWords appends the offsets at which words of a value start in its folded form,
// which begins at an offset.
func appendWords(dst []uint32, value string, at int) []uint32 {
	for i, r := range value {
		if startsWord(value, i) {
			dst = append(dst, uint32(at))
		}
		at += utf8.RuneLen(foldRune(r))
	}
	return dst
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
