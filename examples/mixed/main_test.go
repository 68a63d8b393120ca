package main

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One client uses prompts, tools and resources over one connection.
func TestAllThree(t *testing.T) {
	t.Parallel()
	program := build(t)
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		use(t, &mcp.CommandTransport{Command: exec.Command(program)})
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		use(t, &mcp.StreamableClientTransport{Endpoint: listen(t, program)})
	})
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mixed")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// listen starts the program over HTTP, and returns the URL.
func listen(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.Command(program, "-listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		defer late.Stop()
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	url := regexp.MustCompile(`http://\S+/mcp`).FindString(line)
	require.NotEmpty(t, url, line)
	return url
}

func use(t *testing.T, transport mcp.Transport) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1.0.0"}, nil).Connect(ctx, transport, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, client.Close()) }()

	tools, err := client.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 1)
	called, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "service_status", Arguments: map[string]any{"service": "checkout"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"status": "errors: 12 % of payments"}, called.StructuredContent)

	resources, err := client.ListResources(ctx, nil)
	require.NoError(t, err)
	require.Len(t, resources.Resources, 2)
	read, err := client.ReadResource(ctx, &mcp.ReadResourceParams{URI: "runbook:///search"})
	require.NoError(t, err)
	assert.Equal(t, "Look at the age of the index.\n", read.Contents[0].Text)

	list, err := client.ListPrompts(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list.Prompts, 2)
	assert.Equal(t, "incident", list.Prompts[0].Name)
	assert.Equal(t, "the service that fails (one of: checkout, search)", list.Prompts[0].Arguments[0].Description)
	got, err := client.GetPrompt(ctx, &mcp.GetPromptParams{Name: "incident", Arguments: map[string]string{"service": "search", "severity": "1"}})
	require.NoError(t, err)
	require.Len(t, got.Messages, 2)
	resource, ok := got.Messages[1].Content.(*mcp.EmbeddedResource)
	require.True(t, ok)
	assert.Equal(t, read.Contents[0].Text, resource.Resource.Text)
	completed, err := client.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "update"},
		Argument: mcp.CompleteParamsArgument{Name: "audience", Value: "c"},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"customers", "colleagues"}, completed.Completion.Values)

	_, err = client.GetPrompt(ctx, &mcp.GetPromptParams{Name: "incident", Arguments: map[string]string{"service": "chekout"}})
	var refused *jsonrpc.Error
	require.ErrorAs(t, err, &refused)
	assert.EqualValues(t, jsonrpc.CodeInvalidParams, refused.Code)
	assert.Contains(t, refused.Message, "checkout, search")
}
