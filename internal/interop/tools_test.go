package interop_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The official SDKs' clients in Go and TypeScript use the prompts of the fixture by
// tools alone: one tool for each prompt, or the pair, in every version, over standard
// input and output and HTTP.
func TestClientsThatOnlyKnowTools(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture")
	node := installNode(t)
	for _, shape := range []string{"each", "pair"} {
		url := tools.startFixtureWith(t, "fixture", []string{"-tools", shape})
		for _, over := range []string{"stdio", "http"} {
			for _, revision := range append([]string{stateless}, handshakes...) {
				t.Run(shape+"/"+over+"/"+revision+"/go", func(t *testing.T) {
					t.Parallel()
					var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url}
					if over == "stdio" {
						cmd := exec.Command(tools.path("fixture"), "-tools", shape)
						cmd.Stderr = os.Stderr
						transport = &mcp.CommandTransport{Command: cmd}
					}
					useTools(t, transport, revision, shape == "pair")
				})
			}
			for _, revision := range handshakes {
				t.Run(shape+"/"+over+"/"+revision+"/typescript", func(t *testing.T) {
					t.Parallel()
					ctx, cancel := context.WithTimeout(t.Context(), timeout)
					defer cancel()
					args := []string{"node/tools.mjs", shape, revision}
					if over == "stdio" {
						args = append(args, tools.path("fixture"), "-tools", shape)
					} else {
						args = append(args, url)
					}
					out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
					require.NoError(t, err, "%s", out)
					assert.Equal(t, "ok\n", string(out))
				})
			}
		}
	}
}

// useTools is a client in Go that knows only tools.
func useTools(t *testing.T, transport mcp.Transport, revision string, pair bool) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	changed := make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "tools", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"context": "test context"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	defer session.Close()
	require.Equal(t, revision, session.InitializeResult().ProtocolVersion)

	schemas := map[string]any{}
	for tool, err := range session.Tools(ctx, nil) {
		require.NoError(t, err)
		schemas[tool.Name] = tool.InputSchema
	}
	if pair {
		assert.Contains(t, schemas, "list_prompts")
		assert.NotContains(t, schemas, "test_simple_prompt")
	} else {
		assert.Contains(t, schemas, "test_simple_prompt")
		properties := schemas["test_prompt_with_arguments"].(map[string]any)["properties"].(map[string]any)
		assert.Equal(t, "string", properties["arg1"].(map[string]any)["type"])
	}
	call := func(name string, arguments map[string]any) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: arguments}
		if pair {
			params = &mcp.CallToolParams{Name: "get_prompt", Arguments: map[string]any{"name": name, "arguments": arguments}}
		}
		result, err := session.CallTool(ctx, params)
		require.NoError(t, err)
		return result
	}
	text := func(r *mcp.CallToolResult) string {
		content, _ := r.Content[0].(*mcp.TextContent)
		require.NotNil(t, content)
		return content.Text
	}
	assert.Equal(t, "This is a simple prompt for testing.", text(call("test_simple_prompt", nil)))
	assert.Equal(t, "Prompt with arguments: arg1='a', arg2='b'", text(call("test_prompt_with_arguments", map[string]any{"arg1": "a", "arg2": "b"})))
	result := call("test_prompt_with_arguments", map[string]any{"arg1": 1, "arg3": "x"})
	assert.True(t, result.IsError)
	assert.Contains(t, text(result), "arg1: the number 1 is not a string; arg2: is required; arg3: is not an argument")
	assert.Len(t, call("test_prompt_with_image", nil).Content, 2)
	if result = call("test_input_required_result_prompt", nil); revision >= canAsk {
		assert.Contains(t, text(result), "test context")
	} else {
		assert.True(t, result.IsError)
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"})
	var e *jsonrpc.Error
	if assert.True(t, errors.As(err, &e), "%v", err) {
		assert.EqualValues(t, -32602, e.Code)
	}
	if pair {
		return
	}
	call("test_trigger_prompt_change", nil)
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Error("no notification of a changed list of tools")
	}
}
