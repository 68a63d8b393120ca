// Codereview is an MCP server with the prompts of the MCP documentation, on
// standard input and output: the way in which clients run local servers. It
// shows prompts whose arguments are structs, and what a message can hold:
// text, embedded resources, a conversation. With -tools, clients without prompts
// get each prompt as a tool, too.
//
// To see it answer a recorded client session:
//
//	go run ./examples/codereview < examples/codereview/session.jsonl
//
// To use it, build it and name the program in the client's configuration:
//
//	{"mcpServers": {"codereview": {"command": "/usr/local/bin/codereview"}}}
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	asTools := flag.Bool("tools", false, "offer each prompt as a tool, too")
	flag.Parse()

	var reg prompts.Registry
	reg.MustAdd(declared()...) // panics if a declaration is invalid, which is a bug of the program

	// Standard output belongs to the protocol, so the log goes to standard error: by default,
	// the logger of the server is slog.Default().
	options := prompts.Options{Info: prompts.Implementation{Name: "codereview", Title: "Code Review", Version: "1.0.0"}}
	if *asTools {
		// Models call tools without a user, which is safe for all of these prompts.
		tools, err := prompttools.New(&reg, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
		if err != nil {
			slog.Error("cannot serve prompts as tools", "error", err)
			os.Exit(1)
		}
		options.Features = []feature.Feature{tools}
	}
	srv := prompts.MustNewServer(&reg, options)
	// Run returns nil when the client disconnects or a signal arrives.
	if err := stdio.Run(context.Background(), srv); err != nil {
		slog.Error("server failed", "error", err)
		os.Exit(1)
	}
}
