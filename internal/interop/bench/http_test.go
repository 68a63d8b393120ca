package bench_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// handlers are the libraries' own handlers for Streamable HTTP. That of go-sdk
// is told to answer with JSON, as the others do by themselves, which is faster
// than the event stream that it would send otherwise; it serves 2026-07-28 only
// where it is stateless.
var handlers = []struct {
	name    string
	handler func(tb testing.TB, o setup, stateless bool) http.Handler
}{
	{"prompts", func(tb testing.TB, o setup, _ bool) http.Handler {
		s := prompts.MustNewServer(newOurs(tb, o), prompts.Options{PageSize: o.page})
		h := streamablehttp.MustNewHandler(s, streamablehttp.Options{})
		tb.Cleanup(func() { assert.NoError(tb, h.Close()) })
		return h
	}},
	{"go-sdk", func(_ testing.TB, o setup, stateless bool) http.Handler {
		s := newGoSDK(o)
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
			&mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: stateless})
	}},
	{"mcp-go", func(_ testing.TB, o setup, _ bool) http.Handler {
		return mcpgo.NewStreamableHTTPServer(newMCPGo(o), mcpgo.WithStateful(true))
	}},
}

// BenchmarkHTTP asks for a prompt over a connection of loopback that is kept
// alive; net-http is a handler that reads and writes as many bytes as prompts
// does. The client's time is in all of them.
func BenchmarkHTTP(b *testing.B) {
	one := setup{prompts: 1, page: pageSize}
	revisions := []struct {
		name string
		body []byte
	}{
		{"2025-11-25", getRequest(b, one)},
		{statelessRevision, statelessGetRequest(b, one)},
	}
	sizes := map[string]int{}
	for _, h := range handlers {
		b.Run(h.name, func(b *testing.B) {
			for _, r := range revisions {
				stateless := r.name == statelessRevision
				c := newHTTPClient(b, h.handler(b, one, stateless))
				header := mirror("prompts/get", promptName(0))
				if !stateless {
					header = c.handshake(b)
				}
				requireText(b, wantText(one), resultOf(b, c.post(b, header, r.body)))
				if h.name == "prompts" {
					sizes[r.name] = len(c.answer)
				}
				b.Run(r.name+"/get", func(b *testing.B) { measureHTTP(b, c, header, r.body) })
			}
		})
	}
	b.Run("net-http", func(b *testing.B) {
		for _, r := range revisions {
			size := sizes[r.name]
			if size == 0 {
				continue // prompts is not measured
			}
			c := newHTTPClient(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { echo(w, r, size) }))
			header := mirror("prompts/get", promptName(0))
			require.Len(b, c.post(b, header, r.body), size)
			b.Run(r.name+"/get", func(b *testing.B) { measureHTTP(b, c, header, r.body) })
		}
	})
}

func measureHTTP(b *testing.B, c *httpClient, header http.Header, body []byte) {
	b.ReportAllocs()
	for b.Loop() {
		c.post(b, header, body)
	}
}

// echo reads the body of a request and answers with size bytes.
func echo(w http.ResponseWriter, r *http.Request, size int) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(size))
	for rest := size; rest > 0; rest -= len(body) {
		_, _ = w.Write(body[:min(rest, len(body))])
	}
}

// httpClient is a client of a server on loopback, on one connection.
type httpClient struct {
	url    string
	client *http.Client
	answer []byte // the last one
}

func newHTTPClient(tb testing.TB, h http.Handler) *httpClient {
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return &httpClient{url: s.URL + "/mcp", client: s.Client()}
}

// handshake returns the header of the requests of a new session.
func (c *httpClient) handshake(tb testing.TB) http.Header {
	tb.Helper()
	header, msg := c.do(tb, nil, initializeRequest(tb))
	var got struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	require.NoError(tb, json.Unmarshal(resultOf(tb, msg), &got))
	require.Equal(tb, "2025-11-25", got.ProtocolVersion)
	session := http.Header{}
	session.Set("Mcp-Session-Id", header.Get("Mcp-Session-Id"))
	session.Set("Mcp-Protocol-Version", "2025-11-25")
	c.do(tb, session, []byte(initialized))
	return session
}

// mirror is the header that a request of revision 2026-07-28 has.
func mirror(method, name string) http.Header {
	h := http.Header{}
	h.Set("Mcp-Protocol-Version", statelessRevision)
	h.Set("Mcp-Method", method)
	h.Set("Mcp-Name", name)
	return h
}

func (c *httpClient) post(tb testing.TB, header http.Header, body []byte) []byte {
	_, msg := c.do(tb, header, body)
	return msg
}

// do returns an answer, which is good until the next one.
func (c *httpClient) do(tb testing.TB, header http.Header, body []byte) (http.Header, []byte) {
	r, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := c.client.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	buf := bytes.NewBuffer(c.answer[:0])
	_, err = buf.ReadFrom(response.Body)
	c.answer = buf.Bytes()
	if err == nil {
		err = response.Body.Close()
	}
	if err != nil || response.StatusCode >= 300 {
		tb.Fatal(response.Status, err, string(c.answer))
	}
	return response.Header, c.answer
}
