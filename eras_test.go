package prompts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What a client of revision 2026-07-28 says, and what it gets: each request has
// its own envelope, each result the server's identity.
const (
	bareEnvelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	ownIdentity  = `"io.modelcontextprotocol/serverInfo":{"name":"prompts","version":"0"}`
)

// handshakeVersions are the revisions that begin with initialize.
var handshakeVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// envelopedLine is a request of revision 2026-07-28. members are those of its
// params but for _meta.
func envelopedLine(id, method, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + bareEnvelope + `}}`
}

func envelopedGet(id, prompt string) string {
	return envelopedLine(id, "prompts/get", `"name":"`+prompt+`"`)
}

func envelopedText(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}],"_meta":{` + ownIdentity + `}}}`
}

func initializeIn(version string) string {
	return strings.Replace(initializeLine, "2025-11-25", version, 1)
}

// handshakeIn initializes the session in a revision.
func (c *client) handshakeIn(version string) *client {
	c.t.Helper()
	c.send(initializeIn(version), initializedLine)
	got := c.received()
	require.Len(c.t, got, 1, "the answer to initialize")
	require.Contains(c.t, got[0], `"protocolVersion":"`+version+`"`)
	return c
}

// sessionIn returns a session that is initialized in a revision.
func sessionIn(t testing.TB, s *prompts.Server, version string) transport.Session {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{})
	t.Cleanup(session.Close)
	for _, msg := range []string{initializeIn(version), initializedLine} {
		_, err := handle(t, s, session, msg)
		require.NoError(t, err)
	}
	return session
}

// What belongs to a subscription.

func listenLine(id string) string {
	return envelopedLine(id, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`)
}

func ackLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{"promptsListChanged":true}}}`
}

func emptyAckLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{}}}`
}

func changedLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

func listenEndLine(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{` + ownIdentity + `,"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

// listen opens subscriptions.
func (c *client) listen(ids ...string) *client {
	c.t.Helper()
	for _, id := range ids {
		require.Equal(c.t, []string{ackLine(id)}, c.ask(listenLine(id)))
	}
	return c
}

// assertNoTrace checks that nothing is left of the connections of a server that
// have ended: no subscriber, no slot, no subscription.
func assertNoTrace(t testing.TB, s *prompts.Server) {
	t.Helper()
	assert.Empty(t, s.Leftovers())
}
