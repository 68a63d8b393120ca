package prompts_test

import (
	"strings"

	"github.com/mcp-prompts/prompts"
)

func getLine(id, prompt string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"` + prompt + `"}}`
}

func cancelLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func textLine(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}]}}`
}

func pongLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func pingLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func errorLine(id string, code prompts.Code, message string) string {
	return errorResponse(id, &prompts.Error{Code: code, Message: message})
}

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

// What belongs to a subscription.

func listenLine(id string) string {
	return envelopedLine(id, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`)
}

func ackLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{"promptsListChanged":true}}}`
}

func emptyAckLine(id string) string {
	return strings.Replace(ackLine(id), `"promptsListChanged":true`, "", 1)
}

func changedLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

func listenEndLine(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{` + ownIdentity + `,"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}
