package streamablehttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// The time that a client had to take one reply is not the next one's, on a
// connection that is kept alive.
func TestDeadlineIsOfOneReply(t *testing.T) {
	t.Parallel()
	h := streamablehttp.NewHandler(prompts.NewServer(nil, prompts.Options{}), streamablehttp.Options{WriteTimeout: 50 * time.Millisecond})
	defer h.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") })
	server := httptest.NewServer(mux)
	defer server.Close()
	client := server.Client()

	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	resp, err := client.Post(server.URL+"/mcp", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Positive(t, resp.ContentLength)

	time.Sleep(100 * time.Millisecond) // the deadline of a real connection
	resp, err = client.Post(server.URL+"/other", "text/plain", strings.NewReader("x")) // which is not tried again
	require.NoError(t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, "fine", string(text))
}
