package mcpgo

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// mcp-go sends every error of a handler as an internal error, and what answers a
// message cannot be wrapped. So if ErrorHandler or ListenStdio wraps the transport, an
// error's text ends with a random marker, which is then searched in what the transport
// writes. The text is all that mcp-go takes from an error to the transport, so a tag in
// _meta has no way there. The id of the request would not do: an SSEServer answers in the
// stream of another request, and each client counts its ids from 1. Two gaps remain:
// middleware that replaces the text gets an internal error sent, and hooks see the marker.

const (
	markerBegin  = "[prompts-error:"
	markerEnd    = "]"
	markerRandom = 16 // bytes
	markerLength = len(markerBegin) + 2*markerRandom + len(markerEnd)

	// maxMarkers is how many errors may be on their way through one transport. An
	// older one, which middleware may have replaced, arrives as the SDK has made it.
	maxMarkers = 4096
	// maxMarkerBytes is how many bytes these errors may have, unless it is one.
	maxMarkerBytes = 4 << 20
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
	var random [markerRandom]byte
	_, _ = rand.Read(random[:]) // never fails
	marker = markerBegin + hex.EncodeToString(random[:]) + markerEnd
	if e := content.error; e != nil {
		data, _ := json.Marshal(e.Data) // what cannot be encoded is not sent
		content.size = len(e.Message) + len(data)
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

func (l *markers) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sent) == 0
}

// The beginning of a marker counts, too.
func (l *markers) noneIn(p []byte) bool {
	return l.none() || bytes.HasSuffix(p, []byte("\n")) && !bytes.Contains(p, []byte(markerBegin))
}

func (l *markers) take(marker string) (content pendingError, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if content, ok = l.sent[marker]; ok {
		l.remove(marker)
	}
	return content, ok
}

// find returns the error whose marker is in text, and removes the error. Other
// markers may precede the marker, such as one that a client has forged.
func (l *markers) find(text string) (content pendingError, ok bool) {
	for !ok {
		at := strings.Index(text, markerBegin)
		if at < 0 || at+markerLength > len(text) {
			return pendingError{}, false
		}
		content, ok = l.take(text[at : at+markerLength])
		text = text[at+len(markerBegin):]
	}
	return content, true
}

// replace returns the line to write in place of a line, and the error whose marker
// the line has. A line without a marker is returned unchanged. For a request that
// was cancelled, replace returns no line. The line may begin with an event's "data: ".
func (l *markers) replace(line []byte) ([]byte, pendingError) {
	begin := bytes.IndexByte(line, '{')
	if begin < 0 || !bytes.Contains(line, []byte(markerBegin)) {
		return line, pendingError{}
	}
	var response struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	// Only a marker in the message of an error is replaced. Others stay unchanged.
	if json.Unmarshal(line[begin:], &response) != nil {
		return line, pendingError{}
	}
	content, ok := l.find(response.Error.Message)
	if !ok {
		return line, pendingError{}
	}
	if content.cancelled {
		return nil, content
	}
	e := content.error
	data, err := json.Marshal(e.Data)
	if err != nil || e.Data == nil {
		data = nil // the client gets the error without data that cannot be encoded
	}
	answer := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{response.JSONRPC, response.ID, struct {
		Code    transport.Code  `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{e.Code, e.Message, data}}
	text, err := json.Marshal(answer)
	if err != nil {
		return line, pendingError{}
	}
	return slices.Concat(line[:begin], text, []byte("\n")), content
}
