package promptoci

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A registry with a loopback name uses HTTP, by the table of package streamablehttp. A reference
// has no IPv6 address without brackets.
func TestLoopbackNames(t *testing.T) {
	t.Parallel()
	names, err := os.ReadFile("../internal/loopback/testdata/names.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(names)) {
		host, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		r, err := ParseRef("oci://" + host + "/team/prompts")
		if err != nil {
			assert.Equal(t, "::1", strings.Trim(host, "[]"), "%v", err)
			continue
		}
		store, err := Open(r, ClientOptions{})
		require.NoError(t, err)
		assert.Equal(t, want == "yes", store.(*remoteStore).PlainHTTP, host)
	}
}
