// Gosdk is a minimal server of prompts over standard input and output, on the
// official Go SDK.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	s.AddPrompt(&mcp.Prompt{
		Name:        "code_review",
		Description: "Reviews code",
		Arguments: []*mcp.PromptArgument{
			{Name: "code", Description: "the code", Required: true},
			{Name: "language", Description: "its language", Required: true},
		},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := r.Params.Arguments
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: "Please review this " + args["language"] + " code:\n" + args["code"]}},
		}}, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
