// Transport is a prompts server for many clients at a time on a Unix socket.
// It shows a transport.Conn of one's own, in framed.go, and what belongs
// around it: a Serve for each connection, and an orderly end of them all.
//
//	go run ./examples/transport -listen prompts.sock
//
// Clients start local servers as programs. So the same program can connect
// its standard input and output to the socket; see bridge.go.
//
//	go run ./examples/transport -connect prompts.sock < examples/codereview/session.jsonl
//
//	{"mcpServers": {"team": {"command": "/usr/local/bin/transport", "args": ["-connect", "/path/to/prompts.sock"]}}}
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

// maxMessageBytes bounds what the server reads from a client.
const maxMessageBytes = 1 << 20

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	listen := flag.String("listen", "", "serve on the Unix socket `path`")
	connect := flag.String("connect", "", "connect standard input and output to the server on the Unix socket `path`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *connect, logger); err != nil {
		logger.Error("program failed", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, connect string, logger *slog.Logger) error {
	switch {
	case connect != "":
		conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: connect, Net: "unix"})
		if err != nil {
			return err
		}
		return bridge(ctx, stdio.New(), conn)
	case listen != "":
		l, err := net.Listen("unix", listen)
		if err != nil {
			return err
		}
		logger.Info("listening", "socket", listen)
		var reg prompts.Registry
		reg.MustAdd(declared()...)
		return serve(ctx, l, &reg, logger)
	}
	return errors.New("set -listen or -connect")
}

// serve serves the prompts to every client that connects to l, until ctx ends
// or l fails. It closes l, and returns once every connection has ended.
func serve(ctx context.Context, l net.Listener, reg *prompts.Registry, logger *slog.Logger) error {
	// One server is enough for all connections. The program may change the registry
	// from any goroutine: the server notifies each client.
	srv := prompts.MustNewServer(reg, prompts.Options{
		Info:   prompts.Implementation{Name: "team-prompts", Version: "1.0.0"},
		Limits: prompts.Limits{MaxMessageBytes: maxMessageBytes},
		Logger: logger,
	})

	ctx, cancel := context.WithCancel(ctx)
	var connections sync.WaitGroup
	defer connections.Wait()
	defer cancel() // before Wait: it ends the connections
	defer l.Close()
	context.AfterFunc(ctx, func() { _ = l.Close() }) // ends an Accept that waits
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		connections.Go(func() {
			// A failure of one connection is nothing to the others. Serve
			// closes its own.
			if err := srv.Serve(ctx, &framed{conn: conn, limit: maxMessageBytes}); err != nil {
				logger.Warn("connection failed", "error", err)
			}
		})
	}
}

type codeReview struct {
	Code     string `json:"code" jsonschema:"The code to review"`
	Language string `json:"language,omitempty" jsonschema:"Its programming language"`
}

// declared returns the prompts that the server begins with.
func declared() []prompts.Prompt {
	return []prompts.Prompt{
		prompts.New(prompts.Prompt{
			Name:        "code_review",
			Title:       "Request Code Review",
			Description: "Asks the LLM to analyze code quality and suggest improvements",
		}, func(_ context.Context, in codeReview) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Please review this code:\n" + prompts.Fence(in.Language, in.Code))), nil
		}),
	}
}
