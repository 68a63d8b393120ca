// Command gosdkserver is the fixture's prompts on a server of the official Go
// SDK. It serves on standard input and output, or over HTTP.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/fixtures"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

func main() {
	address := flag.String("http", "", "serve HTTP at this `address` instead of standard input and output")
	flag.Parse()

	server := mcp.NewServer(&mcp.Implementation{Name: "gosdk-fixture", Version: "1.8.0"}, nil)
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	unmount, err := gosdk.Mount(server, fixtures.NewRegistry(), prompts.Options{PageSize: 2, Logger: logger})
	if err != nil {
		log.Fatal(err)
	}
	defer unmount()
	if *address == "" {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	} else {
		err = serveHTTP(server, *address)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveHTTP serves at the path /mcp, and says where on standard error, until
// the process is told to end. The SDK serves the revision without a handshake
// only where there are no sessions, so it has two handlers, and the header of a
// request says whose it is.
func serveHTTP(server *mcp.Server, address string) error {
	told, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	get := func(*http.Request) *mcp.Server { return server }
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	without := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			without.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }() // ends with Close
	fmt.Fprintf(os.Stderr, "http://%s/mcp\n", listener.Addr())

	select {
	case err := <-served:
		return err
	case <-told.Done():
	}
	return web.Close() // streams of the SDK's do not end by themselves
}
