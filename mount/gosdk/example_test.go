package gosdk_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

func Example() {
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "greet"}, func(_ context.Context, in struct{ Name string }) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Say hello to " + in.Name + ".")), nil
	}))

	server := mcp.NewServer(&mcp.Implementation{Name: "review", Version: "1.0.0"}, nil)
	unmount, err := gosdk.Mount(server, &reg, gosdk.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer unmount()

	here, there := mcp.NewInMemoryTransports() // a real one has server.Run(ctx, &mcp.StdioTransport{})
	ctx := context.Background()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	result, err := client.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"Name": "Ada"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Messages[0].Content.(*mcp.TextContent).Text)
	// Output: Say hello to Ada.
}

// A prompt that was written for the SDK, in a registry.
func ExampleFromPrompt() {
	old := &mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}}}
	handler := func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := &mcp.TextContent{Text: "Say hello to " + r.Params.Arguments["name"] + "."}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text}}}, nil
	}
	var reg prompts.Registry
	reg.MustAdd(gosdk.FromPrompt(old, handler))

	srv := prompts.MustNewServer(&reg, prompts.Options{})
	_, err := srv.Call(context.Background(), "prompts/get", []byte(`{"name":"greet"}`), prompts.CallOptions{Version: "2025-11-25"})
	fmt.Println(err)
	// Output: invalid arguments for prompt "greet": name is required (-32602)
}

// The README shows lines of Example.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(readme), "\n## Add prompts to an existing server\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(section, "\n~~~go\n")
	require.True(t, ok)
	shown, _, ok := strings.Cut(after, "~~~\n")
	require.True(t, ok)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	assert.Contains(t, string(source), shown)
}
