package promptpreview_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptpreview"
)

// The page is for loopback names, by the table of package streamablehttp.
func TestLoopbackNames(t *testing.T) {
	t.Parallel()
	page := newHandler(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), promptpreview.Options{})
	defer page.Close()
	names, err := os.ReadFile("../internal/loopback/testdata/names.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(names)) {
		host, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		assert.Equal(t, want == "yes", w.Code == http.StatusOK, host)
	}
}
