package bench_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	promptCount = 10_000
	pageSize    = 100

	// statelessRevision is the one whose requests carry their own envelope.
	statelessRevision = "2026-07-28"

	codeArgument     = "the code"
	languageArgument = "its language"
	problemsArgument = "how many problems to name"

	language = "go"
	problems = "10"
	code     = "func total(xs []int) int {\n\tsum := 0\n\tfor _, x := range xs {\n\t\tsum += x\n\t}\n\treturn sum\n}\n\n" +
		"// mean needs xs\nfunc mean(xs []int) float64 {\n\treturn float64(total(xs)) / float64(len(xs))\n}\n"
)

// entry is what tells one prompt from another.
type entry struct{ name, description string }

// entries returns those of n prompts.
func entries(n int) []entry {
	all := make([]entry, n)
	for i := range all {
		all[i] = entry{promptName(i), promptDescription(i)}
	}
	return all
}

// promptName is the name of a prompt; the order of the names is that of the
// numbers.
func promptName(i int) string { return fmt.Sprintf("code_review_%07d", i) }

func promptDescription(i int) string { return fmt.Sprintf("Reviews code, %07d", i) }

// text is what every prompt says.
func text(language, code string) string { return "Please review this " + language + " code:\n" + code }

// checkedText is what every prompt with constraints says.
func checkedText(language, code, problems string) string {
	return "Name at most " + problems + " problems. " + text(language, code)
}

// getRequest is a request for the prompt in the middle.
func getRequest(tb testing.TB, o setup) []byte { return request(tb, "prompts/get", getParams(o)) }

// statelessGetRequest is the same with the envelope of revision 2026-07-28.
func statelessGetRequest(tb testing.TB, o setup) []byte {
	params := getParams(o)
	params["_meta"] = envelope()
	return request(tb, "prompts/get", params)
}

func envelope() map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    statelessRevision,
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bench", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}},
	}
}

func getParams(o setup) map[string]any {
	arguments := map[string]string{"code": code, "language": language}
	if o.checked {
		arguments["problems"] = problems
	}
	return map[string]any{"name": promptName(o.prompts / 2), "arguments": arguments}
}

// wantText is what the prompt of these requests says.
func wantText(o setup) string {
	if o.checked {
		return checkedText(language, code, problems)
	}
	return text(language, code)
}

// listRequest is a request for the page after cursor.
func listRequest(tb testing.TB, cursor string) []byte {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	return request(tb, "prompts/list", params)
}

func initializeRequest(tb testing.TB) []byte {
	return request(tb, "initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]string{"name": "bench", "version": "1.0.0"},
	})
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func request(tb testing.TB, method string, params any) []byte {
	tb.Helper()
	text, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", 1, method, params})
	require.NoError(tb, err)
	return text
}
