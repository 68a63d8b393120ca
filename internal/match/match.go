// Package match ranks completion candidates by how well they match what the user typed.
//
// A candidate matches if it contains the typed text in any case, by Unicode's simple case folding.
// Equal candidates come first, then candidates equal in another case, then those that begin with
// the typed text, then those with a word that begins with it, then the rest. Within each group the
// order is that of the list.
package match

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Index is a list of candidates prepared for matching. It is immutable and safe for concurrent use.
type Index struct {
	values []string      // without duplicates and empty strings
	folded []byte        // values, case-folded, each with a separator after it
	ends   []int         // of each value in folded, before the separator
	starts func() []byte // folded, with the bytes at which a word starts only, made when first needed
}

// separator is part of no valid text, so no match reaches across it. In starts, it is
// each byte at which no word starts, too.
const separator = 0xff

// New returns the index of the values, which must be valid UTF-8.
func New(values []string) *Index {
	x := &Index{values: slices.Clone(Distinct(values))}
	size := len(x.values)
	for _, v := range x.values {
		size += len(v)
	}
	x.folded, x.ends = make([]byte, 0, size), make([]int, len(x.values))
	for i, v := range x.values {
		x.folded = appendFolded(x.folded, v)
		x.ends[i] = len(x.folded)
		x.folded = append(x.folded, separator)
	}
	x.starts = sync.OnceValue(func() []byte {
		starts, begin := bytes.Clone(x.folded), 0
		for i, v := range x.values {
			keepStarts(starts[begin:], v)
			begin = x.ends[i] + 1
		}
		return starts
	})
	return x
}

func (x *Index) Len() int { return len(x.values) }

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int {
	const overhead, perValue = 128, 24 // of a value, the header of a string and an end
	return overhead + perValue*len(x.values) + 3*cap(x.folded)
}

const (
	equal = iota
	otherCase
	prefix
	word
	inside
	ranks // their number
)

type hit struct{ index, rank int32 }

// Match returns the first candidates that match the typed text, no more than most,
// best first, and the number of all. The caller owns the slice.
func (x *Index) Match(typed string, most int) (values []string, total int) {
	if typed == "" {
		return slices.Clone(x.values[:min(most, len(x.values))]), len(x.values)
	}
	if !utf8.ValidString(typed) {
		return nil, 0 // folding would replace invalid bytes by U+FFFD, which can match
	}
	query := appendFolded(nil, typed)
	var few [32]hit
	hits, kept := few[:0], [ranks]int{} // no more of each rank than most
	start := 0                          // where a word starts with the query
	for i, begin := 0, 0; begin < len(x.folded); begin = x.ends[i] + 1 {
		at := bytes.Index(x.folded[begin:], query) // in one of the values from i on
		if at < 0 {
			break
		}
		for at += begin; x.ends[i] < at; i++ {
			begin = x.ends[i] + 1
		}
		total++
		rank := otherCase
		switch {
		case at > begin:
			if start < at && kept[word] < most {
				start = x.nextStart(query, at)
			}
			if rank = word; start > x.ends[i] {
				rank = inside
			}
		case at+len(query) < x.ends[i]:
			rank = prefix
		case x.values[i] == typed:
			rank = equal
		}
		if kept[rank] == most {
			continue
		}
		kept[rank]++
		if len(hits) == cap(hits) {
			hits = slices.Grow(hits, min(len(x.values), most))
		}
		hits = append(hits, hit{int32(i), int32(rank)})
	}
	return x.best(hits, kept, min(total, most)), total
}

func (x *Index) best(hits []hit, kept [ranks]int, n int) []string {
	values := make([]string, n)
	var next [ranks]int // where the next value of each rank belongs
	for rank := equal; rank < inside; rank++ {
		next[rank+1] = next[rank] + kept[rank]
	}
	for _, h := range hits {
		if at := next[h.rank]; at < n {
			values[at] = x.values[h.index]
		}
		next[h.rank]++
	}
	return values
}

// nextStart returns the first offset, from one on, at which a word starts with the
// query, or the length of the text.
func (x *Index) nextStart(query []byte, from int) int {
	starts := x.starts()
	for {
		start := bytes.IndexByte(starts[from:], query[0])
		if start < 0 {
			return len(starts)
		}
		from += start
		switch next := bytes.Index(x.folded[from:], query); next {
		case 0:
			return from
		case -1:
			return len(starts)
		default:
			from += next
		}
	}
}

// Search returns the values that match what the user typed, best first. It is for
// values that are searched once.
func Search(values []string, typed string) []string {
	if typed == "" {
		return slices.Clone(Distinct(values))
	}
	query := appendFolded(nil, typed)
	var folded []byte
	found := make([]string, 0, len(values))
	for _, v := range values {
		folded = appendFolded(folded[:0], v)
		if bytes.Contains(folded, query) {
			found = append(found, v)
		}
	}
	found, _ = New(found).Match(typed, len(found))
	return found
}

// Distinct returns the values that are not empty, without duplicates, in order: the
// same slice if all are kept. It has a hash table of its own, because it runs for each
// key that is pressed: a map takes longer, and 30 allocations for 10,000 values.
func Distinct(values []string) []string {
	size := 4 // of the table, a power of 2 of which at least half stays free
	for size < 2*len(values) {
		size *= 2
	}
	table := make([]uint32, size) // positions in values, plus 1
	seed := maphash.MakeSeed()
	var kept []string // from the first value on that is dropped
	for i, v := range values {
		at := int(maphash.String(seed, v)) & (size - 1)
		for table[at] > 0 && values[table[at]-1] != v {
			at = (at + 1) & (size - 1)
		}
		switch isDropped := v == "" || table[at] > 0; {
		case !isDropped:
			table[at] = uint32(i + 1)
			if kept != nil {
				kept = append(kept, v)
			}
		case kept == nil:
			kept = append(make([]string, 0, len(values)), values[:i]...)
		}
	}
	if kept == nil {
		return values
	}
	return kept
}

// appendFolded appends a text, such that texts that differ only in case become the
// same: each rune becomes the smallest of its folding orbit. It never gets longer.
func appendFolded(dst []byte, s string) []byte {
	begin := len(dst)
	dst = append(dst, s...)
	for i, c := range dst[begin:] {
		if c >= utf8.RuneSelf {
			dst = dst[:begin+i]
			for _, r := range s[i:] {
				dst = utf8.AppendRune(dst, foldRune(r))
			}
			break
		}
		if c-'a' < 26 {
			dst[begin+i] = c - 'a' + 'A'
		}
	}
	return dst
}

func foldRune(r rune) rune {
	first := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		first = min(first, next)
	}
	return first
}

func keepStarts(folded []byte, value string) {
	before, at := ' ', 0
	for _, r := range value {
		if !startsWord(before, r) {
			folded[at] = separator
		}
		at++
		if r < utf8.RuneSelf {
			before = r
			continue
		}
		for range utf8.RuneLen(foldRune(r)) - 1 {
			folded[at] = separator
			at++
		}
		if !unicode.IsMark(r) {
			before = r
		}
	}
}

// startsWord reports whether a word starts with a rune after another: after one that is
// neither letter nor digit, with a capital letter after a small letter, and with a
// digit after a letter. Combining marks belong to the rune before them.
func startsWord(before, now rune) bool {
	switch {
	case 'a' <= now && now <= 'z' && 'a' <= before && before <= 'z':
		return false // the most frequent case
	case !unicode.IsLetter(before) && !unicode.IsDigit(before):
		return !unicode.IsMark(now)
	case unicode.IsUpper(now):
		return unicode.IsLower(before)
	case unicode.IsDigit(now):
		return unicode.IsLetter(before)
	}
	return false
}
