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
	// walked is how many pages lie before the one that is listed.
	walked = promptCount / pageSize / 2

	codeArgument     = "the code"
	languageArgument = "its language"

	language = "go"
	code     = "func total(xs []int) int {\n\tsum := 0\n\tfor _, x := range xs {\n\t\tsum += x\n\t}\n\treturn sum\n}\n\n" +
		"// mean needs xs\nfunc mean(xs []int) float64 {\n\treturn float64(total(xs)) / float64(len(xs))\n}\n"
)

// promptName is the name of a prompt; the order of the names is that of the
// numbers.
func promptName(i int) string { return fmt.Sprintf("code_review_%05d", i) }

func promptDescription(i int) string {
	return fmt.Sprintf("Reviews code, %05d", i)
}

// text is what every prompt says.
func text(language, code string) string { return "Please review this " + language + " code:\n" + code }

// getRequest is a request for the prompt in the middle.
func getRequest(tb testing.TB) []byte { return request(tb, "prompts/get", getParams()) }

// statelessGetRequest is the same with the envelope of revision 2026-07-28.
func statelessGetRequest(tb testing.TB) []byte {
	params := getParams()
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bench", "version": "1.0.0"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}},
	}
	return request(tb, "prompts/get", params)
}

func getParams() map[string]any {
	return map[string]any{
		"name":      promptName(promptCount / 2),
		"arguments": map[string]string{"code": code, "language": language},
	}
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
