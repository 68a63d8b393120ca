package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/fixtures"
)

// hiddenPrompt is a prompt of the fixture that no client may see.
const hiddenPrompt = "test_prompt_with_embedded_resource"

// The official SDKs' clients in Go and TypeScript use the prompts of the fixture by
// tools alone: one tool for each prompt, or the pair, in every version, over standard
// input and output and HTTP. A hidden prompt is no tool.
func TestClientsThatOnlyKnowTools(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture")
	node := installNode(t)
	for _, shape := range []string{"each", "pair"} {
		flags := []string{"-tools", shape, "-hide", hiddenPrompt}
		url := tools.startFixtureWith(t, "fixture", flags)
		for _, over := range []string{"stdio", "http"} {
			for _, revision := range append([]string{stateless}, handshakes...) {
				t.Run(shape+"/"+over+"/"+revision+"/go", func(t *testing.T) {
					t.Parallel()
					var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url}
					if over == "stdio" {
						transport = overStdio(tools.path("fixture"), flags...)
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
						args = append(append(args, tools.path("fixture")), flags...)
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

// A client that knows only tools uses prompts that are mounted on a server of another
// SDK. The server's own tool wins over the prompt with the same name.
func TestMountedPromptsByTools(t *testing.T) {
	t.Parallel()
	tools := build(t, "mounted/gosdkserver", "mounted/mcpgo")
	for _, server := range []string{"gosdkserver", "mcpgo"} {
		for _, revision := range append([]string{stateless}, handshakes...) {
			t.Run(server+"/"+revision, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				session, _ := connectForTools(ctx, t, overStdio(tools.path(server), "-tools"), revision)
				schemas := schemasOf(ctx, t, session)
				assert.Contains(t, schemas, fixtures.NativeTool)
				assert.Contains(t, schemas, "test_simple_prompt")
				call := func(name string) *mcp.CallToolResult {
					t.Helper()
					result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
					require.NoError(t, err)
					return result
				}
				assert.Equal(t, []string{"native"}, textsOf(t, call(fixtures.NativeTool)))
				assert.Equal(t, []string{"This is a simple prompt for testing."}, textsOf(t, call("test_simple_prompt")))
				assert.True(t, call("test_prompt_with_arguments").IsError)
				if asked := call("test_input_required_result_prompt"); revision >= canAsk {
					assert.Contains(t, textsOf(t, asked)[0], "test context")
				} else {
					assert.True(t, asked.IsError)
				}
				assert.Equal(t, -32602, refusedTool(ctx, t, session, "no_such_tool"))
			})
		}
	}
}

// useTools is a client in Go that knows only tools.
func useTools(t *testing.T, transport mcp.Transport, revision string, pair bool) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	session, changed := connectForTools(ctx, t, transport, revision)
	schemas := schemasOf(ctx, t, session)
	assert.NotContains(t, schemas, hiddenPrompt)
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
		t.Helper()
		return textsOf(t, r)[0]
	}
	assert.Equal(t, "This is a simple prompt for testing.", text(call("test_simple_prompt", nil)))
	assert.Equal(t, "Prompt with arguments: arg1='a', arg2='b'", text(call("test_prompt_with_arguments", map[string]any{"arg1": "a", "arg2": "b"})))
	result := call("test_prompt_with_arguments", map[string]any{"arg1": 1, "arg3": "x"})
	assert.True(t, result.IsError)
	assert.Contains(t, text(result), "arg1 must be a string, got the number 1; arg2 is required; arg3 is not an argument of this prompt")
	assert.Len(t, call("test_prompt_with_image", nil).Content, 2)
	if result = call("test_input_required_result_prompt", nil); revision >= canAsk {
		assert.Contains(t, text(result), "test context")
	} else {
		assert.True(t, result.IsError)
	}
	assert.Equal(t, -32602, refusedTool(ctx, t, session, "no_such_tool"))
	assert.Equal(t, -32602, refusedTool(ctx, t, session, hiddenPrompt))
	if pair {
		for _, name := range []string{"no_such_prompt", hiddenPrompt} {
			result := call(name, map[string]any{"resourceUri": "test://example"})
			assert.True(t, result.IsError)
			assert.Equal(t, fmt.Sprintf("unknown prompt %q; call list_prompts for the names", name), text(result))
		}
		assert.NotContains(t, listedPrompts(ctx, t, session), hiddenPrompt)
		return
	}
	call("test_trigger_prompt_change", nil)
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Error("no notification of a changed list of tools")
	}
}

// overStdio runs a server for a client.
func overStdio(server string, args ...string) mcp.Transport {
	cmd := exec.Command(server, args...)
	cmd.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: cmd}
}

// connectForTools connects a client that knows only tools, until the test is over.
// changed has a message for each notification of a changed list of tools.
func connectForTools(ctx context.Context, t *testing.T, transport mcp.Transport, revision string) (session *mcp.ClientSession, changed chan struct{}) {
	t.Helper()
	changed = make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "tools", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"context": "test context"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	require.Equal(t, revision, session.InitializeResult().ProtocolVersion)
	return session, changed
}

// schemasOf returns the schemas of all tools, by name.
func schemasOf(ctx context.Context, t *testing.T, session *mcp.ClientSession) map[string]any {
	t.Helper()
	schemas := map[string]any{}
	for tool, err := range session.Tools(ctx, nil) {
		require.NoError(t, err)
		assert.NotContains(t, schemas, tool.Name, "listed twice")
		schemas[tool.Name] = tool.InputSchema
	}
	return schemas
}

// listedPrompts returns the names of the prompts that list_prompts lists.
func listedPrompts(ctx context.Context, t *testing.T, session *mcp.ClientSession) (names []string) {
	t.Helper()
	for arguments := map[string]any{}; ; {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "list_prompts", Arguments: arguments})
		require.NoError(t, err)
		var page struct {
			Prompts    []struct{ Name string }
			NextCursor string
		}
		require.NoError(t, json.Unmarshal([]byte(textsOf(t, result)[0]), &page))
		for _, p := range page.Prompts {
			names = append(names, p.Name)
		}
		if page.NextCursor == "" {
			return names
		}
		arguments["cursor"] = page.NextCursor
	}
}

// refusedTool returns the code of the error that a call of a tool gets.
func refusedTool(ctx context.Context, t *testing.T, session *mcp.ClientSession, name string) int {
	t.Helper()
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}})
	var e *jsonrpc.Error
	require.ErrorAs(t, err, &e)
	return int(e.Code)
}

// textsOf returns the text of each content, or the URI of an embedded resource.
func textsOf(t *testing.T, r *mcp.CallToolResult) (texts []string) {
	t.Helper()
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.EmbeddedResource:
			texts = append(texts, c.Resource.URI)
		default:
			texts = append(texts, fmt.Sprintf("%T", c))
		}
	}
	require.NotEmpty(t, texts)
	return texts
}

// A client that knows only tools uses all prompts of the example codereview, in every
// version.
func TestCodeReviewByTools(t *testing.T) {
	t.Parallel()
	program := build(t, "../../examples/codereview").path("codereview")
	for _, revision := range append([]string{stateless}, handshakes...) {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			session, _ := connectForTools(ctx, t, overStdio(program, "-tools"), revision)
			schemas := schemasOf(ctx, t, session)
			assert.Len(t, schemas, 5)
			properties := schemas["code_review"].(map[string]any)["properties"].(map[string]any)
			assert.Contains(t, properties["language"].(map[string]any)["enum"], "go")

			for _, test := range []struct {
				tool      string
				arguments map[string]any
				isError   bool
				want      []string
			}{
				{"code_review", map[string]any{"code": "x := 1", "language": "go"}, false, []string{"Please review this code:\n```go\nx := 1\n```"}},
				{"code_review", map[string]any{"code": "x", "language": "cobol"}, true, []string{`language must be one of c, cpp, go, java, javascript, python, rust, typescript, got "cobol"`}},
				{"git-commit", map[string]any{"changes": "Retry."}, false, []string{"Generate a concise but descriptive commit message for these changes:\n\nRetry."}},
				{"git-commit", nil, true, []string{"changes is required"}},
				{"explain-code", map[string]any{"code": "10 GOTO 10"}, false, []string{"Explain how this code works:\n\n```\n10 GOTO 10\n```"}},
				{
					"analyze-project", map[string]any{"timeframe": "1h", "fileUri": "file:///project/network.py"}, false,
					[]string{"Analyze these system logs and the code file for any issues:", "logs://recent?timeframe=1h0m0s", "file:///project/network.py"},
				},
				{"analyze-project", map[string]any{"timeframe": "-1h", "fileUri": "file:///project/network.py"}, true, []string{"timeframe: must be longer than nothing"}},
				{
					"debug-error", map[string]any{"error": "EOF"}, false,
					[]string{
						"User:\nHere's an error I'm seeing: EOF", "Assistant:\nI'll help analyze this error. What have you tried so far?",
						"User:\nI've tried restarting the service, but the error persists.",
					},
				},
			} {
				result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: test.tool, Arguments: test.arguments})
				require.NoError(t, err)
				assert.Equal(t, test.isError, result.IsError, test.tool)
				texts := textsOf(t, result)
				if test.isError {
					assert.Contains(t, texts[0], test.want[0])
					continue
				}
				assert.Equal(t, test.want, texts, test.tool)
			}
			assert.Equal(t, -32602, refusedTool(ctx, t, session, "no_such_tool"))
		})
	}
}
