package mcpgo

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// ErrorHandler returns a handler that wraps next, a [server.StreamableHTTPServer], a
// [server.SSEServer] or a wrapper of one, and sends the errors of mounted prompts with their own
// code and data. mcp-go alone sends each error as an internal error (-32603) with the message. If
// you compress responses, compress outside of ErrorHandler.
//
// For protocol version 2026-07-28, the HTTP status fits the code. A canceled request for a mounted
// prompt gets no response. Errors of the server's own prompts and tools are unchanged.
func ErrorHandler(next http.Handler) http.Handler {
	l := newMarkers() // of all requests: one may be answered by the stream of another
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ew := &errorWriter{ResponseWriter: w, markers: l, modern: mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))}
		defer ew.finish()
		r = r.WithContext(context.WithValue(r.Context(), markersKey{}, l))
		// The SDK streams to what can be flushed.
		if _, ok := w.(http.Flusher); ok {
			next.ServeHTTP(errorFlusher{ew}, r)
		} else {
			next.ServeHTTP(ew, r)
		}
	})
}

// errorWriter looks through what is written, once there is something to look for.
type errorWriter struct {
	http.ResponseWriter
	markers *markers
	modern  bool
	status  int // what is to be written; 0 if none, or if it has been
	line    []byte
	event   []byte // the line that says what the next one is
}

// Unwrap is for http.ResponseController.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader keeps the first status until it is known what comes.
func (w *errorWriter) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		w.ResponseWriter.WriteHeader(status) // there is another to come
	case w.status == 0:
		w.status = status
	}
}

// FlushError is for http.ResponseController.
func (w *errorWriter) FlushError() error {
	w.writeStatus()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *errorWriter) Write(p []byte) (int, error) {
	if len(w.line) == 0 && len(w.event) == 0 && (w.markers.noneIn(p) || !w.isMessages()) {
		w.writeStatus()
		return w.ResponseWriter.Write(p)
	}
	return eachLine(&w.line, p, w.writeLine)
}

// eachLine adds what is written to the begin of a line, and calls write for each complete line.
func eachLine(begun *[]byte, p []byte, write func(line []byte) error) (int, error) {
	*begun = append(*begun, p...)
	for {
		end := bytes.IndexByte(*begun, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := (*begun)[:end+1]
		*begun = (*begun)[end+1:]
		if err := write(line); err != nil {
			return 0, err
		}
	}
}

func (w *errorWriter) isMessages() bool {
	kind := w.Header().Get("Content-Type")
	return strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "text/event-stream")
}

func (w *errorWriter) writeLine(line []byte) error {
	if len(w.event) == 0 && bytes.HasPrefix(line, []byte("event:")) {
		w.event = bytes.Clone(line) // it goes with the next
		return nil
	}
	line, content := w.markers.replace(line)
	if content != (pendingError{}) {
		w.Header().Del("Content-Length") // it is another now
	}
	switch {
	case content.cancelled:
		if w.status == http.StatusOK && len(w.event) == 0 {
			w.Header().Del("Content-Type")
			w.status = http.StatusAccepted
		}
		w.event = nil
		w.writeStatus()
		return nil
	case content.error != nil && w.modern && w.status == http.StatusOK && len(w.event) == 0:
		w.status = statusOf(content.error.Code)
	}
	w.writeStatus()
	_, err := w.ResponseWriter.Write(append(w.event, line...))
	w.event = nil
	return err
}

func (w *errorWriter) writeStatus() {
	if w.status != 0 {
		w.ResponseWriter.WriteHeader(w.status)
		w.status = 0
	}
}

func (w *errorWriter) finish() {
	if len(w.line) > 0 || len(w.event) > 0 {
		_ = w.writeLine(w.line) // an error can no longer be reported
		w.line = nil
	}
	w.writeStatus()
}

func statusOf(code transport.Code) int {
	switch code {
	case prompts.CodeInvalidParams, transport.CodeInvalidRequest, transport.CodeParseError,
		transport.CodeMissingCapability, transport.CodeUnsupportedVersion:
		return http.StatusBadRequest
	case prompts.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusOK
}

type errorFlusher struct{ *errorWriter }

// Flush flushes, and discards the error.
func (w errorFlusher) Flush() { _ = w.FlushError() }

// ListenStdio is the Listen of a [server.StdioServer], and sends the errors of
// mounted prompts with their own code and data: see [ErrorHandler].
func ListenStdio(ctx context.Context, s *server.StdioServer, stdin io.Reader, stdout io.Writer) error {
	l := newMarkers()
	return s.Listen(context.WithValue(ctx, markersKey{}, l), stdin, &errorLines{to: stdout, markers: l})
}

// errorLines looks through what is written, once there is something to look for.
// It may be used concurrently: the SDK writes requests and responses at the same time.
type errorLines struct {
	mu      sync.Mutex // held to write
	to      io.Writer
	markers *markers
	line    []byte
}

func (w *errorLines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.line) == 0 && w.markers.noneIn(p) {
		return w.to.Write(p)
	}
	return eachLine(&w.line, p, func(line []byte) error {
		if line, _ = w.markers.replace(line); len(line) == 0 {
			return nil
		}
		_, err := w.to.Write(line)
		return err
	})
}
