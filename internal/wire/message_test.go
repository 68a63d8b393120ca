package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/transport"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		src    string
		kind   Kind
		id     string
		method string
		code   transport.Code // 0 if there is nothing wrong
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, KindRequest, "1", "m", 0},
		{`{"jsonrpc":"2.0","id":"","method":"m"}`, KindRequest, `""`, "m", 0},
		{`{"jsonrpc":"2.0","method":"m"}`, KindNotification, "", "m", 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, KindResponse, "1", "", 0},
		{`{"jsonrpc":"2.0","id":1,"error":{}}`, KindResponse, "1", "", 0},
		{`{"jsonrpc":"2.0","result":null}`, KindResponse, "", "", 0},

		// JRP-16: what is wrong with a notification does not make it another
		// thing, nor with a response.
		{`{"jsonrpc":"1.0","method":"m"}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"method":"m"}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":""}`, KindNotification, "", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"m","Params":{}}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"m","a":1,"a":1}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"m","method":1}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":1,"method":"m"}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","method":"m","result":{}}`, KindNotification, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, KindRequest, "1", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":"m","error":{}}`, KindRequest, "1", "m", transport.CodeInvalidRequest},
		{`{"id":1,"result":{}}`, KindResponse, "1", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":{},"error":{}}`, KindResponse, "", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, KindResponse, "1", "", transport.CodeInvalidRequest},

		// With anything that could be an id it is no notification.
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, KindInvalid, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","ID":1,"method":"m"}`, KindInvalid, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}`, KindInvalid, "", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"Id":1,"method":"m"}`, KindRequest, "1", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","ID":2,"id":1,"method":"m"}`, KindRequest, "1", "m", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":null,"id":1,"method":"m"}`, KindInvalid, "", "m", transport.CodeInvalidRequest},

		{`{"jsonrpc":"2.0","id":1,"method":""}`, KindRequest, "1", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":2}`, KindInvalid, "1", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1}`, KindInvalid, "1", "", transport.CodeInvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"Method":"m"}`, KindInvalid, "1", "", transport.CodeInvalidRequest},
		{`{}`, KindInvalid, "", "", transport.CodeInvalidRequest},
		{`[]`, KindInvalid, "", "", transport.CodeInvalidRequest},
		{`"m"`, KindInvalid, "", "", transport.CodeInvalidRequest},
		{``, KindInvalid, "", "", transport.CodeParseError},
		{`{"jsonrpc":"2.0","id":1,"method":"m"} `, KindRequest, "1", "m", 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m"}.`, KindInvalid, "", "", transport.CodeParseError},
	} {
		var doc strictjson.Doc
		m, err := readText(&doc, test.src)
		assert.Equal(t, test.kind, m.Kind, test.src)
		assert.Equal(t, test.id, m.ID, test.src)
		assert.Equal(t, test.method, m.Method, test.src)
		if test.code == 0 {
			assert.Nil(t, err, test.src)
		} else if assert.NotNil(t, err, test.src) {
			assert.Equal(t, test.code, err.Code, test.src)
		}
	}
}

// GAP-17: ids are compared decoded, by value and type.
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	key := func(id string) ID {
		var doc strictjson.Doc
		m, err := readText(&doc, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`)
		require.Nil(t, err, id)
		assert.Equal(t, id, m.ID)
		return m.Key
	}
	for _, same := range [][]string{
		{`"a"`, `"\u0061"`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"/"`, `"\/"`},
		{`0`, `-0`},
	} {
		for _, id := range same {
			assert.Equal(t, key(same[0]), key(id), id)
		}
	}
	distinct := []string{`1`, `"1"`, `-1`, `"-1"`, `0`, `"0"`, `"-0"`, `"a"`, `"A"`, `"a "`, `""`, `"é"`, `"e\u0301"`, `10`, `9007199254740992`, `9007199254740993`, `18446744073709551616`}
	seen := map[ID]string{}
	for _, id := range distinct {
		k := key(id)
		assert.Empty(t, seen[k], id)
		seen[k] = id
	}
}

// Whatever encoding/json, as the most lenient reader in use, takes for a
// member must be taken for that member here, to be refused.
func TestCaseIsFoldedAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	known := []string{"params", "id", "arguments", "jsonrpc", "method", "result", "error", "name", "cursor", "_meta", "protocolVersion", "capabilities", "clientInfo"}
	isTaken := func(k, name string) bool {
		var v any
		switch k { // a struct for each, since they must not get into each other's way
		case "params":
			v = &struct {
				X *int `json:"params"`
			}{}
		case "id":
			v = &struct {
				X *int `json:"id"`
			}{}
		case "arguments":
			v = &struct {
				X *int `json:"arguments"`
			}{}
		default:
			return true // not asked
		}
		raw, err := json.Marshal(map[string]int{name: 1})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, v))
		out, err := json.Marshal(v)
		require.NoError(t, err)
		return strings.HasSuffix(string(out), ":1}")
	}
	const common = 0x250 // the letters of Latin
	isTried := map[byte]bool{}
	for _, k := range known {
		assert.Empty(t, InOtherCase(k, known...), "%s itself", k)
		assert.Equal(t, k, InOtherCase(strings.ToUpper(k), known...))
		for i := range len(k) {
			end := rune(common) // but once for each letter, which are those of Unicode
			if !isTried[k[i]] {
				isTried[k[i]], end = true, 0x20000
			}
			for r := rune(1); r < end; r++ {
				if 0xd800 <= r && r < 0xe000 || r == rune(k[i]) {
					continue
				}
				name := k[:i] + string(r) + k[i+1:]
				folded := InOtherCase(name, k)
				if folded != "" {
					assert.True(t, isTaken(k, name), "%q is not %q", name, k)
				} else if r < common || r == 0x17f || r == 0x212a {
					assert.True(t, k != "params" && k != "id" && k != "arguments" || !isTaken(k, name), "%q is %q", name, k)
				}
			}
		}
	}
	assert.Equal(t, "params", InOtherCase("paramſ", known...))
	assert.Equal(t, "arguments", InOtherCase("ARGUMENTſ", known...))
	assert.Empty(t, InOtherCase("ıd", known...))
	assert.Empty(t, InOtherCase("param", known...))
	assert.Empty(t, InOtherCase("", known...))
}

// DSC-07, GAP-05, GAP-06
func TestUnsupportedVersion(t *testing.T) {
	t.Parallel()
	const all = `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`
	for version, want := range map[string]string{
		"":                       `{"supported":` + all + `,"requested":""}`,
		"2025-11-25":             `{"supported":["2026-07-28"],"requested":"2025-11-25"}`,
		"2024-11-05":             `{"supported":["2026-07-28"],"requested":"2024-11-05"}`,
		"<é>":                    `{"supported":` + all + `,"requested":"<é>"}`,
		strings.Repeat("x", 300): `{"supported":` + all + `,"requested":"` + strings.Repeat("x", 256) + `…"}`,
	} {
		err := UnsupportedVersion(version)
		got := ErrorResponse("", err)
		assert.Equal(t, transport.CodeUnsupportedVersion, got.Code)
		assert.True(t, strings.HasSuffix(string(got.Msg), `","data":`+want+`}}`), string(got.Msg))
		assert.Regexp(t, `^unsupported protocol version ".{0,65}" \(supported: 2026-07-28[-, 0-9]*\)$`, err.Message)
	}
}

func TestErrorAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		err  *transport.Error
		want string
	}{
		{"1", &transport.Error{Code: -1, Message: "m"}, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`},
		// GAP-13: no id, rather than null.
		{"", &transport.Error{Code: -32700}, `{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}`},
		{`"a"`, &transport.Error{Code: 1, Message: "<&>\"\n\u2028"}, `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"<&>\"\n` + "\u2028" + `"}}`},
		{"1", &transport.Error{Code: 1, Message: "\xff", Data: map[string]any{"b": "<&>", "a": nil}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + "\ufffd" + `","data":{"a":null,"b":"<&>"}}}`},
		{"1", &transport.Error{Code: 1, Message: "m", Data: false}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":false}}`},
		{"1", &transport.Error{Code: 1, Message: "m", Data: json.RawMessage(`null`)}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":null}}`},
		{"1", &transport.Error{Code: 1, Message: "m", Data: make(chan int)}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"1", &transport.Error{Code: 1, Message: "m", Data: json.RawMessage(`{"a":1,"a":1}`)}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"1", &transport.Error{Code: 1, Message: "m", Data: panics{}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
	} {
		got := ErrorResponse(test.id, test.err)
		assert.Equal(t, test.want, string(got.Msg))
		assert.Equal(t, test.err.Code, got.Code)
		assert.True(t, json.Valid(got.Msg))
	}
}

// readText parses and reads a message, as receive does.
func readText(doc *strictjson.Doc, src string) (Message, *transport.Error) {
	root, broken := Parse(doc, src)
	var m Message
	err := m.Read(root)
	if broken != nil {
		err = broken
	}
	return m, err
}

// Two ids are one if they are the same number or the same text, however that is
// written.
func TestIDsAreCompared(t *testing.T) {
	t.Parallel()
	key := func(id string) ID {
		var doc strictjson.Doc
		root, err := Parse(&doc, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		require.Nil(t, err)
		var m Message
		require.Nil(t, m.Read(root))
		assert.Equal(t, id, m.ID, "it is repeated as it was written")
		return m.Key
	}
	for _, same := range [][2]string{{"0", "-0"}, {`"a"`, `"\u0061"`}, {`"\""`, `"\u0022"`}, {`"/"`, `"\/"`}, {`""`, `""`}} {
		assert.Equal(t, key(same[0]), key(same[1]), same)
	}
	for _, other := range [][2]string{{"1", `"1"`}, {"1", "-1"}, {"0", `"-0"`}, {`"a"`, `"A"`}, {`"\\u0061"`, `"a"`}, {`"\""`, `""`}} {
		assert.NotEqual(t, key(other[0]), key(other[1]), other)
	}
}

// panics is data whose encoding panics.
type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("a secret") }
