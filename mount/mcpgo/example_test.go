package mcpgo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

func ExampleMount() {
	// A server that is there already, with whatever it has.
	s := server.NewMCPServer("review", "1.0.0")

	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "greet"}, func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Say hello to " + in.Name)), nil
	}))
	unmount, err := mcpgo.Mount(s, &reg, mcpgo.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer unmount()

	// A client of it.
	c, err := client.NewInProcessClient(s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		log.Fatal(err)
	}
	request := mcp.GetPromptRequest{}
	request.Params.Name, request.Params.Arguments = "greet", map[string]string{"name": "Ada"}
	result, err := c.GetPrompt(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Messages[0].Content.(mcp.TextContent).Text)
	_, err = c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: "greet"}})
	fmt.Println(err)
	// Output:
	// Say hello to Ada
	// internal error: invalid arguments for prompt "greet": name is required
}
