package promptfs

import (
	"fmt"
	"strings"
	"unicode"
)

// longestWord is the length in bytes of the longest word that is compared.
const longestWord = 64

// suggest returns a hint for an unknown word: the closest of words, or all of words
// if none is close.
func suggest(word string, words []string) string {
	if n := closest(word, words); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "use one of: " + strings.Join(words, ", ")
}

// closest returns the one of the words that word may have been meant to be, if
// there is one. Case and separators do not count.
func closest(word string, words []string) string {
	a := folded(word)
	if len(a) == 0 || len(word) > longestWord {
		return ""
	}
	best, least := "", 3 // more slips than two are no slip
	for _, w := range words {
		b := folded(w)
		if d := distance(a, b); d < least && d <= max(len(a), len(b))/3 {
			best, least = w, d
		}
	}
	if best != "" {
		return best
	}
	for _, w := range words {
		if b := folded(w); len(a) >= 3 && strings.HasPrefix(string(b), string(a)) {
			return w
		}
	}
	return ""
}

// folded returns the word without what is easily mistaken in it.
func folded(word string) []rune {
	var letters []rune
	for _, r := range word {
		if r != '-' && r != '_' && r != ' ' && r != '.' {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	return letters
}

// distance returns how many letters have to be inserted, removed, replaced or
// exchanged with the next one to make b of a.
func distance(a, b []rune) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
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
