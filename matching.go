package prompts

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"
)

// fit is how well a candidate matches what was typed, the best first. But for
// the first, case makes no difference.
type fit uint8

const (
	fitSame  fit = iota // it is what was typed
	fitEqual            // in another case
	fitBegin            // it begins with what was typed
	fitWord             // a word in it does
	fitInside
	fits
)

// index is a list of candidates, prepared for searching. It is never changed.
type index struct {
	values  []string // each once, and none that is empty
	text    []byte   // the values folded, with a separator after each
	ends    []int    // where the next one begins in text
	starts  []uint64 // a bit for each byte of text: whether a word starts there
	longest int      // the length of the longest value, folded
}

// separator stands in no valid text, so no match reaches across it.
const separator = 0xff

// newIndex returns the index of values, which must be valid UTF-8.
func newIndex(values []string) *index {
	values = distinct(values)
	size := 0
	for _, v := range values {
		size += len(v) + 1
	}
	f := folding{text: make([]byte, 0, size), starts: make([]uint64, 0, size/64+1)}
	ends := make([]int, len(values))
	longest := 0
	for i, v := range values {
		begin := len(f.text)
		f.add(v)
		longest = max(longest, len(f.text)-begin)
		f.text = append(f.text, separator)
		ends[i] = len(f.text)
	}
	f.start(len(f.text)) // so that there is a bit for each byte
	return &index{values: values, text: f.text, ends: ends, starts: f.starts, longest: longest}
}

// distinct returns the values that are not empty, each once. It does so for
// each key that is pressed, so it takes less than a map does.
func distinct(values []string) []string {
	kept := make([]string, 0, len(values))
	size := 4 // of the table, a power of 2 of which at least half stays free
	for size < 2*len(values) {
		size *= 2
	}
	table := make([]uint32, size) // positions in kept, with 1 added
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

// queryOf returns what was typed, folded. It is not ok if no value whose folded
// length is at most longest can have it in it.
func queryOf(typed string, longest int) (query []byte, ok bool) {
	// Folding makes a character shorter, of 1 byte at least. What is not valid
	// would be taken for the replacement character.
	if len(typed) > utf8.UTFMax*longest || !utf8.ValidString(typed) {
		return nil, false
	}
	var f folding
	f.add(typed)
	return f.text, len(f.text) <= longest
}

// search returns what match of an index of the values does. It is for one
// search: only the values that match have to be told apart. The values must be
// valid UTF-8.
func search(values []string, typed string) []string {
	if typed == "" {
		return distinct(values)
	}
	longest := 0
	for _, v := range values {
		longest = max(longest, len(v)) // folded, it is no longer
	}
	query, ok := queryOf(typed, longest)
	if !ok {
		return nil
	}
	var of []fit // each value, with 1 added
	var counts [fits]int
	var f folding
	for i, v := range values {
		f.text = f.text[:0]
		clear(f.starts)
		f.add(v)
		at := bytes.Index(f.text, query)
		if at < 0 {
			continue
		}
		f.start(len(f.text)) // so that there is a bit for each byte
		how := fitOf(f.text, f.starts, 0, at, query)
		if how == fitEqual && v == typed {
			how = fitSame
		}
		if of == nil {
			of = make([]fit, len(values))
		}
		of[i] = how + 1
		counts[how]++
	}
	return distinct(arrange(values, of, counts))
}

// match returns the values that match what was typed, the best first, and as
// they are listed where none is better. The slice belongs to the caller.
func (x *index) match(typed string) []string {
	if typed == "" {
		return slices.Clone(x.values)
	}
	query, ok := queryOf(typed, x.longest)
	if !ok {
		return nil
	}
	var of []fit // each value, with 1 added
	var counts [fits]int
	for at, i := 0, 0; at < len(x.text); at = x.ends[i] {
		next := bytes.Index(x.text[at:], query)
		if next < 0 {
			break
		}
		at += next
		for x.ends[i] <= at {
			i++
		}
		begin := 0
		if i > 0 {
			begin = x.ends[i-1]
		}
		f := fitOf(x.text[:x.ends[i]-1], x.starts, begin, at, query)
		if f == fitEqual && x.values[i] == typed {
			f = fitSame
		}
		if of == nil {
			of = make([]fit, len(x.values))
		}
		of[i] = f + 1
		counts[f]++
	}
	return arrange(x.values, of, counts)
}

// arrange returns the values that fit, by how well they do.
func arrange(values []string, of []fit, counts [fits]int) []string {
	var next [fits]int // where the next one of a fit goes
	total := 0
	for f, n := range counts {
		next[f] = total
		total += n
	}
	if total == 0 {
		return nil
	}
	found := make([]string, total)
	for i, f := range of {
		if f > 0 {
			found[next[f-1]] = values[i]
			next[f-1]++
		}
	}
	return found
}

// fitOf returns how well the value from begin to the end of text, in which words
// start as starts says, matches the query, which is in it at at, and not before.
func fitOf(text []byte, starts []uint64, begin, at int, query []byte) fit {
	switch {
	case at == begin && len(query) == len(text)-begin:
		return fitEqual
	case at == begin:
		return fitBegin
	}
	for starts[at/64]>>(at%64)&1 == 0 {
		next := bytes.Index(text[at+1:], query)
		if next < 0 {
			return fitInside
		}
		at += 1 + next
	}
	return fitWord
}

// folding is text in which letters that differ only in case are the same, by
// Unicode's simple folding, with where its words start. A folded letter may
// have another length than the letter.
type folding struct {
	text   []byte
	starts []uint64
}

// add appends a text, which must be valid UTF-8.
func (f *folding) add(text string) {
	before := charOther
	for i := 0; i < len(text); {
		var now character
		at := len(f.text)
		if b := text[i]; b < utf8.RuneSelf {
			now = asciiCharacters[b]
			f.text = append(f.text, byte(foldASCII(rune(b))))
			i++
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			now = characterOf(r)
			f.text = utf8.AppendRune(f.text, fold(r))
			i += size
		}
		if now.startsAfter(before) {
			f.start(at)
		}
		if now != charMark {
			before = now
		}
	}
}

// start notes that a word starts at at.
func (f *folding) start(at int) {
	for len(f.starts) <= at/64 {
		f.starts = append(f.starts, 0)
	}
	f.starts[at/64] |= 1 << (at % 64)
}

// fold returns the same rune for all that differ only in case: the first of
// them.
func fold(r rune) rune {
	first := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		first = min(first, next)
	}
	return first
}

// foldASCII is fold for ASCII.
func foldASCII(r rune) rune {
	if 'a' <= r && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}

// character is what a rune is in a word.
type character uint8

const (
	charOther character = iota // not in a word
	charUpper
	charLower
	charLetter // without case
	charDigit
	charMark // belongs to the rune before it
)

// startsAfter reports whether a word starts with c after what is before it,
// which is charOther if that is nothing.
func (c character) startsAfter(before character) bool {
	switch before {
	case charOther:
		return true
	case charLower:
		return c == charUpper || c == charDigit
	case charUpper, charLetter:
		return c == charDigit
	}
	return false
}

func characterOf(r rune) character {
	switch {
	case unicode.IsUpper(r):
		return charUpper
	case unicode.IsLower(r):
		return charLower
	case unicode.IsLetter(r):
		return charLetter
	case unicode.IsDigit(r):
		return charDigit
	case unicode.IsMark(r):
		return charMark
	}
	return charOther
}

var asciiCharacters = func() (characters [utf8.RuneSelf]character) {
	for r := range rune(utf8.RuneSelf) {
		characters[r] = characterOf(r)
	}
	return characters
}()
