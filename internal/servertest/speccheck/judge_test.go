package speccheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
)

const (
	elicitation = `"elicitation":{}`
	sampling    = `"sampling":{}`
	roots       = `"roots":{}`
)

// begin is the beginning of a session whose client has the capabilities.
func begin(revision string, capabilities ...string) []string {
	return []string{
		`C> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{` +
			strings.Join(capabilities, ",") + `},"clientInfo":{"name":"c","version":"1"}}}`,
		welcome(revision, `{"prompts":{"listChanged":true}}`),
		`C> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
}

func welcome(revision, capabilities string) string {
	return `S> {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"` + revision + `","capabilities":` + capabilities +
		`,"serverInfo":{"name":"s","version":"1"}}}`
}

// modern is a request with an envelope. The capabilities are the client's, the
// params without braces.
func modern(id, method, capabilities, params string) string {
	if params != "" {
		params += ","
	}
	return `C> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params +
		`"_meta":{"progressToken":"t` + id + `","io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{` + capabilities + `}}}}`
}

func modernGet(id string, capabilities ...string) string {
	return modern(id, "prompts/get", strings.Join(capabilities, ","), `"name":"a"`)
}

func result(id, result string) string {
	return `S> {"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func failure(id, e string) string {
	return `S> {"jsonrpc":"2.0","id":` + id + `,"error":` + e + `}`
}

func notify(method, params string) string {
	return `S> {"jsonrpc":"2.0","method":"notifications/` + method + `","params":` + params + `}`
}

// echo is a method that may have any result.
const echo = `C> {"jsonrpc":"2.0","id":1,"method":"echo"}`

const subscription = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`

var (
	listening    = modern("1", "subscriptions/listen", "", `"notifications":{"promptsListChanged":true,"toolsListChanged":false,"resourceSubscriptions":["a:b"]}`)
	acknowledged = notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{"promptsListChanged":true}}`)
	changed      = notify("prompts/list_changed", `{`+subscription+`}`)
	listened     = result("1", `{"resultType":"complete",`+subscription+`}`)
	ended        = notify("cancelled", `{"requestId":1}`)
	unlisten     = `C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`

	unasked = `S> {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
	form    = `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	url     = `{"mode":"url","message":"m","url":"https://example.org/"}`
)

func ask(id, method, params string) string {
	return `S> {"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func needs(requests string) string {
	return result("1", `{"resultType":"input_required","inputRequests":{"x":`+requests+`}}`)
}

// Each check passes one line and fails another at the same place.
func TestJudge(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	type judgement struct {
		name   string
		before []string
		good   string
		bad    string
		fault  string // a part of what is wrong with the bad line
		http   bool
	}
	after := func(lines ...any) []string {
		var all []string
		for _, l := range lines {
			switch l := l.(type) {
			case string:
				all = append(all, l)
			case []string:
				all = append(all, l...)
			}
		}
		return all
	}
	tests := []judgement{
		// The form of a text.
		{"UTF-8 (JRP-30)", after(list), listed, "S>q " + `"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"prompts\":[{\"name\":\"\xff\"}]}}"`, "UTF-8", false},
		{"a name once", after(list), listed, result("1", `{"prompts":[],"_meta":{},"_meta":{}}`), `duplicate key "_meta"`, false},
		{"one value", after(list), listed, listed + "{}", "unexpected data after the JSON value", false},
		{"a number of any size", after(`C> {"jsonrpc":"2.0","id":1` + strings.Repeat("0", 400) + `,"method":"ping"}`),
			result("1"+strings.Repeat("0", 400), "{}"), result("1"+strings.Repeat("0", 399), "{}"), "nothing that was asked", false},
		{"nothing that is not JSON-RPC's", after(list), listed, `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[]},"x":1}`, `unexpected additional properties ["x"]`, false},
		{"a request or a response", after(begin("2025-11-25"), list), listed, `S> {"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, "both a method and", false},
		{"JSON", after(list), listed, `S> listening`, "invalid JSON", false},
		{"an object", after(list), listed, `S> null`, "not a JSON object", false},
		{"a result or an error", after(list), listed, `S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[]},"error":{"code":1,"message":"m"}}`, "both a result and an error", false},
		{"one of the two", after(list), listed, `S> {"jsonrpc":"2.0","id":1}`, "neither", false},
		{"an id of its type", after(list), listed, strings.Replace(listed, `"id":1`, `"id":"1"`, 1), "nothing that was asked", false},
		{"no id of a notification", begin("2025-11-25"), unasked, strings.Replace(unasked, `"method"`, `"id":1,"method"`, 1), "it is a request", false},
		{"nothing beside an error's members", after(list), failure("1", `{"code":-32603,"message":"m","data":{"x":1}}`),
			failure("1", `{"code":-32603,"message":"m","stack":[]}`), `unexpected additional properties ["stack"]`, false},

		// The handshake.
		{"a revision with a handshake", begin("2026-07-28")[:1], welcome("2025-11-25", `{}`), welcome("2026-07-28", `{}`), `agrees on "2026-07-28"`, false},
		{"a revision that there is", begin("2026-07-28")[:1], welcome("2024-11-05", `{}`), welcome("../2024-11-05", `{}`), `agrees on "../2024-11-05"`, false},
		{"one handshake (GAP-09)", after(begin("2025-11-25"), begin("2025-11-25")[0]), failure(`"i"`, `{"code":-32600,"message":"m"}`), welcome("2025-11-25", `{}`), "initialized already", false},
		{"completions (LIF-09)", begin("2024-11-05")[:1], welcome("2025-03-26", `{"completions":{}}`), welcome("2024-11-05", `{"completions":{}}`), "no capability completions", false},
		{"capabilities of others", begin("2024-11-05")[:1], welcome("2024-11-05", `{"prompts":{"x":1},"extensions":{}}`), welcome("2024-11-05", `{"prompts":{"listChanged":1}}`), "InitializeResult", false},
		{"no serverInfo for the old (GAP-45)", after(begin("2025-11-25"), list), result("1", `{"prompts":[],"_meta":{"x":1}}`),
			result("1", `{"prompts":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`), "GAP-45", false},
		{"what is only for the new (CPT-10)", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"server/discover"}`),
			failure("1", `{"code":-32601,"message":"m"}`), result("1", `{}`), "CPT-10", false},
		{"what is only for the old (CPT-10)", after(modern("1", "ping", "", "")),
			failure("1", `{"code":-32601,"message":"m"}`), result("1", `{"resultType":"complete"}`), "CPT-10", false},

		// Two requests of one id: one of them has an error for an answer.
		{"an error for the first", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}`, `C> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
			failure("1", `{"code":-32602,"message":"m"}`)), result("1", `{}`), result("1", `{"resultType":"complete"}`), "GAP-45", false},
		{"an error for what is no request", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"methid":"ping"}`, `C> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
			failure("1", `{"code":-32600,"message":"m"}`)), result("1", `{}`), result("2", `{}`), "nothing that was asked", false},
		{"an error for what has a result too", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, `C> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
			failure("1", `{"code":-32600,"message":"m"}`)), result("1", `{}`), result("2", `{}`), "nothing that was asked", false},
		{"no result for what is no request", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":7}`), failure("1", `{"code":-32600,"message":"m"}`), result("1", `{}`), "what is no request", false},

		// Each answer has a request of its own that it fits, in some way.
		{"a result for the second", after(begin("2025-11-25"), echo, list, listed), result("1", `{"x":1}`), result("1", `[]`), "JSONRPCResultResponse", false},
		{"and one for each", after(begin("2025-11-25"), echo, list, listed, result("1", `{"x":1}`)), failure("2", `{"code":1,"message":"m"}`), listed, "nothing that was asked", false},
		{"and none for two", after(begin("2025-11-25"), list, echo, result("1", `{"x":1}`)), listed, result("1", `{"x":1}`), "as the answer to prompts/list", false},
		{"whichever is whose", after(begin("2025-11-25"), echo, echo, result("1", `{}`), result("1", `{}`), list), listed, result("1", `{"x":1}`), "as the answer to prompts/list", false},
		{"an error for one of three", after(begin("2025-11-25"), list, echo, echo, failure("1", `{"code":1,"message":"m"}`), result("1", `{"x":1}`), result("1", `{"x":1}`)),
			failure("2", `{"code":1,"message":"m"}`), listed, "nothing that was asked", false},
		{"of those that were asked before it", after(begin("2025-11-25"), list, echo, listed, list, result("1", `{"x":1}`)), listed, result("1", `{"x":1}`), "as the answer to prompts/list", false},
		{"the beginning of a session by any of two", after(begin("2025-11-25")[0], begin("2024-11-05")[0], welcome("2024-11-05", `{}`), list),
			listed, result("1", `{"prompts":[{"name":"n","icons":[]}]}`), `["icons"]`, false},

		// Several eras on one connection.
		{"a session beside an envelope", after(begin("2025-06-18"), modernGet("1"), `C> {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"a"}}`),
			result("2", `{"messages":[]}`), result("2", `{"messages":[],"resultType":"complete"}`), "GAP-45", false},
		{"an envelope beside a session", after(begin("2025-06-18"), modernGet("1")),
			result("1", `{"messages":[],"resultType":"complete"}`), result("1", `{"messages":[]}`), "2026-07-28", false},

		// Methods of the author.
		{"the result of a method that the schema does not know", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"echo"}`),
			result("1", `{"anything":[1]}`), result("1", `[1]`), "JSONRPCResultResponse", false},
		{"the same with an envelope", after(modern("1", "echo", "", "")),
			result("1", `{"anything":[1],"resultType":"own"}`), result("1", `{"anything":[1]}`), "resultType", false},
		{"the result of a method that only the schema knows", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
			result("1", `{"tools":[],"note":1}`), result("1", `{"note":1}`), "ListToolsResult", false},

		// Results with an envelope.
		{"resultType (JRP-10)", after(modernGet("1")), result("1", `{"resultType":"complete","messages":[]}`), result("1", `{"resultType":"done","messages":[]}`), "JRP-10", false},
		{"what the list has and get has not", after(modernGet("1")), result("1", `{"resultType":"complete","messages":[]}`),
			result("1", `{"resultType":"complete","messages":[],"ttlMs":0}`), `unexpected additional properties ["ttlMs"]`, false},
		{"a list has it", after(modern("1", "prompts/list", "", "")), result("1", `{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"public"}`),
			result("1", `{"resultType":"complete","prompts":[],"cacheScope":"public"}`), "ttlMs", false},
		{"input (MRT-05)", after(modernGet("1")), result("1", `{"resultType":"input_required","requestState":"s"}`), result("1", `{"resultType":"input_required"}`), "MRT-05", false},
		{"no input for a list (MRT-03)", after(modern("1", "prompts/list", "", "")), result("1", `{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"public"}`),
			result("1", `{"resultType":"input_required","requestState":"s"}`), "MRT-03", false},
		{"input for a list of the author's", after(modern("1", "tools/call", "", "")), result("1", `{"resultType":"input_required","requestState":"s"}`),
			result("1", `{"resultType":"input_required","requestState":1}`), "InputRequiredResult", false},
		{"input without more", after(modernGet("1")), result("1", `{"resultType":"input_required","requestState":"s","_meta":{}}`),
			result("1", `{"resultType":"input_required","requestState":"s","messages":[]}`), `unexpected additional properties ["messages"]`, false},
		{"input is an object", after(modernGet("1", roots)), needs(`{"method":"roots/list"}`), result("1", `{"resultType":"input_required","inputRequests":[]}`), "InputRequiredResult", false},
		{"a form", after(modernGet("1", elicitation)), needs(`{"method":"elicitation/create","params":` + form + `}`),
			needs(`{"method":"elicitation/create","params":{"message":"m"}}`), `the input request "x": 2026-07-28 ElicitRequest`, false},
		{"a sampling", after(modernGet("1", sampling)), needs(`{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`),
			needs(`{"method":"sampling/createMessage","params":{"messages":[]}}`), `the input request "x": 2026-07-28 CreateMessageRequest`, false},
		{"an input of another kind (MRT-06)", after(modernGet("1", roots)), needs(`{"method":"roots/list"}`), needs(`{"method":"ping"}`), "MRT-06", false},
		{"no envelope inside (MRT-06)", after(modernGet("1", roots)), needs(`{"method":"roots/list","params":{}}`), needs(`{"method":"roots/list","id":1}`), "MRT-06", false},
		{"a member that is gone", after(modernGet("1", `"elicitation":{"url":{}}`)), needs(`{"method":"elicitation/create","params":` + url + `}`),
			needs(`{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"a:b","elicitationId":"e"}}`), "elicitationId", false},
		{"input that is declared (MRT-07)", after(modernGet("1", roots)), needs(`{"method":"roots/list"}`),
			needs(`{"method":"elicitation/create","params":` + form + `}`), "has not declared elicitation (MRT-07)", false},
		{"an URL that is declared (MRT-08)", after(modernGet("1", elicitation)), needs(`{"method":"elicitation/create","params":` + form + `}`),
			needs(`{"method":"elicitation/create","params":` + url + `}`), "MRT-08", false},
		{"a form that is declared (MRT-08)", after(modernGet("1", `"elicitation":{"url":{}}`)), needs(`{"method":"elicitation/create","params":` + url + `}`),
			needs(`{"method":"elicitation/create","params":` + form + `}`), "MRT-08", false},
		{"tools that are declared (MRT-09)", after(modernGet("1", sampling)), needs(`{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`),
			needs(`{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}`), "MRT-09", false},

		// Errors with an envelope.
		{"a code that is defined (JRP-23)", after(modernGet("1")), failure("1", `{"code":-32020,"message":"m"}`), failure("1", `{"code":-32023,"message":"m"}`), "JRP-23", false},
		{"the last of them (JRP-23)", after(modernGet("1")), failure("1", `{"code":-32100,"message":"m"}`), failure("1", `{"code":-32099,"message":"m"}`), "JRP-23", false},
		{"no retired code (JRP-24)", after(modernGet("1")), failure("1", `{"code":-32602,"message":"m"}`), failure("1", `{"code":-32002,"message":"m"}`), "JRP-24", false},
		{"nor the other one (JRP-24)", after(modernGet("1")), failure("1", `{"code":1,"message":"m"}`), failure("1", `{"code":-32042,"message":"m"}`), "JRP-24", false},
		{"which a session has (JRP-24)", after(begin("2025-11-25"), list), failure("1", `{"code":-32002,"message":"m"}`),
			failure("1", `{"code":-32042,"message":"m"}`), "URLElicitationRequiredError", false},
		{"the data of a capability", after(modernGet("1")), failure("1", `{"code":-32021,"message":"m","data":{"requiredCapabilities":{"roots":{}}}}`),
			failure("1", `{"code":-32021,"message":"m","data":{}}`), "MissingRequiredClientCapabilityError", false},
		{"the data of a version", after(modernGet("1")), failure("1", `{"code":-32022,"message":"m","data":{"supported":[],"requested":"v"}}`),
			failure("1", `{"code":-32022,"message":"m"}`), "UnsupportedProtocolVersionError", false},

		// Errors without a readable id (GAP-13).
		{"an id that is null", after(begin("2025-06-18"), `C> {}`), failure("null", `{"code":-32600,"message":"m"}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "GAP-13", false},
		{"and the rest as it is to be", after(begin("2025-06-18"), `C> {}`), failure("null", `{"code":-32600,"message":"m"}`), failure("null", `{"code":-32600}`), "2025-06-18 JSONRPCError", false},
		{"no result", after(begin("2025-06-18"), `C> {}`), failure("null", `{"code":-32600,"message":"m"}`), result("null", `{}`), "nothing that was asked", false},
		{"over HTTP", after(begin("2025-06-18"), `C> {}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, failure("null", `{"code":-32600,"message":"m"}`), "GAP-13", true},
		{"in a newer session", after(begin("2025-11-25"), `C> {}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, failure("null", `{"code":-32600,"message":"m"}`), "JSONRPCErrorResponse", false},
		{"before a session", after(`C> {}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, failure("null", `{"code":-32600,"message":"m"}`), "JSONRPCErrorResponse", false},
		{"which is an integer (JRP-02)", after(begin("2025-06-18"), modern("1", "ping", "", "")), failure("null", `{"code":-32600,"message":"m"}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "GAP-13", false},
		{"and is written as one", after(begin("2025-06-18"), modern("1.0", "ping", "", "")), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, result("1.0", `{}`), "nothing that was asked", false},
		{"without an exponent", after(begin("2025-06-18"), modern("1e0", "ping", "", "")), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, result("1e0", `{}`), "nothing that was asked", false},
		{"of any size", after(begin("2025-06-18"), modern("1"+strings.Repeat("0", 400), "ping", "", "")), failure("1"+strings.Repeat("0", 400), `{"code":-32600,"message":"m"}`),
			`S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "GAP-13", false},
		{"which is the only one", after(begin("2025-06-18"), strings.Replace(modern("1", "ping", "", ""), `"id":1`, `"id":1,"id":2`, 1)), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`,
			result("1", `{"resultType":"complete"}`), "nothing that was asked", false},
		{"beside one in another case", after(begin("2025-06-18"), strings.Replace(modern("1", "ping", "", ""), `"id":1`, `"id":1,"ID":2`, 1)), failure("1", `{"code":-32600,"message":"m"}`),
			`S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "GAP-13", false},
		{"even in another case", after(begin("2025-06-18"), strings.Replace(modern("1", "ping", "", ""), `"id"`, `"Id"`, 1)), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`,
			result("1", `{"resultType":"complete"}`), "nothing that was asked", false},
		{"to what is no request either", after(begin("2025-06-18"), strings.Replace(modern("1.0", "ping", "", ""), `"method":"ping",`, ``, 1)), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`,
			`S> {"jsonrpc":"2.0","error":{"code":-32600}}`, "message", false},
		{"to one with an envelope", after(begin("2025-06-18"), modern("[]", "ping", "", "")), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`,
			`S> {"jsonrpc":"2.0","error":{"code":-32600}}`, "message", false},
		{"which is one", after(begin("2025-06-18"), modern("[]", "ping", "", ""), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`),
			failure("null", `{"code":-32600,"message":"m"}`), `S> {"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`, "GAP-13", false},

		// Questions of the server.
		{"a question in a session (JRP-36)", begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `S> {"jsonrpc":"2.0","id":null,"method":"ping"}`, "JSONRPCRequest", false},
		{"an id of its own (JRP-04)", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `C> {"jsonrpc":"2.0","id":1,"result":{}}`),
			`S> {"jsonrpc":"2.0","id":"1","method":"ping"}`, `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, "JRP-04", false},
		{"what a server asks", begin("2025-11-25", roots), `S> {"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `S> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, "a server does not send it", false},
		{"and nothing else", begin("2025-11-25", roots), `S> {"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `S> {"jsonrpc":"2.0","id":1,"method":"echo"}`, "does not ask for echo", false},
		{"a form in a session", begin("2025-06-18", elicitation), ask("1", "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`),
			ask("1", "elicitation/create", form), `unexpected additional properties ["mode"]`, false},
		{"which has a mode since then", begin("2025-11-25", elicitation), ask("1", "elicitation/create", form),
			ask("1", "elicitation/create", `{"mode":"form","message":"m"}`), "ElicitRequest", false},
		{"no form before", begin("2025-03-26", elicitation, roots), `S> {"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
			ask("1", "elicitation/create", form), "does not ask for elicitation/create", false},
		{"a form that is declared (LIF-20)", begin("2025-06-18", elicitation), ask("1", "elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`),
			ask("1", "sampling/createMessage", `{"messages":[],"maxTokens":1}`), "has not declared sampling", false},
		{"an URL in a session that is declared (MRT-08)", begin("2025-11-25", elicitation), ask("1", "elicitation/create", form),
			ask("1", "elicitation/create", `{"mode":"url","message":"m","url":"a:b","elicitationId":"e"}`), "MRT-08", false},
		{"a question is cancelled (CAN-13)", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`),
			ended, notify("cancelled", `{"requestId":"1"}`), "CAN-13", false},
		{"once (CAN-13)", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `S> {"jsonrpc":"2.0","id":2,"method":"ping"}`, ended),
			notify("cancelled", `{"requestId":2}`), ended, "CAN-13", false},
		{"not the client's (CAN-13)", after(begin("2025-11-25"), list, `S> {"jsonrpc":"2.0","id":2,"method":"ping"}`), notify("cancelled", `{"requestId":2}`), ended, "CAN-13", false},
		{"the answer may be under way", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `C> {"jsonrpc":"2.0","id":1,"result":{}}`),
			ended, notify("cancelled", `{"requestId":2}`), "CAN-13", false},
		{"once", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `C> {"jsonrpc":"2.0","id":1,"result":{}}`, ended),
			`S> {"jsonrpc":"2.0","id":2,"method":"ping"}`, ended, "CAN-13", false},
		{"but not for long", after(begin("2025-11-25"), `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, `C> {"jsonrpc":"2.0","id":1,"result":{}}`, list),
			listed, ended, "CAN-13", false},

		// Progress.
		{"a token of a request (PRO-02)", after(modernGet("1")), notify("progress", `{"progressToken":"t1","progress":0}`), notify("progress", `{"progressToken":"t2","progress":0}`), "PRO-02", false},
		{"of its type (PRO-03)", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":7}}}`),
			notify("progress", `{"progressToken":7,"progress":0}`), notify("progress", `{"progressToken":"7","progress":0}`), "PRO-02", false},
		{"of its precision (PRO-03)", after(begin("2025-11-25"), `C> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":9007199254740993}}}`),
			notify("progress", `{"progressToken":9007199254740993,"progress":0}`), notify("progress", `{"progressToken":9007199254740992,"progress":0}`), "PRO-02", false},
		{"not after the answer (PRO-07)", after(modernGet("1"), modernGet("2"), result("1", `{"resultType":"complete","messages":[]}`)),
			notify("progress", `{"progressToken":"t2","progress":0}`), notify("progress", `{"progressToken":"t1","progress":0}`), "PRO-02", false},
		{"which rises (PRO-04)", after(modernGet("1"), notify("progress", `{"progressToken":"t1","progress":0.5}`)),
			notify("progress", `{"progressToken":"t1","progress":0.6,"total":2,"message":"m"}`), notify("progress", `{"progressToken":"t1","progress":0.5}`), "PRO-04", false},
		{"by the revision of the session", after(begin("2024-11-05"), `C> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":7}}}`),
			notify("progress", `{"progressToken":7,"progress":0,"total":1}`), notify("progress", `{"progressToken":7,"progress":0,"message":"m"}`), "2024-11-05 ProgressNotification", false},
		{"by the revision of the request", after(begin("2024-11-05"), modernGet("1")),
			notify("progress", `{"progressToken":"t1","progress":0,"message":"m"}`), notify("progress", `{"progressToken":"t1","progress":"0"}`), "2026-07-28 ProgressNotification", false},
		{"for no subscription (SUB-09)", after(listening, acknowledged, modernGet("2")), notify("progress", `{"progressToken":"t2","progress":0}`),
			notify("progress", `{"progressToken":"t2","progress":0,`+subscription+`}`), "SUB-09", false},
		{"which may be under way (CAN-03)", after(modernGet("1"), unlisten), notify("progress", `{"progressToken":"t1","progress":0}`), notify("progress", `{"progressToken":"t2","progress":0}`), "PRO-02", false},
		{"but not for long (CAN-03)", after(modernGet("1"), modernGet("2"), unlisten, notify("progress", `{"progressToken":"t1","progress":0}`)),
			notify("progress", `{"progressToken":"t2","progress":1}`), notify("progress", `{"progressToken":"t1","progress":1}`), "CAN-03", false},

		// Log messages.
		{"none in a session (LOG-02)", begin("2025-11-25"), unasked, notify("message", `{"level":"info","data":1}`), "LOG-02", false},
		{"none that a request wants (LOG-02)", after(strings.Replace(modernGet("1"), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)),
			notify("progress", `{"progressToken":"t1","progress":0}`), notify("message", `{"level":"info","data":1}`), "LOG-02", false},

		// Subscriptions.
		{"an acknowledgement (SUB-04)", after(listening), acknowledged, changed, "SUB-04", false},
		{"before the result (SUB-04)", after(listening), acknowledged, listened, "SUB-04", false},
		{"once (SUB-04)", after(listening, acknowledged), changed, acknowledged, "SUB-04", false},
		{"of a subscription (SUB-07)", after(listening), acknowledged, strings.Replace(acknowledged, `Id":1`, `Id":"1"`, 1), "SUB-07", false},
		{"that it names (SUB-07)", after(listening), acknowledged, notify("subscriptions/acknowledged", `{"notifications":{}}`), "SUB-07", false},
		{"of what was asked for (SUB-06)", after(listening), notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{"toolsListChanged":false,"resourceSubscriptions":["a:b"]}}`),
			notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{"toolsListChanged":true}}`), "SUB-06", false},
		{"of all of it (SUB-06)", after(listening), notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{"resourceSubscriptions":[]}}`),
			notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{"resourceSubscriptions":["a:b","a:c"]}}`), "SUB-06", false},
		{"a filter (SUB-06)", after(listening), acknowledged, notify("subscriptions/acknowledged", `{`+subscription+`}`), "SubscriptionsAcknowledgedNotification", false},
		{"a change (SUB-07)", after(listening, acknowledged), changed, strings.Replace(changed, `Id":1`, `Id":"1"`, 1), "SUB-07", false},
		{"that it is for (SUB-03)", after(listening, acknowledged), changed, notify("tools/list_changed", `{`+subscription+`}`), "SUB-03", false},
		{"that a subscription can be for (SUB-03)", after(listening, acknowledged), changed, notify("echo", `{`+subscription+`}`), "SUB-03", false},
		{"that was acknowledged (SUB-03)", after(listening, acknowledged, strings.ReplaceAll(listening, `"id":1`, `"id":2`), notify("subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}`)),
			changed, strings.Replace(changed, `Id":1`, `Id":2`, 1), "SUB-03", false},
		{"that names it (LCH-05)", after(listening, acknowledged), changed, unasked, "LCH-05", false},
		{"the result of a subscription (SUB-12)", after(listening, acknowledged), listened, result("1", `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"1"}}`), "SUB-12", false},
		{"nothing after the result (SUB-07)", after(listening, acknowledged, listened), ended, changed, "the subscription is over", false},
		{"but for one that cancels it (GAP-24)", after(listening, acknowledged, strings.ReplaceAll(listening, `"id":1`, `"id":2`), listened, ended), notify("cancelled", `{"requestId":2}`), ended, "GAP-24", false},
		{"which ends it too (GAP-24)", after(listening, acknowledged, strings.ReplaceAll(listening, `"id":1`, `"id":2`), ended), notify("cancelled", `{"requestId":2}`), listened, "GAP-24", false},
		{"of its own type (CAN-15)", after(listening, acknowledged, listened), ended, notify("cancelled", `{"requestId":"1"}`), "CAN-15", false},
		{"nothing but a subscription is cancelled (CAN-15)", after(listening, acknowledged, modernGet("2")), ended, notify("cancelled", `{"requestId":2}`), "CAN-15", false},
		{"none that was refused (CAN-15)", after(listening, acknowledged, strings.ReplaceAll(listening, `"id":1`, `"id":2`), failure("2", `{"code":-32602,"message":"m"}`)),
			ended, notify("cancelled", `{"requestId":2}`), "CAN-15", false},
		{"a change may be under way (SUB-10)", after(listening, acknowledged, unlisten), changed, unasked, "LCH-05", false},
		{"but one at most (SUB-10)", after(listening, acknowledged, unlisten, changed), listened, changed, "SUB-10", false},
		{"not even to cancel (SUB-10)", after(listening, acknowledged, unlisten, changed), listened, ended, "SUB-10", false},
		{"which is the one (SUB-10)", after(listening, acknowledged, unlisten), ended, notify("cancelled", `{"requestId":2}`), "CAN-15", false},
		{"which is no way to cancel it over HTTP (SUB-10)", after(listening, acknowledged, unlisten, changed), changed, unasked, "LCH-05", true},
		{"but there it cancels what is in a session (CAN-03)", after(begin("2025-11-25"), strings.ReplaceAll(listening, `"t1"`, `"t"`),
			`C> {"jsonrpc":"2.0","id":1,"method":"echo","params":{"_meta":{"progressToken":7}}}`, acknowledged, unlisten, notify("progress", `{"progressToken":7,"progress":0}`)),
			changed, notify("progress", `{"progressToken":7,"progress":1}`), "CAN-03", true},
		{"the least is acknowledged first (SUB-06)", after(listening, modern("1", "subscriptions/listen", "", `"notifications":{}`), notify("subscriptions/acknowledged", `{`+subscription+`,"notifications":{}}`)),
			acknowledged, changed, "SUB-0", false},
		{"the id again", after(listening, acknowledged, listened, ended, listening), acknowledged, changed, "SUB-04", false},
		{"subscriptions apart (SUB-08)", after(listening, acknowledged, strings.Replace(listening, `"id":1`, `"id":"1"`, 1)), changed,
			strings.Replace(changed, `Id":1`, `Id":"1"`, 1), "SUB-04", false},

		// Changes outside of subscriptions.
		{"a change in a session (MET-12)", begin("2025-11-25"), unasked, changed, "SUB-07", false},
		{"that is initialized (LIF-15)", begin("2025-11-25")[:2], `S> {"jsonrpc":"2.0","id":1,"method":"ping"}`, unasked, "LIF-15", false},
		{"which is told of (LCH-02)", after(begin("2025-11-25")[0], welcome("2025-11-25", `{"tools":{"listChanged":true}}`), begin("2025-11-25")[2]),
			`S> {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, unasked, "LCH-02", false},
		{"what a server tells", begin("2025-11-25"), unasked, `S> {"jsonrpc":"2.0","method":"notifications/initialized"}`, "a server does not send it", false},

		// Batches.
		{"a batch (GAP-15)", after(begin("2025-03-26"), `C> [{"jsonrpc":"2.0","id":1,"method":"prompts/list"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`),
			`S> [{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}]`, `S> [{"jsonrpc":"2.0","id":1,"result":{}}]`, "element 0: as the answer to prompts/list: 2025-03-26 ListPromptsResult", false},
		{"of something", after(begin("2025-03-26"), `C> [{"jsonrpc":"2.0","id":1,"method":"prompts/list"}]`), `S> [{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}]`, `S> []`, "an empty batch", false},
		{"with what cannot be read", after(begin("2025-03-26"), `C> [{"jsonrpc":"2.0","id":1,"method":"prompts/list"},{"method":"notifications/initialized","jsonrpc":"2.0"}]`),
			`S> [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}]`, `S> [{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}]`, "element 0: 2025-03-26: the id of an error", false},
		{"of answers", after(begin("2025-03-26"), `C> [{"jsonrpc":"2.0","id":1,"method":"prompts/list"}]`), `S> [{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}]`,
			`S> [{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}]`, "JSONRPCBatchResponse", false},
		{"in no other revision", after(begin("2025-06-18"), list), listed, `S> [` + strings.TrimPrefix(listed, "S> ") + `]`, "a batch, of which 2025-06-18 knows nothing", false},
	}

	// What each revision knows: a member or a block that it does not is not
	// sent to its clients (GAP-37).
	get := `C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a"}}`
	block := func(block string) string {
		return result("1", `{"messages":[{"role":"user","content":`+block+`}]}`)
	}
	for _, known := range []struct{ what, revision, before, request, response, fault string }{
		{"audio", "2025-03-26", "2024-11-05", get, block(`{"type":"audio","data":"","mimeType":"audio/wav"}`), "GetPromptResult"},
		{"a link", "2025-06-18", "2025-03-26", get, block(`{"type":"resource_link","uri":"a:b","name":"n"}`), "GetPromptResult"},
		{"_meta of a block", "2025-06-18", "2025-03-26", get, block(`{"type":"text","text":"t","_meta":{"x":1}}`), "GetPromptResult"},
		{"lastModified", "2025-06-18", "2025-03-26", get, block(`{"type":"text","text":"t","annotations":{"lastModified":"2026-01-02T03:04:05Z"}}`), "GetPromptResult"},
		{"title of a prompt", "2025-06-18", "2025-03-26", list, result("1", `{"prompts":[{"name":"n","title":"t"}]}`), `["title"]`},
		{"_meta of a prompt", "2025-06-18", "2025-03-26", list, result("1", `{"prompts":[{"name":"n","_meta":{}}]}`), `["_meta"]`},
		{"title of an argument", "2025-06-18", "2025-03-26", list, result("1", `{"prompts":[{"name":"n","arguments":[{"name":"n","title":"t"}]}]}`), `["title"]`},
		{"icons of a prompt", "2025-11-25", "2025-06-18", list, result("1", `{"prompts":[{"name":"n","icons":[]}]}`), `["icons"]`},
		{"icons of a link", "2025-11-25", "2025-06-18", get, block(`{"type":"resource_link","uri":"a:b","name":"n","icons":[]}`), "GetPromptResult"},
	} {
		tests = append(tests, judgement{
			name:   known.what + ", unknown in " + known.before,
			before: after(begin(known.before), known.request),
			bad:    known.response,
			fault:  known.fault,
		}, judgement{
			name:   known.what + ", known since " + known.revision,
			before: after(begin(known.revision), known.request),
			good:   known.response,
		})
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := speccheck.Options{HTTP: tt.http}
			assert.Empty(t, check(t, checker, o, tt.before...).Errors)
			if tt.good != "" {
				assert.Empty(t, check(t, checker, o, append(tt.before[:len(tt.before):len(tt.before)], tt.good)...).Errors)
			}
			if tt.bad != "" {
				faults := check(t, checker, o, append(tt.before[:len(tt.before):len(tt.before)], tt.bad)...).Errors
				require.Len(t, faults, 1)
				assert.ErrorContains(t, faults[0], tt.fault)
			}
		})
	}
}

// There is no request of the server without a session, whatever is asked with
// envelopes.
func TestNoQuestionWithoutASession(t *testing.T) {
	t.Parallel()
	report := check(t, newChecker(t), speccheck.Options{}, modernGet("1", roots), `S> {"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	require.Len(t, report.Errors, 1)
	assert.ErrorContains(t, report.Errors[0], "JRP-36")
}

// What a client says is not judged, and understood all the same.
func TestClientIsUnderstood(t *testing.T) {
	t.Parallel()
	faults := check(t, newChecker(t), speccheck.Options{}, append(begin("2025-03-26", roots),
		`S> {"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`C> {"jsonrpc":"2.0","id":1,"result":{"roots":1}}`,
		list,
		`S> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, // it has been answered
		`C> [{"jsonrpc":"1.0","id":2,"method":"prompts/list","params":7},[],7]`,
		`C> {"jsonrpc":"2.0","id":3,"result":{}}`,
		`S> [{"jsonrpc":"2.0","id":2,"result":{"prompts":1}}]`,
	)...).Errors
	require.Len(t, faults, 2)
	assert.ErrorContains(t, faults[0], "CAN-13")
	assert.ErrorContains(t, faults[1], "as the answer to prompts/list: 2025-03-26 ListPromptsResult")
}
