package strictjson_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// oracleDepth is the depth limit of encoding/json and of jsontext.
const oracleDepth = 10_000

// tooSlowToFuzz are the texts about the depth limit.
var tooSlowToFuzz = []string{
	nested(oracleDepth), nested(oracleDepth + 1), "[{},{\"a\":" + nested(oracleDepth-2) + "}]", "{\"a\":" + nested(oracleDepth) + "}",
}

// corpus calls yield with every text of the tables.
func corpus(yield func(string)) {
	for _, src := range accepted {
		yield(src)
	}
	for _, tt := range refused {
		yield(tt.src)
	}
	for _, src := range []string{
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":[]},"a":1}`, object(20), object(20, `"k0000003":1`),
	} {
		yield(src)
	}
}

func TestAgainstEncodingJSON(t *testing.T) {
	t.Parallel()
	corpus(func(src string) { compareWithEncodingJSON(t, src) })
	for _, src := range tooSlowToFuzz {
		compareWithEncodingJSON(t, src)
	}
}

func FuzzParse(f *testing.F) {
	corpus(func(src string) { f.Add(src) })
	f.Fuzz(func(t *testing.T, src string) { compareWithEncodingJSON(t, src) })
}

// compareWithEncodingJSON checks that a text is accepted if and only if encoding/json accepts it and none of the known
// differences applies, and that both read the same value.
func compareWithEncodingJSON(t *testing.T, src string) {
	t.Helper()
	var doc strictjson.Doc
	err := doc.Parse(src, oracleDepth)

	var syntax *strictjson.SyntaxError
	if errors.As(err, &syntax) {
		require.Equal(t, strictjson.Invalid, doc.Root().Kind())
		switch syntax.Reason {
		case strictjson.InvalidUTF8:
			require.False(t, utf8.ValidString(src), "%.200q", src)
		default:
			require.False(t, json.Valid([]byte(src)), "%v: %.200q", err, src)
		}
		return
	}

	require.True(t, utf8.ValidString(src), "%.200q", src)
	depth := nesting(src)
	require.Equal(t, depth <= oracleDepth, json.Valid([]byte(src)), "%.200q", src)
	if depth > oracleDepth {
		require.Error(t, err)
		return
	}
	hasRule := map[strictjson.Rule]bool{strictjson.DuplicateKey: hasDuplicates(src), strictjson.UnpairedSurrogate: hasUnpairedSurrogate(src)}
	if hasRule[strictjson.DuplicateKey] || hasRule[strictjson.UnpairedSurrogate] {
		var broken *strictjson.RuleError
		require.ErrorAs(t, err, &broken, "%.200q", src)
		require.True(t, hasRule[broken.Rule], "%v: %.200q", err, src)
		return
	}
	require.NoError(t, err, "%.200q", src)
	require.Equal(t, decode(t, src), tree(doc.Root()), "%.200q", src)
	requireDepthLimit(t, src, depth)
}

// hasUnpairedSurrogate reports whether a string of a valid text has half of a surrogate pair.
func hasUnpairedSurrogate(src string) bool {
	unit := func(i int) rune {
		n, _ := strconv.ParseUint(src[i:i+4], 16, 16)
		return rune(n)
	}
	for i := 0; i < len(src); i++ {
		if src[i] != '\\' {
			continue
		}
		if i++; src[i] != 'u' || !utf16.IsSurrogate(unit(i+1)) {
			continue
		}
		if !strings.HasPrefix(src[i+5:], `\u`) || utf16.DecodeRune(unit(i+1), unit(i+7)) == utf8.RuneError {
			return true
		}
		i += 10
	}
	return false
}

// requireDepthLimit checks the limits about the depth of a text that breaks no other rule.
func requireDepthLimit(t *testing.T, src string, depth int) {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(src, max(depth, 1)))
	if depth > 1 {
		var broken *strictjson.RuleError
		require.ErrorAs(t, doc.Parse(src, depth-1), &broken)
		require.Equal(t, strictjson.Depth, broken.Rule)
		require.Equal(t, depth, nesting(src[:broken.Offset+1]))
		require.Equal(t, strings.Trim(src, " \t\r\n"), doc.Root().Raw())
		require.Error(t, doc.Parse(src, 1))
	}
}

func decode(t *testing.T, src string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(src))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v), "%.200q", src)
	return v
}

// tree builds what encoding/json makes of a value.
func tree(v strictjson.Value) any {
	switch v.Kind() {
	case strictjson.Bool:
		return v.Raw() == "true"
	case strictjson.Number:
		return json.Number(v.Raw())
	case strictjson.String:
		return v.Text()
	case strictjson.Array:
		array := []any{}
		for element := range v.Elements() {
			array = append(array, tree(element))
		}
		return array
	case strictjson.Object:
		object := map[string]any{}
		for name, member := range v.Members() {
			object[name] = tree(member)
			if v.Get(name) != member {
				return "Get and Members disagree about " + name
			}
		}
		return object
	}
	return nil
}

// nesting returns the depth of a valid text.
func nesting(src string) int {
	var depth, deepest int
	inString := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// hasDuplicates reports whether an object of a valid text has two equal keys.
func hasDuplicates(src string) bool {
	type frame struct {
		keys  map[string]bool // nil in an array
		value bool            // the next token is a member's value
	}
	decoder := json.NewDecoder(strings.NewReader(src))
	decoder.UseNumber()
	stack := []*frame{{}}
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		top := stack[len(stack)-1]
		if token == json.Delim('}') || token == json.Delim(']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if top.keys != nil && !top.value {
			key := token.(string)
			if top.keys[key] {
				return true
			}
			top.keys[key] = true
			top.value = true
			continue
		}
		top.value = false
		switch token {
		case json.Delim('{'):
			stack = append(stack, &frame{keys: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, &frame{})
		}
	}
}
