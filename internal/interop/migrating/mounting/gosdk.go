// Package mounting has what docs/migrating.md says of mounts.
package mounting

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

// OnGoSDK has the server serve the registry, until unmount is called.
func OnGoSDK(server *mcp.Server, reg *prompts.Registry, logger *slog.Logger) (unmount func(), err error) {
	return gosdk.Mount(server, reg, gosdk.Options{Server: prompts.Options{Logger: logger}})
}

// FromGoSDK puts the server's prompts into a registry, and ours in the place of
// those that have been moved.
func FromGoSDK(ctx context.Context, server *mcp.Server, moved ...prompts.Prompt) (*prompts.Registry, error) {
	all, err := gosdk.Import(ctx, server)
	if err != nil {
		return nil, err
	}
	var reg prompts.Registry
	if err := reg.Add(all...); err != nil {
		return nil, err
	}
	return &reg, reg.Set(moved...)
}
