package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// broken are messages with an id, and with all that may be wrong beside the id.
var broken = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"id":"a"}`, `{"id":-0,"method":7}`, `{"jsonrpc":"1.0","id":18446744073709551616,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, `{"jsonrpc":"2.0","id":1,"error":1}`,
	`{"jsonrpc":"2.0","id":1,"ID":2,"Id":{},"method":"ping"}`, `{"jsonrpc":"2.0","\u0069d":"\u0061","Method":"ping","extra":1}`,
	`{"a":1,"a":2,"id":1,"method":"ping"}`, `{"id":1,"params":{"a":[{"b":1,"b":1}]},"method":"ping","method":"ping"}`,
	`{"id":1,"params":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, `{"params":` + strings.Repeat(`{"id":`, 200) + `2` + strings.Repeat("}", 200) + `,"id":1}`,
	`{"id":1,"params":{"a":"\ud83d"}}`, `{"\udc00":1,"id":"\ud83d\ude00","a":"\\ud83d"}`,
	// Without a readable id.
	`{"id":"\ud83d"}`, `{"id":"\\\udc00"}`,
	`{"id":1,"id":1}`, `{"id":1,"\u0069d":2}`, `{"ID":1}`, `{"id":1.5}`, `{"id":1.0}`, `{"id":1e2}`, `{"id":null}`, `{"id":true}`, `{"id":[1]}`, `{"id":{"id":1}}`,
	`{"params":{"id":1}}`, `{}`, `[{"id":1}]`, `1`, `{"id":1}x`, `{"id":1,}`, `{"id":1`, `{"id":01}`, "{\"id\":1,\"a\":\"\xff\"}", `{"id":"` + strings.Repeat("x", wire.MaxIDBytes) + `"}`,
	`{"id":"` + strings.Repeat("x", wire.MaxIDBytes-2) + `"}`,
}

// GAP-13, GAP-16: a message has its id, whatever else is wrong with the message, and an id that
// cannot be read without doubt is none.
func checkID(t *testing.T, msg string) {
	t.Helper()
	var doc strictjson.Doc
	root, _ := wire.Parse(&doc, msg)
	var m wire.Message
	_ = m.Read(root)
	require.Equal(t, servertest.IDOf(msg, wire.MaxIDBytes), m.ID, "%.300q", msg)
	require.Equal(t, m.ID == "", m.Key == "", "%.300q", msg)
}

func TestIDIsRead(t *testing.T) {
	t.Parallel()
	for _, msg := range broken {
		checkID(t, msg)
	}
}

func FuzzID(f *testing.F) {
	for _, msg := range broken {
		f.Add(msg)
	}
	f.Fuzz(checkID)
}
