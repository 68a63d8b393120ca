// Command mcpgo is the prompts of the fixture, mounted on a server of mcp-go. It
// serves on standard input and output, or over HTTP. With -tools, the prompts are tools,
// too.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/fixtures"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

func main() {
	address := flag.String("http", "", "serve HTTP at this `address` instead of standard input and output")
	tools := flag.Bool("tools", false, "offer the prompts as tools, too, and replace "+fixtures.NativeTool+" by a tool of the server")
	flag.Parse()

	s := server.NewMCPServer("prompts-mounted", "1.0.0", server.WithPaginationLimit(2))
	reg, options := fixtures.NewRegistry(), prompts.Options{}
	if *tools {
		options.Features = fixtures.Tools(reg)
	}
	if _, err := mcpgo.Mount(s, reg, mcpgo.Options{Server: options}); err != nil {
		log.Fatal(err)
	}
	if *tools {
		s.AddTool(mcp.NewTool(fixtures.NativeTool), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("native"), nil
		})
	}
	if *address != "" {
		if err := serveHTTP(s, *address); err != nil {
			log.Fatal(err)
		}
		return
	}
	stdio := server.NewStdioServer(s)
	stdio.SetErrorLogger(log.New(io.Discard, "", 0)) // of clients that go away
	if err := mcpgo.ListenStdio(context.Background(), stdio, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serveHTTP serves at the path /mcp.
func serveHTTP(s *server.MCPServer, address string) error {
	streamable := server.NewStreamableHTTPServer(s, server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcpgo.ErrorHandler(streamable))
	// The streams end with the context of the requests.
	requests, end := context.WithCancel(context.Background())
	defer end()
	web := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return requests }}
	return fixtures.ServeHTTP(web, address, func(ctx context.Context) error {
		end()
		return errors.Join(streamable.Shutdown(ctx), web.Shutdown(ctx))
	})
}
