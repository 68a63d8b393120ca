package streamablehttp

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
)

// GAP-35: on a loopback address, only loopback names are trusted in Host and Origin. Packages
// promptpreview and promptoci have the same table.
func TestLoopbackNames(t *testing.T) {
	t.Parallel()
	names, err := os.ReadFile("../internal/loopback/testdata/names.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(names)) {
		host, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
		r.Host = host
		assert.Equal(t, want == "yes", new(Options).trustsHost(r), host)
		r.Host = "127.0.0.1:1"
		r.Header.Set("Origin", "http://"+host)
		// An address of IPv6 in an Origin has brackets.
		assert.Equal(t, want == "yes" && host != "::1", new(Options).trustsOrigin(r), host)
	}
}
