package gosdk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/prompttools"
)

// The SDK's client sends requests to the SDK's server with a mounted registry of 100 prompts.
func BenchmarkMount(b *testing.B) {
	var r prompts.Registry
	for i := range 100 {
		p := prompts.Prompt{Name: fmt.Sprint("p", i), Description: "a prompt", Arguments: []prompts.Argument{{Name: "a", Enum: []string{"go", "python"}}}}
		p.Render = func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hello "+args["a"]), prompts.Assistant("hi")), nil
		}
		r.MustAdd(p)
	}
	tools, err := prompttools.New(&r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(b, err)
	o := gosdk.Options{Server: prompts.Options{
		Features: []feature.Feature{tools},
		Limits:   prompts.Limits{GetsPerSecond: -1, CompletionsPerSecond: -1},
	}}
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	unmount, err := gosdk.Mount(server, &r, o)
	require.NoError(b, err)
	b.Cleanup(unmount)
	near, far := mcp.NewInMemoryTransports()
	_, err = server.Connect(b.Context(), far, nil)
	require.NoError(b, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(b.Context(), near, nil)
	require.NoError(b, err)
	b.Cleanup(func() { _ = client.Close() })
	for name, request := range map[string]func() error{
		"get": func() error {
			_, err := client.GetPrompt(b.Context(), &mcp.GetPromptParams{Name: "p1", Arguments: map[string]string{"a": "go"}})
			return err
		},
		"list": func() error {
			_, err := client.ListPrompts(b.Context(), nil)
			return err
		},
		"complete": func() error {
			_, err := client.Complete(b.Context(), &mcp.CompleteParams{
				Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "p1"}, Argument: mcp.CompleteParamsArgument{Name: "a", Value: "g"},
			})
			return err
		},
		"tool": func() error {
			_, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "p1", Arguments: map[string]any{"a": "go"}})
			return err
		},
		"mount": func() error {
			s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			unmount, err := gosdk.Mount(s, &r, o)
			if err == nil {
				unmount()
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, request())
			}
		})
	}
}
