package mounting

import (
	"log/slog"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// OnMCPGo has the server serve the registry, until unmount is called. own is the
// completion provider that the server has.
func OnMCPGo(s *server.MCPServer, reg *prompts.Registry, own server.PromptCompletionProvider, logger *slog.Logger) (unmount func(), err error) {
	return mcpgo.Mount(s, reg, mcpgo.Options{Server: prompts.Options{Logger: logger}, Completions: own})
}
