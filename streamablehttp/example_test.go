package streamablehttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// A handler may be mounted in any mux, behind any middleware. It ends before
// the server does, which waits for its streams.
func ExampleNewHandler() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "hello", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Say hello.")), nil
	}})
	handler := streamablehttp.MustNewHandler(prompts.MustNewServer(&reg, prompts.Options{}), streamablehttp.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := httptest.NewServer(mux)
	defer server.Close()
	defer handler.Close()

	body := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"hello","_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequest(http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/get", "Mcp-Name": "hello",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, strings.Contains(string(answer), "Say hello."), err)
	// Output: 200 true <nil>
}
