package prompttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts"
)

// httpTransport is the client's side of Streamable HTTP: a request for each
// message that is written, and in a session a stream for what comes unasked.
type httpTransport struct {
	url    string
	ctx    context.Context
	cancel context.CancelFunc
	in     chan []byte
	wg     sync.WaitGroup

	mu      sync.Mutex // protects the fields below
	session string
}

func newHTTPTransport(url string) prompts.Transport {
	ctx, cancel := context.WithCancel(context.Background())
	return &httpTransport{url: url, ctx: ctx, cancel: cancel, in: make(chan []byte)}
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

func (h *httpTransport) Write(_ context.Context, msg []byte) error {
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
	h.wg.Go(func() { h.send(http.MethodPost, header, body) })
	if m.Method == "notifications/initialized" {
		opened := make(chan struct{})
		h.wg.Go(func() {
			h.sendThen(http.MethodGet, http.Header{"Accept": {"text/event-stream"}}, nil, func() { close(opened) })
		})
		<-opened
	}
	return nil
}

func (h *httpTransport) send(method string, header http.Header, body []byte) {
	h.sendThen(method, header, body, func() {})
}

// sendThen sends a request, calls then once its head has come, and passes the
// messages of the reply on.
func (h *httpTransport) sendThen(method string, header http.Header, body []byte, then func()) {
	r, err := http.NewRequestWithContext(h.ctx, method, h.url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header = header
	h.mu.Lock()
	if h.session != "" {
		r.Header.Set("Mcp-Session-Id", h.session)
	}
	h.mu.Unlock()
	response, err := http.DefaultClient.Do(r)
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
	return nil
}
