package mounting

import (
	"context"
	"log/slog"
	"os"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// OnMCPGo has the server serve the registry, until unmount is called. own is the
// completion provider that the server has.
func OnMCPGo(s *server.MCPServer, reg *prompts.Registry, own server.PromptCompletionProvider, logger *slog.Logger) (unmount func(), err error) {
	return mcpgo.Mount(s, reg, mcpgo.Options{Server: prompts.Options{Logger: logger}, Completions: own})
}

// ServeMCPGo serves on standard input and output, with the codes and the data of
// errors.
func ServeMCPGo(ctx context.Context, s *server.MCPServer) error {
	return mcpgo.ListenStdio(ctx, server.NewStdioServer(s), os.Stdin, os.Stdout)
}
