// Command gosdkserver is the fixture's prompts on a server of the official Go
// SDK. It serves on standard input and output, or over HTTP. With -tools, the prompts
// are tools, too.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/fixtures"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

func main() {
	address := flag.String("http", "", "serve HTTP at this `address` instead of standard input and output")
	tools := flag.Bool("tools", false, "offer the prompts as tools, too, and replace "+fixtures.NativeTool+" by a tool of the server")
	flag.Parse()

	server := mcp.NewServer(&mcp.Implementation{Name: "gosdk-fixture", Version: "1.8.0"}, nil)
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	reg, options := fixtures.NewRegistry(), prompts.Options{PageSize: 2, Logger: logger}
	if *tools {
		options.Features = fixtures.Tools(reg)
	}
	unmount, err := gosdk.Mount(server, reg, gosdk.Options{Server: options})
	if err != nil {
		log.Fatal(err)
	}
	defer unmount()
	if *tools {
		mcp.AddTool(server, &mcp.Tool{Name: fixtures.NativeTool}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "native"}}}, nil, nil
		})
	}
	if *address == "" {
		err = server.Run(context.Background(), gosdk.Transport(&mcp.StdioTransport{}))
	} else {
		err = serveHTTP(server, *address)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveHTTP serves at the path /mcp. The SDK serves the revision without a
// handshake only where there are no sessions, so it has two handlers, and the header of a
// request says whose it is.
func serveHTTP(server *mcp.Server, address string) error {
	get := func(*http.Request) *mcp.Server { return server }
	sessions := gosdk.Handler(mcp.NewStreamableHTTPHandler(get, nil))
	without := gosdk.Handler(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			without.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	web := &http.Server{Handler: mux}
	return fixtures.ServeHTTP(web, address, func(context.Context) error {
		return web.Close() // streams of the SDK's do not end by themselves
	})
}
