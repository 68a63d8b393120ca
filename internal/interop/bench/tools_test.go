package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
)

// toolCount is the number of tools of each server.
const toolCount = 1000

// toolServers serve the same tools: the checked prompt of BenchmarkGet, with the same
// schema. prompts and go-sdk check the arguments, mcp-go does not.
var toolServers = []struct {
	name  string
	start func(tb testing.TB) server
}{
	{"prompts", startToolsOurs},
	{"go-sdk", startToolsGoSDK},
	{"mcp-go", startToolsMCPGo},
}

func ourTools(tb testing.TB) *prompts.Registry {
	return newOurs(tb, setup{prompts: toolCount, page: pageSize, checked: true})
}

func startToolsOurs(tb testing.TB) server {
	reg := ourTools(tb)
	tools, err := prompttools.New(reg, prompttools.Options{Select: func(prompts.Prompt) bool { return true }, PageSize: pageSize})
	require.NoError(tb, err)
	s := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}})
	p := newPipe()
	served := make(chan error)
	go func() { served <- s.Serve(context.Background(), p) }() // ends with Close
	tb.Cleanup(func() {
		assert.NoError(tb, p.Close())
		assert.NoError(tb, <-served)
	})
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return p.ask
}

// schema returns the JSON schema of the tools' arguments.
func schema(tb testing.TB) json.RawMessage {
	p, _ := ourTools(tb).Lookup(promptName(0))
	raw, err := p.InputSchema()
	require.NoError(tb, err)
	return raw
}

func startToolsGoSDK(tb testing.TB) server {
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1.0.0"}, &sdk.ServerOptions{PageSize: pageSize})
	input := schema(tb)
	for _, e := range entries(toolCount) {
		sdk.AddTool(s, &sdk.Tool{Name: e.name, Description: e.description, InputSchema: input},
			func(_ context.Context, _ *sdk.CallToolRequest, in checkedReview) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: checkedText(in.Language, in.Code, fmt.Sprint(in.Problems))}}}, nil, nil
			})
	}
	p := newPipe()
	connectGoSDK(tb, s, p)
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return p.ask
}

func startToolsMCPGo(tb testing.TB) server {
	s := mcpgo.NewMCPServer("bench", "1.0.0", mcpgo.WithToolCapabilities(true), mcpgo.WithPaginationLimit(pageSize))
	input := schema(tb)
	all := make([]mcpgo.ServerTool, 0, toolCount)
	for _, e := range entries(toolCount) {
		all = append(all, mcpgo.ServerTool{
			Tool: mcp.NewToolWithRawSchema(e.name, e.description, input),
			Handler: func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText(checkedText(r.GetString("language", ""), r.GetString("code", ""), fmt.Sprint(r.GetInt("problems", 0)))), nil
			},
		})
	}
	s.AddTools(all...)
	ask := handleMCPGo(s)
	initialize(tb, ask)
	s.HandleMessage(context.Background(), json.RawMessage(initialized))
	return ask
}

func callToolRequest(tb testing.TB) []byte {
	return request(tb, "tools/call", map[string]any{"name": promptName(toolCount / 2), "arguments": map[string]any{
		"code": "func f() {}", "language": "go", "problems": 3,
	}})
}

func verifyTools(tb testing.TB, ask server) {
	tb.Helper()
	require.NoError(tb, ask(callToolRequest(tb), func(msg []byte) {
		require.Contains(tb, string(msg), "Name at most 3 problems.")
	}))
	require.NoError(tb, ask(request(tb, "tools/list", map[string]any{}), func(msg []byte) {
		require.Equal(tb, pageSize, strings.Count(string(msg), `"inputSchema":{`))
		require.Contains(tb, string(msg), `"maximum":100`)
	}))
}

// TestToolServers wants of every server what BenchmarkTools measures.
func TestToolServers(t *testing.T) {
	t.Parallel()
	for _, l := range toolServers {
		t.Run(l.name, func(t *testing.T) { t.Parallel(); verifyTools(t, l.start(t)) })
	}
}

// BenchmarkTools calls a tool with three arguments that have constraints, and lists a
// page of tools, of 1,000 tools with the same schema.
func BenchmarkTools(b *testing.B) {
	for _, l := range toolServers {
		b.Run(l.name, func(b *testing.B) {
			ask := l.start(b)
			verifyTools(b, ask)
			b.Run("call", func(b *testing.B) { measure(b, ask, callToolRequest(b)) })
			b.Run("list", func(b *testing.B) { measure(b, ask, request(b, "tools/list", map[string]any{})) })
		})
	}
}
