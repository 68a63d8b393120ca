package strictjson

import (
	"strings"
	"unicode/utf8"
)

func appendUnescaped(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		switch c := s[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r := hex4(s[i+2 : i+6])
			if isHighSurrogate(r) && strings.HasPrefix(s[i+6:], `\u`) {
				if low := hex4(s[i+8 : i+12]); isLowSurrogate(low) {
					i += 6
					r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
				}
			}
			dst = utf8.AppendRune(dst, r) // half a pair becomes U+FFFD
			i += 4
		default: // a quote, a backslash or a slash
			dst = append(dst, c)
		}
		s = s[i+2:]
	}
}

func hex4(s string) rune {
	var r rune
	for i := range 4 {
		c := rune(s[i])
		if c > '9' {
			c = c&^0x20 - 'A' + '0' + 10
		}
		r = r<<4 | (c - '0')
	}
	return r
}

func isHighSurrogate(r rune) bool { return 0xD800 <= r && r < 0xDC00 }

func isLowSurrogate(r rune) bool { return 0xDC00 <= r && r < 0xE000 }
