package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each user sees the prompts of their scopes, over one server that ends when it
// is told to.
func TestUsers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listener, "", "", slog.New(slog.DiscardHandler)) }()
	url := "http://" + listener.Addr().String() + "/mcp"

	challenge := "" // of the last response
	list := func(token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Authorization": token, "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/list",
		} {
			r.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		challenge = resp.Header.Get("WWW-Authenticate")
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	status, body := list("Bearer editor-token")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, `"name":"rewrite"`)
	assert.Contains(t, body, `"cacheScope":"private"`)
	status, body = list("bearer reader-token")
	assert.Equal(t, http.StatusOK, status)
	assert.NotContains(t, body, "rewrite")
	assert.Contains(t, body, `"name":"summarize"`)
	for token, want := range map[string]string{
		"": "Bearer", "Bearer": "Bearer", "Bearer wrong": `Bearer error="invalid_token"`, "Basic editor-token": "Bearer",
	} {
		status, _ = list(token)
		assert.Equal(t, http.StatusUnauthorized, status, token)
		assert.Equal(t, want, challenge, token)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.NotEqual(t, http.StatusUnauthorized, resp.StatusCode, "a CORS preflight has no token")

	http.DefaultClient.CloseIdleConnections()
	stop()
	assert.NoError(t, <-served)
}
