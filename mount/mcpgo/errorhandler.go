package mcpgo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/mount/internal/core"
	"github.com/mcp-prompts/prompts/transport"
)

// ErrorHandler returns a handler that wraps next, a [server.StreamableHTTPServer], a
// [server.SSEServer] or a wrapper of one, and sends the errors of mounted prompts with their own
// code and data, in place of -32603 with the message. Compress responses outside of ErrorHandler.
//
// For protocol version 2026-07-28, the HTTP status is that of package streamablehttp. A canceled request for a mounted
// prompt gets no response. Errors of the server's own prompts and tools are unchanged.
func ErrorHandler(next http.Handler) http.Handler {
	option.Must("mcpgo: ErrorHandler", struct{}{}, "handler", next)
	l := newMarkers() // of all requests: the stream of another may have the response
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ew := &errorWriter{ResponseWriter: w, markers: l, modern: mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))}
		defer ew.finish()
		r = r.WithContext(context.WithValue(r.Context(), markersKey{}, l))
		if _, ok := w.(http.Flusher); ok { // to which the SDK streams
			next.ServeHTTP(errorFlusher{ew}, r)
		} else {
			next.ServeHTTP(ew, r)
		}
	})
}

type errorWriter struct {
	http.ResponseWriter
	markers *markers
	modern  bool
	status  int    // to be written; 0 for none, or after it has been
	line    []byte // written without its end
	event   []byte // the line "event: …" in front of a line of data
}

// Unwrap is for http.ResponseController.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader keeps the first status, which an error may change, until the body is written.
func (w *errorWriter) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		w.ResponseWriter.WriteHeader(status)
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

func (w *errorWriter) isMessages() bool {
	kind := w.Header().Get("Content-Type")
	return strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "text/event-stream")
}

func (w *errorWriter) writeLine(line []byte) error {
	if len(w.event) == 0 && bytes.HasPrefix(line, []byte("event:")) {
		w.event = bytes.Clone(line)
		return nil
	}
	line, content := w.markers.replace(line)
	if content != (pendingError{}) {
		w.Header().Del("Content-Length")
	}
	isWhole := w.status == http.StatusOK && len(w.event) == 0 // the line is the body
	switch {
	case content.cancelled && isWhole:
		w.Header().Del("Content-Type")
		w.status = http.StatusAccepted
	case content.error != nil && isWhole && w.modern:
		w.status = revision.HTTPStatus(int(content.error.Code))
	}
	line = append(w.event, line...)
	w.event = nil
	w.writeStatus()
	if content.cancelled {
		return nil
	}
	_, err := w.ResponseWriter.Write(line)
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
	}
	w.writeStatus()
}

// eachLine calls write for each line of what is written, and keeps the begin of a line in begun.
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

type errorFlusher struct{ *errorWriter }

// Flush flushes, and discards the error.
func (w errorFlusher) Flush() { _ = w.FlushError() }

// ListenStdio is the Listen of a [server.StdioServer], and sends errors as [ErrorHandler] does.
func ListenStdio(ctx context.Context, s *server.StdioServer, stdin io.Reader, stdout io.Writer) error {
	if err := option.Check("mcpgo: ListenStdio", struct{}{}, "server", s, "input", stdin, "output", stdout); err != nil {
		return err
	}
	l := newMarkers()
	return s.Listen(context.WithValue(ctx, markersKey{}, l), stdin, &errorLines{to: stdout, markers: l})
}

// errorLines may be used concurrently: the SDK writes requests and responses at the same time.
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

// mcp-go sends every error of a handler as an internal error, of which it takes only the text to the
// transport. So if ErrorHandler or ListenStdio wraps the transport, an error's text ends with a
// random marker, which is then searched in what the transport writes. The id of the request would
// not do: an SSEServer answers in the stream of another request, and each client counts its ids
// from 1. Two gaps remain: middleware that replaces the text gets an internal error sent, and hooks
// see the marker.

const (
	markerBegin  = "[prompts-error:"
	markerEnd    = "]"
	markerRandom = 26 // characters of rand.Text
	markerLength = len(markerBegin) + markerRandom + len(markerEnd)

	maxMarkers     = 4096    // errors of one transport; an older one is sent as the SDK has made it
	maxMarkerBytes = 4 << 20 // of these errors, unless it is one
)

type markersKey struct{}

type pendingError struct {
	error     *prompts.Error
	cancelled bool // there is to be none
	size      int  // in bytes, about
}

// markers are on their way to the transport, with the errors that they stand for.
type markers struct {
	mu    sync.Mutex // protects the fields below
	sent  map[string]pendingError
	order []string // of sent, the oldest first
	bytes int      // of sent
}

func newMarkers() *markers { return &markers{sent: map[string]pendingError{}} }

func (l *markers) add(content pendingError) (marker string) {
	marker = markerBegin + rand.Text() + markerEnd
	if e := content.error; e != nil {
		content.size = len(e.Message) + len(core.Encode(e.Data))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.order) == maxMarkers || len(l.order) > 0 && l.bytes+content.size > maxMarkerBytes {
		l.remove(l.order[0])
	}
	l.sent[marker] = content
	l.order = append(l.order, marker)
	l.bytes += content.size
	return marker
}

// The caller holds l.mu.
func (l *markers) remove(marker string) {
	l.bytes -= l.sent[marker].size
	delete(l.sent, marker)
	i := slices.Index(l.order, marker)
	l.order = slices.Delete(l.order, i, i+1)
}

// noneIn reports whether no marker ends or begins in what is written.
func (l *markers) noneIn(p []byte) bool {
	l.mu.Lock()
	none := len(l.sent) == 0
	l.mu.Unlock()
	return none || bytes.HasSuffix(p, []byte("\n")) && !bytes.Contains(p, []byte(markerBegin))
}

// find returns the error whose marker is in text, perhaps after forged ones, and removes the error.
func (l *markers) find(text string) (content pendingError, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := strings.Index(text, markerBegin); at >= 0 && at+markerLength <= len(text); at = strings.Index(text, markerBegin) {
		marker := text[at : at+markerLength]
		if content, ok = l.sent[marker]; ok {
			l.remove(marker)
			return content, true
		}
		text = text[at+len(markerBegin):]
	}
	return pendingError{}, false
}

// replace returns the line to write in place of a line, which may begin with an event's "data: ",
// and the error whose marker the message of the line has. Without one, the line is unchanged. For a
// canceled request, replace returns no line.
func (l *markers) replace(line []byte) ([]byte, pendingError) {
	begin := bytes.IndexByte(line, '{')
	if begin < 0 || !bytes.Contains(line, []byte(markerBegin)) {
		return line, pendingError{}
	}
	var response struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    transport.Code  `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data,omitempty"`
		} `json:"error"`
	}
	if json.Unmarshal(line[begin:], &response) != nil {
		return line, pendingError{}
	}
	content, ok := l.find(response.Error.Message)
	if !ok {
		return line, pendingError{}
	} else if content.cancelled {
		return nil, content
	}
	e := &response.Error
	e.Code, e.Message, e.Data = content.error.Code, content.error.Message, core.Encode(content.error.Data)
	text, err := json.Marshal(response)
	if err != nil {
		return line, pendingError{}
	}
	return slices.Concat(line[:begin], text, []byte("\n")), content
}
