package strictjson_test

import (
	"fmt"
	"strings"
)

// getRequest is a typical prompts/get request of 334 bytes.
const getRequest = `{"jsonrpc":"2.0","id":42,"method":"prompts/get","params":{"name":"code_review","arguments":` +
	`{"language":"go","code":"func main() { fmt.Println(42) }","style":"concise and to the point, please"},` +
	`"_meta":{"progressToken":"tok-0123456789","io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"traceparent":"00-4bf92f3577b34da6a3ce92"}}}`

// sample has every construct of JSON in it, escapes and whitespace included.
const sample = " {\"a\" :\t[1, -2.5e+10, 0, true, false, null, {}, [ ]],\r\n\"b\\u0063\": {\"\": \"x\\\"\\\\\\/\\b\\f\\n\\r\\t\\ud83d\\ude00é€😀\"}} "

// nested returns an array in an array, depth times.
func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// object returns an object with n distinct keys of equal length and the given members after them.
func object(n int, more ...string) string {
	members := make([]string, 0, n+len(more))
	for i := range n {
		members = append(members, fmt.Sprintf(`"k%07d":%d`, i, i))
	}
	return "{" + strings.Join(append(members, more...), ",") + "}"
}

// largeRequest is a request of about 20 KB: a long text with escapes, and many short values.
func largeRequest() string {
	text := strings.Repeat(`The quick brown fox jumps over the lazy dog.\n\tIt said: \"Grüße\". `, 140)
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"summary","arguments":{"text":"` + text +
		`"},"_meta":{"list":[` + strings.Repeat(object(8)+",", 70) + object(8) + `]}}}`
}
