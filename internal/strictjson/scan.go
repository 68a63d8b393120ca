package strictjson

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// The functions of this file read one token at an offset of a text. They return the offset
// after it or, with a reason, the offset of the error.

func skipSpace(src string, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}

func scanLiteral(src string, i int, literal string) (int, Reason) {
	for j := 1; j < len(literal); j++ {
		if i+j == len(src) {
			return i + j, UnexpectedEnd
		}
		if src[i+j] != literal[j] {
			return i + j, InvalidLiteral
		}
	}
	return i + len(literal), ""
}

func scanWord(src string, i int) (kind Kind, end int, reason Reason) {
	switch src[i] {
	case 't':
		kind = Bool
		end, reason = scanLiteral(src, i, "true")
	case 'f':
		kind = Bool
		end, reason = scanLiteral(src, i, "false")
	case 'n':
		kind = Null
		end, reason = scanLiteral(src, i, "null")
	default:
		end, reason = i, ExpectedValue
		if i == 0 && strings.HasPrefix(src, "\uFEFF") {
			reason = ByteOrderMark
		}
	}
	return kind, end, reason
}

func scanNumber(src string, i int) (int, flags, Reason) {
	if src[i] == '-' {
		i++
	}
	end := skipDigits(src, i)
	if end == i {
		return badNumber(src, i)
	}
	if src[i] == '0' && end > i+1 {
		return i + 1, 0, InvalidNumber
	}
	if end < len(src) && (src[end] == '.' || src[end]|0x20 == 'e') {
		return scanFraction(src, end)
	}
	return end, 0, ""
}

func scanFraction(src string, i int) (int, flags, Reason) {
	if src[i] == '.' {
		i++
		end := skipDigits(src, i)
		if end == i {
			return badNumber(src, i)
		}
		i = end
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		end := skipDigits(src, i)
		if end == i {
			return badNumber(src, i)
		}
		i = end
	}
	return i, inexact, ""
}

func badNumber(src string, i int) (int, flags, Reason) {
	if i == len(src) {
		return i, 0, UnexpectedEnd
	}
	return i, 0, InvalidNumber
}

func skipDigits(src string, i int) int {
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	return i
}

func scanString(src string, i int) (int, flags, Reason) {
	var f flags
	for {
		i = skipPlain(src, i)
		if i == len(src) {
			return i, 0, UnexpectedEnd
		}
		switch c := src[i]; {
		case c == '"':
			return i + 1, f, ""
		case c == '\\':
			end, isPaired, reason := scanEscape(src, i)
			if reason != "" {
				return end, 0, reason
			}
			f |= escaped
			if !isPaired {
				f |= unpaired
			}
			i = end
		case c < ' ':
			return i, 0, ControlCharacter
		default:
			var ok bool
			if i, ok = skipRunes(src, i); !ok {
				return i, 0, InvalidUTF8
			}
		}
	}
}

// scanEscape reads the escape sequence at i, or the two of a surrogate pair. It reports false
// for one half of a pair, of which it reads no more.
func scanEscape(src string, i int) (end int, isPaired bool, reason Reason) {
	if i+1 == len(src) {
		return i + 1, true, UnexpectedEnd
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, true, ""
	case 'u':
	default:
		return i + 1, true, InvalidEscape
	}
	if end, reason = scanHex(src, i+2); reason != "" {
		return end, true, reason
	}
	switch unit := hex4(src[i+2 : end]); {
	case isLowSurrogate(unit):
		return end, false, ""
	case !isHighSurrogate(unit):
		return end, true, ""
	}
	if !strings.HasPrefix(src[end:], `\u`) {
		return end, false, ""
	}
	low, reason := scanHex(src, end+2)
	if reason != "" {
		return low, true, reason
	}
	if !isLowSurrogate(hex4(src[end+2 : low])) {
		return end, false, ""
	}
	return low, true, ""
}

func scanHex(src string, i int) (int, Reason) {
	for end := i + 4; i < end; i++ {
		if i == len(src) {
			return i, UnexpectedEnd
		}
		if c := src[i] | 0x20; (src[i] < '0' || src[i] > '9') && (c < 'a' || c > 'f') {
			return i, InvalidEscape
		}
	}
	return i, ""
}

// skipPlain returns the offset of the first quote, backslash, control character or byte beyond
// ASCII from i on.
func skipPlain(s string, i int) int {
	for len(s)-i >= 8 {
		if m := notPlain(load64(s[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// skipRunes skips characters beyond ASCII. It stops with false at invalid UTF-8.
func skipRunes(s string, i int) (int, bool) {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return i, false
		}
		i += size
	}
	return i, true
}

// load64 returns eight bytes, the first in the lowest bits. The compiler makes it one instruction.
func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// notPlain sets the top bit of each byte of x that is not plain. Bytes above the lowest of
// those may be marked in error, since a subtraction borrows from the byte above.
func notPlain(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	control := x - ones*' '
	quote := (x ^ ones*'"') - ones
	backslash := (x ^ ones*'\\') - ones
	return (x | control | quote | backslash) & tops
}
