package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newServer returns the URL of a server.
func newServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	server.Config.Handler = newHandler(base)
	server.Start()
	t.Cleanup(server.Close)
	return base
}

// A client without a valid token learns where to get one.
func TestWithoutToken(t *testing.T) {
	t.Parallel()
	base := newServer(t)
	for _, authorization := range []string{"", "Bearer unknown"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", authorization)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
		assert.Contains(t, response.Header.Get("WWW-Authenticate"), base+metadataPath)
	}
	response, err := http.Get(base + metadataPath)
	require.NoError(t, err)
	defer response.Body.Close()
	metadata, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Contains(t, string(metadata), `"authorization_servers":["https://login.example.org"]`)
}

// bearer sends requests with a token.
type bearer string

func (token bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// The SDK's client sees the prompts that the scopes of its token allow.
func TestScopes(t *testing.T) {
	t.Parallel()
	base := newServer(t)
	for token, want := range map[bearer][]string{"editor-token": {"rewrite", "summarize"}, "reader-token": {"summarize"}} {
		transport := &mcp.StreamableClientTransport{Endpoint: base + "/mcp", HTTPClient: &http.Client{Transport: token}}
		client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1.0.0"}, nil).Connect(t.Context(), transport, nil)
		require.NoError(t, err)
		list, err := client.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, p := range list.Prompts {
			names = append(names, p.Name)
		}
		assert.Equal(t, want, names, token)
		_, err = client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "rewrite", Arguments: map[string]string{"text": "It rains."}})
		assert.Equal(t, len(want) == 2, err == nil, "a hidden prompt is unknown")
		require.NoError(t, client.Close())
	}
}
