package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// Batches are part of one revision.
const BatchVersion = "2025-03-26"

func BatchLine(msgs ...string) string { return "[" + strings.Join(msgs, ",") + "]" }

// Elements returns the messages of an array.
func Elements(t testing.TB, array string) []string {
	t.Helper()
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(array), &raw), array)
	var all []string
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

// Completing declares a prompt with the arguments a, which f completes, b, which
// is one of three, and c, which is anything.
func Completing(name string, f prompts.CompleteFunc) prompts.Prompt {
	return prompts.Prompt{
		Name: name,
		Arguments: []prompts.Argument{
			{Name: "a", Complete: f}, {Name: "b", Enum: []string{"Red", "green", "grey"}}, {Name: "c"},
		},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil },
	}
}

func CompleteParamsOf(prompt, argument, prefix string) string {
	return `"ref":{"type":"ref/prompt","name":"` + prompt + `"},"argument":{"name":"` + argument + `","value":"` + prefix + `"}`
}

func CompleteLine(id, prompt, argument, prefix string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"completion/complete","params":{` + CompleteParamsOf(prompt, argument, prefix) + `}}`
}

func CompletionLine(id, values string, total int, more bool) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"completion":{"values":[%s],"total":%d,"hasMore":%t}}}`, id, values, total, more)
}

func GetLine(id, prompt string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"` + prompt + `"}}`
}

func CancelLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func TextLine(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}]}}`
}

func PongLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func PingLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func ErrorLine(id string, code transport.Code, message string) string {
	return ErrorResponse(id, &prompts.Error{Code: code, Message: message})
}

// What a client of revision 2026-07-28 says, and what it gets: each request has
// its own envelope, each result the server's identity.
const (
	BareEnvelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	OwnIdentity  = `"io.modelcontextprotocol/serverInfo":{"name":"prompts","version":"0"}`
)

// HandshakeVersions are the revisions that begin with initialize.
var HandshakeVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// EnvelopedLine is a request of revision 2026-07-28. members are those of its
// params but for _meta.
func EnvelopedLine(id, method, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + BareEnvelope + `}}`
}

func EnvelopedGet(id, prompt string) string {
	return EnvelopedLine(id, "prompts/get", `"name":"`+prompt+`"`)
}

func EnvelopedText(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}],"_meta":{` + OwnIdentity + `}}}`
}

// What belongs to a subscription.

func ListenLine(id string) string {
	return EnvelopedLine(id, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`)
}

func AckLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{"promptsListChanged":true}}}`
}

func EmptyAckLine(id string) string {
	return strings.Replace(AckLine(id), `"promptsListChanged":true`, "", 1)
}

func ChangedLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

func ListenEndLine(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{` + OwnIdentity + `,"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}
