// Websocket is a prompts server over WebSocket, the example of a transport on top of
// another library. The transport is in websocket.go, and its test is
// prompttest.CheckTransport.
//
//	go -C examples/websocket run . -listen 127.0.0.1:8080
//
// WebSocket is not a transport of the MCP specification. The server offers the
// subprotocol mcp, which the WebSocket client of the official TypeScript SDK asks for.
// A browser is served if its page is of the same host.
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
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"github.com/mcp-prompts/prompts"
)

// maxMessageBytes bounds what the server reads from a client.
const maxMessageBytes = 1 << 20

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "serve at the `address`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", *listen)
	if err == nil {
		slog.Info("listening", "url", "ws://"+l.Addr().String())
		err = serve(ctx, l)
	}
	if err != nil {
		slog.Error("program failed", "error", err)
		os.Exit(1)
	}
}

// serve serves each client of l until ctx ends. It returns when all connections have
// ended.
func serve(ctx context.Context, l net.Listener) error {
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.New(prompts.Prompt{
		Name:        "greet",
		Description: "Asks for a greeting",
	}, func(_ context.Context, in struct {
		Name string `json:"name" jsonschema:"whom to greet"`
	}) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please greet " + in.Name + " warmly.")), nil
	}))
	srv := prompts.MustNewServer(reg, prompts.Options{
		Info:   prompts.Implementation{Name: "websocket-prompts", Version: "1.0.0"},
		Limits: prompts.Limits{MaxMessageBytes: maxMessageBytes},
	})

	ctx, cancel := context.WithCancel(ctx)
	var connections, shutdown sync.WaitGroup
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // whose end ends each Serve
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			connections.Add(1)
			defer connections.Done()
			// Accept checks the Origin header, and responds if it returns an error.
			conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"mcp"}})
			if err != nil {
				return
			}
			if err := srv.Serve(r.Context(), newWebSocket(conn, maxMessageBytes)); err != nil {
				slog.Warn("connection failed", "error", err)
			}
		}),
	}
	// Shutdown does not wait for WebSockets, and connections does not wait for Accept.
	shutdown.Go(func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
	})
	err := server.Serve(l)
	cancel()
	shutdown.Wait()
	connections.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
