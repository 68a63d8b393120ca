package strictjson_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Where there are few enough of them, every case is tried.

// words calls yield with every sequence of at most n of the symbols.
func words(symbols []string, n int, yield func(string)) {
	var extend func(prefix string, n int)
	extend = func(prefix string, n int) {
		yield(prefix)
		if n == 0 {
			return
		}
		for _, s := range symbols {
			extend(prefix+s, n-1)
		}
	}
	extend("", n)
}

// RFC 8259, section 6, as a regular expression.
func TestEveryShortNumber(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	var doc strictjson.Doc
	words([]string{"0", "7", "-", "+", ".", "e", "E"}, 6, func(src string) {
		err := doc.Parse(src, 0)
		if number.MatchString(src) != (err == nil) {
			t.Fatalf("%q: %v", src, err)
		}
		if err == nil && (doc.Root().Raw() != src || doc.Root().IsInteger() == strings.ContainsAny(src, ".eE")) {
			t.Fatalf("%q is read as %q", src, doc.Root().Raw())
		}
	})
}

// Every short sequence of brackets, commas, colons and values, against
// encoding/json. They are too short for an object to have two members.
func TestEveryShortStructure(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	accepted := 0
	words([]string{"{", "}", "[", "]", ",", ":", `"k"`, "0 "}, 6, func(src string) {
		err := doc.Parse(src, 0)
		if (err == nil) != json.Valid([]byte(src)) {
			t.Fatalf("%q: %v", src, err)
		}
		if err == nil {
			accepted++
			if doc.Root().Raw() != strings.TrimSpace(src) {
				t.Fatalf("%q is read as %q", src, doc.Root().Raw())
			}
		}
	})
	require.Positive(t, accepted)
}

// Every byte in the place of every token, against encoding/json.
func TestEveryByteInEveryPlace(t *testing.T) {
	t.Parallel()
	const sample = ` { "a" : [ 0 , -1.5e+2 , true ] , "b\n" : null } `
	var doc strictjson.Doc
	for at := range len(sample) + 1 {
		for c := range 256 {
			for _, src := range []string{
				sample[:at] + string([]byte{byte(c)}) + sample[at:],
				sample[:at] + string([]byte{byte(c)}) + sample[min(at+1, len(sample)):],
			} {
				err := doc.Parse(src, 0)
				want := json.Valid([]byte(src)) && utf8.ValidString(src) // one byte makes no surrogate and no equal keys
				if want != (err == nil) {
					t.Fatalf("%q: %v", src, err)
				}
			}
		}
	}
}

// Every byte after a backslash: eight are escapes by themselves.
func TestEveryEscapedByte(t *testing.T) {
	t.Parallel()
	meaning := map[byte]string{'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}
	var doc strictjson.Doc
	for c := range 256 {
		src := `"\` + string([]byte{byte(c)}) + ` "`
		err := doc.Parse(src, 0)
		want, ok := meaning[byte(c)]
		require.Equal(t, ok, err == nil, "%q: %v", src, err)
		if ok {
			require.Equal(t, want+" ", doc.Root().Text(), "%q", src)
		}
	}
}

// Every code unit by its escape, alone and as the first and the second of two.
func TestEveryCodeUnit(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	parse := func(want bool, text, format string, units ...any) {
		src := fmt.Sprintf(format, units...)
		err := doc.Parse(src, 0)
		if (err == nil) != want || err == nil && doc.Root().Text() != text {
			t.Fatalf("%s: %v: %q", src, err, doc.Root().Text())
		}
	}
	for unit := rune(0); unit <= 0xFFFF; unit++ {
		high, low := 0xD800 <= unit && unit <= 0xDBFF, 0xDC00 <= unit && unit <= 0xDFFF
		parse(!high && !low, string(unit), `"\u%04x"`, unit)
		parse(!high && !low, string(unit), `"\u%04X"`, unit)
		parse(low, string(0x10000+0x3FF<<10+unit-0xDC00), `"\uDBFF\u%04x"`, unit)
		parse(high, string(0x10000+(unit-0xD800)<<10+0x3FF), `"\u%04x\uDFFF"`, unit)
	}
}

// Every two bytes in a string, and every three and four of which each is at an
// edge of table 3-7 of The Unicode Standard, against that table.
func TestEveryEdgeOfUTF8(t *testing.T) {
	t.Parallel()
	const (
		tail  = `[\x80-\xbf]`
		table = `[\x20-\x21\x23-\x5b\x5d-\x7f]|[\xc2-\xdf]` + tail + `|\xe0[\xa0-\xbf]` + tail + `|[\xe1-\xec\xee\xef]` + tail + tail +
			`|\xed[\x80-\x9f]` + tail + `|\xf0[\x90-\xbf]` + tail + tail + `|[\xf1-\xf3]` + tail + tail + tail + `|\xf4[\x80-\x8f]` + tail + tail
	)
	// The expression is about characters, so each byte is made one.
	wellFormed := regexp.MustCompile(`^(` + table + `)*$`)
	widen := func(s string) string {
		wide := make([]rune, len(s))
		for i := range len(s) {
			wide[i] = rune(s[i])
		}
		return string(wide)
	}
	var doc strictjson.Doc
	check := func(inside string) {
		err := doc.Parse(`"`+inside+`"`, 0)
		if want := wellFormed.MatchString(widen(inside)); want != (err == nil) {
			t.Fatalf("%q: %v", inside, err)
		} else if want && doc.Root().Text() != inside {
			t.Fatalf("%q is read as %q", inside, doc.Root().Text())
		}
	}
	for first := range 256 {
		if first == '\\' || first == '"' {
			continue
		}
		for second := range 256 {
			if second != '\\' && second != '"' {
				check(string([]byte{byte(first), byte(second)}))
			}
		}
	}
	var edges []string
	for _, c := range []byte{
		0x1f, ' ', 'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
		0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff,
	} {
		edges = append(edges, string([]byte{c}))
	}
	words(edges, 3, check)
	for _, lead := range []string{"\xef", "\xf0", "\xf1", "\xf3", "\xf4", "\xf5"} {
		words(edges, 3, func(rest string) { check(lead + rest) })
	}
}
