// Package streamablehttp serves prompts over Streamable HTTP: the handshake
// revisions from 2025-03-26 to 2025-11-25, with sessions, and revision
// 2026-07-28, which has none, at the same URL and at the same time.
package streamablehttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts"
)

// Handler is an http.Handler that serves one endpoint of the protocol. Any
// number of goroutines may use it.
type Handler struct {
	server   *prompts.Server
	options  Options
	sessions sessions

	open   context.Context // ends when Shutdown or Close begins
	shut   context.CancelFunc
	ctx    context.Context // ends when they wait no longer
	cancel context.CancelFunc

	mu      sync.Mutex // protects the fields below
	running int
	idle    chan struct{} // closed when nothing runs any more; nil while nobody waits
}

// NewHandler returns a handler that answers from the server. [Handler.Close]
// or [Handler.Shutdown] must be called when it is over. It panics if the options
// are at fault, because they are part of the program: a number is negative where
// that means nothing.
func NewHandler(s *prompts.Server, o Options) *Handler {
	h := &Handler{server: s, options: o.complete()}
	h.open, h.shut = context.WithCancel(context.Background())
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.options.WriteTimeout >= 0 { // for what net/http writes in the end: all of a short reply
		defer func() {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(h.options.WriteTimeout)) // not all writers have one
		}()
	}
	if !h.options.isTrusted(r) {
		refuse(w, http.StatusForbidden, "the origin or the host is not allowed")
		return
	}
	if h.options.share(w, r) {
		return
	}
	if !h.begin(r) {
		refuse(w, http.StatusServiceUnavailable, "the server is busy or shuts down")
		return
	}
	defer h.end()
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet && !h.options.NoSessions:
		h.get(w, r)
	case r.Method == http.MethodDelete && !h.options.NoSessions:
		h.delete(w, r)
	default:
		allowed := "GET, POST, DELETE"
		if h.options.NoSessions {
			allowed = "POST"
		}
		w.Header().Set("Allow", allowed)
		refuse(w, http.StatusMethodNotAllowed, "the method is not allowed")
	}
}

// refuse answers a request that is none of the protocol's.
func refuse(w http.ResponseWriter, status int, why string) { http.Error(w, why, status) }

// begin counts a request, unless there are too many. After the end of the
// handler has begun, a message may still be what a request under way waits for:
// it goes as far as its session.
func (h *Handler) begin(r *http.Request) bool {
	isLast := r.Method == http.MethodPost && r.Header.Get(headerSession) != ""
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open.Err() != nil && !isLast || h.running >= h.options.MaxStreams {
		return false
	}
	h.running++
	return true
}

func (h *Handler) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	if h.running == 0 && h.idle != nil {
		close(h.idle)
		h.idle = nil
	}
}

// Shutdown ends the handler gracefully: new requests get 503, subscriptions get
// their result, streams end, and what is being worked on is answered, for which
// its client may still be asked. It returns nil when that is done, or the cause of ctx's end; the sessions have
// ended in any case. It may be called more than once.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.shut()
	if h.idle == nil && h.running > 0 {
		h.idle = make(chan struct{})
	}
	idle := h.idle
	h.mu.Unlock()
	defer h.cancel() // of what no session cancels
	defer h.sessions.endAll()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the handler at once.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errClosed)
	if err := h.Shutdown(ctx); !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

var errClosed = errors.New("the handler is closed")

// readBody reads the body of a POST.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	rc := http.NewResponseController(w)
	if h.options.ReadTimeout >= 0 {
		_ = rc.SetReadDeadline(time.Now().Add(h.options.ReadTimeout)) // not all readers have one
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.server.MaxMessageBytes())))
	if err != nil {
		// The deadline stays: net/http goes on to read what is left of it.
		if r.ProtoMajor == 1 { // later versions have one connection for many requests
			w.Header().Set("Connection", "close")
		}
		return nil, err
	}
	if h.options.ReadTimeout >= 0 {
		_ = rc.SetReadDeadline(time.Time{})
	}
	return body, nil
}
