package bench_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
)

// startMCPGo starts a server of mcp-go behind HandleMessage.
func startMCPGo(tb testing.TB) server {
	m := mcpgo.NewMCPServer("bench", "1.0.0", mcpgo.WithPromptCapabilities(true), mcpgo.WithPaginationLimit(pageSize))
	declared := make([]mcpgo.ServerPrompt, promptCount)
	for i := range declared {
		declared[i] = mcpgo.ServerPrompt{
			Prompt: mcp.NewPrompt(promptName(i),
				mcp.WithPromptDescription(promptDescription(i)),
				mcp.WithArgument("code", mcp.ArgumentDescription(codeArgument), mcp.RequiredArgument()),
				mcp.WithArgument("language", mcp.ArgumentDescription(languageArgument), mcp.RequiredArgument()),
			),
			Handler: renderMCPGo,
		}
	}
	m.AddPrompts(declared...)

	ctx := context.Background()
	s := func(request []byte, answer func([]byte)) error {
		msg, err := json.Marshal(m.HandleMessage(ctx, request))
		if err != nil {
			return err
		}
		answer(msg)
		return nil
	}
	initialize(tb, s)
	m.HandleMessage(ctx, json.RawMessage(initialized))
	return s
}

func renderMCPGo(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	args := r.Params.Arguments
	return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text(args["language"], args["code"]))),
	}}, nil
}
