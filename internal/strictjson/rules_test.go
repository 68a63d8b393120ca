package strictjson_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

const anyDepth = 0

func TestRules(t *testing.T) {
	t.Parallel()
	duplicate := func(offset int, key string) *strictjson.RuleError {
		return &strictjson.RuleError{Rule: strictjson.DuplicateKey, Offset: offset, Key: key}
	}
	depth := func(offset, limit int) *strictjson.RuleError {
		return &strictjson.RuleError{Rule: strictjson.Depth, Offset: offset, Limit: limit}
	}
	unpaired := func(offset int) *strictjson.RuleError {
		return &strictjson.RuleError{Rule: strictjson.UnpairedSurrogate, Offset: offset}
	}
	tests := []struct {
		name     string
		src      string
		maxDepth int
		want     *strictjson.RuleError // nil if no rule is broken
	}{
		{"duplicate", `{"a":1,"a":2}`, anyDepth, duplicate(7, "a")},
		{"duplicate of equal members", `{"a":1,"a":1}`, anyDepth, duplicate(7, "a")},
		{"empty key", `{"":1,"":1}`, anyDepth, duplicate(6, "")},
		{"not adjacent", `{"a":[1,{"x":1}],"b":{"a":1},"a":2}`, anyDepth, duplicate(29, "a")},
		{"in an array", `[1,{"a":1,"a":2}]`, anyDepth, duplicate(10, "a")},
		{"deep", `{"a":{"a":{"b":1,"a":2,"b":3}}}`, anyDepth, duplicate(23, "b")},
		{"after a nested object", `{"a":{"b":1},"a":2}`, anyDepth, duplicate(13, "a")},
		{"the first of several", `{"a":{"b":1,"b":2},"a":2}`, anyDepth, duplicate(12, "b")},
		{"escaped later", `{"a":1,"\u0061":2}`, anyDepth, duplicate(7, "a")},
		{"escaped earlier", `{"\u0061":1,"a":2}`, anyDepth, duplicate(12, "a")},
		{"escaped both", `{"\u00E9":1,"x":0,"\u00e9":2}`, anyDepth, duplicate(18, "é")},
		{"escaped surrogates", `{"😀":1,"\ud83d\ude00":2}`, anyDepth, duplicate(10, "😀")},
		{"escaped in the shadow of another object", `{"\u0061":{"\u0062":1,"b":2},"a":1}`, anyDepth, duplicate(22, "b")},
		{"plain after escaped", `{"\n":1,"a":2,"b":3,"a":4}`, anyDepth, duplicate(20, "a")},
		{"16 members", object(15, `"k0000000":1`), anyDepth, duplicate(0, "k0000000")},
		{"17 members", object(16, `"k0000000":1`), anyDepth, duplicate(0, "k0000000")},
		{"17 members, the last", object(16, `"k0000015":1`), anyDepth, duplicate(0, "k0000015")},
		{"18 members", object(17, `"k0000016":1`), anyDepth, duplicate(0, "k0000016")},
		{"many, escaped", object(500, `"\u006b0000321":1`), anyDepth, duplicate(0, "k0000321")},
		{"many in many", object(20, `"x":`+object(20, `"k0000003":1`)), anyDepth, duplicate(0, "k0000003")},
		{"many after many", object(20, `"x":`+object(20), `"k0000003":1`), anyDepth, duplicate(0, "k0000003")},

		{"different case", `{"a":1,"A":2}`, anyDepth, nil},
		{"different normal form", `{"é":1,"e\u0301":2}`, anyDepth, nil},
		{"prefix", `{"ab":1,"a":2,"abc":3}`, anyDepth, nil},
		{"escape that is not one", `{"a":1,"\\u0061":2}`, anyDepth, nil},
		{"sibling objects", `[{"a":1},{"a":2}]`, anyDepth, nil},
		{"sibling objects, escaped", `[{"\u0061":1},{"\u0061":2}]`, anyDepth, nil},
		{"parent and child", `{"a":{"a":{"a":1}}}`, anyDepth, nil},
		{"parent and child, escaped", `{"\u0061":{"\u0061":{"a":1}}}`, anyDepth, nil},
		{"value like a key", `{"a":"a","b":["a","a"]}`, anyDepth, nil},
		{"many distinct", object(1000), anyDepth, nil},
		{"many in many, distinct", object(20, `"x":`+object(20)), anyDepth, nil},

		{"scalar under limit 1", `1`, 1, nil},
		{"at limit 1", `[1]`, 1, nil},
		{"one past limit 1", `[[]]`, 1, depth(1, 1)},
		{"at the limit", nested(64), 64, nil},
		{"one past", nested(65), 64, depth(64, 64)},
		{"far past", nested(1000), 64, depth(64, 64)},
		{"objects at the limit", `{"a":{"b":{}}}`, 3, nil},
		{"objects one past", `{"a":{"b":{}}}`, 2, depth(10, 2)},
		{"the first of several past", `[[[]],[[]],[[[]]]]`, 2, depth(2, 2)},
		{"siblings at the limit", `[[],[],{},[]]`, 2, nil},
		{"no limit", nested(5000), anyDepth, nil},
		{"negative limit", nested(5000), -1, nil},

		{"duplicate before depth", `{"a":1,"a":{"b":[]}}`, 2, duplicate(7, "a")},
		{"depth before duplicate", `{"a":{"b":[]},"a":1}`, 2, depth(10, 2)},
		{"duplicate below the limit", `[[{"a":1,"a":2}]]`, 1, depth(1, 1)},

		{`unpaired in "\ud800"`, `"\ud800"`, anyDepth, unpaired(0)},
		{`unpaired in "\udbff"`, `"\udbff"`, anyDepth, unpaired(0)},
		{`unpaired in "\udc00"`, `"\udc00"`, anyDepth, unpaired(0)},
		{`unpaired in "\udfff"`, `"\udfff"`, anyDepth, unpaired(0)},
		{`unpaired in "ab\uDFFF"`, `"ab\uDFFF"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800x"`, `"\ud800x"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800\n"`, `"\ud800\n"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800\u0041"`, `"\ud800\u0041"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800\ud800"`, `"\ud800\ud800"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800\ud800\udc00"`, `"\ud800\ud800\udc00"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud83d\ude00\ude00"`, `"\ud83d\ude00\ude00"`, anyDepth, unpaired(0)},
		{`unpaired in "\udc00\ud800"`, `"\udc00\ud800"`, anyDepth, unpaired(0)},
		{`unpaired in "\ud800\ue000"`, `"\ud800\ue000"`, anyDepth, unpaired(0)},
		{`unpaired in {"\ud800":1}`, `{"\ud800":1}`, anyDepth, unpaired(1)},
		{"unpaired, inside", `[{"a":["x","\udc00"]},"\ud800"]`, anyDepth, unpaired(11)},
		{"two unpaired keys", `{"\ud800":1,"\ud801":2}`, anyDepth, unpaired(1)},
		{"duplicate before unpaired", `{"a":1,"a":"\ud800"}`, anyDepth, duplicate(7, "a")},
		{"unpaired before duplicate", `{"a":"\ud800","a":1}`, anyDepth, unpaired(5)},
		{"unpaired below the limit", `[["\ud800"]]`, 1, depth(1, 1)},
	}
	var doc strictjson.Doc
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := doc.Parse(tt.src, tt.maxDepth)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			var broken *strictjson.RuleError
			require.ErrorAs(t, err, &broken)
			if tt.want.Rule == strictjson.DuplicateKey && tt.want.Offset == 0 {
				// Generated text: its last key is the duplicate.
				tt.want.Offset = strings.LastIndexAny(tt.src, "{,") + 1
			}
			assert.Equal(t, tt.want, broken)
			assert.Equal(t, tt.src, doc.Root().Raw())

			// A syntax error, however late, goes first.
			var syntax *strictjson.SyntaxError
			require.ErrorAs(t, doc.Parse(tt.src+"x", tt.maxDepth), &syntax)
			assert.Equal(t, strictjson.SyntaxError{Offset: len(tt.src), Reason: strictjson.TrailingData}, *syntax)
			require.ErrorAs(t, doc.Parse(tt.src[:len(tt.src)-1], tt.maxDepth), &syntax)
			assert.Equal(t, strictjson.UnexpectedEnd, syntax.Reason)
			assert.Equal(t, strictjson.Invalid, doc.Root().Kind())
		})
	}
}

// The caller answers a broken rule with an error that carries the id, wherever that stands.
func TestDocAfterBrokenRule(t *testing.T) {
	t.Parallel()
	var doc strictjson.Doc
	var broken *strictjson.RuleError

	require.ErrorAs(t, doc.Parse(`{"method":"x","method":"y","params":{"b":[true]},"id":7}`, 64), &broken)
	assert.Equal(t, "7", doc.Root().Get("id").Raw())
	assert.Equal(t, "x", doc.Root().Get("method").Text(), "the first of two")
	assert.Equal(t, `[true]`, doc.Root().Get("params").Get("b").Raw())

	require.ErrorAs(t, doc.Parse(`{"params":{"a":[[{"b":[1]}],2]},"id":7}`, 2), &broken)
	assert.Equal(t, "7", doc.Root().Get("id").Raw())
	beyond := doc.Root().Get("params").Get("a")
	assert.Equal(t, strictjson.Array, beyond.Kind())
	assert.Equal(t, `[[{"b":[1]}],2]`, beyond.Raw())
	for range beyond.Elements() {
		t.Error("a container beyond the limit has elements")
	}

	require.ErrorAs(t, doc.Parse(`{"a":"x\ud83d!","\udc00":"\ud83d\ude00\ud83d","id":7}`, 64), &broken)
	assert.Equal(t, "7", doc.Root().Get("id").Raw())
	assert.Equal(t, "x\ufffd!", doc.Root().Get("a").Text())
	assert.Equal(t, "😀\ufffd", doc.Root().Get("\ufffd").Text())
	assert.True(t, doc.Root().Get("a").IsUnpaired())
	assert.False(t, doc.Root().Get("id").IsUnpaired())

	require.NoError(t, doc.Parse(`{"id":8}`, 2), "the next text starts afresh")
	assert.Equal(t, "8", doc.Root().Get("id").Raw())
}

func TestRuleErrorText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  strictjson.RuleError
		want string
	}{
		{strictjson.RuleError{Rule: strictjson.Depth, Offset: 9, Limit: 128}, `nesting exceeds 128 levels at byte 9`},
		{strictjson.RuleError{Rule: strictjson.DuplicateKey, Offset: 9, Key: "a\n"}, `duplicate key "a\n" at byte 9`},
		{
			strictjson.RuleError{Rule: strictjson.DuplicateKey, Offset: 9, Key: strings.Repeat("x", 64)},
			`duplicate key "` + strings.Repeat("x", 64) + `" at byte 9`,
		},
		{
			strictjson.RuleError{Rule: strictjson.DuplicateKey, Offset: 9, Key: strings.Repeat("x", 1<<20)},
			`duplicate key "` + strings.Repeat("x", 64) + `…" at byte 9`,
		},
		{
			strictjson.RuleError{Rule: strictjson.DuplicateKey, Offset: 9, Key: strings.Repeat("x", 62) + "€€"},
			`duplicate key "` + strings.Repeat("x", 62) + `…" at byte 9`,
		},
	}
	for _, tt := range tests {
		assert.EqualError(t, &tt.err, tt.want)
	}
}

// A quadratic search would take minutes here.
func TestManyKeysInLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	src := object(600_000, `"k0599999":1`)
	var doc strictjson.Doc
	var broken *strictjson.RuleError
	start := time.Now()
	require.ErrorAs(t, doc.Parse(src, 64), &broken)
	assert.Less(t, time.Since(start), time.Minute)
	assert.Equal(t, "k0599999", broken.Key)
}
