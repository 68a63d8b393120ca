package streamablehttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// A session stays with the server that created it; other requests go where choose says.
func TestChoose(t *testing.T) {
	t.Parallel()
	var all [2]*streamablehttp.Handler
	for i, name := range []string{"old", "new"} {
		reg := new(prompts.Registry)
		reg.MustAdd(prompts.Prompt{Name: name, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(name)), nil
		}})
		var err error
		all[i], err = streamablehttp.NewHandler(prompts.MustNewServer(reg, prompts.Options{}), streamablehttp.Options{})
		require.NoError(t, err)
		defer all[i].Close()
	}
	var which atomic.Int32
	server := httptest.NewServer(streamablehttp.Choose(func(*http.Request) *streamablehttp.Handler {
		if n := which.Load(); n < 2 {
			return all[n]
		}
		return nil
	}))
	defer server.Close()
	post := func(session, body string) (text, id string, status int) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(content), response.Header.Get("Mcp-Session-Id"), response.StatusCode
	}
	const (
		initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		list       = `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`
	)
	var sessions [2]string
	for i := range sessions {
		which.Store(int32(i))
		_, sessions[i], _ = post("", initialize)
		require.NotEmpty(t, sessions[i])
		_, _, status := post(sessions[i], `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		require.Equal(t, http.StatusAccepted, status)
	}
	for n := range 3 {
		which.Store(int32(n))
		for i, name := range []string{"old", "new"} {
			text, _, _ := post(sessions[i], list)
			assert.Contains(t, text, `"name":"`+name+`"`)
		}
	}
	_, _, status := post("", initialize)
	assert.Equal(t, http.StatusNotFound, status)
	which.Store(0)
	_, _, status = post("unknown", list)
	assert.Equal(t, http.StatusNotFound, status)
}
