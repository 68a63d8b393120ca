// Package mcpgo mounts prompts on mcp-go.
package mcpgo
