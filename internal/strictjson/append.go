package strictjson

import (
	"bytes"
	"maps"
	"slices"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. It escapes what RFC 8259 requires and nothing else.
// Each byte that is not part of valid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = appendQuoted(dst, s, true)
	return dst
}

// AppendValidString is AppendString, but returns dst and false if s is not valid UTF-8.
func AppendValidString(dst []byte, s string) ([]byte, bool) {
	return appendQuoted(dst, s, false)
}

func appendQuoted(dst []byte, s string, repair bool) ([]byte, bool) {
	was := len(dst)
	dst = append(dst, '"')
	start := 0 // what is before it has been appended
	for i := skipPlain(s, 0); i < len(s); i = skipPlain(s, i) {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		var ok bool
		if i, ok = skipRunes(s, i); !ok {
			if !repair {
				return dst[:was], false
			}
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i++
			start = i
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"'), true
}

// short has what follows the backslash in the escape sequences of two characters.
var short = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

func appendEscape(dst []byte, c byte) []byte {
	if s := short[c&(utf8.RuneSelf-1)]; s != 0 {
		return append(dst, '\\', s)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
}

// AppendCanonical appends v in a form that is the same for every encoding of the value: without
// white space, with members in the order of their keys. Numbers are verbatim.
func (v Value) AppendCanonical(dst []byte) []byte {
	switch v.Kind() {
	case String:
		return AppendString(dst, v.Text())
	case Array:
		dst = append(dst, '[')
		for element := range v.Elements() {
			dst = append(element.AppendCanonical(dst), ',')
		}
		return append(bytes.TrimSuffix(dst, []byte{','}), ']')
	case Object:
		dst = append(dst, '{')
		members := maps.Collect(v.Members())
		for _, key := range slices.Sorted(maps.Keys(members)) {
			dst = append(AppendString(dst, key), ':')
			dst = append(members[key].AppendCanonical(dst), ',')
		}
		return append(bytes.TrimSuffix(dst, []byte{','}), '}')
	}
	return append(dst, v.Raw()...)
}
