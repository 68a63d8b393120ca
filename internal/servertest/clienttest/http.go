// Package clienttest implements the client's side of Streamable HTTP for tests.
package clienttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/transport"
)

// HTTP returns the client's side of Streamable HTTP: it sends a request for each
// message that is written, with this header in addition, and opens a stream once
// the client is initialized. Close ends the session.
func HTTP(url string, header http.Header) transport.Conn {
	ctx, cancel := context.WithCancel(context.Background())
	return &httpTransport{url: url, header: header, client: &http.Client{Transport: &http.Transport{}}, ctx: ctx, cancel: cancel, in: make(chan []byte)}
}

type httpTransport struct {
	url    string
	header http.Header
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	in     chan []byte
	wg     sync.WaitGroup // the goroutines that send

	mu      sync.Mutex // protects the field below
	session string
}

func (h *httpTransport) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg := <-h.in:
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-h.ctx.Done():
		return nil, io.EOF
	}
}

func (h *httpTransport) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := h.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (h *httpTransport) write(_ context.Context, msg []byte) error {
	body := bytes.Clone(msg)
	var m struct {
		Method string
		Params struct {
			Name string
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	_ = json.Unmarshal(body, &m) // it may be no message
	header := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if raw, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; ok {
		var version string
		_ = json.Unmarshal(raw, &version)
		header.Set("MCP-Protocol-Version", version)
		header.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			header.Set("Mcp-Name", m.Params.Name)
		}
	}
	received := make(chan struct{})
	h.wg.Go(func() { h.send(h.ctx, http.MethodPost, header, body, func() { close(received) }) })
	if strings.HasPrefix(m.Method, "notifications/") {
		<-received // or a Close that comes next would take it back
	}
	if m.Method == "notifications/initialized" {
		opened := make(chan struct{})
		h.wg.Go(func() {
			h.send(h.ctx, http.MethodGet, http.Header{"Accept": {"text/event-stream"}}, nil, func() { close(opened) })
		})
		<-opened
	}
	return nil
}

// send sends a request, calls then when the head of the reply has come, and
// passes the messages of the reply on.
func (h *httpTransport) send(ctx context.Context, method string, header http.Header, body []byte, then func()) {
	r, err := http.NewRequestWithContext(ctx, method, h.url, bytes.NewReader(body))
	if err != nil {
		panic(err) // the URL of a test is wrong
	}
	r.Header = header
	for name, values := range h.header {
		r.Header[name] = values
	}
	h.mu.Lock()
	if h.session != "" {
		r.Header.Set("Mcp-Session-Id", h.session)
	}
	h.mu.Unlock()
	response, err := h.client.Do(r)
	then()
	if err != nil {
		return // closed
	}
	defer response.Body.Close()
	h.mu.Lock()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		h.session = id
	}
	h.mu.Unlock()
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		if msg, _ := io.ReadAll(response.Body); len(msg) > 0 {
			h.pass(msg)
		}
		return
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			h.pass([]byte(data))
		}
	}
}

func (h *httpTransport) pass(msg []byte) {
	select {
	case h.in <- msg:
	case <-h.ctx.Done():
	}
}

func (h *httpTransport) Close() error {
	h.cancel()
	h.wg.Wait()
	if h.session != "" {
		h.send(context.Background(), http.MethodDelete, http.Header{}, nil, func() {})
	}
	h.client.CloseIdleConnections()
	return nil
}
