// Package mounting has what docs/migrating.md says of mounts.
package mounting

import (
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

// OnGoSDK has the server serve the registry, until unmount is called.
func OnGoSDK(server *mcp.Server, reg *prompts.Registry, logger *slog.Logger) (unmount func(), err error) {
	return gosdk.Mount(server, reg, gosdk.Options{Server: prompts.Options{Logger: logger}})
}
