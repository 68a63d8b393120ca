// Package nearest finds the known name that is closest to a misspelled one. It is a copy
// of what the root module has for its own errors, so that any version of this module
// builds with any version of the root.
package nearest

// Name returns the name that is closest to the misspelled name. It returns the empty
// string if no name is close, or if two names are equally close.
//
// Case and the separators -, _ and . make no difference. The distance is the number of
// characters that are inserted, removed, replaced or exchanged with their neighbor. It
// is at most a third of the longer name's length, and at most 2. A name is also close to
// a longer one that begins with it.
func Name(name string, names []string) string {
	var best string
	var least int
	var several bool
	for _, n := range names {
		if len(name) > maxBytes || len(n) > maxBytes {
			continue
		}
		d, near := compare(folded(nil, name), folded(nil, n))
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
