package bench_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
)

func newMCPGo(o setup) *mcpgo.MCPServer {
	s := mcpgo.NewMCPServer("bench", "1.0.0", mcpgo.WithPromptCapabilities(true), mcpgo.WithPaginationLimit(o.page))
	declared := make([]mcpgo.ServerPrompt, 0, o.prompts)
	for _, e := range entries(o.prompts) {
		declared = append(declared, declareMCPGo(e, o.checked))
	}
	s.AddPrompts(declared...)
	return s
}

func declareMCPGo(e entry, checked bool) mcpgo.ServerPrompt {
	options := []mcp.PromptOption{
		mcp.WithPromptDescription(e.description),
		mcp.WithArgument("code", mcp.ArgumentDescription(codeArgument), mcp.RequiredArgument()),
		mcp.WithArgument("language", mcp.ArgumentDescription(languageArgument), mcp.RequiredArgument()),
	}
	if checked {
		options = append(options, mcp.WithArgument("problems", mcp.ArgumentDescription(problemsArgument), mcp.RequiredArgument()))
	}
	return mcpgo.ServerPrompt{Prompt: mcp.NewPrompt(e.name, options...), Handler: renderMCPGo(checked)}
}

func renderMCPGo(checked bool) mcpgo.PromptHandlerFunc {
	return func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := r.Params.Arguments
		says := ""
		if checked {
			says = checkedText(args["language"], args["code"], args["problems"])
		} else {
			says = text(args["language"], args["code"])
		}
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(says)),
		}}, nil
	}
}

// startMCPGo starts a server of mcp-go behind HandleMessage.
func startMCPGo(tb testing.TB, o setup) *subject {
	m := newMCPGo(o)
	s := handleMCPGo(m)
	initialize(tb, s)
	m.HandleMessage(context.Background(), json.RawMessage(initialized))
	return &subject{
		ask: s,
		add: func(e entry) error {
			m.AddPrompts(declareMCPGo(e, false))
			return nil
		},
		remove: m.DeletePrompts,
	}
}

// handleMCPGo is a server that answers on the goroutine that asks.
func handleMCPGo(m *mcpgo.MCPServer) server {
	ctx := context.Background()
	return func(request []byte, answer func([]byte)) error {
		msg, err := json.Marshal(m.HandleMessage(ctx, request))
		if err != nil {
			return err
		}
		answer(msg)
		return nil
	}
}
