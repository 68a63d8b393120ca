package promptskills

import (
	"io/fs"
	"strings"
	"unicode/utf8"
)

// This file writes and reads URIs of files: skill://, the path of the skill and
// the path of the file.

const scheme = "skill://"

func uriOf(p string) string {
	b := make([]byte, 0, len(scheme)+len(p))
	b = append(b, scheme...)
	inAuthority := true
	for i := range len(p) {
		c := p[i]
		inAuthority = inAuthority && c != '/'
		if c == '/' || isPlain(c, inAuthority) {
			b = append(b, c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b = append(b, '%', digits[c>>4], digits[c&15])
	}
	return string(b)
}

// isPlain reports whether a character stands for itself: in the authority, which
// is the first segment, those of a reg-name of RFC 3986, then those of a segment.
func isPlain(c byte, inAuthority bool) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	case c == ':' || c == '@':
		return !inAuthority
	}
	return strings.IndexByte("-._~!$&'()*+,;=", c) >= 0
}

// pathOf returns the path in a URI, and whether the URI can be one of a file or a directory. A
// longer path than that of a file, an encoded separator, an empty segment and a segment . or ..
// cannot.
func pathOf(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok || len(rest) > 3*maxFilePath { // when all of it is encoded
		return "", false
	}
	p := make([]byte, 0, len(rest))
	inAuthority := true
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '/':
			inAuthority = false
		case c == '%':
			if i+2 >= len(rest) {
				return "", false
			}
			high, low := hexDigit(rest[i+1]), hexDigit(rest[i+2])
			if high < 0 || low < 0 {
				return "", false
			}
			c = byte(high<<4 | low)
			if i += 2; c == '/' || c == '\\' || c < ' ' || c == 0x7f {
				return "", false
			}
		case !isPlain(c, inAuthority):
			return "", false
		}
		p = append(p, c)
	}
	if s := string(p); len(p) <= maxFilePath && fs.ValidPath(s) && s != "." && utf8.Valid(p) {
		return s, true
	}
	return "", false
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
