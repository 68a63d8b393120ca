package streamablehttp

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sigpipe"
	"github.com/mcp-prompts/prompts/internal/wrongpath"
)

const (
	// serverReadTimeout is for requests that do not reach the handler, which has
	// Options.ReadTimeout for each body.
	serverReadTimeout = 30 * time.Second
	// idleTimeout is how long a connection may be without a request.
	idleTimeout = 2 * time.Minute
	// maxHeaderBytes is the maximum size of a request's header.
	maxHeaderBytes = 32 << 10
	// unacknowledged is how long a client may acknowledge nothing that is sent, on Linux.
	unacknowledged = time.Minute
	// shutdownTimeout is how long requests have to finish at the end.
	shutdownTimeout = 10 * time.Second
)

// ListenAndServe serves the server's prompts over HTTP at the TCP address, such as
// "127.0.0.1:8080", and the path /mcp. It returns nil when ctx ends, or after a SIGINT or
// SIGTERM. Requests in flight then have 10 seconds to complete. A second signal ends the
// process. It returns an error if it cannot listen, if an option is invalid, or if requests do
// not complete in time. A client has 30 seconds to send a request, a connection may be idle for
// 2 minutes, and a header has at most 32 KiB.
//
// ListenAndServe has no authentication: it serves every client that can connect. For
// authentication, TLS, another path or other timeouts, put a [NewHandler] into an http.Server:
//
//	handler, err := streamablehttp.NewHandler(srv, streamablehttp.Options{})
//	mux := http.NewServeMux()
//	mux.Handle("/mcp", authenticate(handler))
//	server := &http.Server{
//		Addr: addr, Handler: mux, ReadTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10,
//	}
//
// At the end, call Shutdown of the handler, which ends the streams, and then
// Shutdown of the http.Server.
func ListenAndServe(ctx context.Context, addr string, srv *prompts.Server, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // so that a second signal has its default effect
	defer sigpipe.Survive()()
	l, err := listen(ctx, addr)
	if err != nil {
		return err
	}
	return serve(ctx, l, srv, o)
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	return (&net.ListenConfig{Control: limitUnacknowledged}).Listen(ctx, "tcp", addr)
}

func serve(ctx context.Context, l net.Listener, srv *prompts.Server, o Options) error {
	handler, err := NewHandler(srv, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle("/", wrongpath.Handler("/mcp", srv.Log))
	server := &http.Server{
		Handler: mux, ReadTimeout: serverReadTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: log.New(errorLog{srv}, "", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }() // ends with Shutdown
	select {
	case err := <-served:
		return errors.Join(err, handler.Close(), server.Close())
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	// The streams end first, because the server waits for them.
	err = errors.Join(handler.Shutdown(ending), server.Shutdown(ending))
	if err != nil {
		_ = server.Close() // a client that does not read must not keep it
	}
	if closed := <-served; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// errorLog logs what net/http reports, such as a panic, within the rate limit of the
// server. By default, net/http writes to standard error for as long as that blocks.
type errorLog struct{ server *prompts.Server }

func (l errorLog) Write(p []byte) (int, error) {
	l.server.Log(context.Background(), slog.LevelWarn, "HTTP server error", slog.String("error", strings.TrimSpace(string(p))))
	return len(p), nil
}
