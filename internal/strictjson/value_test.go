package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func parse(t *testing.T, src string) strictjson.Value {
	t.Helper()
	doc := new(strictjson.Doc)
	require.NoError(t, doc.Parse(src, 0))
	return doc.Root()
}

func TestKindAndText(t *testing.T) {
	t.Parallel()
	long := "0123456789"
	for range 6 {
		long += long
	}
	tests := []struct {
		src  string
		kind strictjson.Kind
		text string
	}{
		{`null`, strictjson.Null, ""},
		{`true`, strictjson.Bool, ""},
		{`false`, strictjson.Bool, ""},
		{`12`, strictjson.Number, ""},
		{`[]`, strictjson.Array, ""},
		{`{}`, strictjson.Object, ""},
		{`""`, strictjson.String, ""},
		{`"a é"`, strictjson.String, "a é"},
		{`"\"\\\/\b\f\n\r\t"`, strictjson.String, "\"\\/\b\f\n\r\t"},
		{`"\u0000\u007F\u0080\u07ff\u0800\uffFF"`, strictjson.String, "\x00\x7f\u0080\u07ff\u0800\uffff"},
		{`"a\u00e9b\\u00e9"`, strictjson.String, `aéb\u00e9`},
		{`"\ud800\udc00-\uDBFF\uDFFF"`, strictjson.String, "\U00010000-\U0010FFFF"},
		{`"\ud83d\ude00\ud83d\ude01"`, strictjson.String, "😀😁"},
		{`"` + long + `\n"`, strictjson.String, long + "\n"},
	}
	for _, tt := range tests {
		v := parse(t, tt.src)
		assert.Equal(t, tt.kind, v.Kind(), tt.src)
		assert.Equal(t, tt.text, v.Text(), tt.src)
		assert.Equal(t, tt.src, v.Raw())
	}
}

func TestIsInteger(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		`0`: true, `-0`: true, `7`: true, `-123`: true, `99999999999999999999`: true,
		`1.0`: false, `-0.5`: false, `1e3`: false, `1E0`: false, `1.5e1`: false,
		`"7"`: false, `null`: false, `true`: false, `[7]`: false, `{}`: false,
	} {
		assert.Equal(t, want, parse(t, src).IsInteger(), src)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"a":{"b":{"c":1}},"n":null,"\u0062":[2],"\ud83d\ude00x":"😀","":0,"\n\n":3,"b2":4}`)
	for name, want := range map[string]string{
		"a": `{"b":{"c":1}}`, "n": `null`, "b": `[2]`, "😀x": `"😀"`, "": `0`, "\n\n": `3`, "b2": `4`,
		"c": ``, "A": ``, `\u0062`: ``, "\n": ``, "\n\n\n": ``, "😀y": ``,
	} {
		assert.Equal(t, want, v.Get(name).Raw(), "%q", name)
	}
	assert.Equal(t, "1", v.Get("a").Get("b").Get("c").Raw())
	assert.Equal(t, strictjson.Null, v.Get("n").Kind())
	assert.Equal(t, strictjson.Invalid, v.Get("c").Kind())
	assert.Equal(t, strictjson.Invalid, parse(t, `["a",1]`).Get("a").Kind())
	assert.Equal(t, strictjson.Invalid, parse(t, `"a"`).Get("a").Kind())
}

func TestMembers(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"z":[1,{"x":0}],"\u0061":{"y":2},"b":3}`)
	var names, raws []string
	for name, member := range v.Members() {
		names = append(names, name)
		raws = append(raws, member.Raw())
	}
	assert.Equal(t, []string{"z", "a", "b"}, names)
	assert.Equal(t, []string{`[1,{"x":0}]`, `{"y":2}`, `3`}, raws)

	for name := range v.Members() {
		assert.Equal(t, "z", name)
		break
	}
	for range v.Get("z").Members() {
		t.Error("an array has members")
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	v := parse(t, `[[1,[2]],{"a":[3]},4,[]]`)
	var raws []string
	for element := range v.Elements() {
		raws = append(raws, element.Raw())
	}
	assert.Equal(t, []string{`[1,[2]]`, `{"a":[3]}`, `4`, `[]`}, raws)

	for element := range v.Elements() {
		assert.Equal(t, `[1,[2]]`, element.Raw())
		break
	}
	for range parse(t, `{"a":1}`).Elements() {
		t.Error("an object has elements")
	}
}

func TestZeroValue(t *testing.T) {
	t.Parallel()
	var unused strictjson.Doc
	var reset strictjson.Doc
	require.NoError(t, reset.Parse(`[1,"a"]`, 0))
	var stale strictjson.Value
	for stale = range reset.Root().Elements() {
	}
	reset.Reset()
	for name, v := range map[string]strictjson.Value{
		"zero": {}, "root of an unused Doc": unused.Root(), "root after Reset": reset.Root(), "stale": stale,
	} {
		assert.Equal(t, strictjson.Invalid, v.Kind(), name)
		assert.Empty(t, v.Raw(), name)
		assert.Empty(t, v.Text(), name)
		assert.False(t, v.IsInteger(), name)
		assert.Equal(t, strictjson.Value{}, v.Get(""), name)
		for range v.Members() {
			t.Error(name, "has members")
		}
		for range v.Elements() {
			t.Error(name, "has elements")
		}
	}
}
