// Mixed is a server for people on call. Its tools and resources are those of the
// official Go SDK, and its prompts are this library's, on one endpoint: standard
// input and output, or with -listen HTTP.
package main

import (
	"context"
	"errors"
	"flag"
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
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	listen := flag.String("listen", "", "serve HTTP at this `address` and the path /mcp, instead of standard input and output")
	flag.Parse()
	w := stdio.NewLogWriter(os.Stderr) // which a client may close, or never read
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *listen, slog.New(slog.NewTextHandler(w, nil)))
	if _ = w.Close(); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, listen string, logger *slog.Logger) error {
	server, err := newServer(logger)
	if err != nil {
		return err
	}
	if listen != "" {
		return serveHTTP(ctx, server, listen, logger)
	}
	err = server.Run(ctx, &mcp.StdioTransport{})
	if ctx.Err() != nil {
		return nil // it was asked to end
	}
	return err
}

// newServer returns a server of the SDK, with our prompts.
func newServer(logger *slog.Logger) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "oncall", Version: "1.0.0"}, nil)
	addTools(server)
	addResources(server)
	_, err := gosdk.Mount(server, registry(), gosdk.Options{Server: prompts.Options{Logger: logger}}) // for as long as the server runs
	return server, err
}

// serveHTTP serves until ctx ends, and says where.
func serveHTTP(ctx context.Context, server *mcp.Server, listen string, logger *slog.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	logger.Info("serving", "url", "http://"+listener.Addr().String()+"/mcp")
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }() // ends with Close
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	err = web.Close() // a client's stream has no end of its own
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
