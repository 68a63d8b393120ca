// Package streamablehttp serves prompts over Streamable HTTP:
//
//	err := streamablehttp.ListenAndServe(ctx, "127.0.0.1:8080", srv, streamablehttp.Options{})
//
// One URL serves clients of protocol versions 2024-11-05 to 2025-11-25, with
// sessions, and clients of 2026-07-28, without sessions. To use the endpoint in an
// http.Server, with authentication and TLS, see [NewHandler].
package streamablehttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/transport"
)

// Handler is an http.Handler for one MCP endpoint. Safe for concurrent use.
type Handler struct {
	server   *prompts.Server
	options  Options
	sessions sessions
	bodies   *limit.Semaphore // bytes
	blocked  sync.Once        // of logBlocked

	open   context.Context // ends when Shutdown or Close begins
	shut   context.CancelFunc
	ctx    context.Context // ends when they wait no longer
	cancel context.CancelFunc

	mu         sync.Mutex     // protects the fields below
	running    int            // calls of ServeHTTP
	background int            // goroutines that may outlive their call of ServeHTTP
	clients    map[string]int // running, by client
	idle       chan struct{}  // closed when nothing runs any more; nil if no Shutdown waits
}

// NewHandler returns a handler for the server. Call [Handler.Close] or [Handler.Shutdown] at the
// end. It returns all errors of the options, joined: a negative number without a meaning, or a
// value of AllowedOrigins or AllowedHosts that no header can have. A nil server is an error, too.
func NewHandler(s *prompts.Server, o Options) (*Handler, error) {
	if s == nil {
		return nil, errors.New("streamablehttp: NewHandler: server is nil")
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("streamablehttp: options: %w", err)
	}
	h := &Handler{server: s, options: o, clients: map[string]int{}, bodies: newBodyBudget(int64(s.MaxMessageBytes()))}
	h.open, h.shut = context.WithCancel(context.Background())
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

func (h *Handler) checkMade() {
	if h == nil || h.server == nil {
		panic("streamablehttp: Handler is not made by NewHandler")
	}
}

// MustNewHandler is like [NewHandler], for options that are part of the program. It
// panics on an error.
func MustNewHandler(s *prompts.Server, o Options) *Handler {
	h, err := NewHandler(s, o)
	if err != nil {
		panic(err)
	}
	return h
}

// refuse rejects an HTTP request that has no JSON-RPC response. A POST is a message for
// the observer.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.Method == http.MethodPost {
		h.server.Reject(r.Context(), informer{r}, &transport.Rejection{Type: strconv.Itoa(status), Reason: why})
	}
	http.Error(w, why, status)
}

// begin counts a request, or returns why the handler cannot accept it. During a
// shutdown, begin still accepts messages of a session with a request in progress,
// because the request may wait for such a message.
func (h *Handler) begin(r *http.Request, c client) (status int, why string) {
	if h.open.Err() != nil {
		id := r.Header.Get(headerSession)
		switch isKnown := h.sessions.has(id, c.principal); {
		case id != "" && !isKnown:
			return http.StatusNotFound, errNoSession.Message
		case r.Method != http.MethodPost || !h.sessions.isBusy(id):
			return http.StatusServiceUnavailable, errShutsDown.Message
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.running >= h.options.MaxStreams:
		return http.StatusServiceUnavailable, fmt.Sprintf("server is at capacity (limit %d concurrent requests); retry later", h.options.MaxStreams)
	case h.clients[c.name] >= h.options.MaxStreamsPerClient:
		return http.StatusServiceUnavailable, fmt.Sprintf("too many concurrent requests from this client (limit %d); retry later", h.options.MaxStreamsPerClient)
	}
	h.running++
	h.clients[c.name]++
	return 0, ""
}

func (h *Handler) beginBackground() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.background++
}

func (h *Handler) endBackground() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.background--
	h.signalIdle()
}

func (h *Handler) end(c client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clients[c.name]--; h.clients[c.name] == 0 {
		delete(h.clients, c.name)
	}
	h.running--
	h.signalIdle()
}

// signalIdle lets Shutdown return if nothing runs any more. The caller holds h.mu.
func (h *Handler) signalIdle() {
	if h.running+h.background == 0 && h.idle != nil {
		close(h.idle)
		h.idle = nil
	}
}

// cutOffTimeout is how long Shutdown waits for the error responses of requests that
// have not ended in time.
const cutOffTimeout = time.Second

// Shutdown ends the handler gracefully: new requests get status 503, subscriptions get their
// result, streams end, and requests in progress get their responses. A request in progress may
// still ask its user. Shutdown returns nil when all requests have ended. If ctx ends first,
// Shutdown cancels the other requests, which get an error response, and returns the cause within a
// second. The sessions end in both cases. It may be called more than once.
func (h *Handler) Shutdown(ctx context.Context) error { return h.shutdown(ctx, cutOffTimeout) }

// Close ends the handler at once.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errClosed)
	if err := h.shutdown(ctx, 0); !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

func (h *Handler) shutdown(ctx context.Context, cutOff time.Duration) error {
	h.checkMade()
	h.mu.Lock()
	h.shut()
	if h.idle == nil && h.running+h.background > 0 {
		h.idle = make(chan struct{})
	}
	idle := h.idle
	h.mu.Unlock()
	defer func() { _ = h.server.Flush(ctx) }()
	var cause error
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			cause = context.Cause(ctx)
		}
	}
	h.sessions.endAll()
	h.cancel() // what no session cancels
	if cause != nil {
		select {
		case <-idle:
		case <-time.After(cutOff):
		}
	}
	return cause
}

var errClosed = errors.New("handler is closed")

// logBlocked logs once, when a client first misses a stream, the cause: a middleware that
// may serve a whole site.
func (h *Handler) logBlocked(w http.ResponseWriter, r *http.Request) {
	h.blocked.Do(func() {
		h.server.Log(r.Context(), slog.LevelWarn, "cannot stream responses",
			slog.String("writer", fmt.Sprintf("%T", blocker(w))), slog.Any("error", errBlocked))
	})
}

var errShutsDown = &prompts.Error{Code: prompts.CodeInternalError, Message: "server is shutting down"}
