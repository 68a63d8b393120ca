package streamablehttp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/limit"
)

// ServeHTTP answers one request. Over HTTP/1, ServeHTTP returns when the application's code
// returns. If the code exceeds its time limit, the return is later than the response.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.checkMade()
	h.bound(w, r)
	if r.ProtoMajor > 1 { // the WriteTimeout of the http.Server would reset the stream of a slow request
		none := time.Time{}
		if h.options.WriteTimeout >= 0 {
			none = noDeadline()
		}
		_ = http.NewResponseController(w).SetWriteDeadline(none)
	}
	defer h.limitEnd(w, r)
	if values := countValues(r.Header); values > maxHeaderValues {
		h.refuse(w, r, http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("request has %d header values, more than the limit of %d", values, maxHeaderValues))
		return
	}
	if !h.trust(w, r) {
		return
	}
	if h.options.writeCORS(w, r) {
		return
	}
	c, err := h.clientOf(r)
	if err != nil {
		why, id := errorid.New("internal error: principal of the request is unknown")
		h.server.Log(r.Context(), slog.LevelError, "cannot identify client", slog.Any("error", err), slog.String(errorid.Attr, id))
		h.refuse(w, r, http.StatusInternalServerError, why)
		return
	}
	if status, why := h.begin(r, c); why != "" {
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		h.refuse(w, r, status, why)
		return
	}
	defer h.end(c)
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r, c)
	case r.Method == http.MethodGet && !h.options.DisableSessions:
		h.get(w, r, c)
	case r.Method == http.MethodDelete && !h.options.DisableSessions:
		h.delete(w, r, c)
	default:
		allowed := "GET, POST, DELETE"
		if h.options.DisableSessions {
			allowed = "POST"
		}
		w.Header().Set("Allow", allowed)
		h.refuse(w, r, http.StatusMethodNotAllowed, "method is not allowed; use "+allowed)
	}
}

// limitEnd limits the time for what net/http writes in the end, all of a short reply, once it
// has read what was left. A stream of HTTP/2 has nothing left to read, and nothing to write if
// the client has reset it. The timer of a deadline would keep such a stream in memory.
func (h *Handler) limitEnd(w http.ResponseWriter, r *http.Request) {
	c, wait := http.NewResponseController(w), h.options.ending()
	if r.ProtoMajor > 1 {
		_ = c.SetReadDeadline(time.Time{})
		if errors.Is(r.Context().Err(), context.Canceled) {
			wait = min(wait, hurried)
		}
	}
	if h.options.WriteTimeout >= 0 {
		_ = c.SetWriteDeadline(time.Now().Add(wait)) // not all writers have one
	}
}

// maxHeaderValues is the maximum number of values in a header. Each value may take 128
// bytes of memory in addition to its text, as long as its request or stream is open.
const maxHeaderValues = 250

func countValues(header http.Header) int {
	n := 0
	for _, values := range header {
		n += len(values)
	}
	return n
}

// bound limits the time of a client to send a body, which also applies to the part that
// a handler leaves to net/http. A request without a body is known by its length, because
// http.MaxBytesHandler and others replace http.NoBody, and the limit would end a stream.
func (h *Handler) bound(w http.ResponseWriter, r *http.Request) {
	if h.options.ReadTimeout >= 0 && r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.options.ReadTimeout)) // not all readers have one
	}
}

// clientOf calls Options.Principal, so only the goroutine of the request may call it: a
// panic then ends that request only.
func (h *Handler) clientOf(r *http.Request) (client, error) {
	principal, err := h.server.Principal(r.Context())
	if err != nil {
		return client{}, err
	}
	if principal != "" {
		// Sessions keep the name, and the principal may be a part of a whole header.
		const kind = "principal "
		name := kind + limit.Name(principal)
		return client{name[len(kind):], name}, nil
	}
	return client{"", "address " + addressOf(r)}, nil
}
