// Mcpgo is a minimal server of prompts over standard input and output, on
// mcp-go.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("bench", "1.0.0", server.WithPromptCapabilities(true))
	s.AddPrompt(mcp.NewPrompt("code_review",
		mcp.WithPromptDescription("Reviews code"),
		mcp.WithArgument("code", mcp.ArgumentDescription("the code"), mcp.RequiredArgument()),
		mcp.WithArgument("language", mcp.ArgumentDescription("its language"), mcp.RequiredArgument()),
	), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := r.Params.Arguments
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Please review this "+args["language"]+" code:\n"+args["code"])),
		}}, nil
	})
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
