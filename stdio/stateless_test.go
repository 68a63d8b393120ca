package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

// STD-07, STD-08, STD-12: over a byte stream, here a connection, a request of
// revision 2026-07-28 has all that it needs in its line. What comes back is its
// answer and what its subscription is for, one line each, and nothing else.
func TestStatelessOverAStream(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(text("one"))
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { // ends with the connection
		served <- prompts.MustNewServer(&reg, prompts.Options{}).Serve(context.Background(), stdio.NewStream(ours, ours, stdio.Options{}))
	}()
	lines := bufio.NewScanner(theirs)
	ask := func(id, method, members string) map[string]any {
		t.Helper()
		_, err := io.WriteString(theirs, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+members+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n")
		require.NoError(t, err)
		return next(t, lines)
	}
	assert.Equal(t, "complete", ask("1", "prompts/get", `"name":"one",`)["result"].(map[string]any)["resultType"])
	assert.Equal(t, "notifications/subscriptions/acknowledged", ask("2", "subscriptions/listen", `"notifications":{"promptsListChanged":true},`)["method"])
	reg.MustAdd(text("two"))
	assert.Equal(t, "notifications/prompts/list_changed", next(t, lines)["method"])
	assert.Len(t, ask("3", "prompts/list", "")["result"].(map[string]any)["prompts"], 2)

	require.NoError(t, theirs.Close())
	require.NoError(t, <-served)
	assert.False(t, lines.Scan(), "one more line: %s", lines.Text())
}

func next(t *testing.T, lines *bufio.Scanner) map[string]any {
	t.Helper()
	require.True(t, lines.Scan())
	var m map[string]any
	require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
	return m
}

func text(name string) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(name)), nil
	}}
}
