package strictjson_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

var accepted = []string{
	`null`, `true`, `false`, `""`, `[]`, `{}`, `0`,
	" \t\r\n0 \t\r\n", " [ ] ", "{ \n }", "[ 1 , 2 ]", `{ "a" : 1 , "b" : 2 }`,
	`-0`, `7`, `-7`, `10`, `1234567890123456789012345678901234567890`,
	`0.0`, `0.10`, `-0.5`, `1e5`, `1E5`, `1e+5`, `1e-5`, `0e0`, `1.5e007`, `1e999999999999`, `-1E-999999999999`,
	`"a"`, `"/"`, `"\/"`, `"\"\\\/\b\f\n\r\t"`, `"\u0000"`, `"\u001f"`, `"\uABCD\uabcd"`, `"\uFFFF"`,
	`"\uD800\uDC00"`, `"\udbff\uDFFF"`, `"\ud83d\ude00\ud83d\ude00"`, `"\ud7ff"`, `"\ue000"`, `"\\ud800"`,
	"\"\x7f\"", "\"\u0080\"", "\"é€😀\"", "\"\u2028\u2029\"", "\"\uFFFD\"", "\"\uFEFF\"", "\"\U0010FFFF\"",
	`"1234567"`, `"12345678"`, `"123456789"`, `"1234567\n9"`, `"123456😀"`,
	`[1,[2,[3]],{"a":{"b":[]}},{}]`, `{"":""}`, `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":2}]`, `{"a":1,"A":2}`,
	sample, getRequest, nested(100),
}

var refused = []struct {
	src    string
	offset int
	reason strictjson.Reason
}{
	{"", 0, strictjson.Empty},
	{" \t\r\n", 4, strictjson.Empty},

	// Values.
	{"\uFEFF1", 0, strictjson.ByteOrderMark},
	{" \uFEFF1", 1, strictjson.ExpectedValue},
	{"\x00", 0, strictjson.ExpectedValue},
	{"1\x00", 1, strictjson.TrailingData},
	{"\v1", 0, strictjson.ExpectedValue},
	{"\f1", 0, strictjson.ExpectedValue},
	{"\u00a01", 0, strictjson.ExpectedValue},
	{"\xff", 0, strictjson.ExpectedValue},
	{"1\u00a0", 1, strictjson.TrailingData},
	{"'a'", 0, strictjson.ExpectedValue},
	{"/**/1", 0, strictjson.ExpectedValue},
	{"1//", 1, strictjson.TrailingData},
	{"1 2", 2, strictjson.TrailingData},
	{"{}{}", 2, strictjson.TrailingData},
	{"[]]", 2, strictjson.TrailingData},
	{"{}}", 2, strictjson.TrailingData},
	{"]", 0, strictjson.ExpectedValue},
	{",", 0, strictjson.ExpectedValue},
	{"NaN", 0, strictjson.ExpectedValue},
	{"Infinity", 0, strictjson.ExpectedValue},
	{"True", 0, strictjson.ExpectedValue},
	{"tru", 3, strictjson.UnexpectedEnd},
	{"trUe", 2, strictjson.InvalidLiteral},
	{"nul1", 3, strictjson.InvalidLiteral},
	{"fals\xff", 4, strictjson.InvalidLiteral},
	{"truee", 4, strictjson.TrailingData},
	{"nullnull", 4, strictjson.TrailingData},

	// Numbers.
	{"-", 1, strictjson.UnexpectedEnd},
	{"+1", 0, strictjson.ExpectedValue},
	{"--1", 1, strictjson.InvalidNumber},
	{"-a", 1, strictjson.InvalidNumber},
	{"-Infinity", 1, strictjson.InvalidNumber},
	{"01", 1, strictjson.InvalidNumber},
	{"-01", 2, strictjson.InvalidNumber},
	{"00", 1, strictjson.InvalidNumber},
	{".5", 0, strictjson.ExpectedValue},
	{"-.5", 1, strictjson.InvalidNumber},
	{"1.", 2, strictjson.UnexpectedEnd},
	{"[1.]", 3, strictjson.InvalidNumber},
	{"1.e5", 2, strictjson.InvalidNumber},
	{"1e", 2, strictjson.UnexpectedEnd},
	{"1e+", 3, strictjson.UnexpectedEnd},
	{"[1e-]", 4, strictjson.InvalidNumber},
	{"1e5.5", 3, strictjson.TrailingData},
	{"1.5.5", 3, strictjson.TrailingData},
	{"0x10", 1, strictjson.TrailingData},
	{"1_000", 1, strictjson.TrailingData},
	{"1\uff11", 1, strictjson.TrailingData},

	// Strings.
	{`"`, 1, strictjson.UnexpectedEnd},
	{`"abc`, 4, strictjson.UnexpectedEnd},
	{`"abcdefghijk`, 12, strictjson.UnexpectedEnd},
	{"\"\x00\"", 1, strictjson.ControlCharacter},
	{"\"\n\"", 1, strictjson.ControlCharacter},
	{"\"a\tb\"", 2, strictjson.ControlCharacter},
	{"\"12345678\x1f\"", 9, strictjson.ControlCharacter},
	{"\"1234567\x1f89abc\"", 8, strictjson.ControlCharacter},
	{`"\`, 2, strictjson.UnexpectedEnd},
	{`"\"`, 3, strictjson.UnexpectedEnd},
	{`"\a"`, 2, strictjson.InvalidEscape},
	{`"\v"`, 2, strictjson.InvalidEscape},
	{`"\'"`, 2, strictjson.InvalidEscape},
	{`"\x41"`, 2, strictjson.InvalidEscape},
	{`"\U00000041"`, 2, strictjson.InvalidEscape},
	{`"\N"`, 2, strictjson.InvalidEscape},
	{"\"\\\n\"", 2, strictjson.InvalidEscape},
	{"\"\\\x00\"", 2, strictjson.InvalidEscape},
	{`"\u"`, 3, strictjson.InvalidEscape},
	{`"\u00"`, 5, strictjson.InvalidEscape},
	{`"\u00e`, 6, strictjson.UnexpectedEnd},
	{`"\u00eg"`, 6, strictjson.InvalidEscape},
	{`"\u00e/"`, 6, strictjson.InvalidEscape},
	{`"\u00e:"`, 6, strictjson.InvalidEscape},
	{`"\u00e@"`, 6, strictjson.InvalidEscape},
	{"\"\\u00e`\"", 6, strictjson.InvalidEscape},
	{"\"\\u00\x11\x11\"", 5, strictjson.InvalidEscape}, // 0x11 with bit 0x20 set is '1'
	{`"\u-123"`, 3, strictjson.InvalidEscape},

	// Surrogates: see TestRules for those without their other half.
	{`"\ud800\u"`, 9, strictjson.InvalidEscape},

	// UTF-8.
	{"\"\xff\"", 1, strictjson.InvalidUTF8},
	{"\"\x80\"", 1, strictjson.InvalidUTF8},
	{"\"a\xc3\"", 2, strictjson.InvalidUTF8},
	{"\"\xc0\x80\"", 1, strictjson.InvalidUTF8},         // overlong NUL
	{"\"\xe0\x9f\xbf\"", 1, strictjson.InvalidUTF8},     // overlong
	{"\"\xed\xa0\x80\"", 1, strictjson.InvalidUTF8},     // a surrogate
	{"\"\xf4\x90\x80\x80\"", 1, strictjson.InvalidUTF8}, // beyond U+10FFFF
	{"\"é\xf0\x9f\x98\"", 3, strictjson.InvalidUTF8},
	{"\"\xf0\x9f\x98", 1, strictjson.InvalidUTF8},
	{"\"1234567\xff\"", 8, strictjson.InvalidUTF8},
	{"{\"\xff\":1}", 2, strictjson.InvalidUTF8},

	// Arrays and objects.
	{"[", 1, strictjson.UnexpectedEnd},
	{"[1", 2, strictjson.UnexpectedEnd},
	{"[1,", 3, strictjson.UnexpectedEnd},
	{"[1,]", 3, strictjson.ExpectedValue},
	{"[,1]", 1, strictjson.ExpectedValue},
	{"[1 2]", 3, strictjson.ExpectedComma},
	{"[1;2]", 2, strictjson.ExpectedComma},
	{"[1}", 2, strictjson.ExpectedComma},
	{"[}", 1, strictjson.ExpectedValue},
	{"[1:2]", 2, strictjson.ExpectedComma},
	{"{", 1, strictjson.UnexpectedEnd},
	{"{]", 1, strictjson.ExpectedKey},
	{"{1:2}", 1, strictjson.ExpectedKey},
	{"{a:2}", 1, strictjson.ExpectedKey},
	{"{'a':2}", 1, strictjson.ExpectedKey},
	{"{null:2}", 1, strictjson.ExpectedKey},
	{`{"a"`, 4, strictjson.UnexpectedEnd},
	{`{"a"}`, 4, strictjson.ExpectedColon},
	{`{"a",1}`, 4, strictjson.ExpectedColon},
	{`{"a"=1}`, 4, strictjson.ExpectedColon},
	{`{"a":`, 5, strictjson.UnexpectedEnd},
	{`{"a":}`, 5, strictjson.ExpectedValue},
	{`{"a"::1}`, 5, strictjson.ExpectedValue},
	{`{"a":1`, 6, strictjson.UnexpectedEnd},
	{`{"a":1]`, 6, strictjson.ExpectedComma},
	{`{"a":1,}`, 7, strictjson.ExpectedKey},
	{`{"a":1,`, 7, strictjson.UnexpectedEnd},
	{`{,"a":1}`, 1, strictjson.ExpectedKey},
	{`{"a":1 "b":2}`, 7, strictjson.ExpectedComma},
	{`{"a":[1,{"b":2]}`, 14, strictjson.ExpectedComma},
	{`[{"a":[]},{]`, 11, strictjson.ExpectedKey},
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc // used again and again, as in a server
	for _, src := range accepted {
		if assert.NoError(t, doc.Parse(src, 0), "%.60q", src) {
			assert.Equal(t, strings.Trim(src, " \t\r\n"), doc.Root().Raw())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	for _, tt := range refused {
		// A depth limit of 1 has the containers below it checked without nodes.
		for _, maxDepth := range []int{0, 1} {
			err := doc.Parse(tt.src, maxDepth)
			assert.Equal(t, &strictjson.SyntaxError{Offset: tt.offset, Reason: tt.reason}, err, "%q", tt.src)
			assert.Equal(t, strictjson.Invalid, doc.Root().Kind(), "%q", tt.src)
		}
	}
}

// Every text of the two tables must keep its verdict wherever it stands.
func TestParseInsideContainers(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	for _, maxDepth := range []int{2000, 1} {
		for _, src := range accepted {
			var syntax *strictjson.SyntaxError
			assert.NotErrorAs(t, doc.Parse(`[0,{"k":[`+src+`,0]}]`, maxDepth), &syntax, "%.60q", src)
		}
		for _, tt := range refused {
			if strings.HasSuffix(tt.src, "]") && tt.offset == len(tt.src)-1 || tt.reason == strictjson.Empty {
				continue // it closes a container here
			}
			var syntax *strictjson.SyntaxError
			if assert.ErrorAs(t, doc.Parse(`[0,{"k":[`+tt.src, maxDepth), &syntax, "%q", tt.src) && tt.offset < len(tt.src) {
				assert.Equal(t, tt.offset+9, syntax.Offset, "%q", tt.src)
			}
		}
	}
}

func TestParseTruncated(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	for _, src := range []string{sample, getRequest} {
		require.NoError(t, doc.Parse(src, 0))
		for n := range len(strings.TrimRight(src, " ")) {
			var syntax *strictjson.SyntaxError
			require.ErrorAs(t, doc.Parse(src[:n], 0), &syntax, "%q", src[:n])
			// A rune that is cut in two is an error of its own.
			if syntax.Reason != strictjson.InvalidUTF8 && syntax.Reason != strictjson.Empty {
				require.Equal(t, strictjson.UnexpectedEnd, syntax.Reason, "%q", src[:n])
				require.Equal(t, n, syntax.Offset, "%q", src[:n])
			}
		}
	}
}

// However many brackets are open, they must not overflow the stack, nor, under a limit, claim
// much memory. The stack is 8 bytes for each.
func TestParseDeep(t *testing.T) {
	const size = 512 << 10
	defer debug.SetMaxStack(debug.SetMaxStack(8 * size))
	for _, tt := range []struct {
		name, unit string
	}{
		{"arrays", "["},
		{"objects", `{"":`},
		{"mixed", `[{"":`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.Repeat(tt.unit, size/len(tt.unit))
			var before, after runtime.MemStats
			var doc strictjson.Doc
			runtime.ReadMemStats(&before)
			err := doc.Parse(src, 64)
			runtime.ReadMemStats(&after)
			assert.Equal(t, &strictjson.SyntaxError{Offset: len(src), Reason: strictjson.UnexpectedEnd}, err)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*size))

			assert.Equal(t, err, doc.Parse(src, 0))
		})
	}
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(nested(size/2), 0))
	assert.Len(t, doc.Root().Raw(), size)
}

func TestSyntaxErrorText(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	assert.EqualError(t, doc.Parse(`{"a":"`+"\xff"+`"}`, 0), "invalid JSON at byte 6: invalid UTF-8")
	assert.EqualError(t, doc.Parse("", 0), "invalid JSON at byte 0: empty input")
}

func ExampleDoc() {
	var doc strictjson.Doc
	if err := doc.Parse(`{"id": 7, "params": {"name": "caf\u00e9"}}`, 64); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Root().Get("id").Raw(), doc.Root().Get("params").Get("name").Text())
	// Output: 7 café
}
