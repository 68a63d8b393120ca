package nearest

import (
	"slices"
	"unicode"
)

const (
	// maxBytes limits the length of the names that are compared. A client may send a name
	// of any length.
	maxBytes = 64
	// prefixDistance is the distance of a name from a longer name that begins with it.
	prefixDistance = 2
)

func folded(dst []rune, name string) []rune {
	for _, r := range name {
		if r != '-' && r != '_' && r != '.' {
			dst = append(dst, unicode.ToLower(r))
		}
	}
	return dst
}

func compare(a, b []rune) (n int, near bool) {
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	most := min(max(len(a), len(b))/3, 2)
	if n := distance(a, b, most); n <= most {
		return n, true
	}
	shorter := min(len(a), len(b))
	if shorter >= 3 && slices.Equal(a[:shorter], b[:shorter]) {
		return prefixDistance, true
	}
	return 0, false
}

// distance returns how many characters have to be inserted, removed, replaced or exchanged with
// their neighbor to turn a into b, or any number above most if there are more.
func distance(a, b []rune, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] { // names often share a prefix
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	// Row i+1 has the distances from a[:i+1] to the prefixes of b. Only columns near the
	// diagonal can be at most most.
	var rows [3][maxBytes + 2]uint8
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
