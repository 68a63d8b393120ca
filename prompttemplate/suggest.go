package prompttemplate

import (
	"slices"
	"strings"
)

// near returns the one of the names that name may have been meant to be, or
// the empty string.
func near(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		a, b := folded(name), folded(n)
		d := distance(a, b)
		if len(a) >= 3 && len(b) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
			d = min(d, 1)
		}
		if d > max(len(a), len(b))/3 {
			continue
		}
		if best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// folded returns name without what is easily mistaken in it.
func folded(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
}

// distance returns how many bytes have to be inserted, removed, replaced or
// exchanged with their neighbour to make b of a.
func distance(a, b string) int {
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// advice returns what to write instead of name: the nearest of the names,
// else what otherwise says.
func advice(name string, names []string, otherwise string) string {
	if n := near(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	return otherwise
}

// oneOf returns otherwise with the names, if there are any.
func oneOf(otherwise string, names []string) string {
	if len(names) == 0 {
		return otherwise
	}
	const most = 12
	names = slices.Clone(names)
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return otherwise + ", or use one of: " + strings.Join(names, ", ")
}
