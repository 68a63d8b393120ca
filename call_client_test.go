package prompts_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A middleware gets to know the client of a Call: what the options say in a
// session, and what the request says in the stateless era (MET-08).
func TestCallSaysWhoTheClientIs(t *testing.T) {
	t.Parallel()
	var got prompts.Implementation
	srv := prompts.NewServer(nil, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			got = r.Client
			return next(ctx, r)
		}
	}})
	said := prompts.Implementation{
		Name: "editor", Version: strings.Repeat("9", 300), Title: "Ed\xffitor",
		Description: "is not kept", WebsiteURL: "https://example.com",
	}
	_, err := srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Client: said})
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "editor", Version: strings.Repeat("9", 256) + "…", Title: "Ed\ufffditor"}, got)

	_, err = srv.Call(t.Context(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	assert.Empty(t, got, "nobody has said anything")

	stateless := prompts.CallOptions{Version: "2026-07-28", Client: said}
	_, err = srv.Call(t.Context(), "prompts/list", []byte(`{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"other","version":"2"}}}`), stateless)
	require.NoError(t, err)
	assert.Equal(t, prompts.Implementation{Name: "other", Version: "2"}, got)
}
