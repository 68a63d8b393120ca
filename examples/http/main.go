// Http is a prompts server over Streamable HTTP for several users, each with a
// bearer token and with the prompts that the token's scopes allow.
//
//	go run ./examples/http -listen 127.0.0.1:8080
//
//	curl -s http://127.0.0.1:8080/mcp -H 'Authorization: Bearer editor-token' \
//	  -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: prompts/list' \
//	  -d '{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
//
// With -cert and -key it serves HTTPS. A real server gets its tokens from an
// authorization server; the two here are for trying it.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	listen := flag.String("listen", "127.0.0.1:8080", "serve at the `address`")
	cert := flag.String("cert", "", "`file` with the certificate, for HTTPS")
	key := flag.String("key", "", "`file` with its key")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", *listen)
	if err == nil {
		logger.Info("serving", "address", listener.Addr().String(), "path", "/mcp")
		err = serve(ctx, listener, *cert, *key, logger)
	}
	if err != nil {
		logger.Error("program failed", "error", err)
		os.Exit(1)
	}
}

// patience is how long clients have when the server shuts down.
const patience = 10 * time.Second

// serve serves until ctx ends, and then lets requests finish.
func serve(ctx context.Context, listener net.Listener, cert, key string, logger *slog.Logger) error {
	srv := prompts.MustNewServer(registry(), prompts.Options{
		Info:      prompts.Implementation{Name: "http", Version: "1.0.0"},
		Visible:   isAllowed,
		Principal: userName,
		Logger:    logger,
	})
	handler := streamablehttp.MustNewHandler(srv, streamablehttp.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", authenticate(handler))
	server := &http.Server{
		Handler: mux,
		// The handler limits the time for reads and writes, so that
		// streams may stay open. ReadTimeout is for requests that do not get as far
		// as that.
		ReadTimeout:    30 * time.Second,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 32 << 10,
	}
	served := make(chan error, 1)
	go func() { // ends with Shutdown
		if cert != "" {
			served <- server.ServeTLS(listener, cert, key)
		} else {
			served <- server.Serve(listener)
		}
	}()
	select {
	case err := <-served:
		return errors.Join(err, handler.Close())
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// Streams end first: the server waits for them.
	err := errors.Join(handler.Shutdown(ending), server.Shutdown(ending))
	if err != nil {
		_ = server.Close() // a client that does not read must not keep it
	}
	if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
