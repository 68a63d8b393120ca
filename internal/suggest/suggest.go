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
	if len(name) > longest {
		return ""
	}
	var bufferA, bufferB [longest]rune
	a := folded(bufferA[:0], name)
	best, least, several := "", 0, false
	for _, n := range names[:min(len(names), most)] {
		if len(n) > longest || n == "" {
			continue
		}
		d, near := slips(a, folded(bufferB[:0], n))
		switch {
		case !near || best != "" && d > least:
		case best != "" && d == least:
			several = several || n != best
		default:
			best, least, several = n, d, false
		}
	}
	if several {
		return ""
	}
	return best
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
	var before, row, next [longest + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range a {
		next[0] = i + 1
		least := next[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
			least = min(least, next[j+1])
		}
		if least > most+1 {
			return least // an exchange can save one at most
		}
		before, row = row, next
	}
	return row[len(b)]
}
