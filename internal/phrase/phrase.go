// Package phrase words values and ranges for descriptions, errors and logs.
//
// The modules that import the package have versions of their own: the package only gets additions.
package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Clip returns s, shortened to at most n bytes and an ellipsis if it is longer.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Quote quotes a value of a client, a file or another program in an error or a log: at most 64 bytes.
func Quote(text string) string { return strconv.Quote(Clip(text, 64)) }

// Join joins the parts that are not empty.
func Join(separator string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, separator)
}

// MaxEcho limits how many bytes of a client's own value an error or a record repeats.
const MaxEcho = 256

// Echo returns a value of a client for a member of its own in a record of the log, where it can be
// copied from: valid UTF-8, of at most MaxEcho bytes and an ellipsis.
func Echo(s string) string { return Clip(strings.ToValidUTF8(s, "\ufffd"), MaxEcho) }

// Choice returns an item of a comma-separated list, quoted if its ends would not be visible.
func Choice(text string) string {
	if text == "" || strings.Contains(text, ",") || strings.TrimSpace(text) != text {
		return strconv.Quote(text)
	}
	return text
}

// MaxListed is how many values of a list are named.
const MaxListed = 12

// Enumerate lists the values as they are.
func Enumerate(values []string) string { return First(values, len(values)) }

// List joins the first MaxListed values by commas and counts the others.
func List[T any](values []T, format func(T) string) string {
	texts := make([]string, min(len(values), MaxListed))
	for i := range texts {
		texts[i] = format(values[i])
	}
	return First(texts, len(values))
}

// First is Enumerate of n values, of which at least the first MaxListed are given.
func First(values []string, n int) string {
	text := strings.Join(values[:min(len(values), MaxListed)], ", ")
	if n > MaxListed {
		text += fmt.Sprintf(" and %d more", n-MaxListed)
	}
	return text
}

// Count words a range of counts, such as "1 to 3 elements". It returns "" for a
// range without bounds.
func Count(low, high *int, one, many string) string {
	noun := func(n int) string {
		if n == 1 {
			return one
		}
		return many
	}
	switch {
	case low == nil && high == nil:
		return ""
	case low == nil:
		return fmt.Sprintf("at most %d %s", *high, noun(*high))
	case high == nil:
		return fmt.Sprintf("at least %d %s", *low, noun(*low))
	case *low == *high:
		return fmt.Sprintf("%d %s", *low, noun(*low))
	}
	return fmt.Sprintf("%d to %d %s", *low, *high, many)
}

// PointerToken returns a name as a part of a JSON pointer, and PointerName returns the name of a part.
func PointerToken(name string) string { return escapePointer.Replace(name) }

func PointerName(token string) string { return unescapePointer.Replace(token) }

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~0", "~", "~1", "/")
)

// Decimal formats f with all digits, or with an exponent if there would be more than about 20.
func Decimal(f float64) string {
	switch size := math.Abs(f); {
	case size >= 1e21 || size != 0 && size < 1e-6:
		return strconv.FormatFloat(f, 'e', -1, 64)
	case f == math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 0, 64) // all digits, not the shortest that will do
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
