package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func TestAppendString(t *testing.T) {
	t.Parallel()
	tests := []struct{ s, want string }{
		{"", `""`},
		{"abc", `"abc"`},
		{"a long run of plain text", `"a long run of plain text"`},
		{`"\/`, `"\"\\/"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x01\v\x1b\x1f", `"\u0000\u0001\u000b\u001b\u001f"`},
		{"1234567\x00", `"1234567\u0000"`},
		{"12345678\n12345678", `"12345678\n12345678"`},
		{"\x7f\u0080\u2028\u2029\uFEFF\uFFFD😀", "\"\x7f\u0080\u2028\u2029\uFEFF\uFFFD😀\""},
		{"<a href='x'>&</a>", `"<a href='x'>&</a>"`},
	}
	for _, tt := range tests {
		assert.Equal(t, "x"+tt.want, string(strictjson.AppendString([]byte("x"), tt.s)))
		got, ok := strictjson.AppendValidString([]byte("x"), tt.s)
		assert.True(t, ok)
		assert.Equal(t, "x"+tt.want, string(got))
	}
}

func TestAppendInvalidString(t *testing.T) {
	t.Parallel()
	tests := []struct{ s, want string }{
		{"\xff", "\"\uFFFD\""},
		{"a\xff\xfeb", "\"a\uFFFD\uFFFDb\""},
		{"é\xc3", "\"é\uFFFD\""},
		{"\xc3\n", "\"\uFFFD\\n\""},
		{"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
		{"\uFFFD\x80", "\"\uFFFD\uFFFD\""},
		{"12345678\x80" + strings.Repeat("x", 100), "\"12345678\uFFFD" + strings.Repeat("x", 100) + `"`},
	}
	for _, tt := range tests {
		assert.Equal(t, "x"+tt.want, string(strictjson.AppendString([]byte("x"), tt.s)))
		got, ok := strictjson.AppendValidString([]byte("x"), tt.s)
		assert.False(t, ok)
		assert.Equal(t, "x", string(got))
	}
}

func TestAppendCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct{ src, want string }{
		{` null `, `null`},
		{`{ "b" : [ ] , "a" : { } }`, `{"a":{},"b":[]}`},
		{"{\"b\":[1, true,\n[null]],\"\\u0061\":{\"z\":\"\\u00e9\\/\",\"y\":-1.50e+2}}", `{"a":{"y":-1.50e+2,"z":"é/"},"b":[1,true,[null]]}`},
		{`["a,",","]`, `["a,",","]`},
		{`{"é":1,"z":2,"":3}`, `{"":3,"z":2,"é":1}`},
	}
	for _, tt := range tests {
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(tt.src, 0))
		assert.Equal(t, "x"+tt.want, string(doc.Root().AppendCanonical([]byte("x"))))
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "abc", "\"\\/\b\f\n\r\t", "\x00\x1f\x7f", "é€😀\u2028", "\xff\xc3(", "\xed\xa0\x80", "\uFFFD", sample} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := strictjson.AppendString(nil, s)
		want := string([]rune(s)) // each invalid byte becomes U+FFFD
		var got string
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, want, got)

		var doc strictjson.Doc
		require.NoError(t, doc.Parse(string(text), 0))
		require.Equal(t, want, doc.Root().Text())

		valid, ok := strictjson.AppendValidString([]byte("x"), s)
		require.Equal(t, utf8.ValidString(s), ok)
		if ok {
			require.Equal(t, "x"+string(text), string(valid))
		} else {
			require.Equal(t, "x", string(valid))
		}
	})
}
